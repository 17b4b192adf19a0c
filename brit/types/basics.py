"""Ids, boxes, arrays, and the words that name kinds."""

from __future__ import annotations

import hashlib
from typing import Literal

import numpy as np
import numpy.typing as npt

BBox = tuple[float, float, float, float]
FloatArray = npt.NDArray[np.float32]
IntArray = npt.NDArray[np.int32]
BoolArray = npt.NDArray[np.bool_]

TextKind = Literal[
    "heading", "paragraph", "list-item", "caption", "footnote", "header", "footer", "formula"
]
Status = Literal["whole", "partial", "password", "refused"]
UNREADABLE: tuple[Status, ...] = ("refused", "password")
LinkKind = Literal["CA", "SI", "LP", "LS", "PG"]
LINK_KINDS: tuple[LinkKind, ...] = ("CA", "SI", "LP", "LS", "PG")
Preset = Literal["default", "paper"]
Review = Literal["confirmed", "rejected"]
"""What a person said of a link."""
HopKind = Literal["text-to-image", "image-to-text", "similarity"]


def stable_id(*parts: object) -> str:
    """The id of a thing: 16 hexadecimal digits of the SHA-256 of its parts."""
    joined = "\x1f".join(str(part) for part in parts)
    return hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:16]
