"""A workspace: one folder with one SQLite file (WAL), pictures and originals by content hash.

Every thread has a connection of its own; a change is one transaction (`with workspace.write()`),
so that a crash at any moment leaves either all of it or none.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from brit.errors import WorkspaceError
from brit.journal import record_changes
from brit.storage.calls import CallStore
from brit.storage.chats import ChatStore
from brit.storage.content import ContentStore
from brit.storage.corrections import CorrectionStore
from brit.storage.documents import DocumentStore
from brit.storage.files import FileStore, cannot_write
from brit.storage.graph import GraphStore
from brit.storage.jobs import JobStore
from brit.storage.schema import COLUMNS, MIGRATIONS, columns_at
from brit.storage.settings import SettingStore

DATABASE = "brit.sqlite"
BUSY_SECONDS = 30.0
UNWRITABLE = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY)
# What is deleted is overwritten: not every build of SQLite does so unasked.
PRAGMAS = ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON", "secure_delete = ON")


class Workspace:
    """The stores of one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._local = threading.local()
        self.documents = DocumentStore(self)
        self.content = ContentStore(self)
        self.graph = GraphStore(self)
        self.corrections = CorrectionStore(self)
        self.chats = ChatStore(self)
        self.jobs = JobStore(self)
        self.settings = SettingStore(self)
        self.calls = CallStore(self)
        self.images = FileStore(folder / "images")
        self.originals = FileStore(folder / "originals")

    @classmethod
    def open(cls, folder: Path, *, create: bool = True) -> Workspace:
        """The workspace in a folder, made where it is missing unless `create` is False.

        Raises WorkspaceError where the folder cannot be written or its file is no workspace.
        """
        if not create and not (folder / DATABASE).exists():
            raise WorkspaceError(
                f"There is no workspace in {folder} yet: add documents to it with `python -m brit "
                "ingest`, or name another folder with --workspace or BRIT_WORKSPACE."
            )
        try:
            folder.mkdir(parents=True, exist_ok=True)
            workspace = cls(folder.resolve())
            workspace._refuse_foreign()
            workspace._migrate()
        except (OSError, sqlite3.Error) as error:
            raise WorkspaceError(
                f"The workspace {folder} cannot be used ({error}). Name another folder with "
                "--workspace or BRIT_WORKSPACE, or free this one."
            ) from error
        return workspace

    def _refuse_foreign(self) -> None:
        """Before anything is changed in it: a file of another program stays as it is."""
        connection = sqlite3.connect(self.folder / DATABASE, timeout=BUSY_SECONDS)
        try:  # in one statement, as another process may be making the tables just now
            version, names = connection.execute(
                f"SELECT (SELECT user_version FROM pragma_user_version), ({COLUMNS})"
            ).fetchone()
        finally:
            connection.close()
        there, known = set(json.loads(names)), min(max(version, 0), len(MIGRATIONS))
        if not columns_at(known) <= there or (there and version < 1):
            raise WorkspaceError(
                f"{self.folder / DATABASE} is a database of another program, or damaged. Name "
                "another folder with --workspace or BRIT_WORKSPACE."
            )

    def _migrate(self) -> None:
        if self._version() > len(MIGRATIONS):
            raise WorkspaceError(
                f"The workspace {self.folder} was written by a newer BRIT. Update BRIT, or name "
                "another folder with --workspace."
            )
        if self._version() < len(MIGRATIONS):
            with self.write() as db:
                # Asked again: another process may have done it while this one waited.
                for step in range(self._version(), len(MIGRATIONS)):
                    for statement in MIGRATIONS[step].split(";"):
                        db.execute(statement)
                db.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")

    def _version(self) -> int:
        return int(self.read.execute("PRAGMA user_version").fetchone()[0])

    @property
    def read(self) -> sqlite3.Connection:
        """This thread's connection."""
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = sqlite3.connect(
                self.folder / DATABASE, timeout=BUSY_SECONDS, isolation_level=None
            )
            connection.row_factory = sqlite3.Row
            for pragma in PRAGMAS:
                connection.execute(f"PRAGMA {pragma}")
            self._local.connection = connection
        return connection

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """One transaction on this thread's connection; a nested one joins the outer. Raises
        WorkspaceError where the disk is full or the folder cannot be written: nothing is."""
        connection = self.read
        if connection.in_transaction:
            yield connection
            return
        changes = self._local.changes = []
        try:
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.execute("COMMIT")
        except BaseException as error:
            if connection.in_transaction:  # a full disk may have rolled it back already
                connection.execute("ROLLBACK")
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in UNWRITABLE:
                raise cannot_write(self.folder, str(error)) from error
            raise
        record_changes(self.folder, changes)

    def note(self, change: str, id: str | int) -> None:
        """A line of the audit, once the transaction it is called in has been committed."""
        self._local.changes.append((change, str(id)))

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """What is read inside belongs together, whatever other processes write meanwhile."""
        if self.read.in_transaction:
            yield
            return
        self.read.execute("BEGIN")
        try:
            yield
        finally:
            self.read.execute("ROLLBACK")

    def close(self) -> None:
        """Close this thread's connection."""
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is not None:
            connection.close()
            self._local.connection = None
