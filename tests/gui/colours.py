"""Contrast and colour-blindness arithmetic for the theme's tests.

WCAG 2.2 relative luminance; the matrices of Machado, Oliveira and Fernandes 2009 at severity 1.0,
which apply to linear RGB; colour difference by CIEDE2000 over CIE Lab (D65).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor

Floats = NDArray[np.float64]

EYES: dict[str, Floats] = {
    "usual": np.eye(3),
    "protan": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deutan": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritan": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}

_TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
_WHITE = np.array([0.95047, 1.0, 1.08883])


def linear(colour: QColor) -> Floats:
    """Linear RGB, 0 to 1."""
    encoded = np.array([colour.redF(), colour.greenF(), colour.blueF()])
    return np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)


def contrast(a: QColor, b: QColor) -> float:
    """WCAG contrast ratio, 1 to 21."""
    dim, bright = sorted(float(_TO_XYZ[1] @ linear(colour)) for colour in (a, b))
    return (bright + 0.05) / (dim + 0.05)


def difference(a: QColor, b: QColor, eyes: str) -> float:
    """CIEDE2000 between two colours as such eyes see them."""
    return _ciede2000(*(_lab(np.clip(EYES[eyes] @ linear(c), 0, 1)) for c in (a, b)))


def _lab(rgb: Floats) -> Floats:
    t = _TO_XYZ @ rgb / _WHITE
    f = np.where(t > 216 / 24389, np.cbrt(t), (24389 / 27 * t + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def _ciede2000(one: Floats, two: Floats) -> float:
    """Formula and names as in Sharma, Wu and Dalal 2005."""
    mean_chroma = (np.hypot(*one[1:]) + np.hypot(*two[1:])) / 2
    g = 0.5 * (1 - np.sqrt(mean_chroma**7 / (mean_chroma**7 + 25**7)))
    a1, a2 = (1 + g) * one[1], (1 + g) * two[1]
    c1, c2 = np.hypot(a1, one[2]), np.hypot(a2, two[2])
    h1, h2 = (np.degrees(np.arctan2(b, a)) % 360 for a, b in ((a1, one[2]), (a2, two[2])))
    turn = (h2 - h1 + 180) % 360 - 180 if c1 * c2 else 0.0
    lightness, chroma = (one[0] + two[0]) / 2, (c1 + c2) / 2
    hue = (h1 + turn / 2) % 360 if c1 * c2 else h1 + h2
    t = (
        1
        - 0.17 * np.cos(np.radians(hue - 30))
        + 0.24 * np.cos(np.radians(2 * hue))
        + 0.32 * np.cos(np.radians(3 * hue + 6))
        - 0.20 * np.cos(np.radians(4 * hue - 63))
    )
    s_l = 1 + 0.015 * (lightness - 50) ** 2 / np.sqrt(20 + (lightness - 50) ** 2)
    d_l = (two[0] - one[0]) / s_l
    d_c = (c2 - c1) / (1 + 0.045 * chroma)
    d_h = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2)) / (1 + 0.015 * chroma * t)
    rotation = -np.sin(np.radians(60 * np.exp(-(((hue - 275) / 25) ** 2))))
    r_t = 2 * np.sqrt(chroma**7 / (chroma**7 + 25**7)) * rotation
    return float(np.sqrt(d_l**2 + d_c**2 + d_h**2 + r_t * d_c * d_h))
