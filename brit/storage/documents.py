"""Collections and their documents, each with the counts of its ledger."""

from __future__ import annotations

import json
import shutil
import sqlite3
import time
import unicodedata
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from brit.errors import InputError, UnknownName
from brit.storage.codec import decode, encode
from brit.storage.ledger import COUNTS, LEDGER, Collection, Stamp, collection_of, document_of
from brit.storage.settings import retrieval_key
from brit.types import (
    UNREADABLE,
    Document,
    DocumentHead,
    OutlineEntry,
    Status,
    stable_id,
)

if TYPE_CHECKING:
    from brit.storage.workspace import Workspace

NAME_LENGTH = 120
UNFINISHED = "Not worked through yet: where nothing is at work on it, add the file again."


def _storable(name: str) -> str:
    """A file's name as text: its bytes need not be any."""
    return name.encode("utf-8", "replace").decode("utf-8")


def _refusal_id(collection: str, name: str) -> str:
    return stable_id("refusal", collection, name)


class DocumentStore:
    """Collections and documents of a workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    # --- collections ---

    def collections(self) -> list[Collection]:
        rows = self._workspace.read.execute(
            f"SELECT c.*, {COUNTS} FROM collections c ORDER BY c.created, c.name"
        )
        return [collection_of(row) for row in rows]

    def collection(self, name: str) -> Collection:
        """Raises UnknownName, which lists the collections there are."""
        row = self._workspace.read.execute(
            f"SELECT c.*, {COUNTS} FROM collections c WHERE c.id = ?", (self.stamp(name).id,)
        ).fetchone()
        return collection_of(row)

    def stamp(self, name: str) -> Stamp:
        """Id and version of the collection of that name, uncounted. Raises UnknownName."""
        row = self._workspace.read.execute(
            "SELECT id, name, version FROM collections WHERE name = ?", (" ".join(name.split()),)
        ).fetchone()
        if row is None:
            known = ", ".join(f"“{each.name}”" for each in self.collections()) or "none yet"
            raise UnknownName(f"There is no collection “{name}”. Collections here: {known}.")
        return Stamp(**row)

    def stamp_of(self, id: str) -> Stamp:
        """The same by id, however the collection is called by now. Raises UnknownName."""
        row = self._workspace.read.execute(
            "SELECT id, name, version FROM collections WHERE id = ?", (id,)
        ).fetchone()
        if row is None:
            raise UnknownName("That collection was deleted. Choose another one.")
        return Stamp(**row)

    def create_collection(self, name: str) -> Collection:
        """The collection of that name, made where it is missing. Raises InputError."""
        name = self._valid_name(name)
        with self._workspace.write() as db:
            id = stable_id("collection", name, time.time_ns())
            made = db.execute(
                "INSERT OR IGNORE INTO collections (id, name, created) VALUES (?, ?, ?)",
                (id, name, time.time()),
            )
            if made.rowcount:
                self._workspace.note("create collection", id)
        return self.collection(name)

    def rename_collection(self, id: str, name: str) -> None:
        name = self._valid_name(name)
        try:
            with self._workspace.write() as db:
                # Jobs that wait, or are resumed later, go on in the collection as it is called now.
                db.execute(
                    "UPDATE jobs SET collection = ?, payload = json_set(payload, '$.collection', ?)"
                    " WHERE collection = (SELECT name FROM collections WHERE id = ?)",
                    (name, name, id),
                )
                db.execute("UPDATE collections SET name = ? WHERE id = ?", (name, id))
                self._workspace.note("rename collection", id)
        except sqlite3.IntegrityError as error:
            raise InputError(
                f"There is a collection “{name}” already. Choose another name."
            ) from error

    def delete_collection(self, id: str) -> None:
        """The collection with all its documents, chats and jobs; one at work in it ends."""
        # Each by itself: files go when what names them is gone for good.
        for document in self.documents(id):
            with suppress(UnknownName):  # deleted by somebody else meanwhile
                self.delete(document.id)
        with self._workspace.write() as db:
            self._workspace.jobs.drop(id)
            db.execute("DELETE FROM collections WHERE id = ?", (id,))
            db.execute("DELETE FROM settings WHERE key = ?", (retrieval_key(id),))
            self._workspace.note("delete collection", id)
        shutil.rmtree(self._workspace.folder / "indexes" / id, ignore_errors=True)

    def drop_if_empty(self, id: str) -> None:
        """Forget a collection into which nothing came."""
        with self._workspace.write() as db:
            db.execute(
                "DELETE FROM collections WHERE id = ?"
                " AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.collection = collections.id)",
                (id,),
            )

    def has_collection(self, id: str) -> bool:
        found = self._workspace.read.execute("SELECT 1 FROM collections WHERE id = ?", (id,))
        return found.fetchone() is not None

    @staticmethod
    def _valid_name(name: str) -> str:
        name = " ".join(name.split())
        if not name or len(name) > NAME_LENGTH:
            raise InputError(f"A collection needs a name of 1 to {NAME_LENGTH} characters.")
        if any(unicodedata.category(sign) in ("Cc", "Cs") for sign in name):
            raise InputError("The collection's name holds control characters. Type it again.")
        return name

    # --- documents ---

    def documents(self, collection: str) -> list[Document]:
        rows = self._workspace.read.execute(
            f"SELECT d.*, {LEDGER} FROM documents d WHERE d.collection = ?"
            " ORDER BY d.created, d.id",
            (collection,),
        )
        return [document_of(row) for row in rows]

    def reading(self, collection: str) -> tuple[list[str], set[str]]:
        """The names of the documents that can not be asked yet, but for those of which nothing
        could be read; and of those that can. Counts nothing: every question asks this."""
        rows = self._workspace.read.execute(
            "SELECT name, ready, status FROM documents WHERE collection = ? ORDER BY created, id",
            (collection,),
        ).fetchall()
        waiting = [row["name"] for row in rows if not (row["ready"] or row["status"] in UNREADABLE)]
        return waiting, {row["name"] for row in rows if row["ready"]}

    def document(self, id: str) -> Document:
        row = self._workspace.read.execute(
            f"SELECT d.*, {LEDGER} FROM documents d WHERE d.id = ?", (id,)
        ).fetchone()
        if row is None:
            raise UnknownName("That document is no longer in the collection.")
        return document_of(row)

    def exists(self, id: str) -> bool:
        found = self._workspace.read.execute("SELECT 1 FROM documents WHERE id = ?", (id,))
        return found.fetchone() is not None

    def head(self, id: str) -> DocumentHead:
        row = self._workspace.read.execute("SELECT * FROM documents WHERE id = ?", (id,)).fetchone()
        return DocumentHead(
            name=row["name"],
            source=row["source"],
            format=row["format"],
            page_count=row["page_count"],
            paged=bool(row["paged"]),
            outline=decode(tuple[OutlineEntry, ...], row["outline"]),
            warnings=tuple(json.loads(row["warnings"])),
            missing=row["missing"],
        )

    def put_document(self, id: str, collection: str, file: str, head: DocumentHead) -> None:
        """A document about to be read; what is there already stays."""
        with self._workspace.write() as db:
            made = db.execute(
                "INSERT INTO documents (id, collection, name, source, file, format, status, reason,"
                " page_count, paged, outline, warnings, missing, created)"
                " VALUES (?, ?, ?, ?, ?, ?, 'partial', ?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (id) DO NOTHING",
                (id, collection, head.name, head.source, file, head.format, UNFINISHED,
                 head.page_count, head.paged, encode(head.outline), json.dumps(head.warnings),
                 head.missing, time.time()),
            )  # fmt: skip
            if made.rowcount:
                self._workspace.note("add document", id)

    def put_refusal(
        self, collection: str, name: str, format: str, status: Status, reason: str
    ) -> Document:
        """The record of a file that was not read: no pages and no original, only the reason."""
        name = _storable(name)
        id = _refusal_id(collection, name)
        with self._workspace.write() as db:
            db.execute(
                "INSERT INTO documents (id, collection, name, source, file, format, status, reason,"
                " paged, created) VALUES (?, ?, ?, ?, '', ?, ?, ?, 0, ?)"
                " ON CONFLICT (id) DO UPDATE SET (status, reason) ="
                " (excluded.status, excluded.reason)",
                (id, collection, name, name, _storable(format), status, reason, time.time()),
            )
        return self.document(id)

    def drop_refusal(self, collection: str, name: str) -> None:
        """Forget that a file of that name was not read."""
        id = _refusal_id(collection, _storable(name))
        with self._workspace.write() as db:
            db.execute("DELETE FROM documents WHERE id = ?", (id,))

    def set_status(
        self, id: str, status: Status, reason: str, *, ready: bool, notes: Sequence[str] = ()
    ) -> None:
        """`ready`: all its stages ended, nothing is left to resume; `notes` join its warnings."""
        with self._workspace.write() as db:
            db.execute(
                "UPDATE documents SET status = ?, reason = ?, ready = ?, notes = ? WHERE id = ?",
                (status, reason, ready, json.dumps(notes), id),
            )

    def add_seconds(self, id: str, seconds: float) -> None:
        with self._workspace.write() as db:
            db.execute("UPDATE documents SET seconds = seconds + ? WHERE id = ?", (seconds, id))

    def is_ready(self, id: str) -> bool:
        row = self._workspace.read.execute(
            "SELECT ready FROM documents WHERE id = ?", (id,)
        ).fetchone()
        return row is not None and bool(row["ready"])

    def source_path(self, document: str) -> Path:
        """The original file, as it was added."""
        row = self._workspace.read.execute(
            "SELECT file FROM documents WHERE id = ?", (document,)
        ).fetchone()
        if row is None or not row["file"]:
            raise UnknownName("The original file of that document is no longer in the workspace.")
        return self._workspace.originals.path(row["file"])

    def delete(self, id: str) -> None:
        """The document and every trace of it: text, pictures, nodes, links, vectors, original."""
        with self._workspace.write() as db:
            row = db.execute("SELECT * FROM documents WHERE id = ?", (id,)).fetchone()
            if row is None:
                raise UnknownName("That document is no longer in the collection.")
            self._workspace.note("delete document", id)
            if id == _refusal_id(row["collection"], row["name"]):
                db.execute("DELETE FROM documents WHERE id = ?", (id,))
                return
            files = self.picture_files(id)
            self.clear_content(id)
            db.execute("DELETE FROM documents WHERE id = ?", (id,))
            self._workspace.graph.drop_orphans(row["collection"])
            self._workspace.graph.count_components(row["collection"])
            self.touch(row["collection"])
            self._workspace.calls.drop_unowned()
            last = not db.execute(
                "SELECT 1 FROM documents WHERE file = ?", (row["file"],)
            ).fetchone()
            if not row["ready"]:
                self._workspace.graph.drop_unowned_vectors()
        self.drop_unused(files)
        if last and row["file"]:
            self._workspace.originals.remove([row["file"]])
        # The vector files hold words of it; they are made again from the database.
        indexes = self._workspace.folder / "indexes" / row["collection"]
        shutil.rmtree(indexes, ignore_errors=True)

    def picture_files(self, id: str) -> set[str]:
        """The ids of all pictures of a document."""
        rows = self._workspace.read.execute(
            "SELECT file FROM images WHERE document = ?"
            " UNION SELECT json_extract(data, '$.file') FROM blocks"
            " WHERE document = ? AND kind = 'image'", (id, id))  # fmt: skip
        return {row["file"] for row in rows if row["file"]}

    def drop_unused(self, files: Iterable[str]) -> None:
        """Remove those pictures that no document shows any more, with their text and vectors."""
        with self._workspace.write() as db:
            rows = db.execute(
                "SELECT file FROM images"
                " UNION SELECT json_extract(data, '$.file') FROM blocks WHERE kind = 'image'"
            )
            shown = {row["file"] for row in rows}
            unused = set(files) - shown
            for file in unused:
                db.execute("DELETE FROM scene_texts WHERE file = ?", (file,))
                db.execute("DELETE FROM descriptions WHERE file = ?", (file,))
                db.execute("DELETE FROM vectors WHERE kind = 'image' AND key = ?", (file,))
        self._workspace.images.remove(unused)

    def clear_content(self, document: str) -> None:
        """Everything derived from the blocks of a document: it is built anew when resumed."""
        with self._workspace.write() as db:
            for table in ("passage", "image"):
                numbers = f"SELECT number FROM {table}s WHERE document = ?"
                for index in ("words", "trigrams"):
                    db.execute(
                        f"DELETE FROM {table}_{index} WHERE rowid IN ({numbers})", [document]
                    )
            for kind, table in (("passage", "passages"), ("caption", "images")):
                ids = f"SELECT id FROM {table} WHERE document = ?"
                db.execute(
                    f"DELETE FROM vectors WHERE kind = '{kind}' AND key IN ({ids})", [document]
                )
            for table in ("links", "edges", "mentions", "passages", "images", "sections"):
                db.execute(f"DELETE FROM {table} WHERE document = ?", (document,))

    def touch(self, collection: str, *, built: str = "", pictured: Iterable[str] = ()) -> None:
        """The content changed: opened indexes are brought up to date.

        `built` is the document that came or changed, `pictured` those whose pictures were read.
        """
        with self._workspace.write() as db:
            (version,) = db.execute(
                "UPDATE collections SET version = version + 1 WHERE id = ? RETURNING version",
                (collection,),
            ).fetchone()
            db.execute("UPDATE documents SET version = ? WHERE id = ?", (version, built))
            db.executemany(
                "UPDATE documents SET pictures = ? WHERE id = ?",
                [(version, document) for document in pictured],
            )

    def set_components(self, collection: str, count: int) -> None:
        """How many disjoint graphs the collection has (§3.1), for its ledger."""
        with self._workspace.write() as db:
            db.execute("UPDATE collections SET components = ? WHERE id = ?", (count, collection))

    def names(self, collection: str) -> dict[str, str]:
        """Document id → name, in the order they came, without the files that were not read."""
        rows = self._workspace.read.execute(
            "SELECT id, name FROM documents WHERE collection = ?"
            " AND status NOT IN ('refused', 'password') ORDER BY created, id",
            (collection,),
        )
        return {row["id"]: row["name"] for row in rows}

    def versions(self, collection: str) -> dict[str, int]:
        """The documents that are in the graph → the version they were built at, rising."""
        rows = self._workspace.read.execute(
            "SELECT id, version FROM documents WHERE collection = ? AND ready"
            " ORDER BY version, created, id", (collection,))  # fmt: skip
        return {row["id"]: row["version"] for row in rows}

    def pictures_version(self, collection: str) -> int:
        """The version at which text in pictures was last read; 0 if never."""
        (version,) = self._workspace.read.execute(
            "SELECT max(pictures) FROM documents WHERE collection = ?", (collection,)
        ).fetchone()
        return int(version or 0)
