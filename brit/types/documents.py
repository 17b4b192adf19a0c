"""What readers give and the workspace keeps: documents, pages, blocks, passages, images."""

from __future__ import annotations

from dataclasses import dataclass

from brit.types.basics import UNREADABLE, BBox, Status, TextKind


@dataclass(frozen=True)
class OutlineEntry:
    """A bookmark: level 1 is the outermost, `page` is 1-based."""

    level: int
    title: str
    page: int


READABLE_AGAIN = ("pdf", "zim", "docx", "pptx", "epub")
"""Formats whose files hold all that is read of them: their pages can be read again from the kept
file. The pictures of others lie beside them, where they were added from."""


@dataclass(frozen=True)
class DocumentHead:
    """What a reader knows of a document before its first page is read.

    `name` is the file's name, or the wiki page's title; `source` the file's name.
    `paged` is False where the format has no pages: then there is one page record whose number is
    never shown. `page_count` counts page records. `missing` says what the file as a whole lacks.
    """

    name: str
    source: str
    format: str
    page_count: int
    paged: bool = True
    outline: tuple[OutlineEntry, ...] = ()
    warnings: tuple[str, ...] = ()
    missing: str = ""


@dataclass(frozen=True)
class TextBlock:
    """A run of text. `section` is "" until the sections of the whole document are known.

    `level` is the depth of a heading (1 outermost, 0 unknown or no heading); `links` are the titles
    of the pages of its wiki that the text leads to.
    """

    text: str
    kind: TextKind
    bbox: BBox | None = None
    level: int = 0
    section: str = ""
    links: tuple[str, ...] = ()


@dataclass(frozen=True)
class ImageBlock:
    """One place at which a picture stands. `file` is the id of its pixels in the image store.

    `name` is the picture's own file name where the format has one; `file` is "" where the picture
    is missing. `furniture` marks logos and other page decoration, left out of retrieval.
    """

    file: str
    bbox: BBox | None = None
    name: str | None = None
    caption: str = ""
    caption_bbox: BBox | None = None
    caption_confidence: float = 0.0
    furniture: bool = False
    section: str = ""


@dataclass(frozen=True)
class TableBlock:
    """A table: `header` names the columns, every row is as long as the header."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    bbox: BBox | None = None
    caption: str = ""
    section: str = ""

    @property
    def text(self) -> str:
        """The table in reading order, one line a row, cells separated by « | »."""
        lines = [self.caption] if self.caption else []
        return "\n".join([*lines, *(" | ".join(row) for row in (self.header, *self.rows) if row)])


Block = TextBlock | ImageBlock | TableBlock


@dataclass(frozen=True)
class Page:
    """One page as a reader gives it: blocks in reading order, or the reason why there are none.

    `scan`: there is no usable text layer, the text is to be read from the page's picture;
    `confidence` is the mean of that reading (0–1), None where none took place. `missing` says what
    could not be read of a page that has been read; `merged` counts the pictures of the file that
    were joined into figures with others.
    """

    number: int
    width: float
    height: float
    blocks: tuple[Block, ...] = ()
    rotation: int = 0
    seconds: float = 0.0
    failure: str = ""
    scan: bool = False
    confidence: float | None = None
    missing: str = ""
    merged: int = 0


@dataclass(frozen=True)
class Section:
    """A section: `path` holds the titles from the outermost down to its own."""

    id: str
    title: str
    level: int
    path: tuple[str, ...]


@dataclass(frozen=True)
class StoredBlock:
    """A block in the workspace, with its provenance. `page` is None where there are no pages."""

    id: str
    document: str
    page: int | None
    ordinal: int
    block: Block


@dataclass(frozen=True)
class Passage:
    """Consecutive text of one page and section, about 60 to 90 words: the unit of text search."""

    id: str
    document: str
    page: int | None
    bbox: BBox | None
    section: str
    text: str
    blocks: tuple[str, ...]


@dataclass(frozen=True)
class Image:
    """A picture of one document, whatever the number of its places; the first place counts.

    `text` is what was read inside the picture, `description` what a model said of it, `section` the
    id and `section_title` the title of its section.
    """

    id: str
    document: str
    file: str
    page: int | None
    bbox: BBox | None
    name: str | None = None
    caption: str = ""
    caption_bbox: BBox | None = None
    text: str = ""
    section: str = ""
    section_title: str = ""
    furniture: bool = False
    block: str = ""
    description: str = ""


@dataclass(frozen=True)
class Document:
    """A document in the workspace, with the counts of its ledger.

    `ready` is False from its first page on until all of it can be found by questions.
    """

    id: str
    collection: str
    name: str
    source: str
    format: str
    status: Status
    reason: str = ""
    pages: int = 0
    paged: bool = True
    figures: int = 0
    captions: int = 0
    triplets: int = 0
    nodes: int = 0
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()
    ready: bool = True

    @property
    def refused(self) -> bool:
        """Nothing of it can be found: it was refused, or its password is wanted."""
        return self.status in UNREADABLE
