"""ZIM archives (https://wiki.openzim.org/wiki/ZIM_file_format): a wiki's pages with their pictures.

Pages are read in the order of the archive, one at a time; redirects are names of the page they lead
to. Archives of both namespace schemes are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brit.config import ReadingConfig
from brit.documents.html import MAX_BYTES, decode_text, read_page
from brit.documents.html_blocks import find_title, parse_html
from brit.documents.pictures import (
    MAX_PICTURE_BYTES,
    PictureFile,
    PictureLoader,
    join_address,
)
from brit.errors import DocumentError
from brit.models import ReadRequest
from brit.types import DocumentHead, Page

if TYPE_CHECKING:
    from libzim.reader import Archive, Entry

_MAX_STEPS = 8


class ZimReader:
    """Reads one archive."""

    suffixes: tuple[str, ...] = (".zim",)

    def __init__(self, config: ReadingConfig | None = None) -> None:
        self._config = config or ReadingConfig()

    def read(
        self, path: Path, request: ReadRequest
    ) -> Iterator[tuple[DocumentHead, Iterator[Page]]]:
        """→ a head and its one page for every article. Raises DocumentError, Cancelled."""
        archive = _open(path)
        aliases = _find_aliases(archive)
        for entry in _entries(archive):
            request.check()
            if not _is_article(entry):
                continue
            title = _title_of(entry)
            head = DocumentHead(title, path.name, "zim", page_count=1, paged=False)
            loader = PictureLoader(
                partial(_read_picture, archive, entry.path),
                request.save_image,
                self._config.max_pixels,
            )
            names = tuple(n for n in dict.fromkeys(aliases.get(entry.path, ())) if n != title)
            yield head, (_read_page(entry, title, loader, names) for _ in request.left(head))


def _open(path: Path) -> Archive:
    from libzim.reader import Archive

    try:
        return Archive(path)
    except (RuntimeError, OSError) as error:
        raise DocumentError(
            "The file is damaged or no ZIM archive; fetch it again and add it anew."
        ) from error


def _entries(archive: Archive) -> Iterator[Entry]:
    """Articles and redirects; raises DocumentError where the archive is damaged."""
    old = not archive.has_new_namespace_scheme
    try:
        for number in range(archive.all_entry_count):
            entry = archive._get_entry_by_id(number)
            if not old or entry.path.startswith("A/"):
                yield entry
    except RuntimeError as error:
        raise DocumentError(
            "The archive is damaged: the pages before that place were read."
        ) from error


def _find_aliases(archive: Archive) -> dict[str, list[str]]:
    """Path of an article → the titles that redirect to it."""
    aliases: dict[str, list[str]] = {}
    try:
        for entry in _entries(archive):
            if entry.is_redirect and entry.title != entry.path:
                aliases.setdefault(_target(entry), []).append(entry.title)
    except DocumentError:
        # Reading the articles meets the same damage, after it has given those before it.
        return aliases
    return aliases


def _target(entry: Entry) -> str:
    for _ in range(_MAX_STEPS):
        if not entry.is_redirect:
            break
        entry = entry.get_redirect_entry()
    return str(entry.path)


def _is_article(entry: Entry) -> bool:
    if entry.is_redirect:
        return False
    item = entry.get_item()
    return bool(item.mimetype.startswith("text/html") and 0 < item.size <= MAX_BYTES)


def _title_of(entry: Entry) -> str:
    """Its title; that of the page itself where the archive names it by its path only."""
    if entry.title != entry.path:
        return str(entry.title)
    root = _parse(entry)
    return str(entry.path) if root is None else find_title(root, entry.path)


def _parse(entry: Entry) -> Any:
    return parse_html(decode_text(bytes(entry.get_item().content)).encode())


def _read_page(
    entry: Entry, title: str, pictures: PictureLoader, also_called: tuple[str, ...]
) -> Page:
    root = _parse(entry)
    if root is None:
        return Page(1, 0.0, 0.0, failure="There is nothing on this page.")
    return read_page(root, title, pictures, also_called)


def _read_picture(archive: Archive, page: str, address: str) -> PictureFile | None:
    path = join_address(page, address)
    try:
        if not archive.has_entry_by_path(path):
            return None
        entry = archive.get_entry_by_path(path)
        if entry.is_redirect:
            entry = entry.get_redirect_entry()
        item = entry.get_item()
        content = bytes(item.content) if item.size <= MAX_PICTURE_BYTES else b""
    except RuntimeError:
        # A damaged part of the archive costs the picture in it only.
        return None
    return (path.rpartition("/")[2], content) if content else None
