"""The rows of a table from its grid and the words in it (sandbox only).

The layout model cuts text at the borders of its grid, through words where a title spans columns;
here words stay whole, and what a person reads from the arrangement is written out: titles over
several columns and in several rows, rows of two lines, sub-headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from unicodedata import bidirectional

from brit.documents.geometry import height, inside, union, x_overlap
from brit.types import BBox

Word = tuple[float, float, float, float, str]
Row = list[str]

GAP = 0.45
"""Space between two words, in heights of the first, from which they stand apart."""
ASIDE = 0.7
"""How far a title over several columns may end beside their end, in widths of a column."""
INDENT = 2.0
"""Points by which rows under a sub-heading are moved in."""
_YEAR = re.compile(r"(19|20)\d\d")


@dataclass(frozen=True)
class Table:
    """`title` is a line above the names of the columns; these are "" where there are none."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class _Run:
    """Words that stand together."""

    text: str
    box: BBox


def read_table(cells: Sequence[Sequence[BBox | None]], words: Iterable[Word]) -> Table:
    """`cells` are the boxes of the grid, row by row, None where a box spans; `words` the page's."""
    grid = _Grid(cells, words)
    rows, title = grid.rows, ""
    if grid.columns > 1 and len(rows) > 2 and grid.is_title(rows[0]):
        title, rows = " ".join(run.text for run in rows[0]), rows[1:]
    count = _header_rows(grid, rows)
    names = [grid.titles(row) for row in rows[:count]] or [[""] * grid.columns]
    header = [" ".join(dict.fromkeys(filter(None, column))) for column in zip(*names, strict=True)]
    cells_of = [grid.cells(row) for row in rows[count:]]
    every = range(grid.columns)
    kept = [at for at in every if not _is_lettering([row[at] for row in cells_of])] or list(every)
    picked = [[row[at] for at in kept] for row in cells_of]
    lefts = [min(run.box[0] for run in row) for row in rows[count:]]
    body = _named_by_headings(_joined(list(zip(picked, lefts, strict=True))))
    return Table(title, tuple(header[at] for at in kept), tuple(map(tuple, body)))


class _Grid:
    """Runs of words in rows and columns."""

    def __init__(self, cells: Sequence[Sequence[BBox | None]], words: Iterable[Word]) -> None:
        boxes = [box for row in cells for box in row if box]
        whole = union(boxes)
        self._edges = [*sorted({round(box[0], 1) for box in boxes}), whole[2]]
        lines = [union(box for box in row if box) for row in cells if any(row)]
        runs = _runs(word for word in words if word[4] and inside(word[:4], whole) > 0.5)
        placed: list[list[_Run]] = [[] for _ in lines]
        for run in runs:
            middle = (run.box[1] + run.box[3]) / 2
            placed[min(range(len(lines)), key=lambda at: _distance(middle, lines[at]))].append(run)
        self.rows = [row for row in placed if row]

    @property
    def columns(self) -> int:
        return len(self._edges) - 1

    def touched(self, run: _Run) -> list[int]:
        """The columns in which more than half a letter of a run stands, or most of it."""
        spans = zip(self._edges, self._edges[1:], strict=False)
        shared = [min(run.box[2], right) - max(run.box[0], left) for left, right in spans]
        slack = 0.3 * height(run.box)
        return [at for at, each in enumerate(shared) if each > slack] or [shared.index(max(shared))]

    def cells(self, row: Sequence[_Run]) -> Row:
        """The text of each column; one across a border is where it begins, a line of its own across
        columns is a label."""
        cells = [""] * self.columns
        alone = len(row) == 1 and len(self.touched(row[0])) > 1
        for run in row:
            at = 0 if alone else self.touched(run)[0]
            cells[at] = f"{cells[at]} {run.text}".strip()
        return cells

    def titles(self, row: Sequence[_Run]) -> Row:
        """The titles over each column, those over several repeated."""
        titles = _stacked(row)
        spans = self._spans([title for title in titles if self.touched(title)[0]])
        cells = [""] * self.columns
        for title in titles:
            for at in spans.get(title, self.touched(title)):
                cells[at] = f"{cells[at]} {title.text}".strip()
        return cells

    def is_title(self, row: Sequence[_Run]) -> bool:
        """One text that names no column: it stands at the left, or runs across."""
        titles = _stacked(row)
        return len(titles) == 1 and self.touched(titles[0])[0] == 0

    def crosses(self, row: Sequence[_Run]) -> bool:
        return any(len(self.touched(run)) > 1 for run in row)

    def _spans(self, titles: Sequence[_Run]) -> dict[_Run, range]:
        """The columns of titles that share all columns but the first and stand over the middle of
        theirs; none where they do not."""
        start, spans = 1, dict[_Run, range]()
        for title in titles:
            if start >= self.columns:
                return {}
            end = title.box[0] + title.box[2] - self._edges[start]
            stop = min(
                range(start + 1, self.columns + 1), key=lambda at: abs(self._edges[at] - end)
            )
            width = (self._edges[stop] - self._edges[start]) / (stop - start)
            if abs(self._edges[stop] - end) > ASIDE * width:
                return {}
            spans[title] = range(start, stop)
            start = stop
        return spans if start == self.columns else {}


