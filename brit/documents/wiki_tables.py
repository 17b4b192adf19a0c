"""Cells with spans → table blocks; tables that only lay out a page → paragraphs."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from brit.types import Block, TableBlock, TextBlock


@dataclass(frozen=True)
class Cell:
    """`rows` and `columns` are how far the cell spans."""

    text: str
    is_header: bool
    rows: int = 1
    columns: int = 1


def lay_out(grid: Sequence[Sequence[Cell]], caption: str) -> list[Block]:
    """Rows of cells → one table, or the cells as paragraphs where there are no two columns.

    A spanning cell is repeated in every place it covers, so that each row stands for itself. The
    header is the first row if it holds header cells only; a header of one cell over all columns is
    the caption.
    """
    rows = _spread(grid)
    width = max((len(row) for row in rows), default=0)
    filled = [row for row in rows if any(cell.text for cell in row)]
    if width < 2 or not filled:
        texts = [caption, *(row[0].text for row in filled)]
        return [TextBlock(text, "paragraph") for text in texts if text]
    if len(filled) > 1 and filled[0][0].columns >= width:
        caption = caption or filled[0][0].text
        filled = filled[1:]
    header: tuple[str, ...] = ("",) * width
    if all(cell.is_header for cell in filled[0]):
        header, filled = _texts(filled[0], width), filled[1:]
    return [TableBlock(header, tuple(_texts(row, width) for row in filled), caption=caption)]


def lay_out_facts(grid: Sequence[Sequence[Cell]], subject: str = "") -> list[Block] | None:
    """A box of facts on one subject → one row whose columns are the facts; None for other tables.

    It has two columns of names and values. Its subject is given, or stands over both columns in the
    first row; other lines over both columns are paragraphs.
    """
    rows = [[cell for cell in row if cell.text] for row in grid]
    filled = [row for row in rows if row]
    titled = bool(filled) and len(filled[0]) == 1 and filled[0][0].columns == 2
    single_cells = (row for row in filled if all(c.columns == c.rows == 1 for c in row))
    pairs = [row for row in single_cells if len(row) == 2 and not row[1].is_header]
    singles = [row[0].text for row in filled if len(row) == 1]
    if not (subject or titled) or len(pairs) < 2 or len(pairs) + len(singles) < len(filled):
        return None
    if titled and not subject:
        subject = singles.pop(0)
    facts: dict[str, str] = {}
    for name, value in pairs:
        facts.setdefault(name.text.rstrip(": "), value.text)
    table = TableBlock(("", *facts), ((subject, *facts.values()),), caption=subject)
    return [*(TextBlock(text, "paragraph") for text in singles if text != subject), table]


def _texts(row: Sequence[Cell], width: int) -> tuple[str, ...]:
    return tuple(cell.text for cell in row) + ("",) * (width - len(row))


def _spread(grid: Sequence[Sequence[Cell]]) -> list[list[Cell]]:
    """Repeats every cell over the rows and columns it spans."""
    rows = []
    above: dict[int, tuple[Cell, int]] = {}
    for cells in grid:
        row: list[Cell] = []
        below: dict[int, tuple[Cell, int]] = {}
        queue = deque(cells)
        while queue or len(row) in above:
            if len(row) in above:
                (cell, height), width = above[len(row)], 1
            else:
                cell = queue.popleft()
                height, width = cell.rows, cell.columns
            for _ in range(width):
                if height > 1:
                    below[len(row)] = (cell, height - 1)
                row.append(cell)
        rows.append(row)
        above = below
    return rows
