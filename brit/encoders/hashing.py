"""A deterministic encoder without weights, for tests of all that stands behind an encoder."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence

import numpy as np
from PIL.Image import Image as Picture

from brit.encoders.vectors import encode_filled
from brit.models import Role
from brit.types import FloatArray


class HashingEncoder:
    """Words and their character trigrams, hashed into `dim` signed counts (feature hashing,
    Weinberger et al. 2009).

    Texts that share words are close, spellings of one word are closer than different words, and
    nothing else means anything. A picture is its hint, or its mean colour where it has none.
    """

    name = "hashing"
    same_entity = 0.75

    def __init__(self, dim: int = 128) -> None:
        self.dim = dim

    def encode_texts(self, texts: Sequence[str], role: Role = "passage") -> FloatArray:
        """→ float32 (n, dim), unit rows, zeros for empty texts."""
        del role
        return encode_filled(
            texts, self.dim, lambda filled: np.stack([self._counts(text) for text in filled])
        )

    def encode_images(self, images: Sequence[Picture], hints: Sequence[str] = ()) -> FloatArray:
        """→ float32 (n, dim), unit rows."""
        texts = [*hints, *[""] * (len(images) - len(hints))]
        return self.encode_texts(
            [
                text.strip() or f"picture {picture.convert('RGB').resize((1, 1)).getpixel((0, 0))}"
                for picture, text in zip(images, texts, strict=True)
            ]
        )

    def _counts(self, text: str) -> FloatArray:
        counts = np.zeros(self.dim, dtype=np.float32)
        for feature, weight in features(text):
            code = zlib.crc32(feature.encode())
            counts[code % self.dim] += weight if code >> 31 else -weight
        # A text of signs only has no words, but its row must have length 1 all the same.
        counts[0] += 1e-3
        return counts


def features(text: str) -> Iterator[tuple[str, float]]:
    """The words of a text with weight 1 and the trigrams of each with weight 0.5."""
    for word in re.findall(r"\w+", text.lower()):
        yield word, 1.0
        padded = f"<{word}>"
        yield from ((padded[i : i + 3], 0.5) for i in range(len(padded) - 2))
