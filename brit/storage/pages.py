"""What stands on one page of a document, and where a document says something: read to be shown."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from brit.storage.codec import decode
from brit.storage.content import BLOCK_KINDS
from brit.storage.workspace import Workspace
from brit.types import LinkKind, StoredBlock, TableBlock, TextBlock


@dataclass(frozen=True)
class Named:
    """A node where it is named: in a block, as `surface`; or by its link to an image."""

    node: str
    label: str
    kind: str
    at: str
    surface: str = ""
    link: LinkKind | None = None
    score: float = 0.0


def page_numbers(workspace: Workspace, document: str) -> list[int]:
    """The pages that have been read, in order."""
    rows = workspace.read.execute(
        "SELECT number FROM pages WHERE document = ? ORDER BY number", (document,)
    )
    return [row["number"] for row in rows]


def names_on(workspace: Workspace, document: str, page: int) -> list[Named]:
    """Every node named in a block of the page, `at` the block, in reading order."""
    rows = workspace.read.execute(
        "SELECT n.id AS node, n.label, n.kind, m.block AS at, m.surface FROM mentions m"
        " JOIN blocks b ON b.id = m.block JOIN nodes n ON n.id = m.node"
        " WHERE m.document = ? AND b.document = ? AND b.page = ? ORDER BY b.ordinal, n.label",
        (document, document, page),
    )
    return [Named(**row) for row in rows]


def names_of_images(workspace: Workspace, images: Sequence[str]) -> list[Named]:
    """Every node linked to one of the images, `at` the image, the strongest link first."""
    rows = workspace.read.execute(
        "SELECT n.id AS node, n.label, n.kind, l.image AS at, l.kind AS link, l.score FROM links l"
        " JOIN nodes n ON n.id = l.node WHERE l.document IN (SELECT document FROM images"
        " WHERE id IN (SELECT value FROM json_each(?))) AND l.image IN"
        " (SELECT value FROM json_each(?)) ORDER BY l.score DESC, n.label",
        (json.dumps(list(images)), json.dumps(list(images))),
    )
    return [Named(**row) for row in rows]


def blocks_saying(workspace: Workspace, document: str, words: str, most: int) -> list[StoredBlock]:
    """Text and tables of a document in which the words stand as written but for upper case, in
    reading order, `most` at most."""
    wanted = " ".join(words.split()).casefold()
    inside = json.dumps(words, ensure_ascii=False)[1:-1]
    like = "%".join("".join(map(_pattern, word)) for word in inside.split())  # of any blanks
    rows = workspace.read.execute(
        "SELECT b.*, d.paged FROM blocks b JOIN documents d ON d.id = b.document"
        " WHERE b.document = ? AND b.kind != 'image' AND b.data LIKE ? ESCAPE '\\'"
        " ORDER BY b.page, b.ordinal",
        (document, f"%{like}%"),
    )
    found: list[StoredBlock] = []
    for row in rows if wanted else ():
        block = decode(BLOCK_KINDS[row["kind"]], row["data"])
        text = block.text if isinstance(block, TextBlock | TableBlock) else ""
        if wanted in " ".join(text.split()).casefold():
            page = row["page"] if row["paged"] else None
            found.append(StoredBlock(row["id"], document, page, row["ordinal"], block))
            if len(found) == most:
                break
    return found


def _pattern(character: str) -> str:
    """For LIKE, which knows upper case of ASCII alone."""
    if character in "%_\\":
        return f"\\{character}"
    return character if character.isascii() else "_"
