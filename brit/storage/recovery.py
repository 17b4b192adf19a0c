"""A damaged database copied table by table into a new one.

SQLite finds rows through trees of pages. Where a page is torn, a table is read from its beginning
up to there and from its end back to there; the rows between are sought one by one, by the keys an
index of the table still holds. What indexes and the search by words hold is made anew. The damaged
file stays beside the new one, for it may hold more than can be read this way.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from brit.storage.files import link_or_copy
from brit.storage.inventory import named_files
from brit.storage.workspace import DATABASE, Workspace
from brit.types import OnProgress, Progress

ROOM = ".brit-"
OF_DOCUMENTS = ("blocks", "sections", "passages", "images", "mentions", "edges", "links")
"""Tables with an index on their document, called TABLE_document."""
SEARCH_TABLES = tuple(
    f"{kind}_{index}" for kind in ("passage", "image", "node") for index in ("words", "trigrams")
)
LOST = "Part of it was lost in a damaged database: add the file again."


@dataclass(frozen=True)
class Recovery:
    """`kept` is the damaged file; `documents`: those of which something was lost. `lost`: table →
    rows that were not found again and belong to no document, None where their number is unknown;
    vectors are not told, for they are made again."""

    kept: Path
    lost: dict[str, int | None]
    documents: tuple[str, ...]


@dataclass(frozen=True)
class _Table:
    """`keys` are what a row is found by."""

    name: str
    keys: list[str]
    columns: list[str]

    @property
    def select(self) -> str:
        return f"SELECT {', '.join(self.keys + self.columns)} FROM {self.name}"

    def order(self, direction: str) -> str:
        return ", ".join(f"{key} {direction}" for key in self.keys)


@dataclass
class _Copy:
    """From an old database to a new one; `torn` are the tables that could not be read whole."""

    old: sqlite3.Connection
    new: sqlite3.Connection
    torn: list[str] = field(default_factory=list)

    def copy(self, name: str) -> None:
        table = self._table(name)
        marks = ", ".join("?" * len(table.columns))
        put = f"INSERT OR IGNORE INTO {name} ({', '.join(table.columns)}) VALUES ({marks})"
        for rows in self._passes(table):
            self.new.executemany(put, (row[len(table.keys) :] for row in rows))

    def _table(self, name: str) -> _Table:
        columns = self.new.execute(
            "SELECT name, pk FROM pragma_table_info(?) ORDER BY pk", [name]
        ).fetchall()
        (no_rowid,) = self.new.execute(
            "SELECT wr FROM pragma_table_list WHERE name = ?", [name]
        ).fetchone()
        keys = [row["name"] for row in columns if row["pk"]] if no_rowid else ["rowid"]
        return _Table(name, keys, [row["name"] for row in columns])

    def _passes(self, table: _Table) -> Iterator[Iterator[tuple[Any, ...]]]:
        """One pass over a table that is whole; more over one that is not."""
        faults: list[str] = []
        first: list[Any] = []
        last: list[Any] = []
        yield self._scan(table, "ASC", faults, first)
        if faults:
            self.torn.append(table.name)
            yield self._scan(table, "DESC", faults, last)
            yield self._between(table, first, last)

    def _scan(
        self, table: _Table, direction: str, faults: list[str], reached: list[Any]
    ) -> Iterator[tuple[Any, ...]]:
        """The rows from one end; `reached` is the key of the last of them."""
        for row in self._rows(
            f"{table.select} NOT INDEXED ORDER BY {table.order(direction)}", (), faults
        ):
            reached[:] = row[: len(table.keys)]
            yield row

    def _between(
        self, table: _Table, first: list[Any], last: list[Any]
    ) -> Iterator[tuple[Any, ...]]:
        """What lies between two keys, or beyond the one there is, by the keys in an index."""
        names = ", ".join(table.keys)
        marks = ", ".join("?" * len(table.keys))
        match = " AND ".join(f"{key} = ?" for key in table.keys)
        after = f"({names}) > ({marks})" if first else "true"
        before = f"({names}) < ({marks})" if last else "true"
        indexes = self.new.execute("SELECT name FROM pragma_index_list(?)", [table.name])
        for (index,) in indexes.fetchall():
            seek = f"SELECT {names} FROM {table.name} INDEXED BY {index}"
            for key in self._rows(f"{seek} WHERE {after} AND {before}", (*first, *last), []):
                yield from self._rows(f"{table.select} WHERE {match}", key, [])

    def _rows(
        self, query: str, values: Sequence[Any], faults: list[str]
    ) -> Iterator[tuple[Any, ...]]:
        """As many rows as can be read."""
        try:
            for row in self.old.execute(query, values):
                yield tuple(row)
        except sqlite3.DatabaseError as error:
            faults.append(str(error))

    def counted(self, table: str) -> dict[str, int] | None:
        """Document → rows, by the table's index in the old file; None where that is damaged too."""
        query = (
            f"SELECT document, count(*) FROM {table} INDEXED BY {table}_document GROUP BY document"
        )
        try:
            return dict(map(tuple, self.old.execute(query)))
        except sqlite3.DatabaseError:
            return None


