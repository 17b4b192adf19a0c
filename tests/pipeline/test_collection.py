"""A collection opened, and opened again when documents came, changed or went."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from brit import pipeline
from brit.config import RetrievalConfig
from brit.pipeline import collection as opening
from brit.pipeline.collection import OpenCollection
from brit.retrieval.places import read_places
from brit.storage import Workspace
from brit.types import CollectionGraph, Rows
from tests.pipeline.conftest import TestModels, write_brochure


def open_it(
    workspace: Workspace, models: TestModels, previous: OpenCollection | None = None
) -> OpenCollection:
    stamp = workspace.documents.stamp("c")
    return OpenCollection(workspace, stamp, *models.encoders("default"), previous)


def add(workspace: Workspace, models: TestModels, path: Path) -> str:
    (document,) = pipeline.ingest(workspace, [path], "c", models=models).documents
    return document.id


def same_graph(one: CollectionGraph, other: CollectionGraph) -> bool:
    for field in fields(CollectionGraph):
        pair = getattr(one, field.name), getattr(other, field.name)
        if isinstance(pair[0], Rows):
            equal = all(
                np.array_equal(getattr(pair[0], part), getattr(pair[1], part))
                for part in ("start", "items")
            )
        elif isinstance(pair[0], np.ndarray):
            equal = np.array_equal(*pair)
        else:
            equal = field.name == "derived" or pair[0] == pair[1]
        if not equal:
            return False
    return True


def anew(workspace: Workspace, models: TestModels) -> OpenCollection:
    """The collection as the database alone gives it."""
    folder = workspace.folder / "indexes"
    if folder.exists():
        folder.rename(workspace.folder / f"old indexes {len(list(workspace.folder.iterdir()))}")
    return open_it(workspace, models)


@pytest.fixture
def opened(workspace, models, brochure) -> OpenCollection:
    add(workspace, models, brochure)
    return open_it(workspace, models)


def test_an_unchanged_collection_is_only_read(opened, workspace, models, monkeypatch) -> None:
    monkeypatch.setattr(workspace.graph, "rows", None)
    monkeypatch.setattr(workspace.graph, "vectors", None)
    again = open_it(workspace, models)
    assert same_graph(again.graph, opened.graph)
    assert again.nodes.ids == opened.nodes.ids == tuple(opened.graph.node_ids)
    assert len(again.images) == len(again.graph.image_ids) == 3


@pytest.mark.parametrize("kept_open", [True, False])
def test_a_new_document_is_added_to_what_is_there(
    opened, workspace, models, tmp_path, monkeypatch, kept_open
) -> None:
    new = add(workspace, models, write_brochure(tmp_path / "b.pdf", "Kestrel"))
    asked: list[str] = []
    rows = workspace.graph.rows
    monkeypatch.setattr(workspace.graph, "rows", lambda ids: asked.extend(ids) or rows(ids))
    grown = open_it(workspace, models, opened if kept_open else None)
    assert asked == [new]
    whole = anew(workspace, models)
    assert same_graph(grown.graph, whole.graph)
    for name in ("nodes", "relations", "passages", "captions", "images"):
        one, other = getattr(grown, name), getattr(whole, name)
        assert one.ids == other.ids
        np.testing.assert_allclose(one.vectors(one.ids), other.vectors(one.ids), atol=1e-6)
    # What was open before is as it was.
    assert len(opened.nodes) == len(opened.graph.node_ids) < len(grown.graph.node_ids)


def test_text_read_in_pictures_gives_them_new_vectors(workspace, models, brochure) -> None:
    document = add(workspace, models, brochure)
    before = open_it(workspace, models)
    images = [workspace.content.image(id) for id in before.graph.image_ids]
    changed = np.ones((1, models.text_encoder.dim), np.float32)
    workspace.graph.put_vectors(models.text_encoder.name, "caption", [images[0].id], changed)
    workspace.documents.touch(before.collection.id, pictured=[document])
    after = open_it(workspace, models, before)
    np.testing.assert_array_equal(after.captions.vectors([images[0].id]), changed)
    assert after.nodes is before.nodes
    files = sorted(file.name for file in after._folder.glob("caption-*.faiss"))
    assert len(files) == 1


@pytest.mark.parametrize("kept_open", [True, False])
def test_what_a_deleted_document_held_is_in_no_file(
    opened, workspace, models, tmp_path, kept_open
) -> None:
    gone = add(workspace, models, write_brochure(tmp_path / "b.pdf", "Kestrel"))
    both = open_it(workspace, models, opened)
    assert any("Kestrel" in label for label in both.graph.node_labels)
    workspace.documents.delete(gone)
    left = open_it(workspace, models, both if kept_open else None)
    assert not any("Kestrel" in label for label in left.graph.node_labels)
    assert same_graph(left.graph, anew(workspace, models).graph)
    files = [file for file in (workspace.folder / "indexes").rglob("*") if file.is_file()]
    assert files
    assert not any(b"Kestrel" in file.read_bytes() for file in files)


def test_a_document_read_again_is_made_anew(opened, workspace, models) -> None:
    (document,) = workspace.documents.documents(opened.collection.id)
    pipeline.read_again(workspace, document.id, [1], models=models)
    again = open_it(workspace, models, opened)
    assert same_graph(again.graph, anew(workspace, models).graph)
    found = pipeline.retrieve(
        workspace, "Who built the Zorvex pump?", "c", models=models, config=RetrievalConfig()
    )
    assert found.passages


@pytest.mark.parametrize("file", ["graph.npz", "node.faiss", "node.faiss.json"])
def test_a_damaged_file_is_made_again(opened, workspace, models, file) -> None:
    (path,) = (workspace.folder / "indexes").rglob(file)
    path.write_bytes(b"damaged")
    again = open_it(workspace, models)
    assert same_graph(again.graph, opened.graph)
    assert again.nodes.ids == opened.nodes.ids
    assert path.read_bytes() != b"damaged"


def test_little_that_is_new_waits_for_the_next_writing(
    opened, workspace, models, tmp_path, monkeypatch
) -> None:
    (path,) = (workspace.folder / "indexes").rglob("graph.npz")
    before = path.read_bytes()
    add(workspace, models, write_brochure(tmp_path / "b.pdf", "Kestrel"))
    open_it(workspace, models, opened)
    assert path.read_bytes() == before
    monkeypatch.setattr(opening, "UNSAVED", 1)
    open_it(workspace, models, opened)
    assert path.read_bytes() != before


def test_places_of_a_grown_collection_are_read_for_what_is_new(
    workspace: Workspace, models: TestModels, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = add(workspace, models, write_brochure(tmp_path / "a.pdf", "Zorvex"))
    before = open_it(workspace, models)
    read_places(before)
    second = add(workspace, models, write_brochure(tmp_path / "b.pdf", "Corvid"))
    grown = open_it(workspace, models, before)
    read: list[str] = []
    passage = grown.passage
    monkeypatch.setattr(grown, "passage", lambda id: read.append(id) or passage(id))
    places = read_places(grown)
    assert set(read) == set(grown.passage_ids([second]))
    assert vars(places) == vars(read_places(anew(workspace, models)))
    assert {document for document, _ in places.passages_on_page} == {first, second}
    workspace.documents.delete(first)
    after = read_places(open_it(workspace, models, grown))
    assert {document for document, _ in after.passages_on_page} == {second}
