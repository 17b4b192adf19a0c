"""MediaWiki XML exports (https://www.mediawiki.org/xml/export-0.11/) as documents.

Every page of the main namespace is one document without pages; a redirect becomes a sentence of the
page it leads to. Both passes over the dump stream: memory holds one page, and the redirects.
"""

from __future__ import annotations

import bz2
import gzip
import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import IO, Any
from xml.etree.ElementTree import ParseError

from brit.config import ReadingConfig
from brit.documents.archive import open_as_folder
from brit.documents.wiki_files import (
    FILE_NAMESPACES,
    PictureFolder,
    decode_picture,
    is_icon_sized,
)
from brit.documents.wikitext import CATEGORY_NAMESPACES, WikiContext, parse_wikitext
from brit.errors import Cancelled, DocumentError
from brit.models import ImageSink
from brit.types import Block, DocumentHead, ImageBlock, Page, TextBlock

_OPENERS: dict[str, Callable[..., IO[Any]]] = {".xml": open, ".bz2": bz2.open, ".gz": gzip.open}
_HEAD_CHARACTERS = 20_000
_PROLOG = re.compile(r"\s*(<\?xml[^>]*\?>)?\s*(<!--.*?-->\s*)*<mediawiki[\s>]", re.DOTALL)
# No page of a real wiki comes near: MediaWiki itself stops at 2 MB.
_MAX_RUN = 32_000_000

Redirects = dict[str, list[str]]


class MediaWikiReader:
    """Reads an export (.xml, .bz2, .gz) with the pictures around it, or a ZIP or folder of both."""

    suffixes: tuple[str, ...] = (".xml", ".bz2", ".gz", ".zip")

    def __init__(self, config: ReadingConfig | None = None) -> None:
        self._config = config or ReadingConfig()

    def read(
        self,
        path: Path,
        *,
        save_image: ImageSink,
        password: str | None = None,  # noqa: ARG002 - exports are never encrypted
        done: Callable[[DocumentHead], set[int]] = lambda _: set(),
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Iterator[tuple[DocumentHead, Iterator[Page]]]:
        """→ a head and its one page for every wiki page. Raises DocumentError, Cancelled."""
        with ExitStack() as stack:
            folder, exports = path.parent, [path]
            if path.is_dir() or path.suffix.lower() == ".zip":
                folder = stack.enter_context(open_as_folder(path))
                exports = find_exports(folder)
            if not exports:
                raise DocumentError(f"{path.name} holds no MediaWiki export (an .xml file).")
            pictures = PictureFolder(folder, self._config.max_pixels)
            for export in exports:
                for title, markup, context, aliases in _read_export(export):
                    if cancelled():
                        raise Cancelled("Reading was cancelled; the pages read so far are kept.")
                    head = DocumentHead(title, path.name, "mediawiki", page_count=1, paged=False)
                    numbers = {1} - done(head)
                    yield (
                        head,
                        (
                            _read_page(markup, context, aliases, pictures, save_image)
                            for _ in numbers
                        ),
                    )


def find_exports(folder: Path) -> list[Path]:
    """The MediaWiki exports under a folder, by name."""
    found = (path for path in folder.rglob("*") if path.suffix.lower() in _OPENERS)
    return sorted(path for path in found if path.is_file() and is_export(path))


def is_export(path: Path) -> bool:
    """Whether a file begins like a MediaWiki export. A DTD makes it none: it could hide a bomb."""
    try:
        with _open(path) as file:
            return bool(_PROLOG.match(file.read(_HEAD_CHARACTERS)))
    except (OSError, EOFError, UnicodeDecodeError):
        return False


def _open(path: Path) -> IO[str]:
    opener = _OPENERS[path.suffix.lower()]
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

    if path.suffix.lower() not in _OPENERS or not is_export(path):
        raise DocumentError(
            f"{path.name} is no MediaWiki export, or it has a DTD, which is refused: "
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
    except (ParseError, MalformedXML, ValueError, OSError, EOFError) as error:
        reason = " ".join(str(error).split())[:120]
        raise DocumentError(
            f"{path.name} is damaged ({reason}): the pages before that place were read."
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
    markup: str,
    context: WikiContext,
    aliases: list[str],
    pictures: PictureFolder,
    save_image: ImageSink,
) -> Page:
    start = time.perf_counter()
    opening: list[Block] = [TextBlock(context.title, "heading", level=1)]
    if aliases:
        also = " and ".join(filter(None, (", ".join(aliases[:-1]), aliases[-1])))
        opening.append(TextBlock(f"{context.title} is also called {also}.", "paragraph"))
    try:
        blocks = [*opening, *parse_wikitext(markup, context)]
    except RecursionError:
        return Page(1, 0.0, 0.0, failure="The markup of this page is nested too deeply.")
    kept = (_add_pixels(block, pictures, save_image) for block in blocks)
    shown = tuple(block for block in kept if block is not None)
    return Page(1, 0.0, 0.0, shown, seconds=time.perf_counter() - start)


def _add_pixels(block: Block, pictures: PictureFolder, save_image: ImageSink) -> Block | None:
    """The block with its picture's pixels, as far as there are any; None for an icon."""
    path = pictures.find(block.name or "") if isinstance(block, ImageBlock) else None
    if not isinstance(block, ImageBlock) or path is None:
        return block
    data = path.read_bytes()
    if is_icon_sized(data):
        return None
    pixels = decode_picture(data, pictures.max_pixels)
    return replace(block, name=path.name, file=save_image(pixels) if pixels else "")
