"""A whole workspace as one file, saved while it is used; `restore.py` makes a workspace of it.

A ZIP: the database as it was at one moment, the pictures and originals it names, and last the
manifest with the size and SHA-256 of each. Left out is what can be made again (indexes, weights)
and what is under way (jobs, uploads). Either the whole file stands in the end, or nothing.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import tempfile
import zipfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

from brit.errors import InputError, WorkspaceError
from brit.storage.codec import encode
from brit.storage.files import CHUNK
from brit.storage.inventory import named_files, place
from brit.storage.settings import retrieval_key
from brit.storage.workspace import DATABASE, Workspace
from brit.types import OnProgress, Progress, no_progress

MANIFEST = "manifest.json"
PAGES_AT_ONCE = 1024
ROOM = ".brit-"


@dataclass(frozen=True)
class Manifest:
    """Name → bytes and SHA-256 of each file of a backup."""

    format: Literal["BRIT backup 1"]
    files: dict[str, tuple[int, str]]


@dataclass(frozen=True)
class Saved:
    """What a backup holds; `missing` counts files its documents name that it lacks, `notes` says
    what else is not in it."""

    documents: int
    pictures: int
    bytes: int
    missing: int
    notes: tuple[str, ...] = ()


def save_backup(
    workspace: Workspace,
    target: Path,
    on_progress: OnProgress = no_progress,
    *,
    collection: str = "",
) -> Saved:
    """Write a backup to `target`, readable by its owner only; others may go on writing meanwhile.

    With the id of a `collection` it holds that one alone, without chats: whoever is given the file
    adds it like a document (`carry.py`). Raises InputError where it cannot be written,
    WorkspaceError where the database is damaged.
    """
    target = target.absolute()
    if target.exists() and not target.is_file():
        raise InputError(f"“{target}” is a folder or a device. Name a file.")
    if not collection and target.resolve().is_relative_to(workspace.folder):
        raise InputError("A backup inside the workspace is lost with it. Name a file elsewhere.")
    try:
        with tempfile.TemporaryDirectory(prefix=ROOM, dir=target.parent) as room:
            draft = Path(room) / "backup.zip"
            saved = _save(workspace, Path(room), draft, on_progress, collection)
            draft.chmod(0o600)
            draft.replace(target)
    except OSError as error:
        raise InputError(
            f"“{target}” cannot be written ({error.strerror}). Name a file in a folder of yours "
            "with room enough."
        ) from error
    return saved


def _save(
    workspace: Workspace, room: Path, draft: Path, on_progress: OnProgress, collection: str
) -> Saved:
    copy = _copy_database(workspace, room, on_progress)
    try:
        notes = _note_unread(copy)
        drop_jobs(copy)
        if collection:
            drop_all_but(copy, collection)
        with draft.open("wb") as stream:
            with zipfile.ZipFile(stream, "w") as archive:
                named = named_files(copy)
                files = _add_files(archive, workspace, named, on_progress)
                if named - files.keys():
                    notes += _drop_deleted(copy, workspace)
                    named = named_files(copy)
                files = {name: files[name] for name in sorted(named & files.keys())}
                (documents,) = copy.read.execute("SELECT count(*) FROM documents").fetchone()
                copy.close()  # what was changed is now in the one file
                files[DATABASE] = _add(archive, DATABASE, room / DATABASE, zipfile.ZIP_DEFLATED)
                text = encode(Manifest("BRIT backup 1", files))
                archive.writestr(MANIFEST, text, zipfile.ZIP_DEFLATED)
            stream.flush()
            os.fsync(stream.fileno())
    finally:
        copy.close()
    return count_saved(documents, files, named, tuple(notes))


def count_saved(
    documents: int,
    files: dict[str, tuple[int, str]],
    named: set[str],
    notes: tuple[str, ...] = (),
) -> Saved:
    return Saved(
        documents=documents,
        pictures=sum(name.startswith("images/") for name in files),
        bytes=sum(size for size, _ in files.values()),
        missing=len(named - files.keys()),
        notes=notes,
    )


def _copy_database(workspace: Workspace, room: Path, on_progress: OnProgress) -> Workspace:
    """The database as it is now, in a folder of its own."""

    def tell(_: int, left: int, total: int) -> None:
        on_progress(Progress("copying the database", total - left, total))

    with workspace.snapshot(), closing(sqlite3.connect(room / DATABASE)) as target:
        # The snapshot begins with the first thing read, and keeps the copy from starting anew
        # whenever somebody writes.
        workspace.read.execute("SELECT count(*) FROM collections").fetchone()
        workspace.read.backup(target, pages=PAGES_AT_ONCE, progress=tell)
        if fault := find_fault(target):
            raise WorkspaceError(
                f"The workspace's database is damaged ({fault}): run `python -m brit doctor "
                "--repair`, then save it again."
            )
    return Workspace(room)


def find_fault(database: sqlite3.Connection) -> str:
    """What SQLite finds wrong with it; nothing where all is well."""
    try:
        found = str(database.execute("PRAGMA quick_check(1)").fetchone()[0])
    except sqlite3.DatabaseError as error:
        return str(error)
    return "" if found == "ok" else found.splitlines()[-1]


def drop_jobs(copy: Workspace) -> None:
    """Work belongs to the workspace it was begun in: its files lie there."""
    with copy.write() as db:
        db.execute("DELETE FROM jobs")
        db.execute("DELETE FROM worker")


def drop_all_but(copy: Workspace, collection: str) -> None:
    """Leave one collection without its chats, and nothing that belongs to others."""
    with copy.write() as db:
        db.execute("DELETE FROM collections WHERE id != ?", (collection,))
        db.execute("DELETE FROM chats")
        db.execute("DELETE FROM settings WHERE key != ?", (retrieval_key(collection),))
        db.execute("DELETE FROM model_usage WHERE document IS NULL")
        for table in ("passage", "image", "node"):
            for index in ("words", "trigrams"):
                db.execute(
                    f"DELETE FROM {table}_{index} WHERE rowid NOT IN (SELECT number FROM {table}s)"
                )
        for table in ("scene_texts", "descriptions"):
            db.execute(f"DELETE FROM {table} WHERE file NOT IN (SELECT file FROM images)")
        copy.calls.drop_unowned()
        copy.graph.drop_unowned_vectors()
    copy.read.execute("VACUUM")


def _note_unread(copy: Workspace) -> list[str]:
    unread = sorted({name for job in copy.jobs.jobs(active=True) for name in job.unread})
    return [f"“{name}” was still being read: add it again after restoring." for name in unread]


def _add_files(
    archive: zipfile.ZipFile, workspace: Workspace, names: set[str], on_progress: OnProgress
) -> dict[str, tuple[int, str]]:
    """Those that are there and sound, with what the manifest says of them."""
    files = {}
    for number, name in enumerate(sorted(names), start=1):
        on_progress(Progress("copying files", number, len(names)))
        path = place(workspace.folder, name)
        if not path.is_file():
            continue
        try:
            size, digest = _add(archive, name, path, zipfile.ZIP_STORED)
        except FileNotFoundError:  # deleted just now
            continue
        if fits_name(name, digest):
            files[name] = size, digest
    return files


def fits_name(name: str, digest: str) -> bool:
    """A picture's name is its hash. An original may be kept without the encryption it came with."""
    return not name.startswith("images/") or name[7:39] == digest[:32]


def _add(archive: zipfile.ZipFile, name: str, path: Path, method: int) -> tuple[int, str]:
    info = zipfile.ZipInfo(name)
    info.compress_type = method
    info.external_attr = 0o600 << 16
    with path.open("rb") as stream, archive.open(info, "w", force_zip64=True) as sink:
        return copy_hashed(stream, sink)


def copy_hashed(stream: IO[bytes], sink: IO[bytes]) -> tuple[int, str]:
    """Copy all; → bytes and SHA-256."""
    size, digest = 0, hashlib.sha256()
    while chunk := stream.read(CHUNK):
        size += len(chunk)
        digest.update(chunk)
        sink.write(chunk)
    return size, digest.hexdigest()


def _drop_deleted(copy: Workspace, workspace: Workspace) -> list[str]:
    """What was deleted since the database was copied, and some of whose files may be gone."""
    notes = []
    for collection in copy.documents.collections():
        there = workspace.documents.has_collection(collection.id)
        for document in copy.documents.documents(collection.id):
            if not workspace.documents.exists(document.id):
                notes.append(f"“{document.name}” was deleted meanwhile and is not in the backup.")
                copy.documents.delete(document.id)
        if not there:
            copy.documents.delete_collection(collection.id)
    return notes
