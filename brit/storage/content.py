"""What was read out of a document: pages, blocks, sections, passages and images."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from brit.errors import UnknownName
from brit.storage.codec import decode, decode_box, encode, encode_box
from brit.types import (
    Block,
    Image,
    ImageBlock,
    Page,
    Passage,
    Section,
    StoredBlock,
    TableBlock,
    TextBlock,
    stable_id,
)

if TYPE_CHECKING:
    from brit.storage.workspace import Workspace

BLOCK_KINDS: dict[str, type[Block]] = {"text": TextBlock, "image": ImageBlock, "table": TableBlock}

IMAGES = (
    "SELECT i.*, s.text, g.text AS description FROM images i"
    " LEFT JOIN scene_texts s ON s.file = i.file LEFT JOIN descriptions g ON g.file = i.file"
)


@dataclass(frozen=True)
class PageRecord:
    """The ledger of a page: what was found on it, how long it took, why it failed.

    `missing` says what could not be read of a page that did not fail; `confidence` is the mean
    confidence (0–1) of text read from the page's picture, None where it was not; `merged` counts
    pictures of the file that were joined into figures with others.
    """

    number: int
    width: float
    height: float
    seconds: float
    failure: str
    figures: int
    captions: int
    texts: int
    blocks: int
    furniture: int
    merged: int
    missing: str
    confidence: float | None


def _image(row: sqlite3.Row) -> Image:
    names = ("id", "document", "file", "page", "name", "caption", "section", "section_title",
             "block")  # fmt: skip
    return Image(
        **{name: row[name] for name in names},
        bbox=decode_box(row["bbox"]),
        caption_bbox=decode_box(row["caption_bbox"]),
        furniture=bool(row["furniture"]),
        text=row["text"] or "",
        description=row["description"] or "",
    )


def _record(page: Page) -> PageRecord:
    images = [block for block in page.blocks if isinstance(block, ImageBlock)]
    figures = [block for block in images if not block.furniture]
    return PageRecord(
        number=page.number,
        width=page.width,
        height=page.height,
        seconds=page.seconds,
        failure=page.failure,
        figures=len(figures),
        captions=sum(bool(figure.caption) for figure in figures),
        texts=sum(isinstance(block, TextBlock) for block in page.blocks),
        blocks=len(page.blocks),
        furniture=len(images) - len(figures),
        merged=page.merged,
        missing=page.missing,
        confidence=page.confidence,
    )


def _passage(row: sqlite3.Row) -> Passage:
    return Passage(
        id=row["id"],
        document=row["document"],
        page=row["page"],
        bbox=decode_box(row["bbox"]),
        section=row["section"],
        text=row["text"],
        blocks=tuple(json.loads(row["blocks"])),
    )


def block_kind(block: Block) -> str:
    return next(kind for kind, cls in BLOCK_KINDS.items() if isinstance(block, cls))


class ContentStore:
    """The content of the documents of a workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    # --- pages and blocks ---

    def put_page(self, document: str, page: Page) -> None:
        """One page with its blocks, whole or not at all."""
        with self._workspace.write() as db:
            db.execute(
                "DELETE FROM blocks WHERE document = ? AND page = ?", (document, page.number)
            )
            db.execute(
                "INSERT OR REPLACE INTO pages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (document, page.number, page.width, page.height, page.rotation, page.seconds,
                 page.failure, page.scan, page.confidence, page.missing, page.merged),
            )  # fmt: skip
            for ordinal, block in enumerate(page.blocks):
                data = encode(block)
                db.execute(
                    "INSERT OR REPLACE INTO blocks VALUES (?, ?, ?, ?, ?, ?)",
                    (stable_id("block", document, page.number, ordinal, data), document,
                     page.number, ordinal, block_kind(block), data),
                )  # fmt: skip

    def pages_done(self, document: str) -> set[int]:
        """The pages that need not be read: those kept, without those that failed once the document
        is built (an interrupted reading does not try them twice, adding the file again does)."""
        rows = self._workspace.read.execute(
            "SELECT number FROM pages WHERE document = ? AND (failure = '' OR NOT EXISTS "
            "(SELECT 1 FROM documents d WHERE d.id = pages.document AND d.ready))",
            (document,),
        )
        return {row["number"] for row in rows}

    def read_pages(self, document: str) -> list[Page]:
        """The pages as they were put, in order."""
        blocks: dict[int, list[Block]] = {}
        for row in self._workspace.read.execute(
            "SELECT page, kind, data FROM blocks WHERE document = ? ORDER BY page, ordinal",
            (document,),
        ):
            blocks.setdefault(row["page"], []).append(decode(BLOCK_KINDS[row["kind"]], row["data"]))
        rows = self._workspace.read.execute(
            "SELECT number, width, height, rotation, seconds, failure, scan, confidence, missing,"
            " merged FROM pages WHERE document = ? ORDER BY number", (document,))  # fmt: skip
        return [
            Page(**{**row, "scan": bool(row["scan"])}, blocks=tuple(blocks.get(row["number"], ())))
            for row in rows
        ]

    def pages(self, document: str) -> list[PageRecord]:
        """The ledger, a record a page."""
        return [_record(page) for page in self.read_pages(document)]

    def blocks(self, document: str, page: int | None = None) -> list[StoredBlock]:
        """In reading order; of one page if given."""
        rows = self._workspace.read.execute(
            "SELECT b.*, d.paged FROM blocks b JOIN documents d ON b.document = d.id"
            " WHERE b.document = ? AND (? IS NULL OR b.page = ?) ORDER BY b.page, b.ordinal",
            (document, page, page),
        )
        return [_stored(row) for row in rows]

    def running_lines(self, document: str) -> list[tuple[int, str]]:
        """(page, text) of its running heads and feet."""
        rows = self._workspace.read.execute(
            "SELECT page, json_extract(data, '$.text') AS text FROM blocks WHERE document = ?"
            " AND json_extract(data, '$.kind') IN ('header', 'footer')",
            (document,),
        )
        return [(row["page"], row["text"]) for row in rows]

    def block_pages(self, collection: str) -> dict[str, int]:
        """Block id → page, of the documents that have pages."""
        rows = self._workspace.read.execute(
            "SELECT b.id, b.page FROM blocks b JOIN documents d ON b.document = d.id"
            " WHERE d.collection = ? AND d.paged",
            (collection,),
        )
        return {row["id"]: row["page"] for row in rows}

    def block(self, id: str) -> StoredBlock:
        row = self._workspace.read.execute(
            "SELECT b.*, d.paged FROM blocks b JOIN documents d ON b.document = d.id"
            " WHERE b.id = ?", (id,)).fetchone()  # fmt: skip
        if row is None:
            raise UnknownName("That place in the document is no longer there.")
        return _stored(row)

    def update_blocks(self, blocks: Iterable[StoredBlock]) -> None:
        """New content (section, furniture) under the ids the blocks have."""
        with self._workspace.write() as db:
            db.executemany(
                "UPDATE blocks SET data = ? WHERE id = ?",
                [(encode(each.block), each.id) for each in blocks],
            )

    def put_sections(self, document: str, sections: Sequence[Section]) -> None:
        with self._workspace.write() as db:
            db.executemany(
                "INSERT OR REPLACE INTO sections VALUES (?, ?, ?, ?, ?, ?)",
                [(each.id, document, each.title, each.level, json.dumps(each.path), ordinal)
                 for ordinal, each in enumerate(sections)],
            )  # fmt: skip

    def sections(self, document: str) -> list[Section]:
        rows = self._workspace.read.execute(
            "SELECT * FROM sections WHERE document = ? ORDER BY ordinal", (document,)
        )
        return [
            Section(row["id"], row["title"], row["level"], tuple(json.loads(row["path"])))
            for row in rows
        ]

    # --- passages and images ---

    def put_passages(self, passages: Sequence[Passage]) -> None:
        with self._workspace.write() as db:
            for each in passages:
                number = db.execute(
                    "INSERT INTO passages (id, document, page, bbox, section, text, blocks)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (each.id, each.document, each.page, encode_box(each.bbox), each.section,
                     each.text, json.dumps(each.blocks)),
                ).lastrowid  # fmt: skip
                self._index_text(db, "passage", number, each.text)

    def passages(self, collection: str) -> list[Passage]:
        rows = self._workspace.read.execute(
            "SELECT p.* FROM passages p JOIN documents d ON p.document = d.id"
            " WHERE d.collection = ? ORDER BY p.number", (collection,))  # fmt: skip
        return [_passage(row) for row in rows]

    def passage(self, id: str) -> Passage:
        """Raises UnknownName when it went with its document."""
        row = self._workspace.read.execute("SELECT * FROM passages WHERE id = ?", (id,)).fetchone()
        if row is None:
            raise UnknownName("That passage is no longer there. Ask again.")
        return _passage(row)

    def passage_ids(self, collection: str, documents: Sequence[str] | None = None) -> list[str]:
        """Of a collection, or of some documents, in the order they were put."""
        scope, names = "collection = ?", [collection]
        if documents is not None:
            scope, names = f"id IN ({','.join('?' * len(documents))})", list(documents)
        rows = self._workspace.read.execute(
            "SELECT p.id FROM passages p WHERE p.document IN"
            f" (SELECT id FROM documents WHERE {scope}) ORDER BY p.number", names)  # fmt: skip
        return [row["id"] for row in rows]

    def put_images(self, images: Sequence[Image]) -> None:
        with self._workspace.write() as db:
            for each in images:
                number = db.execute(
                    "INSERT INTO images (id, document, file, page, bbox, name, caption,"
                    " caption_bbox, section, section_title, furniture, block)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (each.id, each.document, each.file, each.page, encode_box(each.bbox),
                     each.name, each.caption, encode_box(each.caption_bbox), each.section,
                     each.section_title, each.furniture, each.block),
                ).lastrowid  # fmt: skip
                self._index_text(db, "image", number, image_text(each))

    def images(self, collection: str) -> list[Image]:
        """All pictures of a collection, furniture included."""
        rows = self._workspace.read.execute(
            f"{IMAGES} JOIN documents d ON i.document = d.id"
            " WHERE d.collection = ? ORDER BY i.number", (collection,))  # fmt: skip
        return [_image(row) for row in rows]

    def image(self, id: str) -> Image:
        """Raises UnknownName when it went with its document."""
        row = self._workspace.read.execute(
            f"{IMAGES} WHERE i.id = ?", (id,)).fetchone()  # fmt: skip
        if row is None:
            raise UnknownName("That picture is no longer there. Ask again.")
        return _image(row)

    def document_images(self, document: str) -> list[Image]:
        rows = self._workspace.read.execute(
            f"{IMAGES} WHERE i.document = ? ORDER BY i.number", (document,))  # fmt: skip
        return [_image(row) for row in rows]

    def files_without_text(self, collection: str, reader: str) -> list[str]:
        """Pictures in which no text was looked for yet by that reader; identical ones once."""
        rows = self._workspace.read.execute(
            "SELECT DISTINCT i.file FROM images i JOIN documents d ON i.document = d.id"
            " WHERE d.collection = ? AND i.file != '' AND NOT i.furniture AND NOT EXISTS"
            " (SELECT 1 FROM scene_texts s WHERE s.file = i.file AND s.reader = ?)",
            (collection, reader))  # fmt: skip
        return [row["file"] for row in rows]

    def put_scene_text(self, file: str, reader: str, text: str, lines: object) -> None:
        """The text read in a picture, found from now on by every image with those pixels; where
        none is left nothing is kept."""
        with self._workspace.write() as db:
            db.execute(
                "INSERT OR REPLACE INTO scene_texts"
                " SELECT ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM images WHERE file = ?)",
                (file, reader, text, json.dumps(lines), file),
            )
            rows = db.execute(f"{IMAGES} WHERE i.file = ?", (file,)).fetchall()
            self._index_images(db, rows)

    def index_image(self, id: str) -> None:
        """Bring the search by words up to what is known of an image now."""
        with self._workspace.write() as db:
            self._index_images(db, db.execute(f"{IMAGES} WHERE i.id = ?", (id,)).fetchall())

    def descriptions(self, files: Iterable[str]) -> dict[str, str]:
        """Pixels → what a model said is to be seen, of those that were described."""
        rows = self._workspace.read.execute(
            "SELECT file, text FROM descriptions WHERE file IN (SELECT value FROM json_each(?))",
            (json.dumps(list(files)),),
        )
        return {row["file"]: row["text"] for row in rows}

    def put_description(self, file: str, model: str, text: str) -> None:
        """Images put from now on are found by it."""
        with self._workspace.write() as db:
            db.execute("INSERT OR REPLACE INTO descriptions VALUES (?, ?, ?)", (file, model, text))

    def index_words(self) -> None:
        """Fill the empty tables of the search by words from passages and images."""
        with self._workspace.write() as db:
            for row in db.execute("SELECT number, text FROM passages").fetchall():
                self._index_text(db, "passage", row["number"], row["text"])
            for row in db.execute(IMAGES).fetchall():
                self._index_text(db, "image", row["number"], image_text(_image(row)))

    def _index_images(self, db: sqlite3.Connection, rows: Iterable[sqlite3.Row]) -> None:
        for row in rows:
            for index in ("words", "trigrams"):
                db.execute(f"DELETE FROM image_{index} WHERE rowid = ?", (row["number"],))
            self._index_text(db, "image", row["number"], image_text(_image(row)))

    @staticmethod
    def _index_text(db: sqlite3.Connection, kind: str, number: int | None, text: str) -> None:
        for index in ("words", "trigrams"):
            db.execute(f"INSERT INTO {kind}_{index} (rowid, text) VALUES (?, ?)", (number, text))


def image_text(image: Image) -> str:
    """What is known of a picture in words: caption, section, name, the text read inside, and what a
    model said of it."""
    name = (image.name or "").rsplit(".", 1)[0].replace("_", " ")
    return "\n".join(
        part
        for part in (image.caption, name, image.section_title, image.text, image.description)
        if part
    )


def _stored(row: sqlite3.Row) -> StoredBlock:
    return StoredBlock(
        id=row["id"],
        document=row["document"],
        page=row["page"] if row["paged"] else None,
        ordinal=row["page"] * 100_000 + row["ordinal"],
        block=decode(BLOCK_KINDS[row["kind"]], row["data"]),
    )
