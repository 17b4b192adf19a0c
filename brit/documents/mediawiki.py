"""MediaWiki XML exports (https://www.mediawiki.org/xml/export-0.11/) as documents.

Every page of the main namespace is one document without pages; a redirect becomes a sentence of the
page it leads to. Both passes over the dump stream: memory holds one page, and the redirects.
"""

from __future__ import annotations

import bz2
import gzip
import re
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote
from xml.etree.ElementTree import ParseError

from brit.config import ReadingConfig
from brit.documents.html import TOO_DEEP, name_aliases
from brit.documents.pictures import PictureFolder, PictureLoader
from brit.documents.wiki_files import FILE_NAMESPACES
from brit.documents.wikitext import CATEGORY_NAMESPACES, WikiContext, parse_wikitext
from brit.errors import DocumentError
from brit.models import ReadRequest
from brit.types import Block, DocumentHead, ImageBlock, Page, TextBlock

OPENERS: dict[str, Callable[..., IO[Any]]] = {".xml": open, ".bz2": bz2.open, ".gz": gzip.open}
_DAMAGE = (OSError, EOFError, zlib.error)
_HEAD_CHARACTERS = 20_000
_PROLOG = re.compile(r"\s*(<\?xml[^>]*\?>)?\s*(<!--.*?-->\s*)*<mediawiki[\s>]", re.DOTALL)
# No page of a real wiki comes near: MediaWiki itself stops at 2 MB.
_MAX_RUN = 32_000_000

Redirects = dict[str, list[str]]


class MediaWikiReader:
    """Reads an export (.xml, .bz2, .gz); its pictures are looked for beside it where no folders of
    them are given."""

    suffixes: tuple[str, ...] = tuple(OPENERS)

    def __init__(
        self, config: ReadingConfig | None = None, pictures: PictureFolder | None = None
    ) -> None:
        self._config = config or ReadingConfig()
        self._pictures = pictures

    def read(
        self, path: Path, request: ReadRequest
    ) -> Iterator[tuple[DocumentHead, Iterator[Page]]]:
        """→ a head and its one page for every wiki page. Raises DocumentError, Cancelled."""
        home = request.home or path.parent
        folder = self._pictures or PictureFolder([home], self._config.max_pixels)
        pictures = PictureLoader(
            lambda name: folder.read(name, home), request.save_image, self._config.max_pixels
        )
        for title, markup, context, aliases in _read_export(path):
            request.check()
            head = DocumentHead(title, path.name, "mediawiki", page_count=1, paged=False)
            yield head, (_read_page(markup, context, aliases, pictures) for _ in request.left(head))


def is_export(path: Path) -> bool:
    """Whether a file begins like a MediaWiki export. A DTD makes it none: it could hide a bomb."""
    try:
        with _open(path) as file:
            return bool(_PROLOG.match(file.read(_HEAD_CHARACTERS)))
    except (*_DAMAGE, UnicodeDecodeError):
        return False


def _open(path: Path) -> IO[str]:
    opener = OPENERS[path.suffix.lower()]
    file: IO[str] = opener(path, "rt", encoding="utf-8-sig")
    return file


class _Stream:
    """A dump as mwxml reads it, with a limit on text between two tags."""

    def __init__(self, file: IO[str], name: str) -> None:
        self._file, self._name, self._run = file, name, 0

    def read(self, size: int = -1) -> str:
        chunk = self._file.read(size)
        cut = chunk.rfind("<")
        self._run = len(chunk) - cut if cut >= 0 else self._run + len(chunk)
        if self._run > _MAX_RUN:
            raise DocumentError(f"{self._name} holds a page of more than {_MAX_RUN} characters.")
        return chunk


def _iterate(path: Path) -> Iterator[tuple[Any, Any, str]]:
    """(site info, page, wikitext of its last revision) of every page of the main namespace.

    Raises DocumentError.
    """
    import mwxml
    from mwxml.errors import MalformedXML

    if path.suffix.lower() not in OPENERS or not is_export(path):
        raise DocumentError(
            "The file is no MediaWiki export, or it has a DTD, which is refused: "
            "make it with Special:Export."
        )
    try:
        with _open(path) as file:
            dump = mwxml.Dump.from_file(_Stream(file, path.name))
            for page in dump.pages:
                if page.namespace == 0 and page.title:
                    markup = ""
                    for revision in page:
                        markup = revision.text or ""
                    yield dump.site_info, page, markup
    except (ParseError, MalformedXML, ValueError, *_DAMAGE) as error:
        reason = " ".join(str(error).split())[:120]
        raise DocumentError(
            f"The file is damaged ({reason}): the pages before that place were read."
        ) from error


def _find_redirects(path: Path) -> Redirects:
    """Title of a page → the titles that redirect to it."""
    redirects: Redirects = {}
    try:
        for _, page, _ in _iterate(path):
            if page.redirect:
                redirects.setdefault(page.redirect.partition("#")[0], []).append(page.title)
    except DocumentError:
        # The second pass meets the same damage, after it has given the pages before it.
        return redirects
    return redirects


def _read_export(path: Path) -> Iterator[tuple[str, str, WikiContext, list[str]]]:
    """(title, wikitext, context, aliases) of every page but redirects."""
    redirects = _find_redirects(path)
    for site, page, markup in _iterate(path):
        if page.redirect:
            continue
        context = WikiContext(
            page.title,
            FILE_NAMESPACES | _namespace(site, 6),
            CATEGORY_NAMESPACES | _namespace(site, 14),
        )
        yield page.title, markup, context, redirects.get(page.title, [])


def _namespace(site: Any, number: int) -> set[str]:
    return {space.name.lower() for space in site.namespaces or () if space.id == number}


def _read_page(
    markup: str, context: WikiContext, aliases: list[str], pictures: PictureLoader
) -> Page:
    start = time.perf_counter()
    title = TextBlock(context.title, "heading", level=1)
    opening = [title, *name_aliases(context.title, tuple(aliases))]
    try:
        blocks = [*opening, *parse_wikitext(markup, context)]
    except RecursionError:
        return Page(1, 0.0, 0.0, failure=TOO_DEEP)
    kept = (_add_pixels(block, pictures) for block in blocks)
    shown = tuple(block for block in kept if block is not None)
    return Page(1, 0.0, 0.0, shown, seconds=time.perf_counter() - start)


def _add_pixels(block: Block, pictures: PictureLoader) -> Block | None:
    """The block with its picture's pixels, as far as there are any; None for an icon."""
    if not isinstance(block, ImageBlock) or not block.name:
        return block
    shown = pictures.load(quote(block.name, safe=""))
    return None if shown is None else replace(block, name=shown.name, file=shown.file)
