"""A run → the paper's tables 1, 2 and 3, and two of page questions, as text, CSV, JSON and LaTeX.

Table 1: accuracy of answers, Average the mean of the two complex types. Table 2: recall, Overall
the mean of the two complex types, words and images retrieved over their questions. Table 3: recall
of the pairs of NEA without and with the imaginary name. Table 4: recall of pages, accuracy and F1
of free answers, and how often a question was declined that is open, or that is not. Table 5:
accuracy of free answers by the kind of evidence. Every mean has its bootstrap interval, and
every method the p of a paired test against the default preset on the table's main column.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from brit.evaluation.answers import declines
from brit.evaluation.benchmark.records import BenchmarkQuestion
from brit.evaluation.benchmark.running import Result, Run, RunMethod
from brit.evaluation.benchmark.significance import FLIPS, paired_p
from brit.evaluation.bootstrap import (
    LEVEL,
    RESAMPLES,
    SEED,
    Interval,
    bootstrap,
    bootstrap_ratio,
)
from brit.evaluation.tables import (
    COMPLEX,
    KINDS,
    NOT_MEASURED,
    PAGES,
    aligned,
    evidence_kinds,
)

Format = Literal["text", "csv", "latex"]
Keep = Callable[[BenchmarkQuestion], bool]
LINKS = ("CA", "LP", "LS", "SI")
TITLES = {
    1: "Accuracy of answers",
    2: "Recall of retrieval, words and images retrieved",
    3: "Recall without and with named entity anonymisation",
    4: "Pages found, and free answers",
    5: "Accuracy of free answers by kind of evidence",
}


@dataclass(frozen=True)
class Column:
    """`groups`: one filter a type; their means are averaged. `measures`: the first that a result
    has counts. `f1`: of scores, instead of their mean."""

    name: str
    groups: tuple[Keep, ...]
    measures: tuple[str, ...]
    f1: bool = False


def _of(kind: str) -> Keep:
    return lambda each: each.type == kind and not each.pair


def _about(kind: str) -> Keep:
    return lambda each: kind in evidence_kinds(each.as_question())


def _is_open(each: BenchmarkQuestion) -> bool:
    return bool(each.answer_format) and declines(each.answer)


RECALL, ANSWER, SCORE = ("image", "text"), ("answer",), ("score",)
PAGE = (_of("pages"),)
BOTH = tuple(_of(kind) for kind in COMPLEX)
COLUMNS: dict[int, tuple[Column, ...]] = {
    1: (
        Column("image-image", (_of("image-image"),), ANSWER),
        *(Column(kind, (_of(kind),), ANSWER) for kind in COMPLEX),
        Column("average", BOTH, ANSWER),
    ),
    2: (
        *(Column(kind, (_of(kind),), RECALL) for kind in COMPLEX),
        Column("overall", BOTH, RECALL),
        Column("words", BOTH, ("words",)),
        Column("images", BOTH, ("images",)),
    ),
    3: (
        Column("w/o NEA", (lambda each: bool(each.pair) and not each.named,), RECALL),
        Column("w/ NEA", (lambda each: bool(each.pair) and each.named,), RECALL),
    ),
    4: (
        *(Column(name, PAGE, (name,)) for name in PAGES),
        Column("accuracy", PAGE, SCORE),
        Column("F1", PAGE, SCORE, f1=True),
        Column("open declined", (_is_open,), ("declined",)),
        Column("others declined", (lambda each: not _is_open(each),), ("declined",)),
    ),
    5: (*(Column(kind, (_about(kind),), SCORE) for kind in KINDS), Column("all", PAGE, SCORE)),
}
MAIN = {1: "average", 2: "overall", 3: "w/ NEA", 4: "page@3", 5: "all"}


@dataclass(frozen=True)
class Line:
    """A method's row; `p` is None for the one compared with, and where there is nothing to pair.
    `done` questions were asked; `whole` where none is left."""

    method: RunMethod
    cells: dict[str, Interval]
    p: float | None = None
    done: int = 0
    whole: bool = True


def tabulate_run(run: Run, table: int) -> list[Line]:
    """A line for every method of the run, in its order."""
    by_method: dict[str, dict[str, Result]] = {each.name: {} for each in run.methods}
    for result in run.results:
        by_method[result.method][result.question] = result
    main = next(each for each in COLUMNS[table] if each.name == MAIN[table])
    reference = reference_of(run)
    lines = []
    for method in run.methods:
        results = by_method[method.name]
        cells = {
            column.name: cell
            for column in COLUMNS[table]
            if (cell := _interval(run, column, results)) is not None
        }
        p = None if method == reference else _p(run, main, results, by_method[reference.name])
        whole = bool(method.missing) or len(results) == len(run.questions)
        lines.append(Line(method, cells, p, len(results), whole))
    return lines


def reference_of(run: Run) -> RunMethod:
    """The default preset with the most links it ran with; without one the first method."""
    own = [each for each in run.methods if each.preset == "default"]
    return max(own or run.methods[:1], key=lambda each: len(each.links or ()))


def _interval(run: Run, column: Column, results: Mapping[str, Result]) -> Interval | None:
    groups = _values(run, column, results)
    if not all(groups):
        return None
    if not column.f1:
        return bootstrap([list(group.values()) for group in groups])
    open_ones = {each.id for each in run.questions if _is_open(each)}
    scores = groups[0]
    able = {id: float(id not in open_ones) for id in scores}
    given = {id: 1 - results[id].measures["declined"] for id in scores}
    # The harmonic mean of recall and precision, see `brit.evaluation.answers.f1`.
    return bootstrap_ratio(
        [2 * scores[id] * able[id] for id in scores], [able[id] + given[id] for id in scores]
    )


def _values(run: Run, column: Column, results: Mapping[str, Result]) -> list[dict[str, float]]:
    """Question → value, a dictionary a group."""
    return [
        {
            question.id: value
            for question in run.questions
            if keep(question) and question.id in results
            for value in _measured(results[question.id], column.measures)
        }
        for keep in column.groups
    ]


def _measured(result: Result, measures: Sequence[str]) -> list[float]:
    """The first measure that it has; none, or one value."""
    return [result.measures[name] for name in measures if name in result.measures][:1]


def _p(
    run: Run, column: Column, own: Mapping[str, Result], others: Mapping[str, Result]
) -> float | None:
    pairs = zip(_values(run, column, own), _values(run, column, others), strict=True)
    groups = [[mine[id] - theirs[id] for id in mine if id in theirs] for mine, theirs in pairs]
    return paired_p(groups) if all(groups) else None


# --- what is printed ---


def measured_tables(run: Run) -> list[int]:
    """Those in which anything was measured; table 2 where nothing was."""
    measured = [each.measures for each in run.results]
    pairs = any(each.pair for each in run.questions)
    paged = any(each.type == "pages" for each in run.questions)
    plain = any(not each.pair and each.type != "pages" for each in run.questions)
    answered = any("answer" in each for each in measured)
    free = any("score" in each for each in measured)
    filled = {1: answered and plain, 2: plain, 3: pairs, 4: paged, 5: free}
    return [table for table, has in filled.items() if has] or [2]


def render(run: Run, table: int, format: Format, lines: Sequence[Line] | None = None) -> str:
    """`lines`: of `tabulate_run`, where they are known already."""
    makers = {"text": _as_text, "csv": _as_csv, "latex": _as_latex}
    lines = tabulate_run(run, table) if lines is None else lines
    return makers[format](run, table, lines).rstrip("\n")


def as_data(run: Run, table: int, lines: Sequence[Line]) -> dict[str, object]:
    return {
        "table": table,
        "title": TITLES[table],
        **asdict(run.identity),
        "questions": len(run.questions),
        "left": run.left,
        "seeds": run.seeds,
        "versions": run.versions,
        "reference": reference_of(run).name,
        "rows": [
            {**asdict(line.method), "p": line.p,
             "cells": {name: asdict(cell) for name, cell in line.cells.items()}}
            for line in lines
        ],
    }  # fmt: skip


def _as_csv(_: Run, table: int, lines: Sequence[Line]) -> str:
    """One line a method and column; a method or column without a value says so."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    head = ["method", "preset", "links", "measure", "mean", "low", "high", "questions", "p"]
    writer.writerow(head)
    for line in lines:
        method = line.method
        own = [method.name, method.preset or "", "+".join(method.links or ())]
        for column in COLUMNS[table]:
            if cell := line.cells.get(column.name):
                bounds = [f"{value:.4f}" for value in (cell.mean, cell.low, cell.high)]
                p = f"{line.p:.4f}" if line.p is not None and column.name == MAIN[table] else ""
                writer.writerow([*own, column.name, *bounds, cell.questions, p])
            else:
                writer.writerow([*own, column.name, NOT_MEASURED, "", "", "", ""])
    return out.getvalue()


