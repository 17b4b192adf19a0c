"""Deleting what is being read: the rest goes on, nothing of it stays, and it is said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from brit.config import Settings
from brit.errors import Cancelled, InputError, UnknownName
from brit.pipeline import ingest, read_again
from brit.storage import Workspace
from brit.storage.graph import GraphStore
from brit.types import Progress
from tests.pipeline.conftest import TestModels, write_brochure

STAGES = ("reading", "building", "extracting", "embedding", "reading pictures")


@pytest.fixture
def two_files(tmp_path: Path) -> list[Path]:
    return [
        write_brochure(tmp_path / "first.pdf", product="Zorvex"),
        write_brochure(tmp_path / "second.pdf", product="Quillon"),
    ]


def at_stage(stage: str, act: Callable[[], None]) -> Callable[[Progress], None]:
    """Progress that acts once, when that stage is first told of."""
    acted = False

    def on_progress(progress: Progress) -> None:
        nonlocal acted
        if progress.stage == stage and not acted:
            acted = True
            act()

    return on_progress


def traces(workspace: Workspace) -> dict[str, object]:
    """How many rows each table has, and the files of the workspace."""
    tables = workspace.read.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%\\_%' ESCAPE '\\'"
    ).fetchall()
    rows: dict[str, object] = {
        name: workspace.read.execute(f"SELECT count(*) FROM {name}").fetchone()[0]
        for (name,) in tables
        if name not in ("sqlite_sequence", "collections")
    }
    for store in (workspace.images, workspace.originals):
        rows[store.folder.name] = sorted(p.name for p in store.folder.rglob("*") if p.is_file())
    return rows


@pytest.mark.parametrize("stage", STAGES)
def test_a_document_deleted_while_it_is_read_leaves_no_trace_and_the_rest_goes_on(
    workspace: Workspace, models: TestModels, two_files: list[Path], stage: str
) -> None:
    def delete_first() -> None:
        target = workspace.documents.collection("c").id
        first = next(d for d in workspace.documents.documents(target) if d.name == "first.pdf")
        workspace.documents.delete(first.id)

    report = ingest(
        workspace, two_files, "c", models=models, on_progress=at_stage(stage, delete_first)
    )
    target = workspace.documents.collection("c").id
    assert [d.name for d in workspace.documents.documents(target)] == ["second.pdf"]
    assert report.documents[-1].status == "whole"
    assert not report.failures
    alone = Workspace.open(workspace.folder.parent / "alone")
    ingest(alone, two_files[1:], "c", models=TestModels(Settings(workspace=alone.folder)))
    assert traces(workspace) == traces(alone)


@pytest.mark.parametrize("stage", STAGES)
def test_a_collection_deleted_while_it_is_read_ends_the_reading_and_leaves_no_trace(
    workspace: Workspace, models: TestModels, two_files: list[Path], stage: str
) -> None:
    def delete_all() -> None:
        workspace.documents.delete_collection(workspace.documents.collection("c").id)

    with pytest.raises(InputError, match="“c” was deleted while files were read into it"):
        ingest(workspace, two_files, "c", models=models, on_progress=at_stage(stage, delete_all))
    assert workspace.documents.collections() == []
    assert not any(traces(workspace).values())


def test_a_job_cancelled_by_the_deletion_of_its_collection_leaves_no_trace(
    workspace: Workspace,
    models: TestModels,
    two_files: list[Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The page deletes while the worker embeds: the vectors in hand are kept after that."""
    target = workspace.documents.create_collection("c").id
    put = GraphStore.put_vectors

    def late(store: GraphStore, *vectors: Any) -> None:
        if workspace.documents.has_collection(target):
            workspace.documents.delete_collection(target)
        put(store, *vectors)

    monkeypatch.setattr(GraphStore, "put_vectors", late)
    with pytest.raises(Cancelled):
        ingest(
            workspace,
            two_files,
            "c",
            models=models,
            cancelled=lambda: not workspace.documents.has_collection(target),
        )
    assert not any(traces(workspace).values())


def test_the_jobs_of_a_deleted_collection_go_with_their_uploads(workspace: Workspace) -> None:
    home = workspace.folder / "uploads" / "one"
    home.mkdir(parents=True)
    (home / "a.pdf").write_bytes(b"%PDF-1.7")
    target = workspace.documents.create_collection("c").id
    job = workspace.jobs.add("ingest", "c", {"paths": [str(home / "a.pdf")], "collection": "c"})
    other = workspace.jobs.add("ingest", "d", {"paths": [], "collection": "d"})
    workspace.documents.delete_collection(target)
    assert not home.exists()
    assert [each.id for each in workspace.jobs.jobs()] == [other]
    assert workspace.jobs.cancel_requested(job)
    assert not workspace.jobs.finish(job, "cancelled", "")


def test_a_document_deleted_while_it_is_read_again_is_said_to_be_gone(
    workspace: Workspace, models: TestModels, two_files: list[Path]
) -> None:
    first = ingest(workspace, two_files[:1], "c", models=models).documents[0]
    gone = at_stage("extracting", lambda: workspace.documents.delete(first.id))
    with pytest.raises(UnknownName, match=r"“first\.pdf” was deleted while it was read again"):
        read_again(workspace, first.id, [1], models=models, on_progress=gone)
    assert not any(traces(workspace).values())


def test_a_page_that_is_not_there_cannot_be_read_again(
    workspace: Workspace, models: TestModels, two_files: list[Path]
) -> None:
    first = ingest(workspace, two_files[:1], "c", models=models).documents[0]
    with pytest.raises(InputError, match="has no page 99: its pages are 1 to 3"):
        read_again(workspace, first.id, [2, 99], models=models)


def test_a_picture_the_disk_lost_holds_nothing_up(
    workspace: Workspace, models: TestModels, brochure: Path
) -> None:
    (document,) = ingest(workspace, [brochure], "c", models=models).documents
    lost, *others = workspace.content.document_images(document.id)
    workspace.images.path(lost.file).unlink()
    with workspace.write() as db:
        db.execute("DELETE FROM scene_texts")
    ingest(workspace, [brochure], "c", models=models)
    read = {row["file"] for row in workspace.read.execute("SELECT file FROM scene_texts")}
    assert read == {image.file for image in others}
