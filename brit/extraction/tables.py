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
_SIGNED = re.compile(r"[-−–]\d")


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
    rows = table.rows
    if len(columns) == 2 and _is_measure(columns[1]):
        # A measure names no column: what was taken for the header is the first row.
        columns, rows = ["", ""], (table.header, *table.rows)
    pair = len(columns) == 2
    for row in rows:
        label = _row_label(columns, row) or ("" if row and row[0].strip() else label)
        if not label:
            continue
        for column, cell in zip(columns[1:], row[1:], strict=False):
            value = _value(cell[:MAX_CELL])
            # A nameless column of many says nothing of its value.
            if value and value != label and (column or pair):
                sentence = f"{label} | {column}: {value}" if column else f"{label}: {value}"
                relation = column or IS
                yield Triplet(
                    _entity(label, block), relation, _entity(value, block), block, sentence
                )


def _row_label(columns: list[str], row: tuple[str, ...]) -> str:
    """A row named by a number or a measure alone takes its column's name: «Step 1»."""
    first = " ".join(row[0][:MAX_CELL].split()) if row else ""
    name = clean_name(first)
    plain = PLAIN_NUMBER.match(first) and any(c.isdigit() for c in first)
    if plain or _is_measure(name):
        signed = _SIGNED.match(first)
        told = f"-{name}" if signed and name else name or first
        return clean_name(f"{columns[0]} {told}") if columns and columns[0] else ""
    return name


def _value(cell: str) -> str:
    """A short cell; bare numbers of one or two digits would join rows that share nothing."""
    text = " ".join(cell.split())
    if (
        PLAIN_NUMBER.match(text)
        and sum(c.isdigit() for c in text) >= 3
        and text.isprintable()
        and len(text) <= 20
        and not set(text) & set("()[]")
    ):
        return text
    return clean_name(text) if len(text.split()) <= MAX_WORDS else ""


def _entity(name: str, block: str) -> Entity:
    if is_code(name):
        return Entity(name, CODE, block)
    measured = _is_measure(name) or PLAIN_NUMBER.match(name)
    return Entity(name, QUANTITY if measured else TERM, block)


def _is_measure(text: str) -> bool:
    return bool(NUMBER_WITH_UNIT.match(text) or MEASURE.match(text.lstrip("+-±~")))
