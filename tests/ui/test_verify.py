"""Verdicts beneath answers, the Verify page and grading, against a scripted checker or judge."""

from __future__ import annotations

import json
import re
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import fake_backend
import pytest
from PIL import Image as Pictures
from streamlit.testing.v1 import AppTest

from brit import pipeline
from brit.config import ModelConfig, RetrievalConfig, Settings
from brit.errors import ModelUnreachable
from brit.lmm import OpenAICompatible
from brit.storage import Workspace
from brit.storage.chats import Checked
from brit.types import (
    Answer,
    Claim,
    Finding,
    Retrieval,
    SentenceVerdict,
    Support,
    ToolReport,
    Verdict,
    Verification,
)
from brit.ui import state
from brit.ui.evidence import answer_markdown, without_markers
from brit.ui.verdicts import is_verbatim, joined
from brit.ui.verify_evidence import measured
from brit.ui.verify_pictures import marked_picture
from brit.ui.verify_work import Checks

sys.path.append(str(Path(__file__).parents[1] / "lmm"))

from server import ChatServer, count_images

App = Callable[..., AppTest]
PAGE = "pages/4_Verify.py"
SETTINGS = "pages/6_Settings.py"
FIRST, SECOND, THIRD = "It is blue.", "It weighs 9 kg.", "Ada built it."
TEXT = f"{FIRST} {SECOND} {THIRD}"
LIVE = re.compile(r"(?<!\\)(?:<img|!\[x|https://e)")
EVIL = "<img src=x onerror=alert(1)> ![x](https://e.example/p.png)"


def verification(found: Retrieval, supports: tuple[Support, ...], extra: str = "") -> Verification:
    """Three sentences, each one claim: about a picture, a passage, nothing."""
    image, passage = found.images[0], found.passages[0]
    findings = (
        Finding("scene-text", "BLUE", (0.1, 0.1, 0.5, 0.4), 0, image.id, score=0.9),
        Finding("passage", passage.text, None, None, passage.id, passage.document, 1, 0.8),
    )
    starts = [TEXT.index(each) for each in (FIRST, SECOND, THIRD)]
    verdicts = tuple(
        Verdict(Claim(text, start, start + len(text)), support, f"Reason {n}. {extra}",
                (n,) if n < 2 else (), support)
        for n, (text, start, support) in enumerate(
            zip((FIRST, SECOND, THIRD), starts, supports, strict=True))
    )  # fmt: skip
    sentences = tuple(
        SentenceVerdict(v.claim.start, v.claim.end, v.claim.text, v.support, (n,))
        for n, v in enumerate(verdicts)
    )
    tools = (ToolReport("scene text", 1), ToolReport("object detection", note="No weights here."))
    return Verification(TEXT, "image-to-text", sentences, verdicts, findings, tools,
                        "deterministic", notes=("Nothing was understood.",))  # fmt: skip


MIXED: tuple[Support, ...] = ("supported", "contradicted", "unverifiable")


def asked(workspace: Workspace, folder: Path, model: str = "tester") -> tuple[str, Retrieval]:
    """A chat with one answered turn; → its id, and what was retrieved."""
    document = fake_backend.fill(workspace, folder)
    chat = workspace.chats.create(workspace.documents.collection("Coffee").id, "Chat")
    turn = workspace.chats.add_turn(chat.id, "What is it?")
    found = fake_backend.retrieval(workspace, id=document)
    workspace.chats.save_turn(turn.id, retrieval=found, answer=Answer(TEXT, (), model))
    return chat.id, found


def shown(test: AppTest) -> str:
    parts = [*test.markdown, *test.caption, *test.warning, *test.info, *test.error]
    labels = [each.label for each in (*test.button, *test.expander)]
    return "\n".join([*(str(each.value) for each in parts), *labels]).replace("\\", "")


# --- beneath an answer ---


