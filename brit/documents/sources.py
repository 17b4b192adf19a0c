"""What a person adds → the files in it that can be read, and the reader of each.

Everything added in one go is one upload: a page's pictures may lie anywhere in it, and pictures
that pages name are not documents of their own.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote_to_bytes
from uuid import uuid4

from brit.config import ReadingConfig
from brit.documents.archive import ARCHIVE_SUFFIXES, Skipped, open_as_folder
from brit.documents.confined import ConfinedReader
from brit.documents.html import HtmlReader
from brit.documents.markdown import MarkdownReader
from brit.documents.mediawiki import OPENERS, MediaWikiReader, is_export
from brit.documents.pdf import PdfReader
from brit.documents.pictures import PICTURE_SUFFIXES, normalise_file_name
from brit.documents.readers import KEPT, LOOSE, WHOLE
from brit.documents.wikiweb2m import WikiWeb2MReader
from brit.errors import DocumentError, InputError
from brit.models import DocumentReader, ReadRequest
from brit.types import DocumentHead, Page

_SHARD = re.compile(r"-\d+-of-\d+$")
_CHUNK = 1 << 20
PDF_HEAD = 1024
MOST_NAMED = 50
"""Files left out of an archive that are told one by one."""
MAX_NAME = 80
"""Letters of such a file's name that are told; too long a name is what it may be left out for."""
_OVERLAP = 300
_PICTURE_WORD = re.compile(
    rb"[^\s\"'<>|\[\]()/\\=:{}]{1,250}\.(?:png|jpe?g|gif|webp)", re.IGNORECASE
)


@dataclass(frozen=True)
class Source:
    """A file with its reader; an archive (ZIP, 7z) has none, nor has a path at fault: both are to
    be unpacked. `fault` says why a file of an archive is not there."""

    path: Path
    reader: DocumentReader | None
    fault: str = ""


def find_sources(paths: Iterable[Path], config: ReadingConfig) -> list[Source]:
    """Files as they are, folders by the readable files in them (hidden ones left out), in order.

    A path that is not there or a folder with nothing to read comes last and without a reader;
    `unpack` says what is wrong with it. Raises InputError where there is nothing else.
    """
    given = list(dict.fromkeys(paths))
    found: dict[Path, None] = {}
    faults: dict[Path, InputError] = {}
    for path in given:
        try:
            found.update(dict.fromkeys(_files_at(path)))
        except InputError as error:
            faults[path] = error
    if not found:
        raise next(iter(faults.values()))
    folders = [path if path.is_dir() else path.parent for path in given if path not in faults]
    readers = _make_readers(config, folders)
    sources = [Source(path, _choose(path, readers)) for path in _without_owned_pictures(found)]
    return [*sources, *(Source(path, None) for path in faults)]


def _files_at(path: Path) -> list[Path]:
    """A file, or the readable files of a folder. Raises InputError where there are none."""
    try:
        is_folder, is_file, is_there = path.is_dir(), path.is_file(), path.exists()
        inside = _readable_in(path) if is_folder else [path]
    except OSError as error:
        raise InputError(f"“{path}” cannot be read ({error.strerror}).") from error
    if not is_there:
        raise InputError(f"There is no file or folder “{path}”. Check the path.")
    if not (is_folder or is_file):
        raise InputError(f"“{path}” is a device, not a file. Name a file or folder.")
    if not inside:
        raise InputError(
            f"The folder “{path}” holds nothing BRIT can read ({', '.join(suffixes())})."
        )
    return inside


@contextmanager
def unpack(archive: Path, config: ReadingConfig) -> Iterator[list[Source]]:
    """The sources in an archive, which are there for as long as the context lives; last those of
    its files that could not be unpacked.

    Raises DocumentError for an archive that is damaged, encrypted or unsafe, InputError where it
    holds nothing to read or is a path `find_sources` found at fault.
    """
    _files_at(archive)
    with open_as_folder(archive) as (folder, skipped):
        if not _readable_in(folder):
            raise InputError(
                f"{archive.name} holds nothing BRIT can read ({', '.join(suffixes())})."
            )
        yield [*find_sources([folder], config), *_faults(skipped, archive, folder)]


def _faults(skipped: Sequence[Skipped], archive: Path, folder: Path) -> Iterator[Source]:
    """What was left out of an archive: the first by name, the rest by number."""
    for each in skipped[:MOST_NAMED]:
        name = each.path.name[-MAX_NAME:] or "…"
        fault = f"It was left out of {archive.name}: {each.reason}. Unpack it and add it by itself."
        yield Source(folder / name, None, fault)
    if len(skipped) > MOST_NAMED:
        more = len(skipped) - MOST_NAMED
        yield Source(archive, None, f"{more} more of its files were left out, too.")


