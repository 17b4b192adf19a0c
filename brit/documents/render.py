"""A page as a picture, with places marked on it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from brit.config import ReadingConfig
from brit.documents.process import borrow
from brit.documents.wire import bytes_from_json
from brit.types import BBox


def render_page(
    path: Path,
    page: int,
    boxes: Sequence[BBox] = (),
    dpi: int = 110,
    password: str | None = None,
    config: ReadingConfig | None = None,
    around: bool = False,
) -> bytes:
    """PNG of page `page` (from 1) of a PDF, `boxes` in points of the unrotated page marked; of its
    height only what is `around` them, if wanted.

    Runs in a warm sandbox. Raises DocumentError, also when the page goes beyond the limits of
    `config`, and PasswordNeeded.
    """
    limits = config or ReadingConfig()
    request = {
        "do": "render",
        "path": str(path),
        "password": password,
        "number": page,
        "boxes": [list(box) for box in boxes],
        "dpi": dpi,
        "around": around,
    }
    with borrow() as sandbox:
        reply = sandbox.ask(request, seconds=limits.page_seconds, megabytes=limits.page_megabytes)
    return bytes_from_json(reply["png"])


def page_places(
    path: Path,
    page: int,
    boxes: Sequence[BBox],
    words: Sequence[str],
    password: str | None = None,
    config: ReadingConfig | None = None,
) -> tuple[list[BBox], list[list[BBox]]]:
    """Where boxes, in points of the unrotated page, and words stand on the page as it is seen, in
    fractions of its sides. Raises as `render_page` does."""
    limits = config or ReadingConfig()
    request = {"do": "places", "path": str(path), "password": password, "number": page,
               "boxes": [list(box) for box in boxes], "words": list(words)}  # fmt: skip
    with borrow() as sandbox:
        reply = sandbox.ask(request, seconds=limits.page_seconds, megabytes=limits.page_megabytes)
    return (
        [_box(box) for box in reply["boxes"]],
        [[_box(box) for box in found] for found in reply["words"]],
    )


def _box(sides: Sequence[float]) -> BBox:
    x0, y0, x1, y1 = (min(max(float(side), 0.0), 1.0) for side in sides)
    return x0, y0, x1, y1
