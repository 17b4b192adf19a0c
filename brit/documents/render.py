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
) -> bytes:
    """PNG of page `page` (from 1) of a PDF, `boxes` in points of the unrotated page marked.

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
    }
    with borrow() as sandbox:
        reply = sandbox.ask(request, seconds=limits.page_seconds, megabytes=limits.page_megabytes)
    return bytes_from_json(reply["png"])
