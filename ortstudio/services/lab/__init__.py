"""Timed comparisons of loading and running, in fresh child processes, taken in turns."""
