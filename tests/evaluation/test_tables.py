"""Intervals against SciPy's, tables against numbers counted by hand."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
import scipy.stats

from brit.evaluation.bootstrap import bootstrap
from brit.evaluation.methods import Asked, Found, Method, Score, run_methods
from brit.evaluation.questions import Question
from brit.evaluation.tables import as_csv, as_json, as_text, evidence_kinds, tabulate
from brit.types import Progress, RetrievedPage


def question(kind: str, *sources: str) -> Question:
    return Question("q", "a.pdf", kind, "Where?", pages=(1, 2), sources=sources)


def test_an_interval_is_that_of_another_implementation() -> None:
    values = np.random.default_rng(5).random(60)
    ours = bootstrap([values.tolist()])
    theirs = scipy.stats.bootstrap(
        (values,), np.mean, n_resamples=4000, method="percentile", rng=1
    ).confidence_interval
    assert ours.mean == pytest.approx(values.mean())
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.01)
    assert ours == bootstrap([values.tolist()])


def test_groups_count_alike_whatever_their_size() -> None:
    # The mean of 1 and 0.25, though four of the five values are in the second group.
    both = bootstrap([[1.0], [1.0, 0.0, 0.0, 0.0]])
    assert both.mean == 0.625
    assert both.questions == 5
    assert (both.low, both.high) == (0.5, 0.875)
    same = bootstrap([[1.0, 1.0]])
    assert (same.mean, same.low, same.high) == (1.0, 1.0, 1.0)


def test_kinds_of_evidence_as_the_benchmark_spells_them() -> None:
    spelled = question("pages", "Pure-text (Plain-text)", "Generalized-text (Layout)", "Chart")
    assert evidence_kinds(spelled) == {"text", "layout", "chart"}


def two_methods() -> tuple[list[Method], list[Score]]:
    pages = question("pages", "Table", "Chart"), question("pages", "Table")
    here = {"page@3": 0.5, "page@5": 1.0, "words": 10.0, "images": 2.0}
    scores = [
        Score("ours", pages[0], {"page@1": 0.5, **here}),
        Score("ours", pages[1], {"page@1": 0.0, **here}),
        Score("ours", question("text-image"), {"image": 1.0, "words": 40.0, "images": 2.0}),
        Score("ours", question("image-text"), {"text": 0.0, "words": 40.0, "images": 2.0}),
        Score("ours", question("unanswerable"), {"words": 1000.0, "low_relevance": 1.0}),
    ]
    run = Method("ours", lambda *_: Found(), "", "paper", ("CA", "LS"))
    return [run, Method("CLIP", None, "No weights here.")], scores


def test_a_row_holds_what_was_measured() -> None:
    ours, clip = tabulate(*two_methods())
    means = {name: cell.mean for name, cell in ours.cells.items()}
    assert means == {
        "text-image": 1.0, "image-text": 0.0, "overall": 0.5,
        "page@1": 0.25, "page@3": 0.5, "page@5": 1.0,
        "table page@1": 0.25, "table page@3": 0.5, "table page@5": 1.0,
        "chart page@1": 0.5, "chart page@3": 0.5, "chart page@5": 1.0,
        "words": 25.0, "images": 2.0,
    }  # fmt: skip
    assert ours.cells["table page@1"].questions == 2
    assert clip.cells == {}


def test_a_row_without_weights_has_no_number_in_any_format() -> None:
    rows = tabulate(*two_methods())
    text = as_text(rows, "5 questions asked.").splitlines()
    assert [line.split(maxsplit=1)[1] for line in text if line.startswith("CLIP ")] == [
        "not measured"
    ] * 3
    assert "5 questions asked." in text
    assert text[-1] == "CLIP: No weights here."
    assert text[0].startswith("method  text-image (1)")
    lines = list(csv.DictReader(io.StringIO(as_csv(rows))))
    assert [line["mean"] for line in lines if line["method"] == "CLIP"] == [""]
    assert (lines[-1]["measure"], lines[-1]["note"]) == ("not measured", "No weights here.")
    told = as_json(rows)
    assert told[1] == {
        "method": "CLIP", "preset": None, "links": None, "measured": False,
        "missing": "No weights here.", "cells": {},
    }  # fmt: skip
    assert told[0]["cells"]["overall"] == {"mean": 0.5, "low": 0.5, "high": 0.5, "questions": 2}


def test_methods_run_question_by_question_and_only_where_they_can() -> None:
    seen: list[tuple[str, str]] = []

    def method(name: str) -> Method:
        def find(text: str, documents: object) -> Found:
            seen.append((name, f"{text} {documents}"))
            return Found(pages=[RetrievedPage("a.pdf", 2, 1.0)], words=3, ms=1.5)

        return Method(name, find)

    asked = [Asked(question("pages"), ("d",)), Asked(question("pages"))]
    told: list[Progress] = []
    methods = [method("a"), Method("CLIP", None, "Missing."), method("b")]
    scores = list(run_methods(methods, asked, told.append))
    assert [name for name, _ in seen] == ["a", "b", "a", "b"]
    assert [what for _, what in seen[::2]] == ["Where? ('d',)", "Where? ()"]
    assert scores[0].measures == {
        "page@1": 0.5, "page@3": 0.5, "page@5": 0.5, "words": 3, "images": 0, "ms": 1.5,
    }  # fmt: skip
    assert [each.done for each in told] == [0, 1]
