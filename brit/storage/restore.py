"""A new workspace made of a backup: whole, or nothing of it.

A backup may come from anywhere: its names lead nowhere else, nothing unpacks to more than it says,
every file is what its hash says, and the database brings tables only.
"""

from __future__ import annotations

import shutil
import sqlite3
import struct
import tempfile
import zipfile
import zlib
from contextlib import closing
from pathlib import Path

from brit.errors import BritError, InputError, WorkspaceError
from brit.storage.backup import (
    MANIFEST,
    ROOM,
    Manifest,
    Saved,
    copy_hashed,
    count_saved,
    drop_jobs,
    find_fault,
    fits_name,
)
from brit.storage.codec import decode
from brit.storage.inventory import NAME, STORES, named_files, place
from brit.storage.schema import MIGRATIONS
from brit.storage.workspace import DATABASE, Workspace
from brit.types import OnProgress, Progress, no_progress

MANIFEST_BYTES = 1 << 28
BROKEN = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, ValueError,
          NotImplementedError, RuntimeError, sqlite3.Error)  # fmt: skip


def restore_backup(source: Path, folder: Path, on_progress: OnProgress = no_progress) -> Saved:
    """Make a workspace of a backup, in a folder that is new or empty.

    Raises InputError for a file that is damaged, foreign or of a newer BRIT, WorkspaceError for a
    folder that cannot be used; nothing is restored then.
    """
    folder = folder.resolve()
    made = not folder.exists()
    moved: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _refuse_full(folder, 0)
        with tempfile.TemporaryDirectory(prefix=ROOM, dir=folder) as room:
            saved = unpack_backup(source, Path(room), on_progress)
            _refuse_full(folder, 1)
            # The database last: without it the folder is no workspace yet.
            for part in (*STORES, DATABASE):
                if (Path(room) / part).exists():
                    moved.append(folder / part)
                    (Path(room) / part).rename(folder / part)
    except BaseException as error:
        _undo(moved, folder if made else None)
        if isinstance(error, OSError):
            raise WorkspaceError(
                f"“{folder}” cannot be written ({error.strerror}). Name another folder with "
                "--workspace, or free space or the folder."
            ) from error
        raise
    return saved


def _refuse_full(folder: Path, ours: int) -> None:
    if len(list(folder.iterdir())) > ours:
        raise WorkspaceError(
            f"“{folder}” is not empty. A backup is restored into a new folder: name one with "
            "--workspace, then use it as BRIT_WORKSPACE."
        )


def _undo(moved: list[Path], made: Path | None) -> None:
    for path in moved:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    if made is not None and made.is_dir() and not any(made.iterdir()):
        made.rmdir()


def unpack_backup(
    source: Path, room: Path, on_progress: OnProgress, called: str | None = None
) -> Saved:
    """The workspace in a backup, in a folder that is empty; errors name it as it is `called`.
    Raises InputError, WorkspaceError."""
    named = f"“{called or source}”"
    try:
        stream = source.open("rb")
    except OSError as error:
        raise InputError(f"{named} cannot be read ({error.strerror}). Check its name.") from error
    try:
        with stream, zipfile.ZipFile(stream) as archive:
            files = _read_manifest(archive).files
            _refuse_too_large(sum(_entry(archive, name).file_size for name in files), room)
            for number, (name, told) in enumerate(files.items(), start=1):
                on_progress(Progress("restoring files", number, len(files)))
                _extract(archive, name, told, place(room, name))
        return _settle(room, files)
    except BROKEN as error:
        raise InputError(
            f"{named} is damaged, or no backup of BRIT ({error}). Take another copy of it."
        ) from error


def _read_manifest(archive: zipfile.ZipFile) -> Manifest:
    info = _entry(archive, MANIFEST)
    if info.file_size > MANIFEST_BYTES:
        raise ValueError("its manifest is too long")
    try:
        manifest = decode(Manifest, archive.read(info).decode())
    except ValueError as error:  # pydantic's message has many lines
        raise ValueError("its manifest cannot be read") from error
    if foreign := [n for n in manifest.files if n != DATABASE and not NAME.fullmatch(n)]:
        raise ValueError(f"it names a file “{foreign[0][:80]}”")
    if DATABASE not in manifest.files:
        raise ValueError("it holds no database")
    return manifest


def _entry(archive: zipfile.ZipFile, name: str) -> zipfile.ZipInfo:
    if name not in archive.NameToInfo:
        raise ValueError(f"it lacks {name}")
    info = archive.getinfo(name)
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"{name} is packed in another way")
    if not 0 <= info.header_offset < archive.start_dir:
        raise ValueError(f"{name} lies outside the file")
    return info


def _refuse_too_large(size: int, room: Path) -> None:
    free = shutil.disk_usage(room).free
    if size > free:
        raise WorkspaceError(
            f"The backup needs {size >> 20} MB and {free >> 20} MB are free where it is to be "
            "restored. Free some space, or name another folder with --workspace."
        )


def _extract(archive: zipfile.ZipFile, name: str, told: tuple[int, str], target: Path) -> None:
    info = _entry(archive, name)
    if info.file_size != told[0]:  # what is unpacked never grows beyond this
        raise ValueError(f"{name} has another size")
    target.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(info) as stream, target.open("wb") as sink:
        found = copy_hashed(stream, sink)
    if found != told or not fits_name(name, found[1]):
        raise ValueError(f"{name} has changed")
    target.chmod(0o600)


def _settle(room: Path, files: dict[str, tuple[int, str]]) -> Saved:
    """The database checked and brought up to date."""
    with closing(sqlite3.connect(room / DATABASE)) as db:
        _refuse_foreign(db)
    try:
        workspace = Workspace.open(room, create=False)
    except BritError as error:
        raise ValueError("its database is none of BRIT") from error
    try:
        named = named_files(workspace)
        if strange := [name for name in named if not NAME.fullmatch(name)]:
            raise ValueError(f"its database names a file “{strange[0][:80]}”")
        drop_jobs(workspace)
        (documents,) = workspace.read.execute("SELECT count(*) FROM documents").fetchone()
        return count_saved(documents, files, named)
    finally:
        workspace.close()


def _refuse_foreign(db: sqlite3.Connection) -> None:
    """What a file must not bring: damage, a schema to come, statements of its own."""
    if fault := find_fault(db):
        raise ValueError(fault)
    if db.execute("PRAGMA user_version").fetchone()[0] > len(MIGRATIONS):
        raise InputError("The backup was made by a newer BRIT. Update BRIT, then restore it.")
    if db.execute("SELECT 1 FROM sqlite_master WHERE type IN ('trigger', 'view')").fetchone():
        raise ValueError("its database holds triggers or views")
