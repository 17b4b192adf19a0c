"""The benchmark's whole way over a small brochure, by its commands."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from brit import pipeline
from brit.cli import main
from brit.config import RetrievalConfig, Settings
from brit.errors import Cancelled, InputError, WeightsMissing
from brit.evaluation.benchmark.records import BenchmarkSet, read_set, write_set
from brit.evaluation.benchmark.report import tabulate_run
from brit.evaluation.benchmark.running import Run, read_run
from brit.jobs import WORK, Task
from brit.lmm.scripted import ScriptedModel
from brit.pipeline import compared_vectors, methods
from brit.pipeline.benchmark import make_set
from brit.pipeline.benchmark_answers import parse_letter
from brit.pipeline.benchmark_files import BenchmarkFiles
from brit.pipeline.benchmark_run import parse_method, run_set
from brit.storage import Workspace
from tests.pipeline.conftest import TestModels

ROOT = Path(__file__).parents[2]


@pytest.fixture
def here(benchmarked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    def refuse(*_: object) -> object:
        raise WeightsMissing("No weights here.")

    monkeypatch.setattr(compared_vectors, "OpenClipEncoder", refuse)
    monkeypatch.setattr(methods, "find_blip2", refuse)
    monkeypatch.setattr(pipeline, "Models", lambda settings, _: TestModels(settings))
    return Path(shutil.copytree(benchmarked, tmp_path / "workspace"))


def opened(here: Path, *replies: Any) -> tuple[Workspace, TestModels]:
    workspace = Workspace.open(here)
    models = TestModels(Settings(workspace=here))
    models._asked["answer"] = ScriptedModel(*replies)
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
    # One setting has one name, however it is asked for.
    assert parse_method("paper:SI+LP+CA")[0] in parse_method("paper:all")
    assert parse_method("default:CA+LP+LS+SI") == parse_method("default")
    assert parse_method("paper:SI+LS+CA") == parse_method("paper")


WRITTEN = {"question": "Which shade has the object?", "choices": ["red", "blue"], "answer": "blue",
           "phrase": "object"}  # fmt: skip


def test_ones_own_setting_runs_and_a_changed_one_runs_again(here: Path, tmp_path: Path) -> None:
    workspace, models = opened(here)
    made = make_set(workspace, "c", models=models, count=5, seed=0)
    id = workspace.documents.collection("c").id

    def run_own(k: int) -> Run:
        workspace.settings.keep_retrieval(id, replace(RetrievalConfig(), k=k))
        return run_set(workspace, made, "c", tmp_path / "run.json", models=models, methods=["own"])

    first = run_own(3)
    [method] = first.methods
    assert method.name.endswith("own setting")
    assert run_own(3) == first  # nothing was left to do
    changed = run_own(2)
    assert changed.left == 0
    assert changed.methods[0].config["k"] == 2
    assert changed.results != first.results  # their times differ


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


def chosen(made: BenchmarkSet) -> BenchmarkSet:
    """The same questions with choices."""
    given = tuple(replace(q, choices=("yes", "no"), answer="yes") for q in made.questions)
    return replace(made, questions=given)


def test_answers_end_at_the_cap_and_go_on(
    here: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, models = opened(here)
    made = chosen(make_set(workspace, "c", models=models, count=5, seed=0))
    count = len(made.questions)
    assert count > 1
    file, run = str(tmp_path / "set.jsonl"), str(tmp_path / "run.json")
    write_set(Path(file), made)
    models._asked["answer"] = model = ScriptedModel(*["(A)"] * count)
    monkeypatch.setattr(pipeline, "Models", lambda *_: models)
    go = ("run", file, "--collection", "c", "-o", run, "--methods", "bm25", "--answers")
    code, out, _ = command(capsys, here, *go, "--estimate", "--json")
    told = json.loads(out)
    assert (code, told["calls"], model.calls) == (0, count, [])
    assert told["prompt_tokens"] > count * 900
    assert told["money"] is None  # nobody sells a scripted model
    # It says that a call costs a token to read and one to write.
    code, _, err = command(capsys, here, *go, "--cap", "2 tokens")
    assert code == 1
    assert "cap of 2 tokens is reached" in err
    assert len(model.calls) == len(read_run(Path(run)).results) == 1
    code, _, err = command(capsys, here, *go)
    assert code == 0
    assert f"At most about {count} calls" in err
    assert len(model.calls) == count
    assert {each.measures["answer"] for each in read_run(Path(run)).results} == {1.0}
    assert "price table" in command(capsys, here, *go, "--cap", "2.50")[2]
    assert "--cap is “much”" in command(capsys, here, *go, "--cap", "much")[2]


def test_page_questions_are_asked_of_their_document_and_answered_by_quoting(
    here: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [
        {"id": "1", "doc": "x/zorvex.pdf", "question": "Who built the Zorvex pump in 2021?",
         "evidence_pages": [1], "answer": "Engineers in Tromsø", "answer_format": "Str"},
        {"id": "2", "doc": "zorvex.pdf", "question": "Which tax applies to leopards on Mars?",
         "evidence_pages": [], "answer": "Not answerable", "answer_format": "None"},
        {"id": "3", "doc": "elsewhere.pdf", "question": "?", "evidence_pages": [1]},
    ]  # fmt: skip
    questions, run = tmp_path / "q.jsonl", tmp_path / "run.json"
    questions.write_text("\n".join(map(json.dumps, lines)))
    go = ("run", str(questions), "--collection", "c", "-o", str(run), "--methods", "default,bm25")
    assert command(capsys, here, *go, "--answers")[0] == 0
    found = {(each.question, each.method[:4]): each for each in read_run(run).results}
    assert set(found) == {("1", "BRIT"), ("1", "bm25"), ("2", "BRIT"), ("2", "bm25")}
    assert found["2", "BRIT"].measures["declined"] == 1.0
    assert found["2", "BRIT"].measures["score"] == 1.0
    assert found["1", "BRIT"].measures["declined"] == 0.0
    assert "Zorvex" in found["1", "BRIT"].reply
    assert "score" not in found["1", "bm25"].measures  # it leaves nothing to be quoted from
    code, out, _ = command(capsys, here, "report", str(run), "--table", "4")
    assert code == 0
    assert "extractive (quotations" in out


KILLED = """
import sys, time
from pathlib import Path
from brit.config import Settings
from brit.evaluation.benchmark import running
from brit.evaluation.benchmark.records import read_set
from brit.pipeline.benchmark_run import run_set
from brit.pipeline.methods import Comparison
from brit.storage import Workspace
from tests.pipeline.conftest import TestModels

