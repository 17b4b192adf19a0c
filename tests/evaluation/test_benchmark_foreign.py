"""Other people's sets: question files and MM-RAG's, with a map of its fields."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from brit.errors import InputError
from brit.evaluation.benchmark.foreign import read_any_set
from brit.evaluation.benchmark.records import BenchmarkSet, Making, write_set
from brit.evaluation.benchmark.report import measured_tables, tabulate_run
from brit.evaluation.benchmark.running import Identity, Result, Run, RunMethod

DATA = Path(__file__).parents[3] / "shared" / "data"
MAP = """
[fields]
id = "qid"
document = "page_title"
type = "category"
question = "q"
choices = "options"
answer = "gold"
image = "picture_url"
[types]
"Text-Image" = "text-image"
"""
RECORD = {
    "qid": 7, "page_title": "Ferry", "category": "Text-Image", "q": "Which colour has it?",
    "options": ["red", "blue"], "gold": "B", "picture_url": "https://host/a/Ferry.jpg",
}  # fmt: skip


def written(tmp_path: Path, records: Any, field_map: str = MAP) -> tuple[Path, Path]:
    (tmp_path / "set.json").write_text(json.dumps(records))
    (tmp_path / "map.toml").write_text(field_map)
    return tmp_path / "set.json", tmp_path / "map.toml"


def test_a_map_names_the_fields_of_the_papers_set(tmp_path: Path) -> None:
    lettered = {**RECORD, "qid": 8, "options": {"A": "one", "B": "two"}}
    for records in ([RECORD, lettered], {"data": [RECORD, lettered]}):
        first, second = read_any_set(*written(tmp_path, records)).questions
        assert (first.id, first.type, first.choices, first.answer) == (
            "7", "text-image", ("red", "blue"), "blue",
        )  # fmt: skip
        assert (first.doc, first.image_name) == ("Ferry", "Ferry.jpg")
        assert (second.choices, second.answer) == (("one", "two"), "two")


@pytest.mark.parametrize(
    ("records", "field_map", "said"),
    [
        ([{**RECORD, "gold": "C"}], MAP, "none of its choices"),
        ([RECORD], MAP.replace('"gold"', '"golden"'), "no field “golden”.*“gold”"),
        ([RECORD], MAP.replace("answer =", "anser ="), "anser"),
        ([RECORD], MAP.replace('"Text-Image" =', '"Other" ='), "type"),
        ([RECORD], "[fields", "no map of fields"),
        ([RECORD, RECORD], MAP, "same id"),
        ([{**RECORD, "page_title": "/"}], MAP, "no name"),
        ([{**RECORD, "page_title": "a/.."}], MAP, "no name"),
        ({"x": 1}, MAP, "no list"),
    ],
)
def test_what_does_not_fit_is_named(
    tmp_path: Path, records: Any, field_map: str, said: str
) -> None:
    with pytest.raises(InputError, match=f"(?s){said}"):
        read_any_set(*written(tmp_path, records, field_map))


def test_without_a_map_it_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--fields"):
        read_any_set(written(tmp_path, [RECORD])[0])


PAGES = {"id": "M1", "doc": "a/b.pdf", "question": "How many?", "evidence_pages": [3],
         "answer": "7", "answer_format": "Int", "evidence_sources": ["Chart"]}  # fmt: skip


@pytest.mark.parametrize("deep", ["[" * 100_000, '{"data":' * 100_000])
def test_what_nests_too_deep_is_said(tmp_path: Path, deep: str) -> None:
    path, field_map = written(tmp_path, [RECORD])
    path.write_text(deep)
    with pytest.raises(InputError, match="no JSON"):
        read_any_set(path, field_map)
    field_map.write_text("fields = " + "[" * 100_000)
    with pytest.raises(InputError, match="too deep"):
        read_any_set(path, field_map)


def test_question_files_keep_answers_choices_and_kinds(tmp_path: Path) -> None:
    cross = {"id": "Q1", "doc": "b.pdf", "type": "image-text", "question": "What?",
             "choices": ["x", "y"], "answer": "y", "evidence_text": "y it is"}  # fmt: skip
    path = tmp_path / "q.jsonl"
    path.write_text(f"{json.dumps(PAGES)}\n{json.dumps(cross)}\n")
    pages, other = read_any_set(path).questions
    assert (pages.type, pages.pages, pages.answer, pages.answer_format) == (
        "pages",
        (3,),
        "7",
        "Int",
    )
    assert pages.sources == ("Chart",)
    assert (other.choices, other.answer, other.evidence_text) == (("x", "y"), "y", "y it is")
    odd = {**cross, "choices": {"a": 1}, "answer": 7, "answer_format": 1}
    path.write_text(json.dumps(odd))
    [one] = read_any_set(path).questions
    assert (one.choices, one.answer, one.answer_format) == ((), "7", "")
    ours = BenchmarkSet(Making("c", 0, "e", 0.9, "embedded"), (replace(pages, id="o"),))
    write_set(path, ours)
    assert read_any_set(path) == ours


@pytest.mark.skipif(not DATA.exists(), reason="../shared/data is not here")
def test_the_files_of_the_data_folder_are_read() -> None:
    assert len(read_any_set(DATA / "questions.jsonl").questions) == 25
    questions = read_any_set(DATA / "mmlongbench" / "questions.jsonl").questions
    assert len(questions) == 279
    assert sum(bool(each.pages) for each in questions) == 229


def test_tables_of_page_questions_have_f1_and_what_was_declined(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    open_one = {**PAGES, "id": "M2", "evidence_pages": [], "answer": "Not answerable",
                "answer_format": "None", "evidence_sources": []}  # fmt: skip
    path.write_text("\n".join(map(json.dumps, (PAGES, open_one, {**PAGES, "id": "M3"}))))
    questions = read_any_set(path).questions
    scores = {"M1": (1.0, 0.0), "M2": (0.0, 0.0), "M3": (0.0, 1.0)}
    results = tuple(
        Result(id, "m", {"score": score, "declined": declined, "page@3": 1.0})
        for id, (score, declined) in scores.items()
    )
    run = Run(Identity("h", "c", 1, "i", "t", "x"), questions, (RunMethod("m"),), {}, {}, results)
    assert measured_tables(run) == [4, 5]
    [line] = tabulate_run(run, 4)
    assert line.cells["accuracy"].mean == pytest.approx(1 / 3)
    assert line.cells["F1"].mean == pytest.approx(2 * 1 / (2 + 2))  # recall 1/2, precision 1/2
    assert line.cells["open declined"].mean == 0.0
    assert line.cells["others declined"].mean == 0.5
    [by_kind] = tabulate_run(run, 5)
    assert by_kind.cells["chart"].mean == 0.5
    assert "table" not in by_kind.cells
