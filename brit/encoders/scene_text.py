"""Text inside pictures, read by RapidOCR; its models are part of its package."""

from __future__ import annotations

import logging
import threading
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from PIL.Image import Image as Picture

from brit.encoders.vectors import on_white, thread_limit
from brit.encoders.weights import packaged_file
from brit.errors import WeightsMissing
from brit.types import BBox

LONGEST_SIDE = 960
PAGE_SIDE = 1600
"""Longer side of a page whose text is read: letters of 8 points on A4 are 20 pixels high."""
SHORTEST_SIDE = 40


def packaged_model(task: str) -> Path:
    """The ONNX file of a task ("det", "rec") inside the package, so that none is downloaded.

    Raises WeightsMissing.
    """
    found = packaged_file("rapidocr", f"models/*_{task}_*.onnx")
    if found is None:
        raise WeightsMissing(
            "Text in pictures cannot be read: the package rapidocr lacks its models; install it "
            "again with `pip install --force-reinstall rapidocr`."
        )
    return found


class RapidOcrReader:
    """PP-OCR models through ONNX runtime.

    The longer side is brought down to `longest_side` pixels, to 960 where text is looked for, and
    no orientation classifier runs: 0.1–2.2 s a picture instead of 0.9–6.7 s with the defaults,
    which scale small pictures up; 3–9 s a page of text at 1600 (one core). Lines of a confidence
    below `min_confidence` are left out.
    """

    name = "rapidocr"

    def __init__(self, longest_side: int = LONGEST_SIDE, min_confidence: float = 0.5) -> None:
        self._longest_side, self._min_confidence = longest_side, min_confidence
        self._models = {task: packaged_model(task) for task in ("det", "rec")}
        self._lock = threading.Lock()

    @cached_property
    def _engine(self) -> Any:
        from rapidocr import RapidOCR

        # Its own logger writes to stderr, and at warning level says of every picture without text
        # that it has none.
        logging.getLogger("RapidOCR").setLevel(logging.ERROR)
        return RapidOCR(
            params={
                "Global.log_level": "error",
                "Global.use_cls": False,
                "Global.text_score": self._min_confidence,
                "Global.max_side_len": self._longest_side,
                "Det.limit_type": "max",
                "Det.limit_side_len": LONGEST_SIDE,
                "Det.model_path": str(self._models["det"]),
                "Rec.model_path": str(self._models["rec"]),
                "EngineConfig.onnxruntime.intra_op_num_threads": thread_limit(),
            }
        )

    def read_text(self, image: Picture) -> list[tuple[str, BBox, float]]:
        """→ (text, box as fractions of width and height, confidence 0–1) in reading order.

        Empty for pictures with a side below 40 pixels.
        """
        if min(image.size) < SHORTEST_SIDE:
            return []
        picture = on_white(image)
        picture.thumbnail((self._longest_side, self._longest_side))
        with self._lock:
            found = self._engine(picture)
        if found.boxes is None or found.txts is None:
            return []
        return [
            (text, as_fractions(corners, picture.size), float(score))
            for text, corners, score in zip(found.txts, found.boxes, found.scores, strict=True)
        ]


def as_fractions(corners: Any, size: tuple[int, int]) -> BBox:
    """Four corners (4, 2) in pixels → (x0, y0, x1, y1) between 0 and 1."""
    scaled = np.clip(np.asarray(corners, dtype=np.float64) / np.asarray(size), 0.0, 1.0)
    (x0, y0), (x1, y1) = scaled.min(axis=0).tolist(), scaled.max(axis=0).tolist()
    return (x0, y0, x1, y1)
