"""The graphs show the trace, whole and nothing else."""

import json
from dataclasses import replace

import fake_backend
import pytest

from brit.types import Retrieval, TraceEdge, TraceNode
from brit.ui.evidence import list_evidence
from brit.ui.evidence_panel import evidence_behind, legend
from brit.ui.graph_layout import layered, spread
from brit.ui.graph_spec import (
    MOST_NODES,
    GraphEdge,
    GraphNode,
    GraphSpec,
    NodeKind,
    path_spec,
    subgraph_spec,
)
from brit.ui.graph_view import cut_label, vis_config, vis_data
from brit.ui.theme import PALETTES

FOUND = fake_backend.retrieval()
ANSWERED = fake_backend.answer_of(FOUND)


def ids(spec: GraphSpec, state: str | None = None) -> set[str]:
    return {node.id for node in spec.nodes if state in (None, node.state)}


def ends(spec: GraphSpec, state: str) -> set[tuple[str, str]]:
    return {(edge.source, edge.target) for edge in spec.edges if edge.state == state}


def large(count: int) -> Retrieval:
    nodes = tuple(TraceNode(f"x{i}", f"Node {i}", "TERM", 0.5, "pcst") for i in range(count))
    edges = tuple(TraceEdge(f"y{i}", f"x{i}", f"x{i + 1}", "r", 0.1) for i in range(count - 1))
    return replace(FOUND, trace=replace(FOUND.trace, nodes=nodes, edges=edges))


def test_used_are_the_cited_pictures_and_passages_and_the_way_to_them() -> None:
    used = ids(path_spec(FOUND, ANSWERED), "used")
    assert {"q", "i:i0-doc", "i:i1-doc", "p:p0-doc", "p:p2-doc"} <= used
    assert {"n:n2-doc", "n:n3-doc", "n:n0-doc", "n:n4-doc"} <= used
    assert "i:i2-doc" not in used


def test_the_way_to_a_picture_goes_through_its_triplets() -> None:
    used = ends(path_spec(FOUND, ANSWERED), "used")
    assert {("q", "n:n2-doc"), ("n:n2-doc", "n:n3-doc"), ("n:n3-doc", "i:i0-doc")} <= used


def test_dropped_matches_and_pictures_are_shown_as_dropped() -> None:
    assert ids(path_spec(FOUND, ANSWERED), "dropped") == {"n:n8-doc", "i:i3-doc"}


def test_without_an_answer_nothing_but_the_question_is_used() -> None:
    assert ids(path_spec(FOUND, None), "used") == {"q"}


def test_the_sub_graph_holds_every_retrieved_node_and_triplet() -> None:
    spec = subgraph_spec(FOUND, ANSWERED)
    assert {f"n:n{i}-doc" for i in range(7)} <= ids(spec)
    between = {frozenset((e.source, e.target)) for e in spec.edges}
    for edge in FOUND.trace.edges:
        known = {f"n:{edge.source}", f"n:{edge.target}"}
        assert not known <= ids(spec) or frozenset(known) in between


@pytest.mark.parametrize("make", [path_spec, subgraph_spec])
@pytest.mark.parametrize("found", [FOUND, large(400)])
def test_ids_are_unique_edges_have_ends_and_the_cap_holds(make, found) -> None:  # type: ignore[no-untyped-def]
    spec = make(found, None)
    assert len(ids(spec)) == len(spec.nodes) <= MOST_NODES
    assert all({edge.source, edge.target} <= ids(spec) for edge in spec.edges)


@pytest.mark.parametrize("lay_out", [layered, spread])
def test_no_two_nodes_stand_on_each_other(lay_out) -> None:  # type: ignore[no-untyped-def]
    spec = lay_out(subgraph_spec(FOUND, ANSWERED))
    places = [(node.x, node.y) for node in spec.nodes]
    assert all(
        abs(a[0] - b[0]) + abs(a[1] - b[1]) > 15 for i, a in enumerate(places) for b in places[:i]
    )


