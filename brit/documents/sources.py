"""Paths a person names → the files in them that can be read, and the reader of each."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from brit.config import ReadingConfig
from brit.documents.mediawiki import MediaWikiReader, find_exports
from brit.documents.pdf import PdfReader
from brit.errors import InputError
from brit.models import DocumentReader


def readers(config: ReadingConfig) -> list[DocumentReader]:
    """One reader a format."""
    return [PdfReader(config), MediaWikiReader(config)]


def find_sources(paths: Iterable[Path]) -> list[Path]:
    """Files as they are, folders by the readable files in them (hidden ones left out), in order.

    Raises InputError for a path that does not exist or a folder with nothing to read.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if not path.exists():
            raise InputError(f"There is no file or folder “{path}”. Check the path.")
        inside = _readable_in(path) if path.is_dir() else [path]
        if not inside:
            raise InputError(
                f"The folder “{path}” holds nothing BRIT can read ({', '.join(_suffixes())})."
            )
        found.update(dict.fromkeys(inside))
    return list(found)


def reader_for(source: Path, config: ReadingConfig) -> DocumentReader:
    """The reader of a file by its suffix; a file of unknown kind is read as PDF, which says no."""
    name = source.name.lower()
    for reader in readers(config):
        if name.endswith(reader.suffixes):
            return reader
    return PdfReader(config)


def _suffixes() -> tuple[str, ...]:
    return tuple(suffix for reader in readers(ReadingConfig()) for suffix in reader.suffixes)


def _readable_in(folder: Path) -> list[Path]:
    """Files of known kinds; an XML file counts only if it is a wiki's export."""
    suffixes = _suffixes()
    found = sorted(
        path
        for path in folder.rglob("*")
        if path.is_file()
        and path.name.lower().endswith(suffixes)
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    )
    exports = set(find_exports(folder))
    packed = (".pdf", ".zip")
    return [path for path in found if path in exports or path.suffix.lower() in packed]
