"""The paper preset on one small graph, every step worked out by hand.

The question and its one entity are the vector (1, 0); a text with cosine c is (c, √(1 − c²)).

Component 0:  a —r1— b —r1— c —r2— d —r3— e        Component 1:  x —r4— y        Component 2:  z
cosines:     0.90    0.10   0.80   0.05   0.70                  0.76    0.20                  0.75
relations:   r1 0.9, r2 0.4, r3 0.3, r4 0.2
images:      i1 at b (CA); i2 at c (LS) and i3 at c (CA); i4 at y (SI) and z (LS); i5 at a (LP)
"""

from __future__ import annotations

import pytest
from memory_index import DictEncoder, MemoryIndex, NamesOf, Spec

from brit.config import RetrievalConfig
from brit.retrieval import retrieve
from brit.types import LinkKind, Retrieval

QUESTION = "What is behind the Falke?"
COSINES = {
    "a": 0.9, "b": 0.1, "c": 0.8, "d": 0.05, "e": 0.7, "x": 0.76, "y": 0.2, "z": 0.75,
    "r1": 0.9, "r2": 0.4, "r3": 0.3, "r4": 0.2, "first": 0.6, "second": 0.5,
    QUESTION: 1.0, "Falke": 1.0,
}  # fmt: skip


Link = tuple[str, str, LinkKind, float]
LINKS: list[Link] = [
    ("i1", "b", "CA", 1.0),
    ("i2", "c", "LS", 1.0),
    ("i3", "c", "CA", 1.0),
    ("i4", "y", "SI", 0.5),
    ("i4", "z", "LS", 1.0),
    ("i5", "a", "LP", 1.0),
]


def vector(cosine: float) -> list[float]:
    return [cosine, (1 - cosine**2) ** 0.5]


def make_index(links: list[Link] = LINKS, **changed: float) -> MemoryIndex:
    encoder = DictEncoder({text: vector(c) for text, c in (COSINES | changed).items()}, 2)
    spec = Spec(
        nodes=["z"],
        triplets=[
            ("a", "r1", "b", "p1"),
            ("b", "r1", "c", "p1"),
            ("c", "r2", "d", "p2"),
            ("d", "r3", "e", "p2"),
            ("x", "r4", "y", "p2"),
        ],
        images={
            "i1": ("", 1, vector(0.1)),
            "i2": ("", 2, vector(0.2)),
            "i3": ("", 3, vector(0.3)),
            "i4": ("", 4, vector(0.4)),
            "i5": ("", 5, vector(0.0)),
        },
        links=links,
        passages={"p1": ("first", 1), "p2": ("second", 2)},
    )
    return MemoryIndex(spec, encoder)


def ask(index: MemoryIndex, question: str = QUESTION, **settings: object) -> Retrieval:
    config = RetrievalConfig.paper()
    config = RetrievalConfig(**{**config.__dict__, **settings})
    return retrieve(index, question, extractor=NamesOf("Falke"), config=config)


def test_components_are_kept_above_the_threshold_only() -> None:
    trace = ask(make_index()).trace
    # 0.75 does not exceed 0.75.
    verdicts = [(v.component, round(v.best, 2), v.nodes, v.kept) for v in trace.components]
    assert verdicts == [(0, 0.9, 5, True), (1, 0.76, 2, True), (2, 0.75, 1, False)]
    assert trace.components_total == 3
    assert {(m.entity, m.label) for m in trace.matches} == {
        ("Falke", "a"), ("Falke", "c"), ("Falke", "x"),
    }  # fmt: skip


def test_prizes_and_tree_of_each_kept_component() -> None:
    trace = ask(make_index(), k=2).trace
    # k = 2. Component 0: a gets 2, c gets 1; of the edges, the two r1 share tier 0: 2 / 2 = 1 each;
    # r2 is tier 1: min(1 / 1, 1 · 0.99) = 0.99. Component 1: x 2, y 1; r4 alone: 1 / 1 = 1.
    assert [(p.label, p.prize) for p in trace.node_prizes] == [
        ("a", 2), ("x", 2), ("c", 1), ("y", 1),
    ]  # fmt: skip
    assert [(p.label, p.prize) for p in trace.edge_prizes] == [
        ("r1", 1), ("r1", 1), ("r4", 1), ("r2", pytest.approx(0.99)),
    ]  # fmt: skip
    assert trace.edge_cost == 0.5
    # r2 has 0.49 more than its cost, so d comes in; d–e would cost 0.5 for nothing.
    found = {node.label: node.origin for node in trace.nodes if node.origin == "pcst"}
    assert found.keys() == {"a", "b", "c", "d", "x", "y"}
    assert sorted((edge.source, edge.target) for edge in trace.edges) == [
        ("a", "b"), ("b", "c"), ("c", "d"), ("x", "y"),
    ]  # fmt: skip


