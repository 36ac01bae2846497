"""Counting line crossings between two neighbouring layers."""

from __future__ import annotations

from bisect import bisect_left, bisect_right


def crossings(upper: list[int], children: list[list[int]], position: list[int]) -> int:
    """Crossings of the segments from these elements, in order, to the layer below."""
    passed: list[int] = []
    count = 0
    for element in upper:
        for end in ascending(children[element], position):
            if passed and end < passed[-1]:
                place = bisect_right(passed, end)
                count += len(passed) - place
                passed.insert(place, end)
            else:
                passed.append(end)
    return count


def saved_by_swap(lefts: list[int], rights: list[int], position: list[int]) -> int:
    """How many crossings fewer there are if two adjacent elements with these neighbours swap."""
    if not lefts or not rights:
        return 0
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
