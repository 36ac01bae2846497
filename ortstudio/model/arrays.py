"""Rows of different lengths, as the model's columns use them."""

from ortstudio.format.arrays import Ints, Ragged, ints

__all__ = ["Ints", "Ragged", "ints"]
