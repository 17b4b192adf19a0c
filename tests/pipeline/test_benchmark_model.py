"""A model over HTTP writes a set, revises, examines and answers; every way to be dropped is
counted, and what is cut short by a cap or a cancel goes on."""

from __future__ import annotations

import json
import re
import shutil
from collections import deque
from pathlib import Path
from typing import Any

import pytest

from brit import pipeline
from brit.cli import main
from brit.config import Budget, ModelConfig, Settings
from brit.errors import BudgetSpent, Cancelled, InputError
from brit.evaluation.benchmark.records import read_set
from brit.evaluation.benchmark.report import tabulate_run
from brit.lmm.scripted import ScriptedModel
from brit.models import Message
from brit.pipeline.benchmark import make_set
from brit.pipeline.benchmark_files import BenchmarkFiles, work_for_page
from brit.pipeline.benchmark_run import run_set
from brit.storage import Workspace
from brit.types import Completion, Progress
from tests.lmm.server import ChatServer
from tests.pipeline.conftest import TestModels

WRITE, REVISE, EXAMINE = "You write one", "is too close to the text", "Say which choices"
PLAN = ("close", "stubborn", "given", "guessed", "wrong", "both", "garbage", "again", "unfounded",
        "good", "good", "good")  # fmt: skip
"""What the model does when it writes from a text."""


