"""Colours measured in a picture: the share of its pixels that a person calls red, green, …

Hue, saturation and value decide (HSV, hue in degrees). The borders between neighbours are wide:
what lies between orange and red counts for both, so that only a colour that is plainly missing
contradicts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from brit.types import BBox

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

SIDE = 160
# name: hues from, to (degrees), lowest saturation, lowest and highest value (0–1)
_RANGES = {
    "red": (340, 18, 0.35, 0.2, 1.0),
    "orange": (12, 45, 0.45, 0.4, 1.0),
    "yellow": (40, 72, 0.3, 0.45, 1.0),
    "green": (65, 175, 0.12, 0.12, 1.0),
    "blue": (175, 262, 0.12, 0.12, 1.0),
    "purple": (250, 325, 0.12, 0.15, 1.0),
    "pink": (300, 15, 0.1, 0.6, 1.0),
    "brown": (0, 50, 0.25, 0.1, 0.75),
    "black": (0, 360, 0.0, 0.0, 0.28),
    "grey": (0, 360, 0.0, 0.2, 0.9),
    "white": (0, 360, 0.0, 0.78, 1.0),
}
_PALE = {"grey": 0.22, "white": 0.18}  # highest saturation
_SAME = {
    "gray": "grey", "silver": "grey", "violet": "purple", "rot": "red", "rote": "red",
    "roter": "red", "rotes": "red", "gelb": "yellow", "gelbe": "yellow", "gelber": "yellow",
    "grün": "green", "grüne": "green", "grüner": "green", "blau": "blue", "blaue": "blue",
    "blauer": "blue", "weiß": "white", "weiße": "white", "weißer": "white", "schwarz": "black",
    "schwarze": "black", "schwarzer": "black", "grau": "grey", "graue": "grey", "braun": "brown",
    "braune": "brown", "rosa": "pink", "lila": "purple",
}  # fmt: skip
COLOURS = frozenset(_RANGES) | frozenset(_SAME)


def colour_share(picture: Picture, colour: str, box: BBox | None = None) -> float:
    """Share 0–1 of the pixels of that colour, in the middle of `box` (fractions) or everywhere.

    KeyError for a word that is not in COLOURS.
    """
    name = _SAME.get(colour, colour)
    low, high, saturated, dark, bright = _RANGES[name]
    hue, saturation, value = _hsv(picture, box)
    inside = (hue >= low) & (hue <= high) if low < high else (hue >= low) | (hue <= high)
    wanted = inside & (saturation >= saturated) & (value >= dark) & (value <= bright)
    return float((wanted & (saturation <= _PALE.get(name, 1.0))).mean())


def _hsv(picture: Picture, box: BBox | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    if box is not None:
        picture = picture.crop(_middle(box, picture.size))
    small = picture.convert("RGB")
    small.thumbnail((SIDE, SIDE))
    bands = np.asarray(small.convert("HSV"), dtype=np.float32) / 255.0
    return bands[..., 0] * 360.0, bands[..., 1], bands[..., 2]


def _middle(box: BBox, size: tuple[int, int]) -> tuple[int, int, int, int]:
    """The inner 80 % of a box in pixels, at least one: its rim shows what is behind."""
    x0, y0, x1, y1 = box
    dx, dy = 0.1 * (x1 - x0), 0.1 * (y1 - y0)
    left, top = int((x0 + dx) * size[0]), int((y0 + dy) * size[1])
    right, bottom = int((x1 - dx) * size[0]), int((y1 - dy) * size[1])
    return left, top, max(right, left + 1), max(bottom, top + 1)
