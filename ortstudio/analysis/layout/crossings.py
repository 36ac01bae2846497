"""Counting line crossings between two neighbouring layers."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

import numpy as np

from ortstudio.format.arrays import Ints, ints

_MANY = 2_000
"""Segments from which on inserting into a list costs more than sorting arrays."""


def crossings(upper: list[int], children: list[list[int]], position: list[int]) -> int:
    """Crossings of the segments from these elements, in order, to the layer below."""
    ends: list[int] = []
    for element in upper:
        ends += ascending(children[element], position)
    return _inversions(ends) if len(ends) < _MANY else _inversions_of_many(ints(ends))


def saved_by_swap(lefts: list[int], rights: list[int], position: list[int]) -> int:
    """How many crossings fewer there are if two adjacent elements with these neighbours swap."""
    if not lefts or not rights:
        return 0
    if len(lefts) == len(rights) == 1:
        left, right = position[lefts[0]], position[rights[0]]
        return (left > right) - (left < right)
    ends = ascending(rights, position)
    saved = 0
    for start in lefts:
        place = position[start]
        saved += bisect_left(ends, place) + bisect_right(ends, place) - len(ends)
    return saved


def ascending(elements: list[int], position: list[int]) -> list[int]:
    """The positions of the elements in rising order."""
    if len(elements) == 1:
        return [position[elements[0]]]
    places = [position[element] for element in elements]
    places.sort()
    return places


def _inversions(numbers: list[int]) -> int:
    """How many pairs stand in falling order."""
    passed: list[int] = []
    count = 0
    for number in numbers:
        if passed and number < passed[-1]:
            place = bisect_right(passed, number)
            count += len(passed) - place
            passed.insert(place, number)
        else:
            passed.append(number)
    return count


def _inversions_of_many(numbers: Ints) -> int:
    """The same, bit by bit: a falling pair agrees in its higher bits and then has 1 before 0."""
    count = 0
    for bit in range(int(numbers.max(initial=0)).bit_length() - 1, -1, -1):
        group, one = numbers >> (bit + 1), (numbers >> bit) & 1
        ones = np.cumsum(one)
        first = np.searchsorted(group, group)
        ones_in_group = ones - (ones - one)[first]
        count += int(ones_in_group[one == 0].sum())
        numbers = numbers[np.argsort(numbers >> bit, kind="stable")]
    return count
