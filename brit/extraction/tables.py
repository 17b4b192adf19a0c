"""Tables and «label: value» lines → triplets without a parser.

A cell is <row label, column name, value>; a line of two is <label, is, value>.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from brit.extraction.entities import CODE, QUANTITY, TERM
from brit.extraction.names import (
    FUNCTION_WORDS,
    MAX_WORDS,
    MEASURE,
    NUMBER_WITH_UNIT,
    PLAIN_NUMBER,
    SPECIFICATION,
    clean_name,
    is_code,
)
from brit.types import Entity, TableBlock, Triplet

IS = "is"
MAX_CELL = 400
LABEL_VALUE = re.compile(r"^([^:|]{2,60}?)\s?:\s+([^:|]{1,80})$")


def extract_table(table: TableBlock, block: str) -> tuple[list[Triplet], list[Entity]]:
    """The cells of a table, with the row written out as the sentence."""
    triplets = list(_cells(table, block))
    entities = [e for t in triplets for e in (t.subject, t.object)]
    return triplets, entities


def extract_label_value(line: str, block: str) -> Triplet | None:
    """«Operating weight: 5,565 kg», colon or not → <Operating weight, is, 5,565 kg>."""
    match = LABEL_VALUE.match(line) or SPECIFICATION.match(line)
    if not match:
        return None
    label, value = clean_name(match[1]), _value(match[2])
    if not label or not value or len(label.split()) > 6:
        return None
    if label.split()[-1].lower() in FUNCTION_WORDS:
        return None  # «…, which takes 5 min» is a sentence
    return Triplet(_entity(label, block), IS, _entity(value, block), block, line)


def _cells(table: TableBlock, block: str) -> Iterator[Triplet]:
    label = ""
    columns = [clean_name(name[:MAX_CELL]) for name in table.header]
    for row in table.rows:
        label = _row_label(columns, row) or label
        if not label:
            continue
        for column, cell in zip(columns[1:], row[1:], strict=False):
            value = _value(cell[:MAX_CELL])
            if value and value != label:
                sentence = f"{label} | {column}: {value}" if column else f"{label}: {value}"
                relation = column or IS
                yield Triplet(
                    _entity(label, block), relation, _entity(value, block), block, sentence
                )


def _row_label(columns: list[str], row: tuple[str, ...]) -> str:
    """A row named by a number alone takes its column's name: «Step 1»."""
    first = " ".join(row[0][:MAX_CELL].split()) if row else ""
    if first and PLAIN_NUMBER.match(first) and len(first) <= 6 and columns and columns[0]:
        return f"{columns[0]} {first}"
    return clean_name(first)


def _value(cell: str) -> str:
    """A short cell; bare numbers of one or two digits would join rows that share nothing."""
    text = " ".join(cell.split())
    if PLAIN_NUMBER.match(text) and sum(c.isdigit() for c in text) >= 3 and len(text) <= 20:
        return text
    return clean_name(text) if len(text.split()) <= MAX_WORDS else ""


def _entity(name: str, block: str) -> Entity:
    if is_code(name):
        return Entity(name, CODE, block)
    measured = NUMBER_WITH_UNIT.match(name) or MEASURE.match(name) or PLAIN_NUMBER.match(name)
    return Entity(name, QUANTITY if measured else TERM, block)
