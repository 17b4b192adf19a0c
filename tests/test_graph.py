"""Normalisation by a table, graphs and components by hand."""

from __future__ import annotations

import pytest

from brit.graph import (
    build_graph,
    find_abbreviations,
    merge_nodes,
    normalise,
)
from brit.types import Entity, Extraction, Mention, Node, Triplet, stable_id


def triplet(
    subject: str, relation: str, object: str, block: str = "b0", kind: str = "TERM", text: str = ""
) -> Triplet:
    sentence = text or f"{subject} {relation} {object}."
    return Triplet(
        Entity(subject, kind, block), relation, Entity(object, "TERM", block), block, sentence
    )


def extraction(*triplets: Triplet, entities: tuple[Entity, ...] = ()) -> Extraction:
    return Extraction(triplets, entities)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("The Grand Pier", "grand pier"),
        ("a  GRAND\n pier", "grand pier"),
        ("Grand-Pier", "grand pier"),
        ("Grand – Pier", "grand pier"),
        ("CX-57C", "cx57c"),
        ("CX57C's", "cx57c"),
        ("Figure 7-27", "figure 7-27"),
        ("Keller’s pump", "keller pump"),
        ("“Blue Whale”", "blue whale"),
        ("Ｆｕｌｌ ｗｉｄｔｈ", "full width"),
        ("Straße", "strasse"),
        ("The Who", "who"),
        ("the", "the"),
        ("水泵", "水泵"),
        ("ViT-B/32", "vit b/32"),
        ("Williams", "williams"),
        ("(pump)", "pump"),
        ("  ", ""),
        ("Lift Point Height −10 ft (-3.0 m)", "lift point height -10 ft (-3.0 m"),
        ("Lift Point Height +10 ft", "lift point height +10 ft"),
    ],
)
def test_normalise(name: str, expected: str) -> None:
    assert normalise(name) == expected
    assert normalise(expected) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the Norwind Energy Board (NEB) met", {"neb": "norwind energy board"}),
        ("Row and Column Access Control (RCAC)", {"rcac": "row and column access control"}),
        ("prize-collecting Steiner tree (PCST)", {"pcst": "prize collecting steiner tree"}),
        ("the pump (NEB) met", {}),
        ("a meeting (in May)", {}),
        ("(NEB)", {}),
    ],
)
def test_abbreviations(text: str, expected: dict[str, str]) -> None:
    assert find_abbreviations([text]) == expected


class TestBuild:
    def test_one_node_a_name(self) -> None:
        graph = build_graph(
            "c",
            extraction(
                triplet("The Grand Pier", "is in", "Graz"),
                triplet("Grand Pier", "has", "roof", "b1"),
                triplet("Grand Pier", "has", "door", "b1", kind="FAC"),
            ),
        )
        pier = graph.nodes[0]
        assert pier == Node(
            stable_id("node", "c", "grand pier"),
            "grand pier",
            "Grand Pier",
            "FAC",
            ("The Grand Pier",),
        )
        assert [node.label for node in graph.nodes[1:]] == ["Graz", "roof", "door"]
        assert Mention(pier.id, "b0", "The Grand Pier") in graph.mentions
        assert len(graph.mentions) == 5

    def test_direction_parallels_and_repeats(self) -> None:
        first = triplet("Anna", "paints", "Boris")
        graph = build_graph(
            "c",
            extraction(
                first, first, triplet("Boris", "paints", "Anna"),
                triplet("Anna", "paints", "Boris", "b1"),
                triplet("Anna", "sees", "Boris"), triplet("Anna", "sees", "anna"),
            ),
        )  # fmt: skip
        anna, boris = (node.id for node in graph.nodes)
        assert [(e.source, e.relation, e.target, e.block) for e in graph.edges] == [
            (anna, "paints", boris, "b0"),
            (boris, "paints", anna, "b0"),
            (anna, "paints", boris, "b1"),
            (anna, "sees", boris, "b0"),
        ]
        assert len({edge.id for edge in graph.edges}) == 4

    def test_abbreviation_becomes_an_alias(self) -> None:
        text = "The Norwind Energy Board (NEB) met in Graz."
        graph = build_graph(
            "c",
            extraction(
                triplet("Norwind Energy Board", "met in", "Graz", text=text),
                triplet("NEB", "has", "rules", "b1"),
                triplet("NEB", "has", "members", "b2"),
            ),
        )
        board = graph.nodes[0]
        assert (board.label, board.aliases) == ("Norwind Energy Board", ("NEB",))
        assert {edge.source for edge in graph.edges} == {board.id}

    def test_lone_entities_are_nodes_and_empty_names_are_not(self) -> None:
        graph = build_graph(
            "c", extraction(entities=(Entity("Graz", "GPE", "b0"), Entity("...", "TERM", "b0")))
        )
        assert [node.label for node in graph.nodes] == ["Graz"]
        assert graph.edges == ()

    def test_the_same_text_gives_the_same_graph(self) -> None:
        given = extraction(triplet("Anna", "paints", "Boris"))
        assert build_graph("c", given) == build_graph("c", given)
        assert build_graph("d", given).nodes[0].id != build_graph("c", given).nodes[0].id


def test_merge_keeps_the_label_and_joins_the_rest() -> None:
    old = Node("n", "grand pier", "Grand Pier", "TERM", ("the pier",))
    new = Node("n", "grand pier", "GRAND PIER", "FAC", ("Grand-Pier", "the pier"))
    other = Node("m", "graz", "Graz", "GPE")
    assert merge_nodes([old], [new, other]) == [
        Node("n", "grand pier", "Grand Pier", "FAC", ("the pier", "GRAND PIER", "Grand-Pier")),
        other,
    ]
    assert merge_nodes([old], [old]) == [old]
