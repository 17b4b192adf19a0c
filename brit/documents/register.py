"""The different pictures of a document, each known by its pixels."""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from PIL import Image

THUMB = 48

Pixels = npt.NDArray[np.uint8]
"""(height, width, 3)"""


class PictureRegister:
    """Numbers the different pictures of a document: one number for crops that look the same.

    A logo drawn on every page may differ by a grey level here and there; its thumbnail hardly.
    """

    def __init__(self) -> None:
        self._thumbs = np.zeros((0, THUMB * THUMB * 3), np.int16)
        self._sizes = np.zeros((0, 2), np.float64)

    def number(self, crop: Pixels) -> tuple[int, bool]:
        """The number of the picture, and whether it is new."""
        small = Image.fromarray(crop).resize((THUMB, THUMB), Image.Resampling.BOX)
        thumb = np.asarray(small, np.int16).reshape(1, -1)
        size = np.array([crop.shape[:2]], np.float64)
        near = np.flatnonzero((np.abs(self._sizes - size) <= 0.02 * size + 3).all(axis=1))
        for i in near:
            difference = np.abs(self._thumbs[i] - thumb[0])
            if difference.mean() < 1 and np.percentile(difference, 99.5) < 16:
                return int(i), False
        self._thumbs = np.concatenate([self._thumbs, thumb])
        self._sizes = np.concatenate([self._sizes, size])
        return len(self._sizes) - 1, True


class Album:
    """Keeps the pictures that several processes cut out of one document, alike ones once."""

    def __init__(self, save: Callable[[bytes], str]) -> None:
        self._save, self._ids = save, list[str]()
        self._register = PictureRegister()

    def keep(self, data: bytes) -> str:
        """→ the id of a picture that looks like this one."""
        with Image.open(io.BytesIO(data)) as picture:
            number, new = self._register.number(np.asarray(picture.convert("RGB")))
        if new:
            self._ids.append(self._save(data))
        return self._ids[number]