def recover(workspace: Workspace, on_progress: OnProgress) -> Recovery:
    """Put a new database in place of a damaged one that nobody else has open.

    Documents of which something was lost are to be added again: nothing of them is left but their
    originals and their lines in the ledger.
    """
    with tempfile.TemporaryDirectory(prefix=ROOM, dir=workspace.folder) as room:
        new = Workspace.open(Path(room))
        try:
            new.read.execute("PRAGMA foreign_keys = OFF")
            with new.write() as db:
                copy = _Copy(workspace.read, db)
                tables = _tables(db)
                for number, table in enumerate(tables, start=1):
                    on_progress(
                        Progress("reading the damaged database", number, len(tables), table)
                    )
                    copy.copy(table)
                lost = _lost_rows(copy)
                documents = _settle(new, copy)
        finally:
            new.close()
        workspace.close()
        return Recovery(_swap(workspace.folder, Path(room)), lost, documents)


def _tables(db: sqlite3.Connection) -> list[str]:
    """Those that hold what cannot be made again from others, owners before what they own."""
    rows = db.execute(
        "SELECT m.name FROM sqlite_master m JOIN pragma_table_list t ON t.name = m.name"
        " WHERE t.type = 'table' AND t.schema = 'main' AND m.name NOT LIKE 'sqlite_%'"
        " ORDER BY m.rowid"
    )
    return [row["name"] for row in rows]


def _lost_rows(copy: _Copy) -> dict[str, int | None]:
    lost: dict[str, int | None] = {}
    for table in set(copy.torn) - {*OF_DOCUMENTS, "pages", "vectors"}:
        (found,) = copy.new.execute(f"SELECT count(*) FROM {table}").fetchone()
        try:
            (there,) = copy.old.execute(f"SELECT count(*) FROM {table}").fetchone()
        except sqlite3.DatabaseError:
            lost[table] = None
        else:
            if there > found:
                lost[table] = there - found
    return lost


def _settle(new: Workspace, copy: _Copy) -> tuple[str, ...]:
    """Make the copied rows a sound workspace; → the documents of which something was lost."""
    db = copy.new
    db.execute(
        "INSERT INTO collections (id, name, created) SELECT DISTINCT collection,"
        " 'Recovered ' || substr(collection, 1, 6), unixepoch() FROM documents"
        " WHERE collection NOT IN (SELECT id FROM collections)"
    )
    before = {table: copy.counted(table) if table in copy.torn else _count(db, table)
              for table in OF_DOCUMENTS}  # fmt: skip
    drop_unowned(db)
    ids = [row["id"] for row in db.execute("SELECT id FROM documents WHERE file != ''")]
    short = {row["id"] for row in db.execute(
        "SELECT id FROM documents d WHERE ready AND page_count >"
        " (SELECT count(*) FROM pages p WHERE p.document = d.id)")}  # fmt: skip
    for table, counts in before.items():
        now = _count(db, table)
        short.update(id for id in ids if counts is None or counts.get(id, 0) > now.get(id, 0))
    lost = tuple(id for id in ids if id in short)
    forget_readings(new, lost, LOST)
    return lost


def _count(db: sqlite3.Connection, table: str) -> dict[str, int]:
    return dict(map(tuple, db.execute(f"SELECT document, count(*) FROM {table} GROUP BY document")))


def drop_unowned(db: sqlite3.Connection) -> None:
    """Delete rows whose owner is not there, or their mention of it where that is the rule."""
    while found := {(row[0], row[3]) for row in db.execute("PRAGMA foreign_key_check")}:
        for table, number in found:
            key = next(row for row in db.execute(f"PRAGMA foreign_key_list({table})")
                       if row["id"] == number)  # fmt: skip
            change = (
                f"UPDATE {table} SET {key['from']} = NULL"
                if key["on_delete"] == "SET NULL"
                else f"DELETE FROM {table}"
            )
            db.execute(
                f"{change} WHERE {key['from']} NOT IN (SELECT {key['to']} FROM {key['table']})"
            )


def forget_readings(workspace: Workspace, documents: Sequence[str], reason: str) -> None:
    """Leave nothing of what was read of them: adding their files again reads them anew. The search
    by words is filled anew."""
    with workspace.write() as db:
        for index in SEARCH_TABLES:
            db.execute(f"DELETE FROM {index}")
        for table in (*OF_DOCUMENTS, "pages"):
            db.executemany(f"DELETE FROM {table} WHERE document = ?", [(id,) for id in documents])
        for id in documents:
            workspace.documents.set_status(id, "partial", reason, ready=False)
        for collection in {workspace.documents.document(id).collection for id in documents}:
            workspace.graph.drop_orphans(collection)
            workspace.graph.count_components(collection)
            workspace.documents.touch(collection)
        if documents:
            workspace.graph.drop_unowned_vectors()
        workspace.content.index_words()
        workspace.graph.index_words()


def _swap(folder: Path, room: Path) -> Path:
    """The new database in place of the damaged one, which is kept under another name."""
    database = folder / DATABASE
    kept = folder / time.strftime(f"{database.stem}-damaged-%Y%m%d-%H%M%S{database.suffix}")
    link_or_copy(database, kept)
    (room / DATABASE).replace(database)
    return kept


def rescue_originals(workspace: Workspace) -> list[Path]:
    """Originals whose documents were lost, moved where they can be added again from."""
    named = named_files(workspace)
    strays = [path for path in workspace.originals.folder.glob("[!.]*/*")
              if f"originals/{path.name}" not in named]  # fmt: skip
    target = workspace.folder / "rescued"
    for path in strays:
        target.mkdir(exist_ok=True)
        shutil.move(path, target / path.name)
    return [target / path.name for path in strays]