running.SAVED_EVERY = 0.0
baseline = Comparison.baseline


def slow(self, name, *more):
    method = baseline(self, name, *more)
    find = method.find
    return running.replace(method, find=lambda *asked: time.sleep(0.02) or find(*asked))


Comparison.baseline, TestModels.warm = slow, lambda self: None  # what is slow to load is not asked
workspace = Workspace.open(Path(sys.argv[1]))
models = TestModels(Settings(workspace=workspace.folder))
run_set(workspace, read_set(Path(sys.argv[2])), "c", Path(sys.argv[3]), models=models,
        methods=["bm25", "dense", "similarity"])
"""


def test_a_run_killed_at_random_and_resumed_has_the_same_tables(here: Path, tmp_path: Path) -> None:
    workspace, models = opened(here)
    made = make_set(workspace, "c", models=models, count=10, seed=0)
    whole = run_set(workspace, made, "c", tmp_path / "whole.json", models=models,
                    methods=["bm25", "dense", "similarity"])  # fmt: skip
    questions, output = tmp_path / "set.jsonl", tmp_path / "run.json"
    write_set(questions, made)
    go = [sys.executable, "-c", KILLED, str(here), str(questions), str(output)]
    killed = subprocess.Popen(go, cwd=ROOT)
    while not output.exists() and killed.poll() is None:
        time.sleep(0.01)
    time.sleep(random.uniform(0, 0.05 * len(made.questions)))
    killed.kill()
    killed.wait()
    half = read_run(output)
    resumed = run_set(workspace, made, "c", output, models=models,
                      methods=["bm25", "dense", "similarity"])  # fmt: skip
    assert resumed.results[: len(half.results)] == half.results
    assert resumed.left == 0
    assert tabulate_run(resumed, 2) == tabulate_run(whole, 2)


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
        task = Task(workspace, models, row, None, lambda each: told.append(each.stage),
                    lambda: cancelled)  # fmt: skip
        WORK["benchmark"](task)

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
