"""Counting line crossings between two neighbouring layers."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort


def crossings(upper: list[int], children: list[list[int]], position: list[int]) -> int:
    """Crossings of the segments from these elements, in order, to the layer below."""
    passed: list[int] = []
    count = 0
    for element in upper:
        ends = [position[child] for child in children[element]]
        for end in ends:
            count += len(passed) - bisect_right(passed, end)
        for end in ends:
            insort(passed, end)
    return count


def saved_by_swap(lefts: list[int], rights: list[int], position: list[int]) -> int:
    """How many crossings fewer there are if two adjacent elements with these neighbours swap."""
    if not lefts or not rights:
        return 0
    ends = sorted([position[end] for end in rights])
    saved = 0
    for start in lefts:
        place = position[start]
        saved += bisect_left(ends, place) + bisect_right(ends, place) - len(ends)
    return saved