def _distance(y: float, box: BBox) -> float:
    return max(box[1] - y, y - box[3], 0.0)


def _runs(words: Iterable[Word]) -> list[_Run]:
    """Words side by side as one, line by line from the left; words are never cut."""
    lines: list[list[Word]] = []
    for word in sorted(words, key=lambda word: word[3]):
        if lines and word[3] - lines[-1][0][3] < 0.3 * height(word[:4]):
            lines[-1].append(word)
        else:
            lines.append([word])
    return [run for line in lines for run in _runs_of(line)]


def _runs_of(line: Sequence[Word]) -> list[_Run]:
    runs: list[_Run] = []
    leftwards = 2 * sum(bidirectional(word[4][0]) in ("R", "AL") for word in line) > len(line)
    for word in sorted(line, reverse=leftwards):
        last = runs[-1] if runs else None
        gap = max(word[0] - last.box[2], last.box[0] - word[2]) if last else 0.0
        if last and gap < GAP * height(last.box):
            runs[-1] = _Run(f"{last.text} {word[4]}", union((last.box, word[:4])))
        else:
            runs.append(_Run(word[4], word[:4]))
    return runs


def _stacked(row: Sequence[_Run]) -> list[_Run]:
    """Runs with those below them as one, from left to right."""
    stacks: list[_Run] = []
    for run in sorted(row, key=lambda run: run.box[1]):
        above = [at for at, other in enumerate(stacks) if x_overlap(other.box, run.box) > 0.3]
        if above:
            other = stacks[above[0]]
            stacks[above[0]] = _Run(f"{other.text} {run.text}", union((other.box, run.box)))
        else:
            stacks.append(run)
    return sorted(stacks, key=lambda run: run.box[0])


def _header_rows(grid: _Grid, rows: Sequence[Sequence[_Run]]) -> int:
    """How many rows name the columns: one, and more below titles that span columns; none of a list
    of labels and values."""
    if not rows:
        return 0
    first = grid.cells(rows[0])
    if grid.columns == 2 and _is_pair(first):
        return 0
    count = 1
    open_above = grid.crosses(rows[0]) or not all(grid.titles(rows[0])[1:])
    while open_above and count < len(rows) - 1:
        titles = grid.titles(rows[count])
        if not grid.crosses(rows[count]) and titles[0]:
            break
        count += 1
        open_above = grid.crosses(rows[count - 1])
    return count


def _is_pair(cells: Row) -> bool:
    """A label with its value: a measure, a number that is no year, or what a colon leads to."""
    label, value = cells
    return label.endswith(":") or bool(re.search(r"\d", _YEAR.sub("", value)))


def _joined(body: Sequence[tuple[Row, float]]) -> list[tuple[Row, float]]:
    """A row in brackets, the same in other units, belongs to the row above it."""
    rows: list[tuple[Row, float]] = []
    for cells, left in body:
        filled = [at for at, cell in enumerate(cells) if cell]
        if rows and all(cells[at].startswith("(") and rows[-1][0][at] for at in filled):
            above = rows[-1][0]
            merged = [f"{up} {down}".strip() for up, down in zip(above, cells, strict=True)]
            rows[-1] = (merged, rows[-1][1])
        else:
            rows.append((cells, left))
    return rows


def _named_by_headings(body: Sequence[tuple[Row, float]]) -> list[Row]:
    """Rows below a sub-heading, a label alone, with it before their label: as long as they are
    moved in, or up to the next one where none is."""
    rows: list[Row] = []
    heading, edge, moved = "", 0.0, False
    for at, (cells, left) in enumerate(body):
        if cells[0] and not any(cells[1:]) and len(cells) > 1 and at + 1 < len(body):
            heading, edge = cells[0].rstrip(": "), left
            moved = body[at + 1][1] > edge + INDENT
            rows.append(cells)
            continue
        if moved and left <= edge + INDENT:
            heading = ""
        label = f"{heading} {cells[0]}" if heading and cells[0] else cells[0]
        rows.append([label, *cells[1:]])
    return rows


def _is_lettering(column: Sequence[str]) -> bool:
    """Single letters here and there: those of a drawing that was taken in."""
    filled = [cell for cell in column if cell]
    return 0 < len(filled) < 0.7 * len(column) and all(
        len(cell) == 1 and cell.isalpha() for cell in filled
    )
