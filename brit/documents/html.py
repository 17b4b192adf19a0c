"""Rendered HTML pages, one document each, with the pictures that lie anywhere in their upload."""

from __future__ import annotations

import codecs
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from brit.config import ReadingConfig
from brit.documents.html_blocks import find_title, parse_html, read_blocks
from brit.documents.pictures import PictureFolder, PictureLoader
from brit.errors import DocumentError
from brit.models import ReadRequest
from brit.types import DocumentHead, Page, TextBlock

MAX_BYTES = 32_000_000
"""Size of a page of text above which it is none."""
TOO_DEEP = "The markup of this page is nested too deeply."

_CHARSET = re.compile(rb"""<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w.:-]{1,40})""", re.IGNORECASE)
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class HtmlReader:
    """Reads one page; pictures are looked for beside it where no folders of them are given."""

    suffixes: tuple[str, ...] = (".html", ".htm", ".xhtml")
    format = "html"

    def __init__(
        self, config: ReadingConfig | None = None, pictures: PictureFolder | None = None
    ) -> None:
        self._config = config or ReadingConfig()
        self._pictures = pictures

    def read(
        self, path: Path, request: ReadRequest
    ) -> Iterator[tuple[DocumentHead, Iterator[Page]]]:
        """→ one head and its one page. Raises DocumentError, Cancelled."""
        request.check()
        root = parse_html(self.markup(path))
        if root is None:
            raise DocumentError("The file is empty: there is nothing to read in it.")
        head = DocumentHead(find_title(root, path.stem), path.name, self.format, 1, paged=False)
        home = request.home or path.parent
        folder = self._pictures or PictureFolder([home], self._config.max_pixels)
        loader = PictureLoader(
            lambda address: folder.read(address, home),
            request.save_image,
            self._config.max_pixels,
        )
        yield head, (read_page(root, head.name, loader) for _ in request.left(head))

    def markup(self, path: Path) -> bytes:
        """The page as HTML in UTF-8. Raises DocumentError."""
        return read_text(path).encode()


def read_page(
    root: Any, title: str, pictures: PictureLoader, also_called: tuple[str, ...] = ()
) -> Page:
    """The one page of a document; other names of it are a sentence of its own."""
    start = time.perf_counter()
    try:
        heading, *body = read_blocks(root, title, pictures)
    except RecursionError:
        return Page(1, 0.0, 0.0, failure=TOO_DEEP)
    blocks = (heading, *name_aliases(title, also_called), *body)
    return Page(1, 0.0, 0.0, blocks, seconds=time.perf_counter() - start)


def name_aliases(title: str, aliases: tuple[str, ...]) -> list[TextBlock]:
    """«X is also called Y and Z.», so that the names lead to the page."""
    if not aliases:
        return []
    names = " and ".join(filter(None, (", ".join(aliases[:-1]), aliases[-1])))
    return [TextBlock(f"{title} is also called {names}.", "paragraph")]


def read_text(path: Path) -> str:
    """A file's text, see `decode_text`. Raises DocumentError."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise DocumentError(f"The file has more than {MAX_BYTES} bytes; split it up.")
        data = path.read_bytes()
    except OSError as error:
        raise DocumentError(f"The file cannot be read ({error.strerror}).") from error
    return decode_text(data)


def decode_text(data: bytes) -> str:
    """Text by its byte order mark, the encoding it names, UTF-8 or Windows-1252."""
    marks = [name for mark, name in _BOMS if data.startswith(mark)]
    named = _CHARSET.search(data[:4096])
    for encoding in (*marks, *([named[1].decode("ascii", "ignore")] if named else []), "utf-8"):
        try:
            return data.decode(encoding).removeprefix("\ufeff")
        except (LookupError, UnicodeError, ValueError):
            continue
    return data.decode("cp1252", "replace")