def test_equal_nodes_and_equal_relations() -> None:
    # b and c are both at 0.8: the one that comes first gets the higher prize. r1 and r2 are both at
    # 0.9: their three edges share tier 0 with 2 / 3 each (k = 2 and two values), r3 alone is tier 1
    # with min(1 / 1, 2 / 3 · 0.99) = 0.66. Every edge of component 0 is worth more than 0.5.
    trace = ask(make_index(b=0.8, r2=0.9), k=2).trace
    first = [(p.label, p.prize) for p in trace.node_prizes if p.label in "abcde"]
    assert first == [("a", 2), ("b", 1)]
    prizes = [(p.label, p.prize) for p in trace.edge_prizes if p.label != "r4"]
    assert prizes == [*[(r, pytest.approx(2 / 3)) for r in ("r1", "r1", "r2")],
                      ("r3", pytest.approx(0.66))]  # fmt: skip
    found = {node.label for node in trace.nodes if node.origin == "pcst"}
    assert found == {"a", "b", "c", "d", "e", "x", "y"}


def test_the_cost_is_lowered_where_no_edge_is_worth_it() -> None:
    # Ten edges between a and b that say the same share the one tier: 1 / 10 each, so that the cost
    # is 0.1 · 0.995 and each edge is worth 0.0005 more than it costs.
    index = make_index()
    spec = Spec(triplets=[("a", "r1", "b", f"p{at}") for at in range(10)])
    many = MemoryIndex(spec, index.text_encoder)
    trace = ask(many, k=1).trace
    assert [p.prize for p in trace.edge_prizes] == [pytest.approx(0.1)] * 10
    assert trace.edge_cost == pytest.approx(0.0995)
    assert {node.label for node in trace.nodes if node.origin == "pcst"} == {"a", "b"}


def test_no_prizes_choose_nothing() -> None:
    trace = ask(make_index(), k=0).trace
    assert any(verdict.kept for verdict in trace.components)
    assert (trace.node_prizes, trace.edge_prizes) == ((), ())
    assert not [node for node in trace.nodes if node.origin == "pcst"]


def test_text_to_image_takes_the_image_of_the_most_similar_node() -> None:
    # Links CA, LS, SI: i5 at a is a page link and off. c (0.80) beats y and b; of its two images
    # the caption's comes before the section's.
    found = ask(make_index())
    image = found.images[0]
    assert (image.id, image.via, image.link, image.reason) == ("i3", "c", "CA", "text-to-image")
    assert image.score == pytest.approx(0.8)
    hops = {hop.image: hop for hop in found.trace.hops if hop.kind == "text-to-image"}
    assert hops["i3"].kept
    assert not hops["i2"].kept
    assert "stronger link" in hops["i2"].reason
    assert not hops["i1"].kept
    assert "less like the question" in hops["i1"].reason
    assert "i5" not in hops


def test_image_to_text_follows_the_most_similar_image() -> None:
    found = ask(make_index(), k=1)
    # i4 has the highest cosine with the question (0.4); its nodes are z (LS) and y (SI).
    image = found.images[1]
    assert (image.id, image.reason) == ("i4", "image-to-text")
    assert image.score == pytest.approx(0.4)
    origins = {node.label: node.origin for node in found.trace.nodes}
    assert origins["z"] == "image"
    # k = 1 leaves x alone out of its component; the triplet x–y comes by way of the image.
    assert ("x", "y") in {(t.subject, t.object) for t in found.triplets}
    dropped = [h for h in found.trace.hops if h.kind == "similarity" and not h.kept]
    assert [hop.image for hop in dropped] == ["i3", "i2", "i1", "i5"]


