"""Vectors under string ids, and rows turned into the arrays of a graph."""

from __future__ import annotations

import numpy as np
import pytest

from brit.errors import EncoderMismatch, WorkspaceError
from brit.index import FlatIndex, build_collection_graph


@pytest.fixture
def index() -> FlatIndex:
    """Four unit vectors at 0, 30, 60 and 90 degrees."""
    angles = np.radians([0, 30, 60, 90])
    index = FlatIndex("enc", 2)
    index.add(["a", "b", "c", "d"], np.stack([np.cos(angles), np.sin(angles)], axis=1))
    return index


def ids(hits: list[tuple[str, float]]) -> list[str]:
    return [id for id, _ in hits]


EAST = np.array([[1.0, 0.0]], np.float32)


def test_search_gives_cosines_best_first(index: FlatIndex) -> None:
    (hits,) = index.search(EAST, 3)
    assert ids(hits) == ["a", "b", "c"]
    assert [score for _, score in hits] == pytest.approx([1, 0.8660254, 0.5], abs=1e-6)


def test_search_answers_each_query(index: FlatIndex) -> None:
    found = index.search(np.array([[1, 0], [0, 1]], np.float32), 1)
    assert [ids(hits) for hits in found] == [["a"], ["d"]]


def test_search_stays_within_allowed_ids(index: FlatIndex) -> None:
    assert ids(index.search(EAST, 3, ["d", "c", "unknown"])[0]) == ["c", "d"]
    assert index.search(EAST, 3, []) == [[]]


def test_nothing_to_search(index: FlatIndex) -> None:
    assert index.search(EAST, 0) == [[]]
    assert FlatIndex("enc", 2).search(EAST, 3) == [[]]
    assert index.search(np.full((1, 2), np.nan, np.float32), 3) == [[]]


def test_removed_ids_are_gone_and_the_others_keep_their_vectors(index: FlatIndex) -> None:
    index.remove(["b", "unknown"])
    assert len(index) == 3
    assert ids(index.search(EAST, 9)[0]) == ["a", "c", "d"]
    np.testing.assert_allclose(index.vectors(["d", "a"]), [[0, 1], [1, 0]], atol=1e-6)
    with pytest.raises(KeyError):
        index.vectors(["b"])


def test_adding_an_id_again_replaces_its_vector(index: FlatIndex) -> None:
    index.add(["d"], EAST)
    assert len(index) == 4
    np.testing.assert_allclose(index.vectors(["d"]), EAST)


def test_vectors_of_another_width_are_refused(index: FlatIndex) -> None:
    with pytest.raises(EncoderMismatch, match="2 numbers, not 3"):
        index.add(["e"], np.ones((1, 3), np.float32))


def test_saved_and_loaded(index: FlatIndex, tmp_path) -> None:
    path = tmp_path / "nodes.faiss"
    index.save(path)
    loaded = FlatIndex.load(path, "enc", 2)
    assert loaded.ids == ("a", "b", "c", "d")
    assert loaded.search(EAST, 2) == index.search(EAST, 2)


@pytest.mark.parametrize(("encoder", "dim"), [("other", 2), ("enc", 3)])
def test_loading_vectors_of_another_encoder_fails(index, tmp_path, encoder, dim) -> None:
    index.save(tmp_path / "nodes.faiss")
    with pytest.raises(EncoderMismatch, match="made by enc"):
        FlatIndex.load(tmp_path / "nodes.faiss", encoder, dim)


@pytest.mark.parametrize("damage", ["missing", "text", "short"])
def test_loading_a_damaged_file_says_what_to_do(index, tmp_path, damage) -> None:
    path = tmp_path / "nodes.faiss"
    index.save(path)
    if damage == "missing":
        path.unlink()
    elif damage == "text":
        path.write_text("no index")
    else:
        sidecar = path.with_name("nodes.faiss.json")
        sidecar.write_text('{"encoder": "enc", "dim": 2, "ids": ["a"]}')
    with pytest.raises(WorkspaceError, match="rebuild"):
        FlatIndex.load(path, "enc", 2)


def test_rows_become_arrays() -> None:
    graph = build_collection_graph(
        nodes=[(name, name.upper(), "TERM") for name in "abcdef"],
        edges=[
            ("e1", "e", "f", "near", "d1"),
            ("e2", "b", "c", "has", "d2"),
            ("e3", "c", "d", "near", "d1"),
        ],
        links=[("i1", "a", "CA", 1.0), ("i2", "b", "LS", 0.5), ("logo", "b", "SI", 0.9)],
        images=[("i1", "d1"), ("i2", "d2")],
        mentions=[("a", "d1"), ("b", "d2"), ("a", "d1")],
    )
    assert graph.node_labels == ["A", "B", "C", "D", "E", "F"]
    assert graph.relations == ["near", "has"]
    assert graph.edge_relation.tolist() == [0, 1, 0]
    assert graph.edge_source.tolist() == [4, 1, 2]
    # {b, c, d} is the largest, then {e, f}, then a alone.
    assert graph.component.tolist() == [2, 0, 0, 0, 1, 1]
    assert graph.component_count == 3
    # The link of the logo, which is no image of retrieval, is left out.
    assert graph.link_image.tolist() == [0, 1]
    assert graph.link_kind.tolist() == [0, 3]
    assert graph.documents == ["d1", "d2"]
    assert graph.edge_document.tolist() == [0, 1, 0]
    assert graph.image_document.tolist() == [0, 1]
    assert list(zip(graph.mention_node, graph.mention_document, strict=True)) == [(0, 0), (1, 1)]


def test_a_graph_of_nothing() -> None:
    graph = build_collection_graph([], [], [], [], [])
    assert graph.component_count == 0
    assert graph.link_score.shape == (0,)


def test_an_edge_of_an_unknown_node_is_an_error() -> None:
    with pytest.raises(KeyError):
        build_collection_graph([("a", "A", "TERM")], [("e", "a", "b", "has", "d")], [], [], [])


def test_vectors_that_cannot_be_written_are_told(tmp_path):
    with pytest.raises(WorkspaceError, match="cannot be written"):
        FlatIndex("e", 2).save(tmp_path / "gone" / "a.faiss")
