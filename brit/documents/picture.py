"""A picture on its own: a document of one picture, known by its file's name."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

from brit.config import ReadingConfig
from brit.documents.html_parts import TITLE
from brit.documents.pictures import PICTURE_SUFFIXES, decode_picture
from brit.errors import DocumentError
from brit.models import ImageSink, ReadRequest
from brit.types import DocumentHead, ImageBlock, Page, TextBlock

# What cameras, telephones and screens call their pictures says nothing of them.
_NAMELESS = re.compile(
    r"(img|dsc[nf]?|pict?|image|photo|screenshot|bildschirmfoto|scan|pxl|mvi|untitled|whatsapp"
    r"|signal|at|am|pm|um|von|[\W\d_])*",
    re.IGNORECASE,
)


class PictureReader:
    """Reads PNG, JPEG, WebP and GIF (its first frame)."""

    suffixes: tuple[str, ...] = PICTURE_SUFFIXES

    def __init__(self, config: ReadingConfig | None = None) -> None:
        self._config = config or ReadingConfig()

    def read(
        self, path: Path, request: ReadRequest
    ) -> Iterator[tuple[DocumentHead, Iterator[Page]]]:
        """→ one head and its one page. Raises DocumentError."""
        pixels = decode_picture(path.read_bytes(), self._config.max_pixels)
        if pixels is None:
            raise DocumentError(
                f"The file is damaged, no picture, or has more than"
                f" {self._config.max_pixels // 1_000_000} million pixels; save it anew or smaller."
            )
        head = DocumentHead(path.name, path.name, "picture", 1, paged=False)
        yield head, (_read_page(path, pixels, request.save_image) for _ in request.left(head))


def _read_page(path: Path, pixels: bytes, save_image: ImageSink) -> Page:
    """The name of the file is its title and its caption, where it is a name."""
    start = time.perf_counter()
    name = " ".join(re.sub(r"[_\-.]+", " ", path.stem).split())
    title = "" if _NAMELESS.fullmatch(name) else name
    image = ImageBlock(
        save_image(pixels),
        name=path.name,
        caption=title,
        caption_confidence=TITLE if title else 0.0,
    )
    blocks = (TextBlock(title, "heading", level=1), image) if title else (image,)
    return Page(1, 0.0, 0.0, blocks, seconds=time.perf_counter() - start)