def test_at_most_two_images_and_one_when_both_ways_agree() -> None:
    assert len(ask(make_index()).images) == 2
    only = ask(make_index(), links=("SI",))
    # Over SI alone both ways lead to i4.
    assert [(image.id, image.via) for image in only.images] == [("i4", "y")]


def test_page_links_count_when_they_are_switched_on() -> None:
    found = ask(make_index(), links=("CA", "LP"))
    assert (found.images[0].id, found.images[0].via, found.images[0].link) == ("i5", "a", "LP")


def test_triplets_come_before_the_passages_they_stand_in() -> None:
    found = ask(make_index())
    assert found.triplets[0].text == "a r1 b."
    assert found.triplets[0].page == 1
    assert [passage.id for passage in found.passages] == ["p1", "p2"]
    assert found.words <= 300


def test_no_component_above_the_threshold() -> None:
    found = ask(make_index(), threshold=0.95)
    assert found.low_relevance
    assert found.trace.node_prizes == ()
    assert not any(verdict.kept for verdict in found.trace.components)
    # The similar image is found all the same.
    assert [image.id for image in found.images] == ["i4"]


def test_a_question_without_entities_is_compared_whole() -> None:
    index = make_index(**{"And the other one?": 1.0})
    found = ask(index, "And the other one?")
    assert found.entities == ()
    assert found.trace.matches[0].label == "a"
    assert "No entity" in found.trace.fallbacks[0]


def test_vectors_that_are_no_numbers_are_passed_over() -> None:
    found = ask(make_index(a=float("nan")))
    assert "a" not in {prize.label for prize in found.trace.node_prizes}
    first = next(verdict for verdict in found.trace.components if verdict.component == 0)
    assert first.best == pytest.approx(0.8)


@pytest.mark.parametrize("preset", ["paper", "default"])
@pytest.mark.parametrize("question", ["", "   "])
def test_an_empty_question_finds_nothing(question, preset) -> None:
    found = ask(make_index(), question, preset=preset)
    assert (found.triplets, found.images, found.passages, found.pages) == ((), (), (), ())
    assert found.low_relevance
    assert found.question == question


def test_a_question_the_encoder_knows_nothing_of() -> None:
    found = ask(make_index(), "words nobody embedded")
    assert (found.triplets, found.images) == ((), ())
    assert found.low_relevance


def test_the_fallback_solver_is_recorded(monkeypatch) -> None:
    monkeypatch.setattr("brit.retrieval.search.solver_name", lambda: "fallback")
    monkeypatch.setattr("brit.retrieval.pcst.solver_name", lambda: "fallback")
    found = ask(make_index(), k=2)
    assert found.trace.parameters["solver"] == "fallback"
    assert "own solver" in found.trace.fallbacks[-1]
    assert {node.label for node in found.trace.nodes if node.origin == "pcst"} == set("abcdxy")


def test_further_rounds_go_on_from_the_nodes_of_images() -> None:
    # Over SI alone i4 at y is found by both ways. A second SI link joins i4 to e (0.70), which only
    # i1 shares; with k = 2 the least similar prized node is y (0.20), so e passes and leads to i1.
    index = make_index(
        links=[("i4", "y", "SI", 0.5), ("i4", "e", "SI", 0.4), ("i1", "e", "SI", 0.1)]
    )
    once = ask(index, k=2, links=("SI",))
    more = ask(index, k=2, links=("SI",), max_rounds=9)
    assert [image.id for image in once.images] == ["i4"]
    assert [(image.id, image.via) for image in more.images] == [("i4", "y"), ("i1", "e")]
    assert (once.trace.rounds, more.trace.rounds) == (1, 2)
    assert more.trace.hops[-1].round == 2


def test_every_returned_triplet_is_drawn() -> None:
    found = ask(make_index(), k=1)
    drawn = {edge.id for edge in found.trace.edges}
    labels = {node.id for node in found.trace.nodes}
    assert {triplet.edge for triplet in found.triplets} <= drawn
    assert {end for edge in found.trace.edges for end in (edge.source, edge.target)} <= labels


def test_timings_name_every_step() -> None:
    assert list(ask(make_index()).timings_ms) == ["encode", "search", "pcst", "traverse", "total"]