def test_each_sentence_carries_its_verdict_which_is_kept(
    app: App, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat, found = asked(workspace, tmp_path)
    calls: list[str] = []

    def verify(text: str, given: Retrieval, **_: Any) -> Verification:
        calls.append(text)
        assert given == found
        return verification(found, MIXED)

    monkeypatch.setattr(pipeline, "verify_answer", verify)
    test = app(chat=chat)
    assert not test.exception
    assert calls == [TEXT]
    (drawn,) = [each.proto for each in test.get("bidi_component")
                if each.proto.component_name == "brit_answer"]  # fmt: skip
    sentences = [each for block in json.loads(drawn.json)["blocks"] for each in block["sentences"]]
    runs = [run for each in sentences for run in each["runs"]]
    text = "".join(run.get("text") or run.get("icon", "") for run in runs)
    green, red, gray = (text.index(each) for each in ("check_circle", "cancel", "help"))
    assert text.index("blue") < green < text.index("weighs") < red < text.index("Ada") < gray
    page = shown(test)
    assert "1 supported · 1 contradicted · 1 not verified" in page
    assert "**contradicted** · Reason 1." in page
    assert "No weights here." in page
    assert "Nothing was understood." in page


def test_a_click_opens_the_passage_or_the_picture_with_its_boxes(
    app: App, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat, found = asked(workspace, tmp_path)
    monkeypatch.setattr(pipeline, "verify_answer", lambda *_, **__: verification(found, MIXED))
    app(chat=chat)
    test = app(chat=chat)
    evidence = [each for each in test.button if (each.key or "").startswith("evidence-")]
    assert [each.label.replace("\\", "") for each in evidence] == [FIRST, SECOND]
    evidence[1].click().run()
    assert f"> {fake_backend.TEXTS[0]}" in shown(test)
    next(each for each in test.button if each.label.replace("\\", "") == FIRST).click().run()
    assert "> Seen in the picture: BLUE" in shown(test)
    assert not test.exception


def test_strictly_what_nothing_speaks_for_is_unsupported(
    app: App, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat, found = asked(workspace, tmp_path)
    monkeypatch.setattr(pipeline, "verify_answer", lambda *_, **__: verification(found, MIXED))
    app(chat=chat)
    test = app(chat=chat)
    test.toggle[0].set_value(True).run()
    assert "1 supported · 1 contradicted · 1 unsupported" in shown(app(chat=chat))


def test_looking_wider_retrieves_for_the_sentence_and_checks_again(
    app: App, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat, found = asked(workspace, tmp_path)
    sought: list[tuple[str, RetrievalConfig]] = []
    extra = replace(found.passages[0], id="more", text="Ada built the machine.")
    seen: list[tuple[str, ...]] = []

    def retrieve(_: Workspace, question: str, __: str, **given: Any) -> Retrieval:
        sought.append((question, given["config"]))
        return replace(found, passages=(extra, *found.passages))

    def verify(_: str, given: Retrieval, **__: Any) -> Verification:
        seen.append(tuple(each.id for each in given.passages))
        return verification(found, MIXED if len(seen) == 1 else ("supported",) * 3)

    monkeypatch.setattr(pipeline, "retrieve", retrieve)
    monkeypatch.setattr(pipeline, "verify_answer", verify)
    app(chat=chat)
    test = app(chat=chat)
    wider = [each for each in test.button if each.label == "Look wider"]
    assert len(wider) == 2
    wider[1].click().run()
    assert sought == [(THIRD, RetrievalConfig(k=15, top_images=6, max_words=900, max_rounds=2))]
    before = tuple(each.id for each in found.passages)
    assert seen == [before, (*before, "more")]
    (turn,) = workspace.chats.turns(chat)
    assert turn.checked is not None
    assert turn.checked.wider == (TEXT.index(THIRD),)
    assert "3 supported" in shown(app(chat=chat))


def test_quotations_are_compared_with_words_alone(
    app: App, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat, found = asked(workspace, tmp_path, "extractive")

    def verify(_: str, __: Retrieval, *, quoted: bool, **___: Any) -> Verification:
        assert quoted
        text = "The documents say:\n\n- “It is blue. It weighs 9 kg.” [1]\n- “Ada built it.” [2]"
        return replace(verification(found, ("supported",) * 3), text=text)

    monkeypatch.setattr(pipeline, "verify_answer", verify)
    app(chat=chat)
    assert "Quoted word for word from your documents, 2 times" in shown(app(chat=chat))


def test_a_check_that_fails_says_why_and_can_be_made_again(
    app: App, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat, found = asked(workspace, tmp_path)

    def fail(*_: Any, **__: Any) -> Verification:
        raise ModelUnreachable("The server sleeps. Wake it.")

    monkeypatch.setattr(pipeline, "verify_answer", fail)
    test = app(chat=chat)
    assert not test.exception
    assert "The server sleeps. Wake it." in shown(test)
    monkeypatch.setattr(pipeline, "verify_answer", lambda *_, **__: verification(found, MIXED))
    next(each for each in test.button if each.label == "Check again").click().run()
    assert "1 supported" in shown(app(chat=chat))


def test_what_models_and_documents_say_stays_text(
    app: App, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat, found = asked(workspace, tmp_path)
    evil = verification(found, MIXED, EVIL)
    evil = replace(evil, notes=(EVIL,), tools=(ToolReport("knowledge", note=EVIL),))
    monkeypatch.setattr(pipeline, "verify_answer", lambda *_, **__: evil)
    app(chat=chat)
    test = app(chat=chat)
    raw = "\n".join(str(each.value) for each in (*test.markdown, *test.caption))
    assert "onerror" in raw
    assert not LIVE.search(raw)


def test_marks_stand_where_sentences_end_whatever_the_text_holds() -> None:
    text = "A \ue002 [1]. B."
    said = answer_markdown(text, None, ((8, ":green[x]"), (11, ":red[y]")))
    assert said.count(":green[x]") == 1
    assert said.endswith("B.\u00a0:red[y]")


@pytest.mark.parametrize(
    ("sentence", "verbatim"),
    [
        ("- “It weighs 12 kg.” [1]", True),
        ("- „Der Ofen wiegt 12 kg.“ [1]", True),
        ("- Picture: “The open door” (Kilns.pdf, page 4) [2]", True),
        ("- Picture: “The open door” (Kilns.pdf, page 4) – work gave Nimbus 40 [2]", False),
        ("- Weight; Nimbus: 12 kg [1]", False),
        ("- “Weight; Nimbus: 12 kg” [1]", False),
    ],
)
def test_what_stands_in_the_document_word_for_word(sentence: str, verbatim: bool) -> None:
    assert is_verbatim(sentence) is verbatim


def test_a_sentence_is_named_without_its_marks() -> None:
    assert without_markers("- It is **blue** [1][2, 3].") == "It is blue."


def test_what_is_joined_keeps_the_places_citations_point_at() -> None:
    first = fake_backend.retrieval()
    more = replace(
        first,
        passages=(replace(first.passages[0], id="new"), *reversed(first.passages)),
        images=(),
    )
    both = joined(first, more)
    assert both.passages[:3] == first.passages
    assert [each.id for each in both.passages[3:]] == ["new"]
    assert both.images == first.images


def test_the_verdicts_of_a_turn_survive_the_workspace(workspace: Workspace, tmp_path: Path) -> None:
    chat, found = asked(workspace, tmp_path)
    (turn,) = workspace.chats.turns(chat)
    checked = Checked(verification(found, MIXED), (12,))
    workspace.chats.save_turn(turn.id, checked=checked)
    assert workspace.chats.turn(turn.id) == replace(turn, checked=checked)


def test_checks_run_once_beside_the_page_and_keep_what_they_failed_with(
    workspace: Workspace,
) -> None:
    checks, go, done = Checks(workspace), threading.Event(), []

    def work() -> None:
        go.wait(5)
        done.append(1)

    checks.start("a", work)
    checks.start("a", work)
    assert checks.runs("a")
    go.set()
    checks.wait("a", 5)
    checks.settle("a")
    assert done == [1]
    checks.start("b", lambda: (_ for _ in ()).throw(ModelUnreachable("No.")))
    checks.wait("b", 5)
    for _ in range(2):
        with pytest.raises(ModelUnreachable):
            checks.settle("b")


def test_boxes_are_drawn_where_they_are() -> None:
    stream = BytesIO()
    Pictures.new("RGB", (200, 100), "#ffffff").save(stream, "PNG")
    jpeg = marked_picture(stream.getvalue(), ((0.5, 0.5, 1.0, 1.0),))
    with Pictures.open(BytesIO(jpeg)) as drawn:
        inside, outside = drawn.getpixel((150, 75)), drawn.getpixel((50, 25))
    assert isinstance(inside, tuple)
    assert isinstance(outside, tuple)
    assert inside[2] < 235 < outside[2]
    assert marked_picture(b"no picture", ()) == b""


# --- the Verify page ---


def picture() -> bytes:
    return fake_backend.picture(0)


def test_the_first_picture_with_a_caption_is_chosen_or_none() -> None:
    from brit.types import Image
    from brit.ui.verify_picker import first_figure

    cover = Image("a", "d", 1, None, "cover.png")
    assert first_figure([cover, replace(cover, caption="Figure 1")]) == 1
    assert first_figure([cover]) is None


def test_without_anything_to_check_against_the_button_waits(app: App) -> None:
    test = app(PAGE)
    assert not test.exception
    assert test.button(key="verify-check").disabled
    assert "there are no documents to check against yet" in shown(test)


def test_claims_evidence_and_tools_of_a_text_about_a_picture(
    app: App, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, found = asked(workspace, tmp_path)
    given: dict[str, Any] = {}

    def verify(text: str, shown_picture: bytes | None, **rest: Any) -> Verification:
        given.update(rest, text=text, picture=shown_picture)
        return verification(found, MIXED)

    monkeypatch.setattr(pipeline, "verify_picture", verify)
    test = app(PAGE)
    test.text_area(key="verify-text").set_value(TEXT)
    test.button(key="verify-check").click().run()
    assert not test.exception
    assert given["picture"] == picture()
    assert given["mode"] == "image-to-text"
    assert given["retrieval"] is not None
    page = shown(test)
    assert "1 supported · 1 contradicted · 1 not verified" in page
    assert "BLUE" in page
    assert "No information" in page  # of objects: none were found
    assert "**Objects** · No weights here." in page
    assert "**Text in the picture** · 1 finding" in page


def test_a_text_alone_is_not_checked_without_words(
    app: App, workspace: Workspace, tmp_path: Path
) -> None:
    asked(workspace, tmp_path)
    test = app(PAGE)
    test.button(key="verify-check").click().run()
    assert "Write or paste the text" in shown(test)


def test_grading_without_a_judge_says_how_to_name_one(app: App) -> None:
    test = app(PAGE)
    assert "Grading needs a language model" in shown(test)
    assert any("BRIT_JUDGE_MODEL" in each.value for each in test.code)
    assert test.button(key="grade-go").disabled


@pytest.fixture
def judged(app: App, workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """→ a function that opens the page with the judge of a server."""
    opened: list[OpenAICompatible] = []

    def run(server: ChatServer, page: str = PAGE, **params: str) -> AppTest:
        judge = ModelConfig(server.model, server.url, server.key)
        settings = Settings(workspace=workspace.folder, judge=judge)
        opened.append(OpenAICompatible(judge))
        models = pipeline.Models(settings)
        models._asked["judge"] = opened[-1]
        monkeypatch.setattr(state, "settings", lambda: settings)
        monkeypatch.setattr(state, "models", lambda: models)
        return app(page, **params)

    yield run
    for model in opened:
        model._client.close()


def test_a_model_judges_the_claims(judged: Any, workspace: Workspace, tmp_path: Path) -> None:
    asked(workspace, tmp_path)
    claim = {"sentence": 1, "claim": "The lamp is lit.", "aspects": ["attribute"], "objects": [],
             "quotes": []}  # fmt: skip
    ruling = [{"claim1": "hallucination", "reason": f"It is dark. {EVIL}"}]
    with ChatServer(replies=[json.dumps({"claims": [claim]}), json.dumps(ruling)]) as server:
        test = judged(server)
        test.toggle(key="verify-knowledge").set_value(False)
        test.text_area(key="verify-text").set_value("The lamp is lit.")
        test.button(key="verify-check").click().run()
        assert not test.exception
        page = shown(test)
    assert "Judged by tester" in page
    assert "Checking: 22 tokens read, 14 written" in page
    assert "**contradicted** · attribute · It is dark." in page
    raw = "\n".join(str(each.value) for each in (*test.markdown, *test.caption))
    assert not LIVE.search(raw)


def test_a_model_grades_by_the_rubric(judged: Any) -> None:
    with ChatServer(replies=["Feedback: Nearly all is there. [RESULT] 4"]) as server:
        test = judged(server)
        test.button(key="grade-go").click().run()
        assert "Task, response, criterion and all five levels are needed" in shown(test)
        for name in ("instruction", "response", "criterion"):
            test.text_area(key=f"grade-{name}").set_value(f"My {name}")
        for level in range(1, 6):
            test.text_input(key=f"grade-level-{level}").set_value(f"Level text {level}")
        test.button(key="grade-go").click().run()
        assert not test.exception
        sent = json.dumps(server.requests[-1])
    page = shown(test)
    assert ":green[4] of 5" in page
    assert "Level text 4" in page
    assert "Nearly all is there." in page
    assert "My response" in sent


def test_a_file_of_records_is_graded_and_compared_with_the_scores_in_it(judged: Any) -> None:
    replies = [f"Feedback: Good {EVIL} [RESULT] {score}" for score in (4, 2, 1)]
    rows = [
        {"instruction": f"###Record {n}", "orig_score": score, "image": image}
        for n, score, image in ((1, 4, "coco/red.png"), (2, 3, ""), (3, 1, "gone.png"))
    ]
    rows.insert(1, {"instruction": "###Broken", "orig_score": 9})
    with ChatServer(replies=replies) as server:
        test = judged(server)
        test.button_group(key="grade-what").set_value("records").run()
        assert "each record is graded by its own rubric" in shown(test)
        assert test.button(key="grade-file-go").disabled
        file = "\n".join(map(json.dumps, rows)).encode()
        test.file_uploader(key="grade-file").set_value(("p.jsonl", file, "application/json"))
        test.file_uploader(key="grade-pictures").set_value([("red.png", picture(), "image/png")])
        test.run()
        test.button(key="grade-file-go").click().run()
        assert not test.exception
        assert [count_images(each) for each in server.requests] == [1, 0, 0]
        page = shown(test)
        test.number_input(key="grade-limit").set_value(1).run()
        test.button(key="grade-file-go").click().run()
        again = shown(test)
    assert "3 of 4 records have a score" in page
    assert "Beside the scores given, 3 records" in page
    assert "| 0.93 | 1.00 | 1.00 | 67% | 100% |" in page  # r = 39 / 42, by hand
    assert "1 seen · 1 missing · 2 records name none" in page
    assert "tester: 33 tokens read, 21 written" in page
    assert "1 of 1 record has a score" in again
    assert len(test.dataframe[0].value) == 1
    assert not LIVE.search("\n".join(str(each.value) for each in (*test.markdown, *test.caption)))


def test_a_file_that_is_none_is_said(judged: Any) -> None:
    with ChatServer() as server:
        test = judged(server)
        test.button_group(key="grade-what").set_value("records").run()
        test.file_uploader(key="grade-file").set_value(("p.json", b"nonsense", "application/json"))
        test.run()
        test.button(key="grade-file-go").click().run()
        assert "Record 1 of" in shown(test)


def test_a_measured_colour_is_told_as_a_share() -> None:
    whole = Finding("colour", "yellow", None, 0, "i", score=0.004)
    assert measured(whole) == "0% of the picture is yellow"
    assert measured(replace(whole, subject="float", score=0.25)) == "25% of the float is yellow"


@pytest.mark.parametrize("passages", [True, False])
def test_knowledge_that_shares_nothing_with_the_text_says_why_it_is_empty(
    app: App, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, passages: bool
) -> None:
    fake_backend.fill(workspace, tmp_path)
    found = fake_backend.retrieval(workspace)
    found = found if passages else replace(found, passages=(), triplets=(), images=())
    verdict = Verdict(Claim(FIRST, 0, len(FIRST)), "unverifiable", "Nothing.", (), "unverifiable")
    made = Verification(FIRST, "image-to-text", (), (verdict,), (), (ToolReport("knowledge"),),
                        "deterministic")  # fmt: skip
    monkeypatch.setattr(pipeline, "retrieve", lambda *_, **__: found)
    monkeypatch.setattr(pipeline, "verify_picture", lambda *_, **__: made)
    test = app(PAGE)
    test.text_area(key="verify-text").set_value(FIRST)
    test.button(key="verify-check").click().run()
    assert not test.exception
    assert "0 findings" in shown(test)
    assert ("shares neither names nor words" in shown(test)) is passages


def test_what_a_connection_test_finds_holds_from_then_on(
    app: App, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    forgotten: list[bool] = []
    monkeypatch.setattr(state, "forget_models", lambda: forgotten.append(True))
    with ChatServer(images="refused", replies=['{"ok": true}']) as server:
        config = ModelConfig(server.model, server.url, server.key)
        settings = Settings(workspace=workspace.folder, answer=config, judge=config)
        monkeypatch.setattr(state, "settings", lambda: settings)
        test = app(SETTINGS)
        for images, said, times in (("refused", "no pictures", 1), ("any", "text, pictures", 2),
                                    ("any", "text, pictures", 2)):  # fmt: skip
            server.images = images  # the server was started anew
            test.button(key="test-answer").click().run()
            assert not test.exception
            assert said in test.success[0].value.replace("\\", "")
            assert len(forgotten) == times
