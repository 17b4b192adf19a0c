"""What people corrected: a list that is only added to, and the marks of what was undone.

What was read stays as it was read; `read_patch` says what the list changes in it, wherever a graph
is put together. Only captions and furniture stand in the image's own row, beside what was read, so
that everything that looks at images sees them.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from brit.errors import UnknownName
from brit.storage.patching import read_patch
from brit.types import Correction, CorrectionKind, Link, Patch

if TYPE_CHECKING:
    from brit.storage.workspace import Workspace

GONE = "That correction is no longer there: its document was deleted."
# A key without its encoder would be sought through all vectors.
DROP_CAPTION_VECTORS = """
    WITH RECURSIVE names(name) AS (
        SELECT min(encoder) FROM vectors UNION ALL
        SELECT (SELECT min(encoder) FROM vectors WHERE encoder > name) FROM names
        WHERE name IS NOT NULL)
    DELETE FROM vectors WHERE encoder IN (SELECT name FROM names) AND kind = 'caption' AND key = ?
"""


class CorrectionStore:
    """The corrections of all collections of a workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._kept: tuple[tuple[str, int], Patch] | None = None

    def add(
        self,
        collection: str,
        kind: CorrectionKind,
        *,
        image: str = "",
        node: str = "",
        other: str = "",
        value: str = "",
    ) -> int:
        """→ its number. Raises UnknownName where the image is no longer in the collection."""
        with self._workspace.write() as db:
            document = self._document(db, collection, image) if image else None
            (number,) = db.execute(
                "INSERT INTO corrections (collection, document, kind, image, node, other, value,"
                " created) VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING number",
                (collection, document, kind, image, node, other, value, time.time()),
            ).fetchone()
            self._changed(db, collection, kind, image)
        return int(number)

    def undo(self, collection: str, number: int) -> Correction:
        """Mark a correction as undone; → it. One undone already stays so. Raises UnknownName."""
        with self._workspace.write() as db:
            row = db.execute(
                "UPDATE corrections SET undone = 1 WHERE number = ? AND collection = ? RETURNING *",
                (number, collection),
            ).fetchone()
            if row is None:
                raise UnknownName(GONE)
            found = _correction(row)
            self._changed(db, collection, found.kind, found.image)
        return found

    def entries(self, collection: str, most: int = -1, skip: int = 0) -> list[Correction]:
        """The latest first, those undone among them."""
        rows = self._workspace.read.execute(
            "SELECT * FROM corrections WHERE collection = ? ORDER BY number DESC LIMIT ? OFFSET ?",
            (collection, most, skip),
        )
        return [_correction(row) for row in rows]

    def counts(self, collection: str) -> tuple[int, int]:
        """How many there are, and how many of them are not undone."""
        total, undone = self._workspace.read.execute(
            "SELECT count(*), coalesce(sum(undone), 0) FROM corrections WHERE collection = ?",
            (collection,),
        ).fetchone()
        return int(total), int(total - undone)

    def patch(self, collection: str) -> Patch:
        """What the corrections change in the graph of a collection, as it is now."""
        row = self._workspace.read.execute(
            "SELECT version FROM collections WHERE id = ?", (collection,)
        ).fetchone()
        key = (collection, int(row["version"]) if row else 0)
        if self._kept is None or self._kept[0] != key:
            self._kept = (key, read_patch(self._workspace.read, self.entries(collection)))
        return self._kept[1]

    def surfaces(self, node: str) -> list[tuple[str, int]]:
        """The ways a node as read is written, and in how many places each."""
        rows = self._workspace.read.execute(
            "SELECT surface, count(*) FROM mentions WHERE node = ? GROUP BY surface", (node,)
        )
        return [tuple(row) for row in rows]

    def captions(self, document: str) -> dict[str, str]:
        """Image → the caption somebody gave it."""
        rows = self._workspace.read.execute(
            "SELECT image, value FROM corrections WHERE document = ? AND kind = 'caption'"
            " AND NOT undone ORDER BY number",
            (document,),
        )
        return {row["image"]: row["value"] for row in rows}

    def put_caption_links(self, image: str, links: Iterable[Link]) -> None:
        """In the place of the links that an image has by its caption; those by what a model said
        of it stay."""
        with self._workspace.write() as db:
            db.execute(
                "DELETE FROM links WHERE image = ? AND kind = 'CA'"
                " AND evidence NOT LIKE 'in the generated description%'",
                (image,),
            )
            db.executemany(
                "INSERT OR IGNORE INTO links SELECT ?, ?, ?, ?, ?, document FROM images"
                " WHERE id = ?",
                [(each.image, each.node, each.kind, each.score, each.evidence, image)
                 for each in links],
            )  # fmt: skip

    def renew_images(self, document: str) -> None:
        """After its images were read anew: what was corrected in them is so again."""
        with self._workspace.write() as db:
            rows = db.execute(
                "SELECT DISTINCT image FROM corrections JOIN images ON images.id = image"
                " WHERE corrections.document = ? AND kind IN ('caption', 'furniture')",
                (document,),
            ).fetchall()
            for row in rows:
                self._renew_image(db, row["image"])

    def forget_unnamed(self, collection: str) -> None:
        """Corrections of nodes that no document has any more, and of forms no document writes; not
        while documents are being read, which may write them again."""
        with self._workspace.write() as db:
            reading = db.execute(
                "SELECT 1 FROM documents WHERE collection = ? AND NOT ready"
                " AND status NOT IN ('refused', 'password')",
                (collection,),
            ).fetchone()
            if reading:
                return
            gone = db.execute(
                "DELETE FROM corrections WHERE collection = ? AND kind = 'split' AND NOT EXISTS"
                " (SELECT 1 FROM mentions WHERE node = corrections.node AND surface = value)"
                " RETURNING other",
                (collection,),
            ).fetchall()
            for row in gone:  # the vector of its name
                db.execute(DROP_CAPTION_VECTORS.replace("'caption'", "'node'"), (row["other"],))
            known = (
                "SELECT id FROM nodes WHERE collection = :of UNION"
                " SELECT other FROM corrections WHERE collection = :of AND kind = 'split'"
            )
            db.execute(
                "DELETE FROM corrections WHERE collection = :of AND kind = 'merge'"
                f" AND (node NOT IN ({known}) OR other NOT IN ({known}))",
                {"of": collection},
            )

    @staticmethod
    def _document(db: sqlite3.Connection, collection: str, image: str) -> str:
        row = db.execute(
            "SELECT i.document FROM images i JOIN documents d ON d.id = i.document"
            " WHERE i.id = ? AND d.collection = ?",
            (image, collection),
        ).fetchone()
        if row is None:
            raise UnknownName("That picture is no longer there: its document was deleted.")
        return str(row["document"])

    def _changed(
        self, db: sqlite3.Connection, collection: str, kind: CorrectionKind, image: str
    ) -> None:
        pictured: set[str] = set()
        if kind in ("caption", "furniture"):
            self._renew_image(db, image)
        if kind == "caption":  # captions' vectors are read anew
            db.execute(DROP_CAPTION_VECTORS, (image,))
            pictured.add(self._document(db, collection, image))
        self._workspace.documents.touch(collection, pictured=pictured)

    def _renew_image(self, db: sqlite3.Connection, image: str) -> None:
        """The image's row as the list of corrections has it."""
        db.execute(
            "UPDATE images SET read_caption = coalesce(read_caption, caption),"
            " read_furniture = coalesce(read_furniture, furniture) WHERE id = ?",
            (image,),
        )
        ours = "SELECT value FROM corrections WHERE image = images.id AND NOT undone AND kind ="
        db.execute(
            "UPDATE images SET caption = coalesce("
            f"({ours} 'caption' AND document = images.document ORDER BY number DESC LIMIT 1),"
            f" read_caption), furniture = read_furniture OR EXISTS"
            f" ({ours} 'furniture' AND document = images.document) WHERE id = ?",
            (image,),
        )
        self._workspace.content.index_image(image)


def _correction(row: sqlite3.Row) -> Correction:
    names = ("number", "kind", "image", "node", "other", "value", "created")
    return Correction(**{name: row[name] for name in names}, undone=bool(row["undone"]))
