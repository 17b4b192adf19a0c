"""Runs that go on, and the tables of the paper made of them."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from brit.config import RetrievalConfig
from brit.errors import Cancelled, InputError
from brit.evaluation.benchmark.records import BenchmarkQuestion
from brit.evaluation.benchmark.report import (
    as_data,
    measured_tables,
    reference_of,
    render,
    tabulate_run,
)
from brit.evaluation.benchmark.running import (
    Contest,
    Identity,
    Run,
    read_run,
    resume,
    run_benchmark,
    write_run,
)
from brit.evaluation.benchmark.significance import paired_p
from brit.evaluation.methods import Found, Method

IDENTITY = Identity("hash", "c", 1, "images", "texts")


def question(id: str, type: Any, **changes: Any) -> BenchmarkQuestion:
    base = BenchmarkQuestion(
        id=id, doc="d.pdf", type=type, source="caption", question=f"{id}?", answer="yes",
        made_by="embedded", image="i", image_hash="h", evidence_text=f"evidence {id}",
        image_name=f"{id}.png",
    )  # fmt: skip
    return replace(base, **changes)


QUESTIONS = (question("a", "text-image"), question("b", "image-text"), question("c", "image-text"))


class Finder:
    """Finds the evidence of some image-text questions, and counts how often it is asked."""

    def __init__(self, *known: str) -> None:
        self.known, self.asked = known, 0

    def __call__(self, text: str, _: Sequence[str]) -> Found:
        self.asked += 1
        id = text.rstrip("?")
        return Found(images=[], texts=[f"evidence {id}"] if id in self.known else [], words=2)


def contest(best: Finder, worst: Finder) -> Contest:
    config = RetrievalConfig()
    methods = [
        Method("best", best, "", "default", ("CA", "LS")),
        Method("worst & more", worst, "", "default", ()),
        Method("CLIP", None, "no weights"),
    ]
    return Contest(methods, [config, config, None])


def fresh(of: Contest, questions: tuple[BenchmarkQuestion, ...] = QUESTIONS) -> Run:
    return Run(IDENTITY, questions, of.described, {"set": 0}, {"python": "3"})


def finished() -> Run:
    of = contest(Finder("b", "c"), Finder("b"))
    return run_benchmark(fresh(of), of, lambda _: None)


def test_a_run_that_was_stopped_goes_on_to_the_same_table(tmp_path: Path) -> None:
    path, best = tmp_path / "run.json", Finder("b", "c")
    of = contest(best, Finder("b"))
    with pytest.raises(Cancelled):
        run_benchmark(
            resume(path, fresh(of)), of, lambda run: write_run(path, run), cancelled=lambda: True
        )
    half = read_run(path)
    assert (len(half.results), half.left, best.asked) == (2, 4, 1)
    assert "worst & more (1 of 3)" in render(half, 2, "text")
    whole = run_benchmark(resume(path, fresh(of)), of, lambda run: write_run(path, run))
    assert best.asked == 3  # nothing is asked twice
    assert whole.left == 0
    assert read_run(path) == whole
    for table in (1, 2, 3):
        assert tabulate_run(whole, table) == tabulate_run(finished(), table)


def test_another_run_is_not_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    write_run(path, finished())
    other = replace(finished(), identity=replace(IDENTITY, version=2))
    with pytest.raises(InputError, match="other questions, documents"):
        resume(path, other)
    path.write_text("{}")
    with pytest.raises(InputError, match="holds no run"):
        resume(path, other)


def test_a_method_that_fails_leaves_what_was_found(tmp_path: Path) -> None:
    path = tmp_path / "run.json"

    def broken(*_: object) -> Found:
        raise OSError("gone")

    of = Contest([Method("good", Finder()), Method("bad", broken)], [None, None])
    with pytest.raises(OSError, match="gone"):
        run_benchmark(fresh(of), of, lambda run: write_run(path, run))
    assert [each.method for each in read_run(path).results] == ["good"]


def test_table_2_has_the_mean_of_both_types_and_what_was_not_measured() -> None:
    run = finished()
    best, worst, clip = tabulate_run(run, 2)
    assert best.cells["text-image"].mean == 0.0
    assert best.cells["image-text"].mean == 1.0
    assert best.cells["overall"].mean == 0.5
    assert worst.cells["overall"].mean == 0.25
    assert worst.cells["words"].mean == 2.0
    assert (clip.cells, clip.p, best.p) == ({}, None, None)
    assert worst.p is not None
    assert reference_of(run).name == "best"
    assert measured_tables(run) == [2]


def test_table_1_is_of_answers_and_table_3_of_pairs() -> None:
    questions = (
        question("a", "text-image", choices=("yes", "no")),
        question("b", "image-text", choices=("yes", "no")),
        question("c", "image-text", pair="p"),
        question("d", "image-text", pair="p", named=True),
    )

    def answered(each: BenchmarkQuestion, _: Found) -> tuple[str, dict[str, float]]:
        return "(A)", {"answer": float(each.id == "a")} if each.choices else {}

    of = replace(contest(Finder("d"), Finder()), answer=answered)
    best = [tabulate_run(run_benchmark(fresh(of, questions), of, lambda _: None), table)[0]
            for table in (1, 2, 3)]  # fmt: skip
    assert best[0].cells["average"].mean == 0.5
    assert "image-image" not in best[0].cells
    assert best[1].cells["overall"].questions == 2  # pairs are table 3's alone
    assert {name: cell.mean for name, cell in best[2].cells.items()} == {
        "w/o NEA": 0.0, "w/ NEA": 1.0,
    }  # fmt: skip


def test_every_format_says_not_measured() -> None:
    run = finished()
    text = render(run, 2, "text")
    assert text.count("not measured") == 3  # words and images of nothing are a dash
    assert "CLIP: no weights" in text
    assert "recall only" in text
    rows = list(csv.DictReader(io.StringIO(render(run, 2, "csv"))))
    assert [row["mean"] for row in rows if row["method"] == "CLIP"] == ["not measured"] * 5
    assert [row["p"] != "" for row in rows if row["method"] == "worst & more"].count(True) == 1
    latex = render(run, 2, "latex")
    assert r"worst \& more" in latex
    assert r"$\checkmark$" in latex
    assert latex.count("&") - latex.count(r"\&") == 10 * 4
    data: Any = as_data(run, 2, tabulate_run(run, 2))
    assert [row["missing"] for row in data["rows"]] == ["", "", "no weights"]
    assert data["rows"][0]["config"]["preset"] == "default"
    assert data["left"] == 0


@pytest.mark.parametrize(
    ("groups", "p"),
    [
        ([[0.0, 0.0]], 1.0),
        ([[1.0]], 1.0),  # one question could as well have gone the other way
        ([[1.0, 1.0, 1.0]], 0.25),  # 2 of 2 ** 3 signs are as far
        ([[1.0] * 6, [1.0] * 4], 2 / 2**10),
    ],
)
def test_the_paired_test_counts_signs(groups: list[list[float]], p: float) -> None:
    assert paired_p(groups) == pytest.approx(p, abs=0.02)
