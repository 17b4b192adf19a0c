"""Ragged rows, and graphs seen through some of their documents."""

from __future__ import annotations

import numpy as np

from brit.index import build_collection_graph
from brit.retrieval.scope import open_scope
from brit.retrieval.subgraph import connected_parts, inner_edges, neighbourhood
from brit.retrieval.traverse import best_links_to_images, links_of_image
from brit.types import CollectionGraph, Rows


def make_graph() -> CollectionGraph:
    """a–b in d1, b–c in d2, d in d2 alone; i1 in d1 linked to b, i2 in d2 linked to b and d."""
    return build_collection_graph(
        [(name, name, "TERM") for name in "abcd"],
        [("ab", "a", "b", "has", "d1"), ("bc", "b", "c", "has", "d2")],
        [
            ("i1", "b", "CA", 1.0),
            ("i2", "b", "LP", 0.2),
            ("i2", "b", "SI", 0.9),
            ("i2", "d", "SI", 0.8),
        ],
        [("i1", "d1"), ("i2", "d2")],
        [("a", "d1"), ("b", "d1"), ("b", "d2"), ("c", "d2"), ("d", "d2")],
    )


def test_rows_are_gathered_one_after_the_other() -> None:
    rows = Rows.group(np.array([2, 0, 2, 1], np.int32), 4)
    owner, items = rows.gather(np.array([2, 3, 0], np.int32))
    assert owner.tolist() == [0, 0, 2]
    assert items.tolist() == [0, 2, 1]


def test_the_whole_collection() -> None:
    scope = open_scope(make_graph())
    assert scope.node_ids is None
    assert scope.component.tolist() == [0, 0, 0, 1]
    assert scope.members.row(0).tolist() == [0, 1, 2]
    assert scope.component_edges.row(0).tolist() == [0, 1]
    assert sorted(scope.incident.row(1).tolist()) == [0, 1]


def test_one_document_has_its_own_nodes_edges_images_and_components() -> None:
    scope = open_scope(make_graph(), ["d2"])
    assert scope.node_ids == ["b", "c", "d"]
    assert scope.image_ids == ["i2"]
    assert scope.edges.tolist() == [1]
    assert scope.component[0] == -1
    assert scope.component[1] == scope.component[2] != scope.component[3]
    assert [step.link for step in links_of_image(scope, 1, ("LP", "SI"))] == ["SI", "SI"]
    assert links_of_image(scope, 0, ("CA",)) == []


def test_a_scope_is_built_once() -> None:
    graph = make_graph()
    assert open_scope(graph, ["d2", "d1"]) is open_scope(graph, ["d1", "d2", "d1"])


def test_an_image_is_reached_by_its_most_similar_node() -> None:
    scope = open_scope(make_graph())
    nodes = np.array([1, 3], np.int32)
    steps = best_links_to_images(scope, nodes, np.array([0.5, 0.7]), ("CA", "SI", "LP"))
    assert [(step.image, step.node, step.link) for step in steps] == [(1, 3, "SI"), (0, 1, "CA")]


def test_a_neighbourhood_stops_at_its_limit() -> None:
    star = build_collection_graph(
        [(str(n), str(n), "TERM") for n in range(50)],
        [(f"e{n}", "0", str(n), "has", "d") for n in range(1, 50)],
        [], [], [(str(n), "d") for n in range(50)],
    )  # fmt: skip
    scope = open_scope(star)
    assert neighbourhood(scope, np.array([7], np.int32)).tolist() == list(range(50))
    few = neighbourhood(scope, np.array([7], np.int32), limit=10)
    assert len(few) == 10
    assert {0, 7} <= set(few.tolist())
    assert len(inner_edges(scope, few)) == 9


def test_parts_of_a_neighbourhood() -> None:
    scope = open_scope(make_graph())
    nodes = np.array([0, 1, 3], np.int32)
    parts = connected_parts(scope, nodes, inner_edges(scope, nodes))
    assert [(some.tolist(), edges.tolist()) for some, edges in parts] == [([0, 1], [0]), ([3], [])]
