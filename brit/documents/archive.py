"""Opening a ZIP, a 7z or a folder of documents safely.

An archive is checked as a whole, by its directory, before a byte of it is written: paths that leave
the target (APPNOTE 4.4.17 allows none, yet they occur), links, encryption, and bombs by number of
files, size and ratio. Neither library unpacks more of a file than its entry declares.
"""

from __future__ import annotations

import stat
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from shutil import copyfileobj, disk_usage

from brit.errors import DocumentError

ARCHIVE_SUFFIXES = (".zip", ".7z")
_LINK = "it holds a link or a device"
_RUBBISH = ("__MACOSX", ".DS_Store", "Thumbs.db")


@dataclass(frozen=True)
class ArchiveLimits:
    """`max_ratio` counts for archives that unpack to more than `ratio_from` bytes only."""

    max_files: int = 100_000
    max_bytes: int = 8_000_000_000
    max_ratio: int = 500
    ratio_from: int = 50_000_000


@contextmanager
def open_as_folder(path: Path, limits: ArchiveLimits | None = None) -> Iterator[Path]:
    """A folder as it is, an archive unpacked into a folder that lives as long as the context.

    Raises DocumentError for an archive that is damaged, encrypted or unsafe.
    """
    if path.is_dir():
        yield path
        return
    extract = extract_7z if path.suffix.lower() == ".7z" else extract_zip
    with tempfile.TemporaryDirectory(prefix="brit-archive-") as folder:
        extract(path, Path(folder), limits)
        yield Path(folder)


@dataclass(frozen=True)
class _Entry:
    """A file in an archive; `refusal` says why it must not be unpacked."""

    path: PurePosixPath
    size: int
    refusal: str


def extract_zip(path: Path, folder: Path, limits: ArchiveLimits | None = None) -> list[Path]:
    """Unpacks a ZIP into `folder` → the paths of its files. Raises DocumentError."""
    try:
        with zipfile.ZipFile(path) as archive:
            infos = [info for info in archive.infolist() if not info.is_dir()]
            entries = [_Entry(_path(i.filename), i.file_size, _refusal(i)) for i in infos]
            _check(entries, path, limits or ArchiveLimits(), folder)
            wanted = zip(infos, entries, strict=True)
            return [_extract(archive, i, e, folder) for i, e in wanted if not _is_rubbish(e.path)]
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, ValueError) as error:
        raise DocumentError(
            f"{path.name} cannot be unpacked ({error}): pack it again as a plain ZIP."
        ) from error


def extract_7z(path: Path, folder: Path, limits: ArchiveLimits | None = None) -> list[Path]:
    """Unpacks a 7z into `folder` → the paths of its files. Raises DocumentError."""
    import lzma

    import py7zr
    from py7zr.exceptions import ArchiveError

    try:
        with py7zr.SevenZipFile(path) as archive:
            if archive.needs_password():
                raise DocumentError(f"{path.name} is encrypted; unpack it and add the files.")
            infos = [info for info in archive.list() if not info.is_directory]
            entries = [
                _Entry(_path(i.filename), i.uncompressed, "" if i.is_file else _LINK) for i in infos
            ]
            _check(entries, path, limits or ArchiveLimits(), folder)
            wanted = {i.filename: e.path for i, e in zip(infos, entries, strict=True)}
            kept = [name for name, inner in wanted.items() if not _is_rubbish(inner)]
            archive.extract(folder, targets=kept)
            return [folder.joinpath(*wanted[name].parts) for name in kept]
    except (ArchiveError, lzma.LZMAError, EOFError, OSError, ValueError, TypeError) as error:
        raise DocumentError(
            f"{path.name} cannot be unpacked ({error}): pack it again as a plain 7z."
        ) from error


def check_zip(path: Path, limits: ArchiveLimits | None = None) -> None:
    """Raises DocumentError where a file that is a ZIP inside (DOCX, EPUB) is not safe to read."""
    try:
        with zipfile.ZipFile(path) as archive:
            infos = [info for info in archive.infolist() if not info.is_dir()]
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, ValueError) as error:
        raise DocumentError(
            f"{path.name} is damaged, encrypted, or no file of its kind: save it again."
        ) from error
    entries = [_Entry(_path(i.filename), i.file_size, _refusal(i)) for i in infos]
    _check(entries, path, limits or ArchiveLimits())


def _check(
    entries: list[_Entry], archive: Path, limits: ArchiveLimits, folder: Path | None = None
) -> None:
    """Raises DocumentError where an archive is not safe to unpack."""
    name = archive.name
    if len(entries) > limits.max_files:
        raise DocumentError(f"{name} holds {len(entries)} files; {limits.max_files} is the limit.")
    for entry in entries:
        if reason := _leaving(entry.path) or entry.refusal:
            raise DocumentError(f"{name} was refused: {reason} ({str(entry.path)[:80]!r}).")
    size = sum(entry.size for entry in entries)
    packed = max(archive.stat().st_size, 1)
    if size > limits.max_bytes:
        raise DocumentError(f"{name} unpacks to {size} bytes; {limits.max_bytes} is the limit.")
    if size > limits.ratio_from and size / packed > limits.max_ratio:
        raise DocumentError(f"{name} was refused: it unpacks to {size // packed} times its size.")
    if folder is not None and size > disk_usage(folder).free:
        raise DocumentError(f"{name} unpacks to more than the free disk space.")


def _is_rubbish(path: PurePosixPath) -> bool:
    return bool(set(path.parts) & set(_RUBBISH))


def _path(name: str) -> PurePosixPath:
    return PurePosixPath(name.replace("\\", "/"))


def _leaving(path: PurePosixPath) -> str:
    if path.is_absolute() or ".." in path.parts or not path.name or ":" in path.parts[0]:
        return "a path in it leaves the folder"
    return ""


def _refusal(entry: zipfile.ZipInfo) -> str:
    if stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG):
        return _LINK
    if entry.flag_bits & 0x1:
        return "it is encrypted; unpack it and add the files themselves"
    return ""


def _extract(archive: zipfile.ZipFile, info: zipfile.ZipInfo, entry: _Entry, folder: Path) -> Path:
    target = folder.joinpath(*entry.path.parts)
    target.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(info) as source, target.open("wb") as sink:
        copyfileobj(source, sink)
    return target
