"""Ingestion: complete, once, resumable, and clean about what it cannot read."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import networkx
import pymupdf
import pytest

from brit.config import EncoderConfig, Settings
from brit.errors import Cancelled, InputError, UnknownName
from brit.pipeline import Models, answer, document_id, ingest, page_image, retrieve
from brit.pipeline.collection import OpenCollection
from brit.storage import Workspace
from brit.storage.export import graph_data
from brit.types import Progress
from tests.pipeline.conftest import TestModels, write_brochure

# The package exports the function of the same name.
ingest_module = sys.modules["brit.pipeline.ingestion"]


def graph_of(workspace: Workspace, name: str) -> dict[str, list[dict[str, object]]]:
    return graph_data(workspace, workspace.documents.collection(name).id)


def test_a_brochure_becomes_a_linked_graph(
    workspace: Workspace, models: TestModels, brochure: Path
) -> None:
    report = ingest(workspace, [brochure], "c", models=models)
    document = report.documents[0]
    assert (document.status, document.pages, document.figures, document.captions) == (
        "whole", 3, 3, 3)  # fmt: skip
    data = graph_of(workspace, "c")
    labels = {node["label"].lower() for node in data["nodes"]}
    assert any("zorvex" in label for label in labels)
    assert {link["kind"] for link in data["links"]} == {"CA", "SI", "LP", "LS"}
    similar = [link for link in data["links"] if link["kind"] == "SI"]
    assert len(similar) <= 3 * 3
    assert set(report.stages) >= {"reading", "extraction", "embedding", "linking", "scene text"}
    assert report.peak_mb > 0


def test_the_first_question_reads_files_and_makes_none(
    workspace: Workspace, models: TestModels, brochure: Path
) -> None:
    report = ingest(workspace, [brochure], "c", models=models)
    folder = workspace.folder / "indexes"
    written = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}
    assert {"graph", "node", "relation", "passage"} <= {path.stem for path in written}
    assert "indexing" in report.stages
    retrieve(workspace, "What?", "c", models=models)
    now = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}
    assert now == written


def test_without_room_for_files_questions_are_answered(
    workspace: Workspace, models: TestModels, brochure: Path
) -> None:
    (workspace.folder / "indexes").write_text("no folder can be made here")
    assert ingest(workspace, [brochure], "c", models=models).documents[0].status == "whole"
    assert retrieve(workspace, "What?", "c", models=models).passages


@pytest.mark.parametrize("whole", [False, True])
def test_what_is_deleted_while_files_are_written_is_no_fault_of_the_rest(
    workspace: Workspace,
    models: TestModels,
    brochure: Path,
    monkeypatch: pytest.MonkeyPatch,
    whole: bool,
) -> None:
    open_indexes = OpenCollection._open_indexes

    def deleted(self: OpenCollection, previous: OpenCollection | None) -> None:
        for id in workspace.documents.versions(self.collection.id):
            workspace.documents.delete(id)
        if whole:
            workspace.documents.delete_collection(self.collection.id)
        open_indexes(self, previous)

    monkeypatch.setattr(OpenCollection, "_open_indexes", deleted)
    if whole:
        with pytest.raises(InputError, match="was deleted while"):
            ingest(workspace, [brochure], "c", models=models)
        return
    ingest(workspace, [brochure], "c", models=models)
    assert workspace.documents.collections() == []  # as one that was made for nothing


def test_adding_twice_changes_nothing(
    workspace: Workspace, models: TestModels, brochure: Path
) -> None:
    ingest(workspace, [brochure], "c", models=models)
    before, version = graph_of(workspace, "c"), workspace.documents.collection("c").version
    calls = models.reader.calls
    ingest(workspace, [brochure], "c", models=models)
    assert graph_of(workspace, "c") == before
    assert workspace.documents.collection("c").version == version
    assert models.reader.calls == calls


def test_a_document_that_another_process_finished_first_is_left_as_it_is(
    workspace: Workspace, models: TestModels, brochure: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = ingest_module.build_document

    def late(*arguments: Any) -> None:
        monkeypatch.setattr(ingest_module, "build_document", original)
        ingest(workspace, [brochure], "c", models=TestModels(models.settings))
        original(*arguments)

    monkeypatch.setattr(ingest_module, "build_document", late)
    report = ingest(workspace, [brochure], "c", models=models)
    assert [each.status for each in report.documents] == ["whole"]
    other = Workspace.open(workspace.folder.parent / "alone")
    ingest(other, [brochure], "c", models=TestModels(models.settings))
    for kind in ("nodes", "edges", "links"):
        assert len(graph_of(workspace, "c")[kind]) == len(graph_of(other, "c")[kind])


def test_a_cancelled_ingestion_goes_on_where_it_stopped(
    workspace: Workspace, models: TestModels, tmp_path: Path
) -> None:
    path = write_brochure(tmp_path / "long.pdf", pages=5)
    seen: list[Progress] = []
    with pytest.raises(Cancelled):
        ingest(
            workspace, [path], "c", models=models, on_progress=seen.append,
            cancelled=lambda: any(p.stage == "reading" and p.done == 2 for p in seen),
        )  # fmt: skip
    collection = workspace.documents.collection("c")
    halted = workspace.documents.documents(collection.id)[0]
    assert workspace.content.pages_done(halted.id) == {1, 2}
    assert retrieve(workspace, "What?", "c", models=models).trace.unread == ("long.pdf",)
    seen.clear()
    ingest(workspace, [path], "c", models=models, on_progress=seen.append)
    assert min(p.done for p in seen if p.stage == "reading") == 2
    assert retrieve(workspace, "What?", "c", models=models).trace.unread == ()
    resumed = graph_of(workspace, "c")
    other = Workspace.open(tmp_path / "undisturbed")
    ingest(other, [path], "c", models=TestModels(models.settings))
    undisturbed = graph_of(other, "c")
    for kind in ("nodes", "edges", "links"):
        assert len(resumed[kind]) == len(undisturbed[kind])


def test_what_cannot_be_read_leaves_a_line_in_the_ledger_and_nothing_else(
    workspace: Workspace, models: TestModels, brochure: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"not a pdf at all")
    empty = tmp_path / "empty.pdf"
    empty.touch()
    locked = tmp_path / "locked.pdf"
    document = pymupdf.open(brochure)
    document.save(locked, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="u", owner_pw="o")
    document.close()
    report = ingest(workspace, [broken, empty, locked, brochure], "c", models=models)
    assert [each.status for each in report.documents] == ["refused", "refused", "password", "whole"]
    assert all(each.reason.endswith(".") for each in report.failures)
    collection = workspace.documents.collection("c")
    listed = workspace.documents.documents(collection.id)
    assert [(each.name, each.status) for each in listed] == [
        ("broken.pdf", "refused"), ("empty.pdf", "refused"), ("locked.pdf", "password"),
        ("zorvex.pdf", "whole")]  # fmt: skip
    assert [each.reason for each in listed] == [each.reason for each in report.documents]
    assert collection.documents == 1
    assert list(workspace.documents.names(collection.id).values()) == ["zorvex.pdf"]
    kept = [path for path in (workspace.folder / "originals").rglob("*") if path.is_file()]
    assert len(kept) == 1

    broken.write_bytes(brochure.read_bytes())
    ingest(workspace, [broken], "c", models=models)
    ingest(workspace, [locked], "c", models=models, password="u")
    workspace.documents.delete(next(each.id for each in listed if each.name == "empty.pdf"))
    listed = workspace.documents.documents(collection.id)
    assert [(each.name, each.status) for each in listed] == [
        ("zorvex.pdf", "whole"), ("broken.pdf", "whole"), ("locked.pdf", "whole")]  # fmt: skip


def test_a_password_opens_an_encrypted_document_and_is_kept_nowhere(
    workspace: Workspace, models: TestModels, brochure: Path, tmp_path: Path
) -> None:
    locked = tmp_path / "locked.pdf"
    document = pymupdf.open(brochure)
    secret = "s3cret-Zq9"
    document.save(locked, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw=secret, owner_pw="o")
    document.close()
    report = ingest(workspace, [locked], "c", models=models, password=secret)
    assert report.documents[0].status == "whole"
    for path in workspace.folder.rglob("*"):
        if path.is_file():
            assert secret.encode() not in path.read_bytes()


def test_nothing_readable_makes_no_collection(
    workspace: Workspace, models: TestModels, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="no file or folder"):
        ingest(workspace, [tmp_path / "missing"], "c", models=models)
    (tmp_path / "notes").mkdir()
    with pytest.raises(InputError, match="holds nothing BRIT can read"):
        ingest(workspace, [tmp_path / "notes"], "c", models=models)
    assert workspace.documents.collections() == []


def test_a_code_word_leads_to_its_picture(
    workspace: Workspace, models: TestModels, brochure: Path, tmp_path: Path
) -> None:
    other = write_brochure(tmp_path / "kalmin.pdf", "Kalmin")
    ingest(workspace, [brochure, other], "c", models=models)
    found = retrieve(workspace, "What does the Kalmin pump look like?", "c", models=models).images
    assert found[0].document == "kalmin.pdf"
    assert found[0].link in ("CA", "LS", "LP")
    only = retrieve(workspace, "Which pump?", "c", models=models, documents=["zorvex.pdf"])
    shown = {each.document for each in (*only.images, *only.passages, *only.triplets)}
    assert shown == {"zorvex.pdf"}
    with pytest.raises(UnknownName, match=r"no document “x.pdf”"):
        retrieve(workspace, "Which?", "c", models=models, documents=["x.pdf"])
    with pytest.raises(UnknownName, match=r"no collection “d”"):
        retrieve(workspace, "Which?", "d", models=models)


def test_an_answer_quotes_and_cites_its_page(
    workspace: Workspace, models: TestModels, brochure: Path
) -> None:
    ingest(workspace, [brochure], "c", models=models)
    question = "Where was the Zorvex pump built?"
    retrieval = retrieve(workspace, question, "c", models=models)
    stream = answer(question, retrieval, models=models)
    text = "".join(stream)
    assert "Tromsø" in text
    assert stream.answer.model == "extractive"
    first = stream.answer.citations[0]
    assert first.document == "zorvex.pdf"
    assert first.page is not None
    collection = workspace.documents.collection("c")
    id = document_id(workspace, collection.id, "zorvex.pdf")
    image = page_image(workspace, id, first.page, [first.bbox] if first.bbox else [])
    assert image.startswith(b"\x89PNG")


def test_deleting_a_document_leaves_the_others_as_they_were(
    workspace: Workspace, models: TestModels, brochure: Path, tmp_path: Path
) -> None:
    ingest(workspace, [brochure], "c", models=models)
    before = graph_of(workspace, "c")
    other = write_brochure(tmp_path / "kalmin.pdf", "Kalmin")
    ingest(workspace, [other], "c", models=models)
    collection = workspace.documents.collection("c")
    workspace.documents.delete(document_id(workspace, collection.id, "kalmin.pdf"))
    after = graph_of(workspace, "c")
    assert {n["id"] for n in after["nodes"]} == {n["id"] for n in before["nodes"]}
    assert after["edges"] == before["edges"]
    assert after["links"] == before["links"]
    assert retrieve(workspace, "Kalmin", "c", models=models).images[0].document == "zorvex.pdf"


def test_a_damaged_dump_gives_what_stands_before_the_damage(
    workspace: Workspace, models: TestModels, tmp_path: Path
) -> None:
    page = (
        "<page><title>{0}</title><ns>0</ns><id>{1}</id><revision><id>{1}</id><timestamp>"
        "2022-08-21T17:49:01Z</timestamp><text>The {0} wiki page.</text></revision></page>"
    )
    dump = tmp_path / "dump.xml"
    dump.write_text(
        '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11">'
        "<siteinfo><sitename>T</sitename><dbname>t</dbname><base>b</base><generator>g</generator>"
        '<case>first-letter</case><namespaces><namespace key="0" case="first-letter"/>'
        "</namespaces></siteinfo>"
        + page.format("Alpha", 1) + page.format("Beta", 2) + "<page><title>Gam"
    )  # fmt: skip
    report = ingest(workspace, [tmp_path], "c", models=models)
    assert [(d.name, d.status) for d in report.documents] == [
        ("Alpha", "whole"), ("Beta", "whole"), ("dump.xml", "refused")]  # fmt: skip
    names = workspace.documents.documents(workspace.documents.collection("c").id)
    assert [(each.name, each.source, each.ready) for each in names] == [
        ("Alpha", "dump.xml", True), ("Beta", "dump.xml", True), ("dump.xml", "dump.xml", False),
    ]  # fmt: skip


def test_a_fault_in_one_document_costs_that_document_only(
    workspace: Workspace,
    models: TestModels,
    brochure: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bad = write_brochure(tmp_path / "bad.pdf", "Kalmin")
    build = ingest_module.build_document

    def build_or_fail(workspace: Workspace, collection: object, id: str, *rest: object) -> None:
        if workspace.documents.document(id).name == "bad.pdf":
            raise IndexError("made up")
        build(workspace, collection, id, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(ingest_module, "build_document", build_or_fail)
    report = ingest(workspace, [bad, brochure], "c", models=models)
    assert [each.status for each in report.documents] == ["refused", "whole"]
    assert report.failures[0].reason == (
        "Building its graph failed (IndexError): add it again to retry."
    )
    monkeypatch.undo()
    report = ingest(workspace, [bad, brochure], "c", models=models)
    assert [each.status for each in report.documents] == ["whole", "whole"]


def test_progress_tells_the_document_and_never_runs_backwards(
    workspace: Workspace, models: TestModels, brochure: Path
) -> None:
    seen: list[Progress] = []
    ingest(workspace, [brochure], "c", models=models, on_progress=seen.append)
    embedding = [each for each in seen if each.stage == "embedding"]
    assert {each.detail for each in embedding} == {"zorvex.pdf"}
    assert [each.done for each in embedding] == sorted(each.done for each in embedding)
    assert embedding[-1].done == embedding[-1].total


def test_disjoint_components_are_counted(
    workspace: Workspace, models: TestModels, brochure: Path
) -> None:
    ingest(workspace, [brochure], "c", models=models)
    data = graph_of(workspace, "c")
    graph = networkx.Graph()
    graph.add_nodes_from(node["id"] for node in data["nodes"])
    graph.add_edges_from((edge["source"], edge["target"]) for edge in data["edges"])
    counted = workspace.documents.collection("c").components
    assert counted == networkx.number_connected_components(graph) > 0


def test_a_refused_file_never_costs_a_collection(
    workspace: Workspace, models: TestModels, brochure: Path, tmp_path: Path
) -> None:
    ingest(workspace, [brochure], "c", models=models)
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"junk")
    for name in ("c", "  c ", "c\t"):
        ingest(workspace, [broken], name, models=models)
        assert workspace.documents.collection("c").documents == 1


def test_a_missing_encoder_is_said_before_anything_is_kept(
    workspace: Workspace, brochure: Path
) -> None:
    encoders = EncoderConfig(text_encoder="nonsense")
    wrong = Models(Settings(workspace=workspace.folder, encoders=encoders))
    with pytest.raises(UnknownName, match="nonsense"):
        ingest(workspace, [brochure], "c", models=wrong)
    assert workspace.documents.collections() == []


def test_a_file_of_unknown_kind_is_told_what_is_read(
    workspace: Workspace, models: TestModels, brochure: Path, tmp_path: Path
) -> None:
    (tmp_path / "note.xyz").write_text("hello")
    (tmp_path / "brochure").write_bytes(brochure.read_bytes())
    report = ingest(workspace, [tmp_path / "note.xyz", tmp_path / "brochure"], "c", models=models)
    assert [each.status for each in report.documents] == ["refused", "whole"]
    assert report.failures[0].reason.startswith("“.xyz” is no kind of file BRIT reads: .pdf")


def test_evidence_tells_which_of_two_documents_of_one_name_it_is_from(
    workspace: Workspace, models: TestModels, tmp_path: Path
) -> None:
    paths = [tmp_path / folder / "same.pdf" for folder in ("a", "b")]
    for path, product in zip(paths, ("Zorvex", "Quillon"), strict=True):
        path.parent.mkdir()
        write_brochure(path, product=product)
    _, second = ingest(workspace, paths, "c", models=models).documents
    found = retrieve(workspace, "What does the Quillon pump move?", "c", models=models)
    about = [each for each in (*found.passages, *found.triplets) if "Quillon" in each.text]
    assert about
    assert {each.document_id for each in about} == {second.id}
    shown = [image for image in found.images if "Quillon" in image.caption]
    assert {image.document_id for image in shown} == {second.id}


def test_a_document_goes_once_its_newer_version_can_be_asked_about(
    workspace: Workspace, models: TestModels, brochure: Path, tmp_path: Path
) -> None:
    (old,) = ingest(workspace, [brochure], "c", models=models).documents
    (tmp_path / "broken.pdf").write_bytes(b"no PDF")
    ingest(workspace, [tmp_path / "broken.pdf"], "c", models=models, replaces=[old.id])
    ingest(workspace, [brochure], "c", models=models, replaces=[old.id])
    assert workspace.documents.exists(old.id)  # neither is a newer version
    newer = write_brochure(tmp_path / "zorvex.pdf", "Kalmin", 1)
    (new,) = ingest(workspace, [newer], "c", models=models, replaces=[old.id]).documents
    assert not workspace.documents.exists(old.id)
    passages = workspace.content.passages(new.collection)
    assert {each.document for each in passages} == {new.id}
