"""What stands where a result will: the offer with its choices and its plan, progress, outcome."""