def test_the_path_runs_from_left_to_right() -> None:
    x = {node.id: node.x for node in layered(path_spec(FOUND, ANSWERED)).nodes}
    assert x["q"] < x["n:n2-doc"] < x["n:n3-doc"] < x["i:i0-doc"]


def test_names_a_picture_leads_to_stand_behind_it() -> None:
    kinds: tuple[tuple[str, NodeKind], ...] = (
        ("q", "question"), ("i:a", "image"), ("n:b", "node"),
        *((f"n:{i}", "node") for i in range(5)),
    )  # fmt: skip
    nodes = tuple(GraphNode(id, kind, id, "kept") for id, kind in kinds)
    ends = (("q", "i:a"), ("i:a", "n:b"), *(("q", f"n:{i}") for i in range(5)))
    edges = tuple(GraphEdge(source, target, "", "kept") for source, target in ends)
    x = {node.id: node.x for node in layered(GraphSpec(nodes, edges)).nodes}
    assert x["q"] < x["n:0"] < x["i:a"] < x["n:b"]


def test_a_large_graph_is_wider_apart_with_words_of_the_same_size() -> None:
    spec = layered(path_spec(FOUND, ANSWERED))
    plain, large = (
        vis_data(spec, PALETTES["light"], lambda _: "", layered=True, large=each)["nodes"]
        for each in (False, True)
    )
    for one, other in zip(plain, large, strict=True):
        assert other["x"] == pytest.approx(1.35 * one["x"])
        assert other.get("font") == one.get("font")


def test_nodes_are_drawn_without_titles_even_for_hostile_labels() -> None:
    hostile = "<img src=x onerror=alert(1)>"
    nodes = tuple(replace(node, label=hostile) for node in FOUND.trace.nodes)
    found = replace(FOUND, trace=replace(FOUND.trace, nodes=nodes))
    spec = spread(subgraph_spec(found, ANSWERED))
    data = vis_data(spec, PALETTES["dark"], lambda _: "data:,", layered=False)
    assert all("title" not in node for node in data["nodes"])
    assert len(json.dumps(data)) < 60_000
    assert vis_config(zoom=False)["physics"] == {"enabled": False}


def test_labels_are_cut_at_words() -> None:
    assert cut_label("System cleaning", 15) == "System cleaning"
    cut = cut_label("The removable parts of the milk system are cleaned by hand", 15)
    assert cut == "The removable\nparts of the…"


def test_an_empty_retrieval_still_draws_the_question() -> None:
    trace = replace(FOUND.trace, matches=(), nodes=(), edges=(), hops=())
    empty = replace(FOUND, trace=trace, images=(), passages=(), triplets=())
    for spec in (layered(path_spec(empty, None)), spread(subgraph_spec(empty, None))):
        assert ids(spec) == {"q"}
    assert "picture" not in legend(path_spec(empty, None))


def test_a_click_opens_the_evidence_behind_it() -> None:
    evidence = list_evidence(FOUND, ANSWERED)
    found, key = evidence_behind(FOUND, evidence, "n:n3-doc")
    assert [each.key for each in found] == ["triplet:e0-doc"] == [key]
    assert evidence_behind(FOUND, evidence, "i:i1-doc")[1] == "image:i1-doc"
    assert evidence_behind(FOUND, evidence, "i:i3-doc") == ([], "")


def test_the_lowest_label_is_inside_of_what_is_fitted_into_the_frame() -> None:
    spec = layered(path_spec(FOUND, ANSWERED))
    drawn = vis_data(spec, PALETTES["light"], lambda _: "", layered=True)["nodes"]
    low = max(node["y"] for node in drawn if str(node["id"]).startswith("margin"))
    assert all(low >= node.y + 17 * 2 for node in spec.nodes if len(node.label) > 15)
