"""The Benchmark page: make, accept, edit, reject, run, tables, and what was missed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import fake_backend
import pytest
from streamlit.testing.v1 import AppTest

from brit.config import Settings
from brit.evaluation.benchmark.calibration import by_relevance, calibrate
from brit.evaluation.benchmark.records import BenchmarkQuestion, BenchmarkSet, Making, write_set
from brit.evaluation.benchmark.running import Identity, Result, Run, RunMethod, write_run
from brit.lmm.scripted import ScriptedModel
from brit.pipeline.benchmark_files import BenchmarkFiles
from brit.storage import Workspace
from brit.types import Hop
from brit.ui import state
from brit.ui.benchmark_outcomes import kind_of, way_to, way_to_text

App = Callable[..., AppTest]
PAGE = "pages/5_Benchmark.py"
METHOD = "BRIT default CA"
HOSTILE = "<b>![x](https://e.example/p.png)</b> Which part?"


def words(test: AppTest) -> str:
    shown = [*test.markdown, *test.caption, *test.error, *test.info]
    labels = [each.label for each in test.expander]
    said = "\n".join([*(str(each.value) for each in shown), *labels])
    return said.replace("\\", "").replace("\u00a0", " ")


@pytest.fixture
def files(workspace: Workspace, tmp_path: Path) -> BenchmarkFiles:
    """A collection with a set of two questions."""
    fake_backend.fill(workspace, tmp_path)
    collection = workspace.documents.collection("Coffee").id
    image = workspace.content.images(collection)[0]
    question = BenchmarkQuestion(
        id="one", doc=fake_backend.NAME, type="text-image", source="caption",
        question="Which part?", answer="hopper", made_by="embedded", image=image.id,
        image_hash=image.file, page=1, bbox=(0, 0, 1, 1),
    )  # fmt: skip
    other = replace(
        question, id="two", type="image-text", question=HOSTILE, evidence_text="Clean it daily."
    )
    kept = BenchmarkFiles.of(workspace, collection)
    kept.folder.mkdir(parents=True)
    making = Making("Coffee", 0, "e5", 0.9, "embedded", rejected={"several right": 7})
    write_set(kept.questions, BenchmarkSet(making, (question, other)))
    return kept


def finished(files: BenchmarkFiles) -> Run:
    made = files.read_set()
    assert made is not None
    [image] = {each.image for each in made.asked}
    methods = (
        RunMethod("BRIT default CA", preset="default", links=("CA",), config={"links": ["CA"]}),
        RunMethod("BRIT default no links", preset="default", links=()),
        RunMethod("CLIP", missing="No weights."),
    )

    def result(question: str, method: RunMethod, **measures: float) -> Result:
        return Result(question, method.name, {"words": 9.0, "images": 1.0, **measures},
                      (image, "gone"), ("Some text.",))  # fmt: skip

    results = (
        result("one", methods[0], image=1.0, top=0.71, match=0.9, low_relevance=0.0),
        result("one", methods[1], image=0.0),
        result("two", methods[0], text=0.0, top=1.0, match=0.9, low_relevance=1.0),
        result("two", methods[1], text=0.0),
    )  # fmt: skip
    version = Workspace.open(files.folder.parents[2]).documents.stamp("Coffee").version
    identity = Identity("h", "Coffee", version, "conse", "minilm")
    return Run(identity, made.asked, methods, {"set": 0}, {}, results)


def test_a_set_is_made_by_a_job(
    app: App, runner: Any, workspace: Workspace, tmp_path: Path
) -> None:
    assert "Add documents first" in words(app(PAGE))
    fake_backend.fill(workspace, tmp_path)
    test = app(PAGE)
    assert not test.exception
    assert "Make questions first." in words(test)
    test.button[[each.label for each in test.button].index("Make questions")].click().run()
    assert runner.submitted == [
        ("benchmark", {"action": "make", "made_by": "embedded", "count": 100, "seed": 0,
                       "collection": "Coffee"})
    ]  # fmt: skip


def test_questions_are_accepted_edited_and_rejected(app: App, files: BenchmarkFiles) -> None:
    test = app(PAGE)
    assert not test.exception
    shown = words(test)
    assert "several right: 7" in shown
    assert "Made without a model" in shown
    test.button(key="yes-one").click().run()
    test.text_area(key="text-two").set_value("Which part is cleaned?").run()
    test.button(key="yes-two").click().run()
    kept = files.read_set()
    assert kept is not None
    assert [(each.state, each.question) for each in kept.questions] == [
        ("accepted", "Which part?"), ("edited", "Which part is cleaned?"),
    ]  # fmt: skip
    test.button(key="no-one").click().run()
    kept = files.read_set()
    assert kept is not None
    assert [each.id for each in kept.asked] == ["two"]
    assert "1 decision is lost" not in words(test)
    assert test.checkbox[0].label == "2 decisions are lost"


def test_tables_lead_to_what_was_found_and_missed(app: App, files: BenchmarkFiles) -> None:
    write_run(files.run, finished(files))
    test = app(PAGE)
    assert not test.exception
    [table] = test.dataframe
    assert list(table.value["overall (2)"]) == ["0.50 [0.50 0.50]", "0.00 [0.00 0.00]",
                                                "not measured"]  # fmt: skip
    assert "CLIP: No weights." in words(test)
    assert "overall: the mean of text-image and image-text" in words(test)
    test.selectbox(key="outcome-type").set_value("image-text").run()
    assert "Clean it daily." in words(test)  # missed by the first method
    assert "https://e.example" not in "\n".join(str(each.value) for each in test.markdown)
    test.selectbox(key="outcome-type").set_value("text-image").run()
    assert "0 questions" in words(test)
    test.selectbox(key="outcome-method").set_value("BRIT default no links").run()
    assert "Which part?" in [each.label for each in test.expander]


def test_scores_are_held_against_what_was_found(app: App, files: BenchmarkFiles) -> None:
    run = finished(files)
    assert [(each.low, each.questions, each.recall) for each in calibrate(run, METHOD, "top")] == [
        (pytest.approx(0.7), 1, 1.0), (pytest.approx(0.9), 1, 0.0),
    ]  # fmt: skip
    assert by_relevance(run, METHOD) == {False: [1.0], True: [0.0]}
    assert calibrate(run, "BRIT default no links", "top") == []
    [both] = calibrate(run, METHOD, "match")
    assert (both.questions, both.recall) == (2, 0.5)
    write_run(files.run, run)
    shown = words(app(PAGE))
    assert "1 question not marked as hardly relevant: recall 1.00" in shown
    assert "1 marked: recall 0.00" in shown


def test_the_steps_of_a_question_are_looked_for_again(
    app: App, files: BenchmarkFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_run(files.run, finished(files))
    asked: list[Any] = []
    made = fake_backend.retrieval()

    def retrieve(_: Workspace, question: str, __: str, **options: Any) -> Any:
        asked.append((question, options["config"].links))
        return made

    monkeypatch.setattr("brit.pipeline.retrieve", retrieve)
    test = app(PAGE)
    test.selectbox(key="outcome-type").set_value("image-text").run()
    assert asked == []
    test.button(key="trace-two").click().run()
    assert not test.exception
    assert asked == [(HOSTILE, ("CA",))]
    assert "Looked for again with the setting of the method" in words(test)
    assert "No text found holds enough of the words to be found" in words(test)


def test_it_is_said_why_the_picture_to_be_found_was_missed() -> None:
    made = fake_backend.retrieval()
    [first, *_] = made.images
    assert "came at place 1, which counts" in way_to(first.id, made)
    late = replace(made, images=(*[replace(first, id="x")] * 2, first))
    assert "place 3: only the first 2 count" in way_to(first.id, late)
    hop = Hop("text-to-image", 1, "n", "gone", "CA", 0.1, False, "not among the <b>best</b>")
    dropped = replace(made, trace=replace(made.trace, hops=(hop,)))
    assert "weighed and dropped: not among the" in way_to("gone", dropped)
    assert "No step led" in way_to("gone", made)


def test_a_run_goes_on_or_begins_anew(app: App, files: BenchmarkFiles, runner: Any) -> None:
    whole = finished(files)
    write_run(files.run, replace(whole, results=whole.results[:2]))
    test = app(PAGE)
    assert "2 results are missing" in words(test)
    test.button(key="benchmark-run").click().run()
    assert runner.submitted[-1][1]["action"] == "run"
    assert files.run.exists()
    runner.cancel(runner.workspace.jobs.jobs()[0].id)
    files.keep(replace(whole.questions[0], state="accepted"))
    assert "it begins anew" not in words(app(PAGE))
    files.keep(replace(whole.questions[0], state="rejected"))
    test = app(PAGE)
    assert "it begins anew" in words(test)
    test.button(key="benchmark-run").click().run()
    assert not files.run.exists()


def test_the_way_of_a_text_that_was_missed_is_said() -> None:
    made = fake_backend.retrieval()
    text = made.passages[0].text
    assert "came at place 1, within" in way_to_text(text, made)
    long = replace(made.passages[0], text="word " * 300)
    late = replace(made, passages=(long, *made.passages), triplets=())
    assert "place 2, behind the first 300 words" in way_to_text(text, late)
    nothing = replace(made, passages=(), triplets=())
    assert way_to_text(text, nothing) == (
        "None of the words to be found stands in a text that was found."
    )


def test_a_number_leads_to_its_kind_of_question(files: BenchmarkFiles) -> None:
    [one, _] = finished(files).questions
    assert kind_of(one) == "text-image"
    pair = replace(one, pair="p")
    assert [kind_of(pair), kind_of(replace(pair, named=True))] == ["w/o NEA", "w/ NEA"]


def chosen_way(app: App, way: str) -> AppTest:
    test = app(PAGE)
    test.segmented_control(key="benchmark-way").set_value(way).run()
    assert not test.exception
    return test


@pytest.mark.usefixtures("files")
def test_a_model_makes_questions_at_a_cost_that_is_said(
    app: App, runner: Any, workspace: Workspace,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    models = SimpleNamespace(language_model=None, settings=Settings(workspace=workspace.folder))
    monkeypatch.setattr(state, "models", lambda: models)
    test = chosen_way(app, "model")
    assert "No model is configured" in words(test)
    assert test.button(key="benchmark-make").disabled
    models.language_model = ScriptedModel()
    test = chosen_way(app, "model")
    assert "At most about 600 calls of scripted" in words(test)
    test.text_input(key="benchmark-make-cap").set_value("much").run()
    assert "is “much”" in words(test)
    assert test.button(key="benchmark-make").disabled
    test.text_input(key="benchmark-make-cap").set_value("2000  tokens").run()
    test.button(key="benchmark-make").click().run()
    [(_, payload)] = runner.submitted
    assert (payload["made_by"], payload["cap"]) == ("model", "2000 tokens")


@pytest.mark.usefixtures("files")
def test_pairs_are_made_for_a_collection_that_is_named(app: App, runner: Any) -> None:
    test = chosen_way(app, "named")
    assert test.button(key="benchmark-make").disabled
    test.text_input(key="benchmark-named").set_value(" Other  names ").run()
    test.file_uploader(key="benchmark-pairs").set_value(("p.jsonl", b"{}", "text/plain")).run()
    test.button(key="benchmark-make").click().run()
    [(_, payload)] = runner.submitted
    assert payload["named"] == "Other names"
    assert Path(payload["paths"][0]).read_bytes() == b"{}"


def test_a_set_is_brought_from_a_file(app: App, files: BenchmarkFiles) -> None:
    line = b'{"id": 1, "doc": "%s", "question": "?", "evidence_pages": [1]}'
    test = chosen_way(app, "file")
    test.file_uploader(key="benchmark-file").set_value(("q.jsonl", b"{}", "text/plain")).run()
    test.button(key="benchmark-bring").click().run()
    assert "Line 1 of “q.jsonl”" in test.error[0].value.replace("\\", "")
    theirs = ("q.jsonl", line % fake_backend.NAME.encode(), "text/plain")
    test.file_uploader(key="benchmark-file").set_value(theirs).run()
    test.button(key="benchmark-bring").click().run()
    assert not test.exception
    kept = files.read_set()
    assert kept is not None
    assert [each.type for each in kept.questions] == ["pages"]
    assert "1 question is about a document that is here" in words(test)


def test_what_was_begun_can_be_taken(app: App, files: BenchmarkFiles) -> None:
    made = files.read_set()
    assert made is not None
    write_set(files.begun, replace(made, questions=made.questions[:1]))
    test = app(PAGE)
    assert "1 question of 0 is there from a making that did not end." in words(test)
    test.button(key="benchmark-take").click().run()
    assert not test.exception
    kept = files.read_set()
    assert kept is not None
    assert len(kept.questions) == 1
    assert not files.begun.exists()


def test_a_run_answers_within_a_cap(
    app: App, files: BenchmarkFiles, runner: Any, workspace: Workspace,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    models = SimpleNamespace(language_model=None, settings=Settings(workspace=workspace.folder))
    monkeypatch.setattr(state, "models", lambda: models)
    test = app(PAGE)
    test.checkbox(key="benchmark-answers").check().run()
    assert "none of these questions can be answered by quoting" in words(test)
    assert test.button(key="benchmark-run").disabled
    made = files.read_set()
    assert made is not None
    files.keep(replace(made.questions[0], choices=("hopper", "lid")))
    models.language_model = ScriptedModel()
    test = app(PAGE)
    test.checkbox(key="benchmark-answers").check().run()
    assert "At most about 7 calls of scripted" in words(test)
    test.text_input(key="benchmark-run-cap").set_value("1.50").run()
    test.button(key="benchmark-run").click().run()
    [(_, payload)] = runner.submitted
    assert (payload["answers"], payload["cap"]) == (True, "1.50")


def test_a_damaged_set_is_said_in_a_sentence(app: App, files: BenchmarkFiles) -> None:
    files.questions.write_text("{}\n{}\n")
    test = app(PAGE)
    assert not test.exception
    assert "Line 1" in test.error[0].value