def suffixes() -> tuple[str, ...]:
    """How the names of files end that can be read."""
    every = (suffix for reader in (PdfReader, *LOOSE, *WHOLE) for suffix in reader.suffixes)
    return tuple(dict.fromkeys((*every, *ARCHIVE_SUFFIXES)))


def reader_again(format: str, config: ReadingConfig) -> DocumentReader:
    """The reader of a kept file of one of the formats in READABLE_AGAIN."""
    return PdfReader(config) if format == "pdf" else ConfinedReader(KEPT[format], config, [], "")


def _make_readers(config: ReadingConfig, folders: Sequence[Path]) -> list[DocumentReader]:
    """One reader a format; the first that knows a file's suffix reads it."""
    upload = uuid4().hex
    return [
        PdfReader(config),
        *(ConfinedReader(reader, config, folders, upload) for reader in (*LOOSE, *WHOLE)),
    ]


def _choose(path: Path, readers: list[DocumentReader]) -> DocumentReader | None:
    """The reader of a file by its name, or by its beginning where the name says nothing."""
    name = _plain_name(path)
    if name.endswith(ARCHIVE_SUFFIXES):
        return None
    known = next((reader for reader in readers if name.endswith(reader.suffixes)), None)
    return known or (readers[0] if _is_pdf(path) else UnknownReader())


def _is_pdf(path: Path) -> bool:
    """Whether a file of any name begins like a PDF; one that cannot be opened is left to its
    reader, which says so."""
    try:
        with path.open("rb") as stream:
            return b"%PDF-" in stream.read(PDF_HEAD)
    except OSError:
        return True


class UnknownReader:
    """Refuses a file of a kind that no reader knows."""

    suffixes: tuple[str, ...] = ()

    def read(
        self,
        path: Path,
        request: ReadRequest,  # noqa: ARG002 - nothing is read
    ) -> Iterator[tuple[DocumentHead, Iterator[Page]]]:
        """Raises DocumentError, always."""
        kinds = ", ".join(suffixes())
        raise DocumentError(f"“{path.suffix or path.name}” is no kind of file BRIT reads: {kinds}.")


def _plain_name(path: Path) -> str:
    """In small letters, without the number of a part («-00000-of-00005»)."""
    return _SHARD.sub("", path.name.lower())


def _readable_in(folder: Path) -> list[Path]:
    """Files of known kinds; XML counts only if it is a wiki's export, a side bar is no page."""
    known = suffixes()
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file()
        and _plain_name(path).endswith(known)
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
        and not (path.name.startswith("_") and path.name.lower().endswith(MarkdownReader.suffixes))
        and (not _is_dump(path) or is_export(path))
    )


def _is_dump(path: Path) -> bool:
    name = _plain_name(path)
    return name.endswith(MediaWikiReader.suffixes) and not name.endswith(WikiWeb2MReader.suffixes)


# --- pictures that belong to pages ---------------------------------------------------------------


def _without_owned_pictures(found: Iterable[Path]) -> list[Path]:
    """Leaves out the pictures that a page or dump among `found` names."""
    paths = list(found)
    pages = (*HtmlReader.suffixes, *MarkdownReader.suffixes, *WikiWeb2MReader.suffixes)
    holders = [path for path in paths if _plain_name(path).endswith(pages) or _is_dump(path)]
    if not holders or not any(path.suffix.lower() in PICTURE_SUFFIXES for path in paths):
        return paths
    named = {word for path in holders for word in _picture_words(path)}
    return [
        path
        for path in paths
        if path.suffix.lower() not in PICTURE_SUFFIXES or _last_word(path.name) not in named
    ]


def _picture_words(path: Path) -> Iterator[str]:
    """The last words of the picture names in a file, of whatever format; memory does not grow."""
    opener = OPENERS.get(path.suffix.lower(), OPENERS[".gz"] if ".gz" in path.name else open)
    tail = b""
    try:
        with opener(path, "rb") as file:
            while chunk := file.read(_CHUNK):
                text = tail + chunk
                for match in _PICTURE_WORD.finditer(text):
                    yield _last_word(unquote_to_bytes(match[0]).decode("utf-8", "replace"))
                tail = text[-_OVERLAP:]
    except (OSError, EOFError, zlib.error):
        # Its reader will say what is wrong with it.
        return


def _last_word(name: str) -> str:
    return re.sub(r"^\d+px-", "", normalise_file_name(name)).rpartition(" ")[2].casefold()
