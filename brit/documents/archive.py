"""Opening a ZIP, a 7z or a folder of documents safely.

An archive is checked by its directory before a byte of it is written: bombs by number of files,
size and ratio refuse it as a whole. A file in it whose path leaves the target (APPNOTE 4.4.17
allows none, yet they occur), that is a link, encrypted, damaged or packed in an unknown way, is
left out and told.
Neither library unpacks more of a file than its entry declares.
"""

from __future__ import annotations

import errno
import fcntl
import lzma
import os
import stat
import tempfile
import time
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from shutil import copyfileobj, disk_usage, rmtree
from typing import IO, TYPE_CHECKING

from brit.errors import DocumentError

if TYPE_CHECKING:
    from py7zr import FileInfo, SevenZipFile

ARCHIVE_SUFFIXES = (".zip", ".7z")
_ROOM = "brit-archive-"
_NEW_SECONDS = 60.0
"""A folder this young may not have its lock yet."""
_LINK = "it is a link or a device"
_LEAVES = "its path leaves the folder"
_ENCRYPTED = "it is encrypted"
_DAMAGED = "it is damaged"
_UNKNOWN = "it is packed in a way that is not supported"
_RUBBISH = ("__MACOSX", ".DS_Store", "Thumbs.db")
_BEHIND = "it is damaged, or packed behind a file that is"
UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    NotImplementedError,
    RuntimeError,
    EOFError,
    OSError,
    ValueError,
)
"""What a damaged, encrypted or oddly packed file of a ZIP raises when it is read."""


@dataclass(frozen=True)
class ArchiveLimits:
    """`max_ratio` counts for archives that unpack to more than `ratio_from` bytes only."""

    max_files: int = 100_000
    max_bytes: int = 8_000_000_000
    max_ratio: int = 500
    ratio_from: int = 50_000_000


@dataclass(frozen=True)
class Skipped:
    """A file of an archive that was left out; `reason` goes on from «it was left out: »."""

    path: PurePosixPath
    reason: str


@contextmanager
def open_as_folder(
    path: Path, limits: ArchiveLimits | None = None
) -> Iterator[tuple[Path, list[Skipped]]]:
    """A folder as it is, an archive unpacked into a folder that lives as long as the context, and
    what of it was left out.

    Raises DocumentError for an archive that is damaged or unsafe, or of which nothing is left.
    """
    if path.is_dir():
        yield path, []
        return
    extract = extract_7z if path.suffix.lower() == ".7z" else extract_zip
    sweep_rooms()
    with tempfile.TemporaryDirectory(prefix=_ROOM) as folder:
        handle = _lock(Path(folder))
        try:
            yield Path(folder), extract(path, Path(folder), limits)
        finally:
            os.close(handle)


def sweep_rooms() -> None:
    """Delete the folders of archives whose process was killed: nobody holds their locks."""
    old = time.time() - _NEW_SECONDS
    for room in Path(tempfile.gettempdir()).glob(f"{_ROOM}*"):
        with suppress(OSError):  # in use, gone just now, or somebody else's
            found = room.lstat()
            if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and found.st_mtime < old:
                handle = _lock(room, fcntl.LOCK_NB)
                rmtree(room)
                os.close(handle)


