"""Scores → one row a method, as text, CSV and JSON.

Columns: recall of each question type; `overall`, the mean of the two complex types (paper, Table
2); `page@k`, and `KIND page@k` by the kind of evidence a question carries (a question with several
counts under each); words and images retrieved.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from brit.evaluation.bootstrap import LEVEL, RESAMPLES, SEED, Interval, bootstrap
from brit.evaluation.methods import Method, Score
from brit.evaluation.metrics import PAGE_CUTS, TOP_IMAGES, WORD_BUDGET
from brit.evaluation.questions import Question

COMPLEX = ("text-image", "image-text")
TYPES = (*COMPLEX, "image-image")
PAGES = tuple(f"page@{cut}" for cut in PAGE_CUTS)
KINDS = ("text", "table", "chart", "figure", "layout")
SIZES = ("words", "images")
NOT_MEASURED = "not measured"
FEW = 5
LEGEND = (
    "( ): how many questions a column has. – : the method returns nothing of the kind.",
    f"[ ]: {LEVEL:.0%} percentile bootstrap, {RESAMPLES} resamples, seed {SEED}; none of fewer "
    f"than {FEW} questions, which tell little.",
    f"overall: the mean of {' and '.join(COMPLEX)}, which count alike.",
    f"words, images: what a question gets on average; the first {TOP_IMAGES} images and the first "
    f"{WORD_BUDGET} words count.",
)
# The kinds of evidence as MMLongBench-Doc spells them.
SPELLINGS = {"pure-text (plain-text)": "text", "generalized-text (layout)": "layout"}


@dataclass(frozen=True)
class Row:
    """A method and its intervals by column; a column it was not measured by is not there."""

    method: Method
    cells: dict[str, Interval]


def evidence_kinds(question: Question) -> set[str]:
    """text, table, chart, figure, layout, or what else the question's file says."""
    return {SPELLINGS.get(source.lower(), source.lower()) for source in question.sources}


def tabulate(methods: Sequence[Method], scores: Iterable[Score]) -> list[Row]:
    """A row for every method, in the order given. Questions that measure nothing are left out."""
    by_method: dict[str, list[Score]] = {method.name: [] for method in methods}
    for each in scores:
        if _recall(each) is not None or "page@1" in each.measures:
            by_method[each.method].append(each)
    return [Row(method, _cells(by_method[method.name])) for method in methods]


def _recall(score: Score) -> float | None:
    return score.measures.get("image", score.measures.get("text"))


def _cells(scores: Sequence[Score]) -> dict[str, Interval]:
    groups: dict[str, list[list[float]]] = {}
    by_type = {
        kind: [recall for each in scores if each.question.kind == kind
               for recall in [_recall(each)] if recall is not None]
        for kind in TYPES
    }  # fmt: skip
    groups |= {kind: [values] for kind, values in by_type.items()}
    groups["overall"] = [by_type[kind] for kind in COMPLEX]
    for measure in (*PAGES, *SIZES):
        groups[measure] = [_values(scores, measure)]
    for kind in sorted({kind for each in scores for kind in evidence_kinds(each.question)}):
        of_kind = [each for each in scores if kind in evidence_kinds(each.question)]
        groups |= {f"{kind} {measure}": [_values(of_kind, measure)] for measure in PAGES}
    return {name: bootstrap(values) for name, values in groups.items() if all(values)}


def _values(scores: Iterable[Score], measure: str) -> list[float]:
    return [each.measures[measure] for each in scores if measure in each.measures]


# --- what is printed ---


def as_json(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """One object a method; `missing` says why one was not measured, and has no cells."""
    return [
        {
            "method": row.method.name,
            "preset": row.method.preset,
            "links": row.method.links,
            "measured": row.method.find is not None,
            "missing": row.method.missing,
            "cells": {
                name: {key: round(value, 4) for key, value in asdict(cell).items()}
                for name, cell in row.cells.items()
            },
        }
        for row in rows
    ]


def as_csv(rows: Sequence[Row]) -> str:
    """One line a method and column; a method that could not run has one line that says so, and why
    in its last field."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["method", "preset", "links", "measure", "mean", "low", "high", "questions",
                     "note"])  # fmt: skip
    for row in rows:
        links = "+".join(row.method.links or ())
        head = [row.method.name, row.method.preset or "", links]
        if row.method.find is None:
            writer.writerow([*head, NOT_MEASURED, "", "", "", "", row.method.missing])
        for name, cell in row.cells.items():
            bounds = [f"{value:.4f}" for value in (cell.mean, cell.low, cell.high)]
            writer.writerow([*head, name, *bounds, cell.questions, ""])
    return out.getvalue()


def as_text(rows: Sequence[Row], about: str) -> str:
    """Up to three tables: question types, pages, pages by kind of evidence (@3); then how to read
    them, `about` the run, and what was not measured."""
    kinds = tuple(f"{kind} page@3" for kind in KINDS)
    tables = [
        _table(rows, (*TYPES, "overall"), SIZES),
        _table(rows, PAGES, SIZES),
        _table(rows, kinds, ()),
    ]
    unmeasured = [f"{row.method.name}: {row.method.missing}" for row in rows if row.method.missing]
    return "\n\n".join([*filter(None, tables), "\n".join([about, *LEGEND, *unmeasured])])


def _table(rows: Sequence[Row], recalls: Sequence[str], sizes: Sequence[str]) -> str:
    shown = [name for name in recalls if any(name in row.cells for row in rows)]
    if not shown:
        return ""
    counts = {name: max(r.cells[name].questions for r in rows if name in r.cells) for name in shown}
    lines = [["method", *(f"{name} ({counts[name]})" for name in shown), *sizes]]
    for row in rows:
        if row.method.find is None:
            cells = [NOT_MEASURED]
        else:
            cells = [_recall_cell(row.cells.get(name)) for name in shown]
            cells += [f"{row.cells[name].mean:.1f}" if name in row.cells else "–" for name in sizes]
        lines.append([row.method.name, *cells])
    return aligned(lines)


def aligned(lines: Sequence[Sequence[str]]) -> str:
    """A table for a terminal, its head first; lines may be shorter than the head."""
    widths = [max(len(line[at]) for line in lines if at < len(line)) for at in range(len(lines[0]))]
    return "\n".join(
        "  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=False)).rstrip()
        for line in lines
    )


def _recall_cell(cell: Interval | None) -> str:
    if cell is None:
        return "–"
    bounds = f" [{cell.low:.2f} {cell.high:.2f}]" if cell.questions >= FEW else ""
    return f"{cell.mean:.2f}{bounds}"