def cells_of(
    run: Run, table: int, lines: Sequence[Line], *, ticked: bool = True
) -> list[list[str]]:
    """Head and rows as words, the links of table 2 as ticks where it is `ticked`."""
    linked = ticked and table == 2
    counts = [_count(lines, each.name) for each in COLUMNS[table]]
    names = [f"{each.name}{count}" for each, count in zip(COLUMNS[table], counts, strict=True)]
    rows = [["method", *(LINKS if linked else ()), *names, "p"]]
    for line in lines:
        ticks = [_tick(line.method, link) for link in LINKS] if linked else []
        cells = [_cell(line.cells.get(each.name), each) for each in COLUMNS[table]]
        rows.append([_called(line, run), *ticks, *cells, _told_p(line.p)])
    return rows


def _told_p(p: float | None) -> str:
    if p is None:
        return "–"
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def _count(lines: Sequence[Line], column: str) -> str:
    most = max((line.cells[column].questions for line in lines if column in line.cells), default=0)
    return "" if column in ("words", "images") else f" ({most})"


def _called(line: Line, run: Run) -> str:
    """With a star for the one compared with, and how far it came where it is not done: such rows
    are of other questions than the rest."""
    star = " *" if line.method == reference_of(run) else ""
    part = "" if line.whole else f" ({line.done} of {len(run.questions)})"
    return f"{line.method.name}{star}{part}"


