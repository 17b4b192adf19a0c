"""Blocks → passages, the unit of text search.

A passage is consecutive text of one page and one section. Sentences are packed up to `max_words`;
from `min_words` on a passage ends where a block ends if the next block would not fit. A heading
goes with the text that follows it. Captions and tables stand for themselves: a caption is a passage
of its own, a table gives passages of whole rows in which every cell carries its column's name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from brit.config import PassageConfig
from brit.types import BBox, ImageBlock, Passage, StoredBlock, TableBlock, TextBlock, stable_id

# Han and kana are written without spaces: two characters count as a word.
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
# A run longer than 24 letters is an address, a formula or another script without spaces.
_TOKEN = re.compile(rf"[{_UNSPACED}]{{1,2}}|[^\s{_UNSPACED}]{{1,24}}")
# A full stop before a small letter ends an abbreviation, not a sentence.
_SENTENCE_END = re.compile(
    r"(?<=[.!?…]\s)(?=[^\sa-z])"
    r"|(?<=[.!?…][\"'”’»)\]]\s)(?=[^\sa-z])"
    r"|(?<=[。！？])(?![\s”」』）])"
)


@dataclass(frozen=True)
class _Piece:
    text: str
    source: StoredBlock
    boxes: tuple[BBox, ...]

    @property
    def words(self) -> int:
        return count_words(self.text)


@dataclass
class _Draft:
    """The pieces of one passage, and how many words they hold."""

    pieces: list[_Piece] = field(default_factory=list)
    words: int = 0

    def add(self, pieces: Iterable[_Piece]) -> None:
        for piece in pieces:
            self.pieces.append(piece)
            self.words += piece.words

    @property
    def text(self) -> str:
        runs = groupby(self.pieces, key=lambda piece: piece.source.id)
        return "\n".join("".join(piece.text for piece in run).strip() for _, run in runs)


def build_passages(
    document: str, blocks: Sequence[StoredBlock], config: PassageConfig
) -> list[Passage]:
    """Blocks of one document in reading order → its passages, in reading order.

    `bbox` is the union of the boxes of the passage's blocks, None where none has one. Ids count
    within a page, so a page built alone gives the same passages as the whole document.
    """
    drafts = [
        *_draft_text(blocks, config),
        *_draft_captions(blocks),
        *_draft_tables(blocks, config),
    ]
    place = {block.id: position for position, block in enumerate(blocks)}
    drafts.sort(key=lambda draft: place[draft.pieces[0].source.id])
    seen: Counter[int | None] = Counter()
    passages = []
    for draft in drafts:
        page = draft.pieces[0].source.page
        passages.append(_finish(document, draft, seen[page]))
        seen[page] += 1
    return passages


def count_words(text: str) -> int:
    """Words of a text; two characters of a script without spaces count as one."""
    return sum(1 for _ in _TOKEN.finditer(text))


def split_sentences(text: str, max_words: int) -> list[str]:
    """Sentences whose concatenation is the text; one over `max_words` is cut between words."""
    flat = " ".join(text.split())
    sentences = filter(None, _SENTENCE_END.split(flat))
    return [part for sentence in sentences for part in _cut(sentence, max_words)]


def _cut(sentence: str, max_words: int) -> Iterator[str]:
    starts = [token.start() for token in _TOKEN.finditer(sentence)][::max_words]
    for start, end in zip(starts, [*starts[1:], len(sentence)], strict=True):
        yield sentence[start:end]


def _finish(document: str, draft: _Draft, ordinal: int) -> Passage:
    # Headings of outer sections may come first: the last piece is in the section of the text.
    last = draft.pieces[-1].source
    text = draft.text
    return Passage(
        id=stable_id("passage", document, last.page, ordinal, text),
        document=document,
        page=last.page,
        bbox=_union(box for piece in draft.pieces for box in piece.boxes),
        section=last.block.section,
        text=text,
        blocks=tuple(dict.fromkeys(piece.source.id for piece in draft.pieces)),
    )


def _union(boxes: Iterable[BBox]) -> BBox | None:
    sides = list(zip(*boxes, strict=True))
    if not sides:
        return None
    return min(sides[0]), min(sides[1]), max(sides[2]), max(sides[3])


def _boxes(*boxes: BBox | None) -> tuple[BBox, ...]:
    return tuple(box for box in boxes if box is not None)


# --- running text --------------------------------------------------------------------------------


def _draft_text(blocks: Sequence[StoredBlock], config: PassageConfig) -> Iterator[_Draft]:
    for _, units in groupby(_attach_headings(blocks), key=_place):
        yield from _pack(list(units), config)


def _attach_headings(blocks: Sequence[StoredBlock]) -> Iterator[list[StoredBlock]]:
    """Runs of headings with the text block that follows them on their page."""
    unit: list[StoredBlock] = []
    for stored in _running_text(blocks):
        if unit and unit[-1].page != stored.page:
            yield unit
            unit = []
        unit.append(stored)
        if not _is_heading(stored):
            yield unit
            unit = []
    if unit:
        yield unit


def _running_text(blocks: Sequence[StoredBlock]) -> Iterator[StoredBlock]:
    left_out = ("header", "footer", "caption")
    for stored in blocks:
        block = stored.block
        if isinstance(block, TextBlock) and block.kind not in left_out and block.text.strip():
            yield stored


def _is_heading(stored: StoredBlock) -> bool:
    return isinstance(stored.block, TextBlock) and stored.block.kind == "heading"


def _place(unit: list[StoredBlock]) -> tuple[int | None, str]:
    return unit[-1].page, unit[-1].block.section


def _pack(units: Sequence[list[StoredBlock]], config: PassageConfig) -> Iterator[_Draft]:
    draft = _Draft()
    for unit in units:
        atoms = _atoms(unit, config.max_words)
        words = sum(piece.words for atom in atoms for piece in atom)
        overfull = draft.words + words > config.max_words
        if draft.words >= config.min_words and (overfull or len(unit) > 1):
            yield draft
            draft = _Draft()
        for atom in atoms:
            if draft.words and draft.words + sum(p.words for p in atom) > config.max_words:
                yield draft
                draft = _Draft()
            draft.add(atom)
    if draft.pieces:
        yield draft


def _atoms(unit: Sequence[StoredBlock], max_words: int) -> list[list[_Piece]]:
    """What is never parted: a sentence, and the headings with the first sentence after them."""
    *headings, last = unit
    sentences = _sentences(last, max_words)
    first = [piece for heading in headings for piece in _sentences(heading, max_words)]
    return [[*first, sentences[0]], *([sentence] for sentence in sentences[1:])]


def _sentences(stored: StoredBlock, max_words: int) -> list[_Piece]:
    assert isinstance(stored.block, TextBlock)
    boxes = _boxes(stored.block.bbox)
    return [_Piece(text, stored, boxes) for text in split_sentences(stored.block.text, max_words)]


# --- captions and tables -------------------------------------------------------------------------


def _draft_captions(blocks: Sequence[StoredBlock]) -> Iterator[_Draft]:
    """Captions of pictures, then those text blocks of kind caption that no picture or table has."""
    claimed = {
        (stored.page, _flat(stored.block.caption))
        for stored in blocks
        if not isinstance(stored.block, TextBlock)
    }
    for stored in blocks:
        block = stored.block
        if isinstance(block, ImageBlock) and block.caption.strip() and not block.furniture:
            yield _single(_flat(block.caption), stored, block.bbox, block.caption_bbox)
        if isinstance(block, TextBlock) and block.kind == "caption":
            text = _flat(block.text)
            if text and (stored.page, text) not in claimed:
                yield _single(text, stored, block.bbox)


def _draft_tables(blocks: Sequence[StoredBlock], config: PassageConfig) -> Iterator[_Draft]:
    for stored in blocks:
        if not isinstance(stored.block, TableBlock):
            continue
        caption = _flat(stored.block.caption)
        room = max(config.max_words - count_words(caption), config.min_words)
        for rows in _pack_rows(_row_texts(stored.block), room):
            yield _single("\n".join(filter(None, (caption, *rows))), stored, stored.block.bbox)


def _row_texts(table: TableBlock) -> list[str]:
    """Each row as «column: value; column: value», or the header where there are no rows."""
    rows = [_row_text(table.header, row) for row in table.rows]
    return [text for text in rows if text] or [_row_text((), table.header)]


def _row_text(header: Sequence[str], row: Sequence[str]) -> str:
    names = [*map(_flat, header), *[""] * (len(row) - len(header))]
    cells = [(name, _flat(cell)) for name, cell in zip(names, row, strict=False)]
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in cells if cell)


def _pack_rows(rows: Iterable[str], room: int) -> Iterator[list[str]]:
    held: list[str] = []
    words = 0
    for row in (part.strip() for text in rows for part in _cut(text, room)):
        size = count_words(row)
        if held and words + size > room:
            yield held
            held, words = [], 0
        held.append(row)
        words += size
    if held:
        yield held


def _single(text: str, stored: StoredBlock, *boxes: BBox | None) -> _Draft:
    draft = _Draft()
    draft.add([_Piece(text, stored, _boxes(*boxes))])
    return draft


def _flat(text: str) -> str:
    return " ".join(text.split())
