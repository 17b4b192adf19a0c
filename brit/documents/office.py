"""DOCX and PPTX.

PyMuPDF reads both as text set on pages of its own: measured, it drops a document's pictures and
joins all slides into one page. So DOCX goes through mammoth to HTML, and PPTX through python-pptx
to one page a slide, with the places of what stands on it.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from brit.config import ReadingConfig
from brit.documents.archive import UNREADABLE, check_zip, mend_zip
from brit.documents.html import TOO_DEEP
from brit.documents.html_blocks import parse_html, read_blocks
from brit.documents.pictures import PictureLoader, tell_missing
from brit.documents.slides import POINT, read_slide
from brit.errors import DocumentError
from brit.models import ImageSink, ReadRequest
from brit.types import DocumentHead, Page

_STYLES = """
p[style-name='Title'] => h1:fresh
p[style-name='Subtitle'] => p:fresh
p[style-name='Caption'] => figcaption:fresh
p[style-name='caption'] => figcaption:fresh
"""


class DocxReader:
    """Reads a Word document as one record without pages: pages are made when it is printed."""

    suffixes: tuple[str, ...] = (".docx",)

    def __init__(self, config: ReadingConfig | None = None) -> None:
        self._config = config or ReadingConfig()

    def read(
        self, path: Path, request: ReadRequest
    ) -> Iterator[tuple[DocumentHead, Iterator[Page]]]:
        """→ one head and its one page. Raises DocumentError."""
        check_zip(path)
        head = DocumentHead(path.name, path.name, "docx", 1, paged=False)
        yield head, (self._page(path, request.save_image) for _ in request.left(head))

    def _page(self, path: Path, save_image: ImageSink) -> Page:
        start = time.perf_counter()
        pictures: dict[str, bytes] = {}
        root = parse_html(_convert(path, pictures).encode())
        loader = PictureLoader(
            lambda address: ("", pictures[address]), save_image, self._config.max_pixels
        )
        try:
            blocks = () if root is None else tuple(read_blocks(root, "", loader))
        except RecursionError:
            return Page(1, 0.0, 0.0, failure=TOO_DEEP)
        seconds, missing = time.perf_counter() - start, tell_missing(blocks)
        return Page(1, 0.0, 0.0, blocks, seconds=seconds, missing=missing)


def _convert(path: Path, pictures: dict[str, bytes]) -> str:
    """A Word document as HTML; its pictures go to `pictures` by their address."""
    import mammoth

    def keep(image: Any) -> dict[str, str]:
        address = f"embedded:{len(pictures)}"
        pictures[address] = b""
        # A damaged picture costs that picture only: the block stays, without pixels.
        with suppress(KeyError, *UNREADABLE), image.open() as stream:
            pictures[address] = stream.read()
        return {"src": address}

    convert_image = mammoth.images.img_element(keep)
    try:
        with path.open("rb") as file:
            result = mammoth.convert_to_html(file, style_map=_STYLES, convert_image=convert_image)
    except Exception as error:
        # Broken files raise anything, from the XML parser's errors to KeyError inside the library.
        raise _damaged(path) from error
    return str(result.value)


class PptxReader:
    """Reads a presentation, one page a slide."""

    suffixes: tuple[str, ...] = (".pptx",)

    def __init__(self, config: ReadingConfig | None = None) -> None:
        self._config = config or ReadingConfig()

    def read(
        self, path: Path, request: ReadRequest
    ) -> Iterator[tuple[DocumentHead, Iterator[Page]]]:
        """→ one head and its slides. Raises DocumentError, Cancelled."""
        check_zip(path)
        deck = _open_deck(path)
        slides = list(deck.slides)
        if not slides:
            raise DocumentError("The file has no slides.")
        head = DocumentHead(path.name, path.name, "pptx", len(slides))
        size = ((deck.slide_width or 0) / POINT, (deck.slide_height or 0) / POINT)

        def pages() -> Iterator[Page]:
            for number in request.left(head):
                request.check()
                yield _read_page(slides[number - 1], number, size, request.save_image, self._config)

        yield head, pages()


def _open_deck(path: Path) -> Any:
    """All parts are read at once: where one is damaged, a picture mostly, it is left empty."""
    from pptx import Presentation

    try:
        return Presentation(str(path))
    except UNREADABLE:
        pass
    except Exception as error:
        # Broken files raise anything here, too.
        raise _damaged(path) from error
    try:
        with tempfile.TemporaryFile() as mended:
            mend_zip(path, mended)
            return Presentation(mended)
    except Exception as error:
        raise _damaged(path) from error


def _read_page(
    slide: Any,
    number: int,
    size: tuple[float, float],
    save_image: ImageSink,
    config: ReadingConfig,
) -> Page:
    start = time.perf_counter()
    try:
        blocks = tuple(read_slide(slide, save_image, config.max_pixels))
    except Exception as error:
        # A damaged slide raises anything and costs that slide only.
        return Page(number, *size, failure=f"The slide is damaged ({type(error).__name__}).")
    seconds, missing = time.perf_counter() - start, tell_missing(blocks)
    return Page(number, *size, blocks, seconds=seconds, missing=missing)


def _damaged(path: Path) -> DocumentError:
    return DocumentError(
        f"The file is damaged, or no {path.suffix[1:].upper()}: save it again and add it anew."
    )