def _lock(folder: Path, flags: int = 0) -> int:
    """→ the handle that holds the lock until it is closed, or its process ends. Raises OSError."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | flags)
    except OSError:
        os.close(handle)
        raise
    return handle


@dataclass(frozen=True)
class _Entry:
    """A file in an archive; `fault` says why it must not be unpacked."""

    path: PurePosixPath
    size: int
    fault: str

    @property
    def is_rubbish(self) -> bool:
        return bool(set(self.path.parts) & set(_RUBBISH))


def extract_zip(path: Path, folder: Path, limits: ArchiveLimits | None = None) -> list[Skipped]:
    """Unpacks a ZIP into `folder` → what was left out. Raises DocumentError."""
    try:
        with zipfile.ZipFile(path) as archive:
            infos = _files_in(archive)
            entries = [_zip_entry(info) for info in infos]
            _check(entries, path, limits or ArchiveLimits(), folder)
            wanted = [(i, e) for i, e in zip(infos, entries, strict=True) if not e.is_rubbish]
            faults = [e.fault or _extract(archive, i, folder / e.path) for i, e in wanted]
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, ValueError) as error:
        raise _cannot(path, error) from error
    return _left_out([entry for _, entry in wanted], faults, path)


def extract_7z(path: Path, folder: Path, limits: ArchiveLimits | None = None) -> list[Skipped]:
    """Unpacks a 7z into `folder` → what was left out. Raises DocumentError."""
    import py7zr
    from py7zr.exceptions import ArchiveError

    try:
        with py7zr.SevenZipFile(path) as archive:
            if archive.needs_password():
                raise DocumentError("The file is encrypted; unpack it and add the files.")
            infos = [info for info in archive.list() if not info.is_directory]
            entries = [_7z_entry(info) for info in infos]
            _check(entries, path, limits or ArchiveLimits(), folder)
            wanted = [(i, e) for i, e in zip(infos, entries, strict=True) if not e.is_rubbish]
            sound = {i.filename: (i, folder / e.path) for i, e in wanted if not e.fault}
            lost = _extract_all(archive, sound, folder)
    except (ArchiveError, lzma.LZMAError, EOFError, OSError, ValueError, TypeError) as error:
        raise _cannot(path, error) from error
    faults = [entry.fault or (info.filename in lost and _BEHIND) or "" for info, entry in wanted]
    return _left_out([entry for _, entry in wanted], faults, path)


def _files_in(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """Not by `is_dir`, which some Pythons let fail where a name is empty."""
    return [info for info in archive.infolist() if not info.filename.endswith("/")]


def _zip_entry(info: zipfile.ZipInfo) -> _Entry:
    fault = ""
    if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG):
        fault = _LINK
    elif info.flag_bits & 0x1:
        fault = _ENCRYPTED
    return _entry(info.filename, info.file_size, fault)


def _7z_entry(info: FileInfo) -> _Entry:
    return _entry(info.filename, info.uncompressed, "" if info.is_file else _LINK)


def _entry(name: str, size: int, fault: str) -> _Entry:
    path = PurePosixPath(name.replace("\\", "/"))
    leaves = path.is_absolute() or ".." in path.parts or not path.name or ":" in path.parts[0]
    return _Entry(path, size, _LEAVES if leaves else fault)


def _left_out(entries: Sequence[_Entry], faults: Sequence[str], archive: Path) -> list[Skipped]:
    """Raises DocumentError where nothing is left."""
    skipped = [Skipped(e.path, fault) for e, fault in zip(entries, faults, strict=True) if fault]
    if skipped and len(skipped) == len(entries):
        raise DocumentError(
            f"Nothing in {archive.name} can be unpacked: of “{_short(skipped[0].path)}”, "
            f"{skipped[0].reason}. Unpack it yourself and add the files."
        )
    return skipped


def _short(path: PurePosixPath) -> str:
    return path.name[:80]


def _cannot(path: Path, error: Exception) -> DocumentError:
    kind = path.suffix[1:] or "ZIP"
    return DocumentError(f"The file cannot be unpacked ({error}): pack it again as a plain {kind}.")


def check_zip(path: Path, limits: ArchiveLimits | None = None) -> None:
    """Raises DocumentError where a file that is a ZIP inside (DOCX, EPUB) is not safe to read."""
    try:
        with zipfile.ZipFile(path) as archive:
            infos = _files_in(archive)
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, ValueError) as error:
        raise DocumentError(
            "The file is damaged, encrypted, or no file of its kind: save it again."
        ) from error
    _check([_zip_entry(info) for info in infos], path, limits or ArchiveLimits())


def mend_zip(path: Path, target: IO[bytes]) -> None:
    """Write a ZIP to `target` in which the files that cannot be read are empty."""
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(target, "w") as new:
        for info in filter(lambda info: info.filename, old.infolist()):
            try:
                data = old.read(info)
            except UNREADABLE:
                data = b""
            new.writestr(info.filename, data)


def _check(
    entries: list[_Entry], archive: Path, limits: ArchiveLimits, folder: Path | None = None
) -> None:
    """Raises DocumentError where an archive is a bomb, or larger than what is free."""
    name = archive.name
    if len(entries) > limits.max_files:
        raise DocumentError(f"{name} holds {len(entries)} files; {limits.max_files} is the limit.")
    size = sum(entry.size for entry in entries)
    packed = max(archive.stat().st_size, 1)
    if size > limits.max_bytes:
        raise DocumentError(f"{name} unpacks to {size} bytes; {limits.max_bytes} is the limit.")
    if size > limits.ratio_from and size / packed > limits.max_ratio:
        raise DocumentError(f"{name} was refused: it unpacks to {size // packed} times its size.")
    if folder is not None and size > disk_usage(folder).free:
        raise DocumentError(f"{name} unpacks to more than the free disk space.")


# --- one file ------------------------------------------------------------------------------------


def _extract(archive: zipfile.ZipFile, info: zipfile.ZipInfo, target: Path) -> str:
    """Unpack one file of a ZIP; → why it could not be, "" where it was."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(info) as source, target.open("xb") as sink:
            copyfileobj(source, sink)
    except UNREADABLE as error:
        if _is_full(error):
            raise
        if not isinstance(error, FileExistsError):
            _remove(target)
        return _fault(error)
    return ""


def _is_full(error: Exception) -> bool:
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


def _fault(error: Exception) -> str:
    if isinstance(error, NotImplementedError):
        return _UNKNOWN
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
        return "its name is too long"
    if isinstance(error, (FileExistsError, NotADirectoryError, IsADirectoryError)):
        return "another file of the archive has its place"
    return _DAMAGED


def _extract_all(
    archive: SevenZipFile, files: Mapping[str, tuple[FileInfo, Path]], folder: Path
) -> set[str]:
    """Unpack the named files of a 7z; → the names of those that could not be.

    The library stops at the first that is damaged: those packed behind it cannot be reached.
    """
    from py7zr.exceptions import ArchiveError

    try:
        archive.extract(folder, targets=set(files))
        return set()
    except (ArchiveError, lzma.LZMAError, EOFError, OSError, ValueError, TypeError) as error:
        if _is_full(error):
            raise
        lost = {name for name, (info, path) in files.items() if not _is_whole(info, path)}
    for name in lost:
        _remove(files[name][1])
    return lost


def _is_whole(info: FileInfo, path: Path) -> bool:
    found = 0
    try:
        with path.open("rb") as stream:
            while chunk := stream.read(1 << 20):
                found = zlib.crc32(chunk, found)
        return path.stat().st_size == info.uncompressed and info.crc32 in (None, found)
    except OSError:
        return False


def _remove(path: Path) -> None:
    # A name too long to be written is too long to be deleted.
    with suppress(OSError):
        path.unlink()
