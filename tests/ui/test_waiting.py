"""A question before its documents: kept, said, and asked when they are read."""

from collections.abc import Callable
from pathlib import Path

import fake_backend
from streamlit.testing.v1 import AppTest
from test_pages import answer_words

from brit.storage import Workspace
from brit.types import DocumentHead, Progress
from brit.ui.waiting import Waiting

App = Callable[..., AppTest]
QUESTION = "How do I clean it?"
PATHS = {"paths": ["/tmp/more.pdf"], "collection": "Coffee"}


def said(test: AppTest) -> str:
    shown = (str(each.value) for each in (*test.markdown, *test.caption))
    return "\n".join([*shown, *answer_words(test)])


def waiting_app(app: App, workspace: Workspace, job: int | None) -> AppTest:
    test = app()
    collection = workspace.documents.collection("Coffee").id
    test.session_state["waiting-question"] = Waiting(QUESTION, collection, job)
    return test.run()


def test_a_question_before_any_document_is_kept_and_asked_when_one_is_there(
    app: App, workspace: Workspace, tmp_path: Path
) -> None:
    test = app()
    test.chat_input(key="ask-box").set_value(QUESTION).run()
    assert "There is nothing to ask yet" in said(test)
    assert QUESTION in said(test)
    fake_backend.fill(workspace, tmp_path)
    test.run()
    assert not test.exception
    assert "Clean it in two steps" in said(test)
    assert "waiting-question" not in test.session_state


def test_a_question_with_a_file_waits_for_the_file_in_a_filled_collection(
    app: App, workspace: Workspace, tmp_path: Path
) -> None:
    fake_backend.fill(workspace, tmp_path)
    job = workspace.jobs.add("ingest", "Coffee", PATHS)
    test = waiting_app(app, workspace, job)
    assert "Asked as soon as the documents are read:" in said(test)
    assert not workspace.chats.chats(workspace.documents.collection("Coffee").id)
    workspace.jobs.claim()
    workspace.jobs.progress(job, Progress("reading pictures", 1, 9, ""))
    assert "Clean it in two steps" in said(test.run())


def test_a_file_whose_estimate_waits_keeps_its_question_waiting(
    app: App, workspace: Workspace, tmp_path: Path
) -> None:
    fake_backend.fill(workspace, tmp_path)
    job = workspace.jobs.add("ingest", "Coffee", {**PATHS, "estimated": True})
    workspace.jobs.claim()
    workspace.jobs.finish(job, "done", "At most about 12 calls of reader.")
    test = waiting_app(app, workspace, job)
    assert "Its file is read once you agree to the estimate below:" in said(test)
    assert "At most about 12 calls" in said(test)
    assert not workspace.chats.chats(workspace.documents.collection("Coffee").id)


def test_after_a_cancel_it_waits_on_and_after_the_resume_it_is_asked(
    app: App, workspace: Workspace, tmp_path: Path
) -> None:
    fake_backend.fill(workspace, tmp_path)
    job = workspace.jobs.add("ingest", "Coffee", PATHS)
    workspace.jobs.request_cancel(job)
    test = waiting_app(app, workspace, job)
    assert "so this question still waits:" in said(test)
    workspace.jobs.requeue(job)
    workspace.jobs.claim()
    workspace.jobs.finish(job, "done", "")
    assert "Clean it in two steps" in said(test.run())


def test_it_can_be_asked_at_once_or_dropped(app: App, workspace: Workspace, tmp_path: Path) -> None:
    fake_backend.fill(workspace, tmp_path)
    job = workspace.jobs.add("ingest", "Coffee", PATHS)
    dropped = waiting_app(app, workspace, job)
    dropped.button(key="waiting-forget").click().run()
    assert QUESTION not in said(dropped)
    assert not workspace.chats.chats(workspace.documents.collection("Coffee").id)
    asked = waiting_app(app, workspace, job)
    asked.button(key="waiting-now").click().run()
    assert "Clean it in two steps" in said(asked)


def test_a_document_in_hand_is_called_so_and_one_left_lying_too(
    app: App, workspace: Workspace, tmp_path: Path
) -> None:
    fake_backend.fill(workspace, tmp_path)
    target = workspace.documents.collection("Coffee")
    workspace.documents.put_document(
        "half", target.id, "", DocumentHead("b.pdf", "b.pdf", "pdf", 4)
    )
    job = workspace.jobs.add("ingest", "Coffee", PATHS)

    def row() -> dict[str, object]:
        table = app("pages/1_Library.py").dataframe[0].value
        return dict(table[table["name"] == "b.pdf"].iloc[0])

    assert list(row()["status"]) == ["reading"]
    assert row()["reason"] == ""
    workspace.jobs.request_cancel(job)
    assert list(row()["status"]) == ["unfinished"]
    assert str(row()["reason"]).startswith("Not worked through yet")
    opened = app("pages/1_Library.py", doc="half")
    assert any("add the file again" in str(each.value) for each in opened.caption)
