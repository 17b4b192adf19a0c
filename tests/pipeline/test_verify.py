"""Answers, pictures and files of them, verified and graded from end to end; the judge is a server
over real HTTP."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from brit.cli import main
from brit.config import ModelConfig, Settings
from brit.errors import InputError, ModelUnreachable
from brit.pipeline import grade_answer, ingest, retrieve, verify_answer, verify_picture
from brit.pipeline.check_files import grade_file, grade_records, grade_totals, verify_file
from brit.storage import Workspace
from brit.types import Mode, Retrieval, RetrievalTrace, RetrievedPassage
from brit.verification.perception_collection import GradingRecord
from tests.lmm.server import ChatServer, count_images
from tests.pipeline.conftest import TestModels

YES = json.dumps([{"claim1": "non-hallucination", "reason": "as read"}])


@pytest.fixture
def judge(models: TestModels) -> Iterator[Any]:
    """judge(replies) → (the models with a judge, its server)."""
    running: list[ChatServer] = []

    def start(*replies: str) -> tuple[TestModels, ChatServer]:
        server = ChatServer(replies=list(replies))
        running.append(server.__enter__())
        judged = ModelConfig("tester", server.url, server.key, timeout=5.0)
        models.settings = replace(models.settings, judge=judged)
        return models, server

    yield start
    for server in running:
        server.__exit__()


def red_picture() -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (80, 60), (200, 20, 20)).save(file, "PNG")
    return file.getvalue()


def test_each_sentence_of_an_answer_has_its_verdict(
    workspace: Workspace, models: TestModels, brochure: Path
) -> None:
    ingest(workspace, [brochure], "c", models=models)
    retrieval = retrieve(workspace, "Who built the Zorvex pump?", "c", models=models)
    answer = (
        "Engineers in Tromsø built the Zorvex pump in 2021 [1]. Engineers in Tromsø built the "
        "Zorvex pump in 2012 [1]. Penguins cannot fly.\n\nPicture 2 shows a sign that reads "
        "“KESTREL”."
    )
    done = verify_answer(answer, retrieval, models=models)
    assert [(each.text[:8], each.support) for each in done.sentences] == [
        ("Engineer", "supported"),
        ("Engineer", "contradicted"),
        ("Penguins", "unverifiable"),
        ("Picture ", "supported"),
    ]
    assert all(answer[each.start : each.end] == each.text for each in done.sentences)
    sources = {each.id for each in retrieval.passages} | {each.edge for each in retrieval.triplets}
    assert {done.findings[i].source for i in done.verdicts[0].evidence} <= sources
    (read,) = (done.findings[i] for i in done.verdicts[3].evidence)
    assert read.source in {each.id for each in retrieval.images}
    assert (done.judge, models.reader.calls > 0) == ("deterministic", True)
    assert "No judge model" in done.notes[0]
    assert any("BRIT_DETECTOR" in each.note for each in done.tools)


def test_a_judge_that_is_away_leaves_the_checks(judge: Any) -> None:
    models, server = judge(YES)
    server.key = "sk-changed-0123456789"
    passage = RetrievedPassage("z.pdf", 1, None, "The Zorvex pump was built in 2021.", 1.0, "p1")
    retrieval = Retrieval("?", "default", "e", (), False, (), (), (passage,), (), 7, {},
                          RetrievalTrace())  # fmt: skip
    done = verify_answer("The Zorvex pump was built in 2012.", retrieval, models=models)
    assert (done.judge, done.verdicts[0].support) == ("deterministic", "contradicted")
    assert "refused the key" in done.notes[0]


def test_a_picture_and_a_text_with_a_judge(judge: Any) -> None:
    claims = {"claims": [{"sentence": 1, "claim": "The sign reads KESTREL.", "objects": [],
                          "aspects": ["scene-text"], "quotes": ["KESTREL"]}]}  # fmt: skip
    models, server = judge(json.dumps(claims), YES)
    done = verify_picture("The sign reads KESTREL.", red_picture(), models=models,
                          mode="text-to-image")  # fmt: skip
    assert (done.judge, done.verdicts[0].support) == ("tester", "supported")
    assert "«KESTREL» [0.000, 0.000, 1.000, 1.000]" in str(server.requests[1]["messages"][-1])
    assert [count_images(each) for each in server.requests] == [0, 1]
    with pytest.raises(InputError, match="damaged"):
        verify_picture("x", b"junk", models=models)


def write_lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def verify_rows(folder: Path) -> Path:
    (folder / "red.png").write_bytes(red_picture())
    H, N = "hallucination", "non-hallucination"
    return write_lines(folder / "v.jsonl", [
        {"id": "a", "image": "red.png", "text": "t", "labels": [H, N, H],
         "claims": ["There is a green box.", "The sign reads 'KESTREL'.",
                    "The sign reads 'KESTRAL'."]},
        {"id": "b", "image": "../../red.png", "text": "There is a box."},
    ])  # fmt: skip


def test_a_file_of_claims_with_labels(models: TestModels, tmp_path: Path) -> None:
    result = verify_file(verify_rows(tmp_path), models=models)
    first, second = result["records"]
    assert [claim["support"] for claim in first["claims"]] == [
        "contradicted", "supported", "contradicted"
    ]  # fmt: skip
    assert first["claims"][1]["evidence"] == [
        {"kind": "scene-text", "text": "KESTREL", "box": [0.0, 0.0, 1.0, 1.0]}
    ]
    assert "lies outside" in second["error"]
    totals = result["totals"]
    assert (totals["records"], totals["failed"], totals["claims"]) == (2, 1, 3)
    assert totals["labels"]["hallucination"] == {"precision": 1.0, "recall": 1.0, "f1": 1.0}
    assert set(totals["by_aspect"]) == {"object", "attribute", "scene-text"}
    assert totals["by_aspect"]["scene-text"]["claims"] == 2
    assert totals["evidence"] == {"colour": 1, "scene-text": 2}
    assert totals["tools"]["scene text"]["findings"] == 1
    assert "not on this machine" in totals["tools"]["object detection"]["note"]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"id": "a"}, "it has no `text`"),
        ({"text": " \n"}, "it has no `text`"),
        ({"text": 5}, "`text` is no text"),
        ({"text": "a", "image": 5}, "`image` is no text"),
        ({"text": "a", "image": "a\0b"}, "`image` is no path"),
        ({"text": "a", "id": {}}, "`id` is neither"),
        ({"text": "a", "claims": ["x", " "]}, "a text of `claims` is empty"),
        ({"text": "a", "labels": ["hallucination"]}, "need `claims`"),
        ({"text": "a", "claims": ["x"], "labels": ["wrong"]}, "“wrong” is neither"),
        ({"text": "a", "claims": "x"}, "no list of texts"),
        ({"text": "a", "claims": ["x", "y"], "labels": ["hallucination"]}, "one label for each"),
    ],
)
def test_lines_of_another_form(
    models: TestModels, tmp_path: Path, row: dict[str, Any], reason: str
) -> None:
    with pytest.raises(InputError, match=f"Record 1 of .*{reason}"):
        verify_file(write_lines(tmp_path / "v.jsonl", [row]), models=models)


def test_a_fault_in_the_file_is_said_before_work_begins(models: TestModels, tmp_path: Path) -> None:
    file = write_lines(tmp_path / "v.jsonl", [{"text": "There is a box."}, {"text": 5}])
    seen: list[object] = []
    with pytest.raises(InputError, match="Record 2 of"):
        verify_file(file, models=models, on_progress=seen.append)
    assert seen == []


@pytest.mark.parametrize("mode", ["image-to-text", "text-to-image"])
def test_reasons_name_what_was_not_there(models: TestModels, tmp_path: Path, mode: Mode) -> None:
    folder = tmp_path / "pictures"
    folder.mkdir()
    (folder / "red.png").write_bytes(red_picture())
    (folder / "junk.png").write_bytes(b"junk")
    (tmp_path / "outside.png").write_bytes(red_picture())
    claims = ["The picture shows a dog left of a car.", "Quokkas live on Rottnest."]
    rows = [
        {"id": image, "image": image, "text": "t", "claims": claims}
        for image in ("", "red.png", "gone.png", "../outside.png", "junk.png")
    ]
    file = write_lines(tmp_path / "v.jsonl", [*rows, {"id": "?", "text": "What is it?"}])
    result = verify_file(file, models=models, images=folder, mode=mode)["records"]
    none, seen, gone, outside, junk, question = result
    nothing = "There was nothing to hold it against."
    unseen = "No picture was looked at."
    assert [claim["reason"] for claim in none["claims"]] == [f"{unseen} {nothing}", nothing]
    assert seen["claims"][0]["reason"].startswith("Nothing looked for objects in the picture.")
    resembles = "only a model that sees pictures can judge"
    assert (resembles in seen["claims"][1]["reason"]) == (mode == "text-to-image")
    assert gone["error"].startswith("There is no picture “gone.png” in ")
    assert outside["error"].startswith("The picture “../outside.png” lies outside ")
    assert junk["error"].startswith("The picture is damaged")
    assert (question["claims"], question["notes"]) == (
        [], ["The text states nothing that can be checked."]
    )  # fmt: skip
    with pytest.raises(InputError, match="There is no folder"):
        verify_file(file, models=models, images=folder / "none")


def grade_rows(folder: Path) -> Path:
    (folder / "red.png").write_bytes(red_picture())
    return write_lines(folder / "g.jsonl", [
        {"instruction": "###One", "image": "red.png", "orig_score": 4},
        {"instruction": "###Two", "image": "gone.png", "orig_score": "2"},
        {"instruction": "###Three"},
    ])  # fmt: skip


def test_grades_and_their_agreement(judge: Any, tmp_path: Path) -> None:
    models, server = judge("Feedback: a [RESULT] 4", "Feedback: b [RESULT] 3", "Feedback: c")
    result = grade_file(grade_rows(tmp_path), models=models)
    assert [(row["score"], row["picture"], row["feedback"]) for row in result["records"]] == [
        (4, "shown", "a"), (3, "missing", "b"), (None, "none", "c")
    ]  # fmt: skip
    assert [count_images(each) for each in server.requests] == [1, 0, 0, 0, 0]
    totals = result["totals"]
    assert (totals["records"], totals["scored"], totals["without_score"]) == (3, 2, 1)
    assert totals["agreement"]["exact"] == 0.5
    assert totals["agreement"]["within_one"] == 1.0
    assert totals["agreement"]["pearson"] == 1.0


def test_what_keeps_one_record_from_its_grade_keeps_no_other(judge: Any, tmp_path: Path) -> None:
    models, server = judge("Feedback: a [RESULT] 4")
    (tmp_path / "red.png").write_bytes(red_picture())
    file = write_lines(tmp_path / "g.jsonl", [
        {"instruction": "###One", "image": "train2017/red.png", "orig_score": 4},
        {"instruction": "###Two", "orig_score": 9},
        {"instruction": "###Three", "image": "../red.png", "orig_score": 5},
    ])  # fmt: skip
    rows = list(grade_records(file, models=models))
    assert [row["score"] for row in rows] == [4, None, 4]
    assert [row["picture"] for row in rows] == ["shown", "none", "shown"]
    assert "orig_score is no whole number" in rows[1]["problem"]
    assert len(server.requests) == 2
    totals = grade_totals(rows, models, {"prompt_tokens": 3})
    assert (totals["scored"], totals["pictures"]["shown"]) == (2, 2)
    assert totals["usage"] == {"prompt_tokens": 3}


def test_a_judge_that_fails_at_everything_ends_the_run(judge: Any, tmp_path: Path) -> None:
    models, server = judge("x")
    file = write_lines(tmp_path / "g.jsonl", [{"instruction": f"###{n}"} for n in range(9)])
    server.model = "another"
    with pytest.raises(Exception, match="has no model"):
        grade_file(file, models=models)
    assert len(server.requests) == 3
    models.settings = replace(
        models.settings, judge=ModelConfig("tester", "http://127.0.0.1:9/v1", timeout=1.0)
    )
    del models._asked["judge"]
    with pytest.raises(ModelUnreachable):
        grade_file(file, models=models)


def test_one_answer_is_graded_beside_its_picture(judge: Any) -> None:
    models, server = judge("Feedback: a [RESULT] 4")
    record = GradingRecord(instruction="###One")
    assert grade_answer(record, red_picture(), models=models).score == 4
    assert count_images(server.requests[0]) == 1
    with pytest.raises(InputError, match="damaged"):
        grade_answer(record, b"junk", models=models)


def test_grading_needs_a_model(models: TestModels, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="BRIT_JUDGE_MODEL"):
        grade_file(grade_rows(tmp_path), models=models)


def test_the_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("brit.pipeline.Models", lambda settings, _: TestModels(settings))
    for name in ("BRIT_MODEL", "BRIT_JUDGE_MODEL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: str) -> tuple[int, str, str]:
        code = main([*arguments, "--workspace", str(tmp_path / "ws")])
        return (code, *capsys.readouterr())

    code, out, err = run("verify", str(verify_rows(tmp_path)), "--strict", "--json")
    assert code == 1
    assert json.loads(out)["totals"]["strict"] is True
    assert err.splitlines()[-1].startswith("b: The picture “../../red.png” lies outside")
    code, out, _ = run("verify", str(verify_rows(tmp_path)))
    assert "judged by     deterministic" in out
    code, out, err = run("grade", str(grade_rows(tmp_path)), "--json")
    assert (code, out) == (1, "")
    assert "BRIT_JUDGE_MODEL" in err.splitlines()[-1]
    with ChatServer(replies=["Feedback: a [RESULT] 4"]) as server:
        config = Settings(judge=ModelConfig("tester", server.url, server.key))
        monkeypatch.setattr("brit.cli.load_settings", lambda: config)
        code, out, _ = run("grade", str(grade_rows(tmp_path)), "--limit", "2", "--json")
    assert code == 0
    assert [row["score"] for row in json.loads(out)["records"]] == [4, 4]