def _tick(method: RunMethod, link: str) -> str:
    if method.links is None:
        return "-"
    return "✓" if link in method.links else ""


def _cell(cell: Interval | None, column: Column) -> str:
    if cell is None:
        return "–" if column.name in ("words", "images") else NOT_MEASURED
    if column.name in ("words", "images"):
        return f"{cell.mean:.1f}"
    return f"{cell.mean:.2f} [{cell.low:.2f} {cell.high:.2f}]"


def _notes(run: Run, table: int) -> list[str]:
    left = [f"The run is not finished: {run.left} results are missing."] if run.left else []
    missing = [f"{each.name}: {each.missing}" for each in run.methods if each.missing]
    embedded = any(each.made_by == "embedded" for each in run.questions)
    made = ["Questions made without a model: they measure recall only."] if embedded else []
    return [
        counted(run, table),
        f"[ ]: {LEVEL:.0%} percentile bootstrap, {RESAMPLES} resamples, seed {SEED}.",
        f"p: paired permutation test of {MAIN[table]} against *, {FLIPS} permutations.",
        *made, *_by_whom(run, table), *left, *missing,
    ]  # fmt: skip


def counted(run: Run, table: int) -> str:
    """How many questions there are of each type, and which of them the main column counts."""
    kinds = Counter(each.type for each in run.questions)
    told = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    means = {1: "average", 2: "overall"}
    meant = f" {means[table]}: the mean of {' and '.join(COMPLEX)}." if table in means else ""
    return f"{len(run.questions)} question{'' if len(run.questions) == 1 else 's'}: {told}.{meant}"


def _by_whom(run: Run, table: int) -> list[str]:
    if table not in (1, 4, 5) or not run.identity.model:
        return []
    how = " (quotations, shortened by rules)" if run.identity.model == "extractive" else ""
    return [f"Answers by {run.identity.model}{how}."]


def _as_text(run: Run, table: int, lines: Sequence[Line]) -> str:
    rows = aligned(cells_of(run, table, lines))
    return "\n".join([TITLES[table], "", rows, "", *_notes(run, table)])


_LATEX = str.maketrans(
    {sign: f"\\{sign}" for sign in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
       "✓": r"$\checkmark$", "–": "--", "<": "$<$"}
)  # fmt: skip


def _as_latex(run: Run, table: int, lines: Sequence[Line]) -> str:
    """A `tabular`; `\\checkmark` needs the package amssymb."""
    head, *rows = [[cell.translate(_LATEX) for cell in row] for row in cells_of(run, table, lines)]
    body = [" & ".join(row) + r" \\" for row in rows]
    notes = [f"% {' '.join(note.split())}" for note in (TITLES[table], *_notes(run, table))]
    return "\n".join([
        *notes, rf"\begin{{tabular}}{{l{'c' * (len(head) - 1)}}}", r"\hline",
        " & ".join(head) + r" \\", r"\hline", *body, r"\hline", r"\end{tabular}",
    ])  # fmt: skip
