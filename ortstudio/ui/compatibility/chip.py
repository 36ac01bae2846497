"""The chip that says which releases load a file."""

from __future__ import annotations

from ortstudio.services.release_strip import Standing, Strip, standing, strip_text
from ortstudio.ui.theme import Tone
from ortstudio.ui.views.chips import Chip

KEY = "releases"
"""By which the chips tell it from others."""
_TONES: dict[Standing, Tone] = {
    Standing.LOADS: "good",
    Standing.SLOWER: "text",
    Standing.WARNED: "warning",
    Standing.REFUSES: "warning",
    Standing.UNKNOWN: "muted",
}
"""By what the newest release does."""


def unknown_chip(why: str) -> Chip:
    """Nobody knows, and why."""
    return Chip(KEY, "loading not known", "muted", why)


def releases_chip(strip: Strip) -> Chip:
    """`loads on 1.16+`, `loads on 1.19 to 1.27`, `loads nowhere`; grey where nobody knows."""
    newest = standing(strip[-1])
    tip = strip_text(strip)
    places = [place for place, one in enumerate(strip) if standing(one).loads]
    if not places:
        is_known = all(standing(one) is Standing.REFUSES for one in strip)
        return Chip(KEY, "loads nowhere", "error", tip) if is_known else unknown_chip(tip)
    last = first = places[-1]
    while first - 1 in places:
        first -= 1
    begin, end = _first_text(strip, first), _last_text(strip, last)
    if last == len(strip) - 1:
        return Chip(KEY, f"loads on {begin}+", _TONES[newest], tip)
    run = begin if begin == end else f"{begin} to {end}"
    return Chip(KEY, f"loads on {run}", _TONES[newest], tip)


def _first_text(strip: Strip, place: int) -> str:
    """By the minor number where that begins here: `1.16`."""
    release = strip[place].release
    begins = not place or strip[place - 1].release.minor != release.minor
    return f"{release.major}.{release.minor}" if begins else str(release)


def _last_text(strip: Strip, place: int) -> str:
    """By the minor number where that ends here."""
    release = strip[place].release
    ends = place + 1 == len(strip) or strip[place + 1].release.minor != release.minor
    return f"{release.major}.{release.minor}" if ends else str(release)
