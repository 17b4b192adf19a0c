"""EPUB books (https://www.w3.org/TR/epub-33/): chapters are HTML, read as such.

PyMuPDF reads EPUB too, yet as pages set for some screen: figures drawn over two of them, captions
apart from their pictures, no links. The book's own markup has all of it.
"""

from __future__ import annotations

import time
import zipfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from brit.config import ReadingConfig
from brit.documents.archive import UNREADABLE, check_zip
from brit.documents.html import MAX_BYTES, TOO_DEEP, decode_text
from brit.documents.html_blocks import find_heading, parse_html, read_blocks
from brit.documents.pictures import (
    MAX_PICTURE_BYTES,
    PictureFile,
    PictureLoader,
    join_address,
    tell_missing,
)
from brit.errors import DocumentError
from brit.models import ReadRequest
from brit.types import DocumentHead, Page

_CONTAINER = "META-INF/container.xml"


class EpubReader:
    """Reads one book: a page record a chapter, since a book has no pages of its own."""

    suffixes: tuple[str, ...] = (".epub",)

    def __init__(self, config: ReadingConfig | None = None) -> None:
        self._config = config or ReadingConfig()

    def read(
        self, path: Path, request: ReadRequest
    ) -> Iterator[tuple[DocumentHead, Iterator[Page]]]:
        """→ one head, and a page for every chapter. Raises DocumentError, Cancelled."""
        check_zip(path)
        with zipfile.ZipFile(path) as book:
            chapters = _find_chapters(book)
            if not chapters:
                raise DocumentError("The file names no chapters: it is damaged, or no EPUB.")
            head = DocumentHead(path.name, path.name, "epub", len(chapters), paged=False)
            yield head, self._pages(book, chapters, head, request)

    def _pages(
        self, book: zipfile.ZipFile, chapters: list[str], head: DocumentHead, request: ReadRequest
    ) -> Iterator[Page]:
        for number in request.left(head):
            request.check()
            chapter = chapters[number - 1]
            loader = PictureLoader(
                partial(_read_picture, book, chapter),
                request.save_image,
                self._config.max_pixels,
            )
            yield _read_chapter(book, chapter, number, loader)


def _read_chapter(
    book: zipfile.ZipFile, chapter: str, number: int, pictures: PictureLoader
) -> Page:
    start = time.perf_counter()
    try:
        root = parse_html(decode_text(_read_part(book, chapter, MAX_BYTES)).encode())
        blocks = [] if root is None else read_blocks(root, find_heading(root), pictures)
    except RecursionError:
        return Page(number, 0.0, 0.0, failure=TOO_DEEP)
    except DocumentError as error:
        return Page(number, 0.0, 0.0, failure=str(error))
    seconds, missing = time.perf_counter() - start, tell_missing(blocks)
    return Page(number, 0.0, 0.0, tuple(blocks), seconds=seconds, missing=missing)


def _find_chapters(book: zipfile.ZipFile) -> list[str]:
    """The paths of the chapters in reading order (the package's spine)."""
    container = _parse_xml(_read_part(book, _CONTAINER, MAX_BYTES))
    package = next((str(e.get("full-path")) for e in container.iter("{*}rootfile")), "")
    root = _parse_xml(_read_part(book, package, MAX_BYTES))
    items = {str(e.get("id")): e for e in root.iter("{*}item")}
    spine = [items.get(str(e.get("idref"))) for e in root.iter("{*}itemref")]
    return [
        join_address(package, str(item.get("href")))
        for item in spine
        if item is not None and "html" in str(item.get("media-type"))
    ]


def _parse_xml(data: bytes) -> Any:
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=True)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError:
        root = None
    if root is None:
        raise DocumentError("The book's table of parts is damaged; fetch it again.")
    return root


def _read_part(book: zipfile.ZipFile, name: str, limit: int) -> bytes:
    try:
        info = book.getinfo(name)
        if info.file_size > limit:
            raise DocumentError(f"The part {name} of the book is larger than {limit} bytes.")
        return book.read(info)
    except (KeyError, *UNREADABLE) as error:
        raise DocumentError(
            f"The part {name} of the book is missing, damaged or encrypted."
        ) from error


def _read_picture(book: zipfile.ZipFile, page: str, address: str) -> PictureFile | None:
    path = join_address(page, address)
    try:
        return path.rpartition("/")[2], _read_part(book, path, MAX_PICTURE_BYTES)
    except DocumentError:
        # A missing picture costs that picture only: the block stays, without pixels.
        return None
