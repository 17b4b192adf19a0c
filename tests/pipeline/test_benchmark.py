"""The benchmark's whole way over a small brochure, by its commands."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from brit import pipeline
from brit.cli import main
from brit.config import Settings
from brit.errors import Cancelled, InputError, WeightsMissing
from brit.evaluation.benchmark.records import BenchmarkSet, read_set, write_set
from brit.jobs import WORK
from brit.lmm.scripted import ScriptedModel
from brit.pipeline import compared_vectors, ingest, methods
from brit.pipeline.benchmark import make_set
from brit.pipeline.benchmark_files import BenchmarkFiles
from brit.pipeline.benchmark_run import parse_letter, parse_method, run_set
from brit.storage import Workspace
from tests.pipeline.conftest import TestModels

WORDS = ("water engineers", "through valve", "moves built")
"""Read in the brochure's pictures, and said in its text."""


@pytest.fixture(scope="module")
def read(brochure: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    workspace = Workspace.open(tmp_path_factory.mktemp("benchmark") / "workspace")
    ingest(workspace, [brochure], "c", models=TestModels(Settings(workspace=workspace.folder)))
    id = workspace.documents.collection("c").id
    for image, written in zip(workspace.content.images(id), WORDS, strict=True):
        workspace.content.put_scene_text(image.file, "silent", written, [])
    return workspace.folder


@pytest.fixture
def here(read: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    def refuse(*_: object) -> object:
        raise WeightsMissing("No weights here.")

    monkeypatch.setattr(compared_vectors, "OpenClipEncoder", refuse)
    monkeypatch.setattr(methods, "find_blip2", refuse)
    monkeypatch.setattr(pipeline, "Models", lambda settings, _: TestModels(settings))
    return Path(shutil.copytree(read, tmp_path / "workspace"))


def opened(here: Path, *replies: Any) -> tuple[Workspace, TestModels]:
    workspace = Workspace.open(here)
    models = TestModels(Settings(workspace=here))
    models._loaded["answer"] = ScriptedModel(*replies)
    return workspace, models


def command(capsys: pytest.CaptureFixture[str], here: Path, *arguments: str) -> Any:
    code = main(["benchmark", "--workspace", str(here), *arguments])
    output = capsys.readouterr()
    return code, output.out, output.err


def test_make_run_and_report_by_command(
    here: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions, run = str(tmp_path / "set.jsonl"), str(tmp_path / "run.json")
    make = ("make", "--collection", "c", "-o", questions, "--count", "10", "--json")
    code, out, _ = command(capsys, here, *make)
    told = json.loads(out)
    assert code == 0
    assert told["questions"] == len(read_set(Path(questions)).questions) > 0
    assert told["rejected"]["nothing to ask"] > 0
    assert command(capsys, here, *make)[0] == 1  # it is not written over
    go = ("run", questions, "--collection", "c", "-o", run, "--methods",
          "default,default:none,paper:CA+LS,bm25,CLIP")  # fmt: skip
    code, out, err = command(capsys, here, *go, "--json")
    assert code == 0
    assert json.loads(out)["left"] == 0
    assert "CLIP was not measured" in err
    first = Path(run).read_bytes()
    assert command(capsys, here, *go)[0] == 0
    assert Path(run).read_bytes() == first  # nothing was left to do
    code, out, _ = command(capsys, here, "report", run, "--table", "2")
    assert code == 0
    assert "not measured" in out
    code, out, _ = command(capsys, here, "report", run, "--json")
    [table] = json.loads(out)["tables"]
    assert [row["name"] for row in table["rows"]][-2:] == ["bm25", "CLIP"]
    assert table["rows"][2]["links"] == ["CA", "LS"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("make", "--collection", "nowhere", "-o", "x.jsonl"), "nowhere"),
        (("run", "missing.jsonl", "--collection", "c", "-o", "x.json"), "cannot be read"),
        (("report", "missing.json"), "cannot be read"),
    ],
)
def test_what_a_user_can_get_wrong_is_one_sentence(
    here: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    code, out, err = command(capsys, here, *arguments)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert said in err


def test_a_wrong_method_names_the_right_ones() -> None:
    with pytest.raises(InputError, match="rank fusion"):
        parse_method("paper:XX")
    assert len(parse_method("paper:all")) == 12
    assert parse_method("clip") == ["CLIP"]


WRITTEN = {"question": "Which shade has the object?", "choices": ["red", "blue"], "answer": "blue",
           "phrase": "object"}  # fmt: skip


def test_a_model_writes_a_set_and_answers_it(here: Path, tmp_path: Path) -> None:
    useless = ["no JSON"] * 4
    workspace, models = opened(here, *useless, WRITTEN, {"letters": []}, {"letters": ["B"]},
                               *["no JSON"] * 20)  # fmt: skip
    made = make_set(workspace, "c", models=models, count=5, seed=0, made_by="model")
    [question] = made.questions
    assert (question.type, question.phrase) == ("image-image", "object")
    assert made.making.model == "scripted"
    assert made.making.rejected["reply not usable"] >= 4
    workspace, models = opened(here, "I choose (B).")
    run = run_set(workspace, made, "c", tmp_path / "run.json", models=models,
                  methods=["bm25"], answers=True)  # fmt: skip
    [result] = run.results
    assert (result.measures["answer"], result.reply) == (1.0, "I choose (B).")


def test_rejected_questions_are_not_run(here: Path, tmp_path: Path) -> None:
    workspace, models = opened(here)
    made = make_set(workspace, "c", models=models, count=5, seed=0)
    none = BenchmarkSet(made.making, tuple(replace(q, state="rejected") for q in made.questions))
    write_set(tmp_path / "set.jsonl", none)
    with pytest.raises(InputError, match="rejected"):
        run_set(workspace, read_set(tmp_path / "set.jsonl"), "c", tmp_path / "r", models=models)


@pytest.mark.parametrize(
    ("reply", "letter"),
    [("(B)", "B"), ("A", "A"), ("The answer is B.", "B"), ("A guess: (B)", "B"), ("blue", "B"),
     ("(D)", ""), ("none of them", "")],
)  # fmt: skip
def test_the_letter_is_parsed(reply: str, letter: str) -> None:
    assert parse_letter(reply, ("red", "blue")) == letter


def test_names_are_explained_in_a_copy_and_never_in_the_original(
    here: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    workspace, models = opened(here)
    id = workspace.documents.collection("c").id
    before = workspace.documents.stamp("c").version, workspace.content.passages(id)
    questions = str(tmp_path / "set.jsonl")
    make = ("make", "--collection", "c", "--nea", "named", "-o", questions, "--count", "3")
    assert command(capsys, here, *make)[0] == 0
    assert before == (workspace.documents.stamp("c").version, workspace.content.passages(id))
    made = read_set(Path(questions))
    assert made.making.collection == "named"
    copy = workspace.documents.collection("named").id
    text = "\n".join(each.text for each in workspace.content.passages(copy))
    images = {each.id for each in workspace.content.images(copy)}
    named = [each for each in made.questions if each.named]
    assert len(named) * 2 == len(made.questions) > 0
    for each in named:
        [sentence] = each.facts
        assert sentence in text
        assert sentence not in "\n".join(passage.text for passage in before[1])
        assert each.image in images
    run = run_set(workspace, made, "named", tmp_path / "run.json", models=models,
                  methods=["default"])  # fmt: skip
    assert run.left == 0
    code, _, err = command(capsys, here, *make[:-4], "-o", f"{questions}2")
    assert (code, "already" in err) == (1, True)


def test_the_page_makes_and_runs_by_jobs_and_goes_on(here: Path) -> None:
    workspace, models = opened(here)
    files = BenchmarkFiles.of(workspace, workspace.documents.collection("c").id)
    told: list[str] = []

    def work(payload: dict[str, Any], cancelled: bool = False) -> None:
        job = workspace.jobs.add("benchmark", "c", {**payload, "collection": "c"})
        row = next(each for each in workspace.jobs.jobs() if each.id == job)
        WORK["benchmark"](workspace, models, row, None, lambda each: told.append(each.stage),
                          lambda: cancelled)  # fmt: skip

    with pytest.raises(InputError, match="make one first"):
        work({"action": "run", "methods": ["bm25"]})
    work({"action": "make", "count": 5, "seed": 0})
    with pytest.raises(Cancelled):
        work({"action": "run", "methods": ["bm25"]}, cancelled=True)
    half = files.read_run()
    assert half is not None
    assert half.left > 0
    work({"action": "run", "methods": ["bm25", "dense"]})
    run = files.read_run()
    assert run is not None
    assert (run.left, len(run.methods)) == (0, 2)
    assert {"making questions", "running the benchmark"} <= set(told)