class Author(ChatServer):
    """Writes, revises, examines and answers by the prompt it is sent."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.plan, self.doing, self.written = deque(PLAN), "good", 0
        self.fact = self.first = ""

    def next_reply(self) -> str:
        system, *_, last = self.requests[-1]["messages"]
        parts = last["content"]
        text = parts if isinstance(parts, str) else parts[0]["text"]
        if WRITE in system["content"]:
            return self._write(text)
        if REVISE in system["content"]:
            asked = self.fact if self.doing == "stubborn" else self._asked()
            return json.dumps({"question": asked})
        if EXAMINE in system["content"]:
            return json.dumps({"letters": self._letters("(none)" in text)})
        return "I choose (B)."

    def _asked(self) -> str:
        self.written += 1
        return f"Which shade has object number {self.written}?"

    def _write(self, text: str) -> str:
        reply: dict[str, Any] = {"question": self._asked(), "choices": ["red", "blue"],
                                 "answer": "blue"}  # fmt: skip
        if text.startswith("Reply with one JSON"):  # it is asked for once more
            return "I would still rather not."
        if not text.startswith("Text:"):
            self.doing, self.first = "good", self.first or reply["question"]
            return json.dumps({**reply, "phrase": f"object number {self.written}"})
        self.doing = self.plan.popleft()
        self.fact = fact = re.split(r"(?<=\.) |\n\n", text.removeprefix("Text:").strip())[-2]
        changed: dict[str, dict[str, Any]] = {
            "close": {"question": fact}, "stubborn": {"question": fact},
            "given": {"question": "Is it blue?"}, "again": {"question": self.first},
            "unfounded": {"facts": ["Never said, nowhere, by nobody."]},
        }  # fmt: skip
        if self.doing == "garbage":
            return "I would rather not."
        return json.dumps({**reply, "facts": [fact], **changed.get(self.doing, {})})

    def _letters(self, without: bool) -> list[str]:
        if without:
            return ["B"] if self.doing == "guessed" else []
        return {"wrong": ["A"], "both": ["A", "B"]}.get(self.doing, ["B"])


@pytest.fixture
def workspace(benchmarked: Path, tmp_path: Path) -> Workspace:
    return Workspace.open(Path(shutil.copytree(benchmarked, tmp_path / "workspace")))


def served(workspace: Workspace, server: ChatServer) -> TestModels:
    model = ModelConfig(model="tester", base_url=server.url, api_key=server.key)
    return TestModels(Settings(workspace=workspace.folder, answer=model))


class Simple(ScriptedModel):
    """Writes questions about pictures alone, each another, and finds them good."""

    def complete(self, messages: list[Message], schema: dict[str, Any] | None = None) -> Completion:
        system, last = messages[0]["content"], str(messages[-1]["content"])
        asked = f"Which shade has object {sum(WRITE in str(call) for call in self.calls)}?"
        if WRITE in system:
            self.enqueue({"question": asked, "choices": ["red", "blue"], "answer": "blue",
                          "phrase": asked[16:-1], "facts": []})  # fmt: skip
        else:
            self.enqueue({"letters": [] if "(none)" in last else ["B"]})
        return super().complete(messages, schema)


def simple(workspace: Workspace) -> tuple[TestModels, Simple]:
    models = TestModels(Settings(workspace=workspace.folder))
    models._asked["answer"] = model = Simple()
    return models, model


def test_the_whole_way_over_http(workspace: Workspace, tmp_path: Path) -> None:
    with Author() as server:
        models = served(workspace, server)
        made = make_set(workspace, "c", models=models, count=15, seed=0, made_by="model")
        assert made.making.rejected == {
            "too close to its source": 1, "gives the answer away": 1, "several right": 1,
            "answered without the documents": 1, "not answerable from the gold": 2,
            "reply not usable": 1, "asked already": 1,
        }  # fmt: skip
        assert not server.plan
        kinds = [each.type for each in made.questions]
        assert (len(kinds), kinds.count("image-image")) == (7, 3)
        assert all(each.question.startswith("Which shade") for each in made.questions)
        assert {each.made_by for each in made.questions} == {"model"}
        run = run_set(workspace, made, "c", tmp_path / "run.json", models=models,
                      methods=["default", "bm25"], answers=True)  # fmt: skip
    assert run.left == 0
    assert run.identity.model == "tester"
    assert {each.reply for each in run.results} == {"I choose (B)."}
    accuracy = [line.cells["image-image"].mean for line in tabulate_run(run, 1)]
    assert accuracy == [1.0, 1.0]


def test_making_ends_at_the_cap_and_goes_on_to_the_same_set(
    workspace: Workspace, tmp_path: Path
) -> None:
    begun = tmp_path / "begun"
    models, whole = simple(workspace)
    wish: dict[str, Any] = {"count": 3, "seed": 0, "made_by": "model",
                            "only": ("image-image", "picture")}  # fmt: skip
    uncut = make_set(workspace, "c", models=models, **wish)
    models, model = simple(workspace)
    with pytest.raises(BudgetSpent, match="go on"):
        make_set(workspace, "c", models=models, begun=begun, cap=Budget(6, "tokens"), **wish)
    assert len(model.calls) == 3  # each call costs two tokens
    assert len(read_set(begun).questions) == 1
    ended = make_set(workspace, "c", models=models, begun=begun, **wish)
    assert ended == uncut
    assert len(model.calls) == len(whole.calls) == 9


def test_what_was_begun_otherwise_is_not_gone_on_with(workspace: Workspace, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    models, _ = simple(workspace)
    wish: dict[str, Any] = {"count": 3, "made_by": "model", "begun": begun,
                            "only": ("image-image", "picture")}  # fmt: skip
    with pytest.raises(BudgetSpent):
        make_set(workspace, "c", models=models, seed=0, cap=Budget(6, "tokens"), **wish)
    models, model = simple(workspace)
    made = make_set(workspace, "c", models=models, seed=1, **wish)
    assert len(model.calls) == 9
    assert made.making.seed == 1


def test_the_command_says_what_it_costs_and_keeps_to_the_cap(
    workspace: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    models, model = simple(workspace)
    monkeypatch.setattr(pipeline, "Models", lambda *_: models)
    output = tmp_path / "set.jsonl"

    def make(*more: str) -> tuple[int, str, str]:
        code = main(["benchmark", "--workspace", str(workspace.folder), "make", "--collection", "c",
                     "-o", str(output), "--count", "5", "--model", *more])  # fmt: skip
        return code, *capsys.readouterr()

    code, out, _ = make("--estimate", "--json")
    assert (code, json.loads(out)["calls"], model.calls) == (0, 30, [])
    code, _, err = make("--cap", "8 tokens")
    assert code == 1
    assert "At most about 30 calls of scripted" in err
    assert "cap of 8 tokens is reached" in err
    assert not output.exists()
    assert "price table" in make("--cap", "2.50")[2]


def test_the_page_makes_by_a_model_and_cancels_and_goes_on(workspace: Workspace) -> None:
    files = BenchmarkFiles.named(workspace, "c")
    models, _ = simple(workspace)
    payload = {"action": "make", "collection": "c", "count": 15, "seed": 0, "made_by": "model",
               "cap": "9000 tokens"}  # fmt: skip
    seen: list[int] = []

    def work(cancel: bool) -> None:
        work_for_page(
            workspace, payload, models=models, on_progress=lambda each: seen.append(each.done),
            cancelled=lambda: cancel and max(seen, default=0) > 0,
        )  # fmt: skip

    with pytest.raises(Cancelled, match="made so far stay"):
        work(True)
    begun = files.read_begun()
    assert begun is not None
    assert files.read_set() is None
    work(False)
    made = files.read_set()
    assert made is not None
    assert made.questions[: len(begun.questions)] == begun.questions
    assert not files.begun.exists()


def test_a_set_of_somebody_else_is_brought_with_its_map(
    workspace: Workspace, tmp_path: Path
) -> None:
    files = BenchmarkFiles.named(workspace, "c")
    theirs = tmp_path / "mm_rag_test.json"
    theirs.write_text(json.dumps([
        {"q": "What is shown?", "pdf": "zorvex.pdf", "kind": "TI", "img": "a.png"}
    ]))  # fmt: skip
    with pytest.raises(InputError, match=r"“mm_rag_test.json” have to be named"):
        files.put_foreign(theirs, None)
    names = tmp_path / "map.toml"
    names.write_text(
        '[fields]\nquestion = "q"\ndocument = "pdf"\ntype = "kind"\nimage = "img"\n'
        '[types]\nTI = "text-image"\n'
    )
    files.put_foreign(theirs, names)
    made = files.read_set()
    assert made is not None
    assert made.questions[0].question == "What is shown?"
    work_for_page(
        workspace, {"action": "run", "collection": "c", "methods": ["bm25"]},
        models=simple(workspace)[0], on_progress=lambda _: None, cancelled=lambda: False,
    )  # fmt: skip
    run = files.read_run()
    assert run is not None
    assert run.left == 0


def test_pairs_of_the_page_have_a_collection_of_their_own(workspace: Workspace) -> None:
    told: list[Progress] = []
    models, _ = simple(workspace)
    work_for_page(
        workspace,
        {"action": "make", "collection": "c", "count": 5, "seed": 0, "named": "With <b>names",
         "made_by": "model"},
        models=models, on_progress=told.append, cancelled=lambda: False,
    )  # fmt: skip
    made = BenchmarkFiles.named(workspace, "With <b>names").read_set()
    assert made is not None
    assert made.questions
    assert BenchmarkFiles.named(workspace, "c").read_set() is None
