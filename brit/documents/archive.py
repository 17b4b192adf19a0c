"""Opening a ZIP or a folder of documents safely.

A ZIP is checked as a whole, by its directory, before a byte of it is written: paths that leave the
target (APPNOTE 4.4.17 allows none, yet they occur), links, encryption, and bombs by number of
files, size and ratio. `zipfile` never unpacks more of a file than its entry declares.
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
    """A folder as it is, a ZIP unpacked into a folder that lives as long as the context.

    Raises DocumentError for a ZIP that is damaged, encrypted or unsafe.
    """
    if path.is_dir():
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="brit-zip-") as folder:
        extract_zip(path, Path(folder), limits)
        yield Path(folder)


def extract_zip(path: Path, folder: Path, limits: ArchiveLimits | None = None) -> list[Path]:
    """Unpacks a ZIP into `folder` → the paths of its files. Raises DocumentError."""
    try:
        with zipfile.ZipFile(path) as archive:
            entries = _check(archive, path.name, limits or ArchiveLimits())
            if sum(entry.file_size for entry in entries) > disk_usage(folder).free:
                raise DocumentError(f"{path.name} unpacks to more than the free disk space.")
            return [_extract(archive, entry, folder) for entry in entries]
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, ValueError) as error:
        raise DocumentError(
            f"{path.name} cannot be unpacked ({error}): pack it again as a plain ZIP."
        ) from error


def _check(archive: zipfile.ZipFile, name: str, limits: ArchiveLimits) -> list[zipfile.ZipInfo]:
    """The files of an archive that is safe to unpack."""
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    if len(entries) > limits.max_files:
        raise DocumentError(f"{name} holds {len(entries)} files; {limits.max_files} is the limit.")
    for entry in entries:
        if reason := _refusal(entry):
            raise DocumentError(f"{name} was refused: {reason} ({entry.filename[:80]!r}).")
    size = sum(entry.file_size for entry in entries)
    packed = max(sum(entry.compress_size for entry in entries), 1)
    if size > limits.max_bytes:
        raise DocumentError(f"{name} unpacks to {size} bytes; {limits.max_bytes} is the limit.")
    if size > limits.ratio_from and size / packed > limits.max_ratio:
        raise DocumentError(f"{name} was refused: it unpacks to {size // packed} times its size.")
    return [entry for entry in entries if not set(_path(entry).parts) & set(_RUBBISH)]


def _path(entry: zipfile.ZipInfo) -> PurePosixPath:
    return PurePosixPath(entry.filename.replace("\\", "/"))


def _refusal(entry: zipfile.ZipInfo) -> str:
    path = _path(entry)
    if path.is_absolute() or ".." in path.parts or ":" in path.parts[0] or not path.name:
        return "a path in it leaves the folder"
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        return "it holds a link or a device"
    if entry.flag_bits & 0x1:
        return "it is encrypted; unpack it and add the files themselves"
    return ""


def _extract(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, folder: Path) -> Path:
    target = folder.joinpath(*_path(entry).parts)
    target.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(entry) as source, target.open("wb") as sink:
        copyfileobj(source, sink)
    return target
