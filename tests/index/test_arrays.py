"""Rows turned into the arrays of a graph, at once and step by step, and their file."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from brit.errors import WorkspaceError
from brit.index import build_collection_graph, extend_graph, load_graph, save_graph
from brit.index.arrays import join_components
from brit.types import CollectionGraph, Rows


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


def flat(graph: CollectionGraph) -> dict[str, list]:
    """All of a graph as lists."""
    parts: dict[str, list] = {}
    for field in fields(graph):
        value = getattr(graph, field.name)
        if isinstance(value, Rows):
            parts |= {f"{field.name} start": value.start.tolist(), field.name: value.items.tolist()}
        elif field.name not in ("derived", "reviewed"):
            parts[field.name] = value if isinstance(value, list) else value.tolist()
    return parts


def random_documents(count: int = 8) -> list[tuple[list, list, list, list, list]]:
    """Documents that share nodes: nodes, edges, links, images and mentions of each."""
    random = np.random.default_rng(5)
    documents = []
    for document in range(count):
        names = [f"n{at}" for at in np.unique(random.integers(0, 60, 15))]
        pairs = random.choice(names, (12, 2))
        documents.append(
            (
                [(name, name.upper(), "TERM") for name in names],
                [
                    (f"e{document}-{at}", a, b, f"r{at % 3 + document}", f"d{document}")
                    for at, (a, b) in enumerate(pairs.tolist())
                ],
                [(f"i{document}", name, "CA", 0.5) for name in names[:4]],
                [(f"i{document}", f"d{document}")],
                [(name, f"d{document}") for name in names],
            )
        )
    return documents


def test_a_graph_grown_by_documents_is_the_graph_built_at_once() -> None:
    documents = random_documents()
    grown = build_collection_graph([], [], [], [], [])
    for document in documents:
        grown = extend_graph(grown, *document)
    nodes, edges, links, images, mentions = (
        [row for document in documents for row in document[part]] for part in range(5)
    )
    whole = build_collection_graph(nodes, edges, links, images, mentions)
    assert flat(grown) == flat(whole)
    assert grown.node_at == whole.node_at


def test_a_known_node_gets_its_new_kind_and_the_old_graph_stays() -> None:
    old = build_collection_graph([("a", "A", "TERM")], [], [], [], [])
    new = extend_graph(old, [("b", "B", "TERM"), ("a", "A", "ORG")], [], [], [], [])
    assert (new.node_ids, new.node_kinds) == (["a", "b"], ["ORG", "TERM"])
    assert (old.node_ids, old.node_kinds) == (["a"], ["TERM"])


def test_an_edge_joins_components_and_they_are_numbered_by_size_again() -> None:
    # Components {0, 1, 2}, {3, 4}, {5}; a new node 6 and the edges 4–5 and 5–6: {3, 4, 5, 6} is
    # now the largest.
    before = np.array([0, 0, 0, 1, 1, 2], np.int32)
    joined = join_components(before, 7, np.array([4, 5], np.int32), np.array([5, 6], np.int32))
    assert joined.tolist() == [1, 1, 1, 0, 0, 0, 0]


def test_the_edges_of_a_node_are_a_row() -> None:
    graph = build_collection_graph(
        [(name, name, "TERM") for name in "abc"],
        [("e0", "a", "b", "r", "d"), ("e1", "c", "a", "r", "d"), ("e2", "a", "c", "r", "d")],
        [], [], [],
    )  # fmt: skip
    # a is the source of e0 and e2 and the target of e1.
    assert graph.incident.row(0).tolist() == [0, 2]
    assert graph.incident.row(1).tolist() == [1]


def test_rows_grow_without_being_sorted_again() -> None:
    rows = Rows.group(np.array([1, 0, 1], np.int32), 2)
    grown = rows.extend(np.array([2, 0, 1], np.int32), 4, np.array([3, 4, 5], np.int32))
    assert [grown.row(at).tolist() for at in range(4)] == [[1, 4], [0, 2, 5], [3], []]


def test_a_graph_is_read_from_its_file(tmp_path: Path) -> None:
    document = random_documents(1)[0]
    document[0].append(("odd", "a\0b\n\ud800", "TERM"))
    graph = build_collection_graph(*document)
    save_graph(tmp_path / "graph.npz", graph, {"d0": 3})
    loaded, versions = load_graph(tmp_path / "graph.npz")
    assert flat(loaded) == flat(graph)
    assert versions == {"d0": 3}


@pytest.mark.parametrize("damage", [b"", b"no archive", b"half"])
def test_a_damaged_file_is_told(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "graph.npz"
    save_graph(path, build_collection_graph([], [], [], [], []), {})
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2] if damage == b"half" else damage)
    with pytest.raises(WorkspaceError, match="made again"):
        load_graph(path)


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(WorkspaceError, match="cannot be written"):
        save_graph(tmp_path / "file" / "g", build_collection_graph([], [], [], [], []), {})
