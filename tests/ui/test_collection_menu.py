"""A collection is copied, saved and its documents replaced from the Library."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import fake_backend
from conftest import FakeRunner
from streamlit.testing.v1 import AppTest

from brit.config import Settings
from brit.pipeline import ingest, save_copy
from brit.storage import Workspace
from brit.types import Mention
from tests.pipeline.conftest import TestModels

App = Callable[..., AppTest]


def test_a_copy_is_a_job_that_adds_the_saved_collection(
    app: App, workspace: Workspace, runner: FakeRunner, tmp_path: Path
) -> None:
    fake_backend.fill(workspace, tmp_path)
    test = app("pages/1_Library.py")
    (field,) = [each for each in test.text_input if each.label == "Copy to a new collection"]
    assert field.value == "Coffee (copy)"
    next(each for each in test.button if each.label == "Copy").click().run()
    assert not test.exception
    ((kind, payload),) = runner.submitted
    assert (kind, payload["collection"]) == ("ingest", "Coffee (copy)")
    (path,) = map(Path, payload["paths"])
    assert path.is_relative_to(workspace.folder / "uploads")
    save_copy(workspace, payload["copies"], path)
    models = TestModels(Settings(workspace=workspace.folder))
    (copied,) = ingest(workspace, [path], "Coffee (copy)", models=models).documents
    (original,) = workspace.documents.documents(workspace.documents.collection("Coffee").id)
    assert (copied.name, copied.figures, copied.nodes) == (
        original.name, original.figures, original.nodes)  # fmt: skip


def test_a_copy_takes_no_name_that_is_taken(
    app: App, workspace: Workspace, runner: FakeRunner, tmp_path: Path
) -> None:
    fake_backend.fill(workspace, tmp_path)
    workspace.documents.create_collection("Tea")
    test = app("pages/1_Library.py", collection=workspace.documents.collection("Coffee").id)
    field = next(each for each in test.text_input if each.label == "Copy to a new collection")
    field.set_value("Tea")
    next(each for each in test.button if each.label == "Copy").click().run()
    assert "There is a collection “Tea” already" in "\n".join(e.value for e in test.error)
    assert runner.submitted == []


def test_a_document_is_replaced_once_the_new_one_is_there(
    app: App, workspace: Workspace, runner: FakeRunner, tmp_path: Path
) -> None:
    document = fake_backend.fill(workspace, tmp_path)
    test = app("pages/1_Library.py", doc=document)
    file = ("new.pdf", b"%PDF-1.7", "application/pdf")
    test.file_uploader(key=f"replace-{document}-0").set_value([file]).run()
    assert not test.exception
    ((_, payload),) = runner.submitted
    assert (payload["replaces"], payload["collection"]) == ([document], "Coffee")
    assert workspace.documents.exists(document)


def test_two_documents_are_compared(app: App, workspace: Workspace, tmp_path: Path) -> None:
    first = fake_backend.fill(workspace, tmp_path)
    other = fake_backend.fill(workspace, tmp_path, "<img src=x onerror=alert(1)>.pdf")
    said = [Mention(f"n9-{first}", "block", "spout")]  # a node of the first document
    workspace.graph.put_document_graph(other, mentions=said, edges=[], links=[])
    test = app("pages/1_Library.py", doc=first)
    (choice,) = [each for each in test.selectbox if each.label == "Compare with"]
    choice.select_index(0).run()
    assert not test.exception
    shared, here, _ = [each.value for each in test.dataframe if "Name" in each.value.columns]
    assert shared.values.tolist() == [["Spout", 1, 1]]
    assert shared.columns[2].strip() == "<img src=x onerror=alert(1)>.pdf"
    assert "Spout" not in set(here["Name"])
    assert "Blue container" in set(here["Name"])
