"""Single channels of the default preset, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from brit.index import build_collection_graph
from brit.retrieval.channels import distance, images_of_nodes, node_relevance, score_beside
from brit.retrieval.fusion import ranks, shares, standardise, weighted_sum
from brit.retrieval.prune import Match, find_name
from brit.retrieval.rank import count_words
from brit.retrieval.scope import open_scope
from brit.types import BBox, Image, Passage


def image(page: int, bbox: BBox | None) -> Image:
    return Image("i", "d", "f", page, bbox, section="s")


def passage(page: int, bbox: BBox | None) -> Passage:
    return Passage("p", "d", page, bbox, "s", "text", ())


def test_distance_grows_with_the_gap_between_boxes() -> None:
    here = image(1, (0, 0, 100, 100))
    assert distance(here, passage(1, (50, 50, 200, 200))) == 0
    assert distance(here, passage(1, (250, 0, 300, 100))) == pytest.approx(0.5)
    # 90 to the right and 120 below: a gap of 150 points.
    assert distance(here, passage(1, (190, 220, 300, 300))) == pytest.approx(0.5)
    assert distance(here, passage(1, (0, 2000, 10, 2010))) == 1.5
    assert distance(here, passage(2, (0, 0, 100, 100))) == 1
    assert distance(here, passage(1, None)) == 0.5


def test_of_two_pictures_the_one_beside_the_better_passage() -> None:
    upper, lower = image(1, (0, 0, 100, 100)), image(1, (0, 300, 100, 400))
    biography = passage(1, (110, 300, 400, 400))
    groups = {("d", 1): [(2.0, biography)]}
    assert score_beside(lower, groups, ("LP",)) == pytest.approx(2 - 10 / 300)
    assert score_beside(upper, groups, ("LP",)) < 1.4
    assert score_beside(upper, groups, ("LS",)) is None
    assert score_beside(upper, {"d": [(5.0, biography)]}, ()) == 3


def test_a_node_shares_its_relevance_among_its_images() -> None:
    graph = build_collection_graph(
        [("a", "a", "TERM"), ("b", "b", "TERM")],
        [],
        [("1", "a", "CA", 1.0), *[(str(n), "b", "LS", 0.8) for n in range(1, 5)]],
        [(str(n), "d") for n in range(1, 5)],
        [("a", "d"), ("b", "d")],
    )
    flow = images_of_nodes(open_scope(graph), {0: 1.0, 1: 0.5}, ("CA", "LS"))
    # a: 1 · 1 · 1 over one caption. b: 0.5 · 0.5 · 0.8 / √4 = 0.1 to each of four images.
    # They add up by squares: √(1² + 0.1²).
    assert flow.scores == pytest.approx({"1": 1.01**0.5, "2": 0.1, "3": 0.1, "4": 0.1})
    assert (flow.steps["1"].node, flow.steps["1"].link) == (0, "CA")
    assert (flow.steps["2"].node, flow.steps["2"].link) == (1, "LS")


def test_relevance_of_nodes() -> None:
    matches = [
        Match("x", 1, 0.9),
        Match("X-1", 2, 1.0, lexical=True, distinctive=True),
        Match("pump", 4, 1.0, lexical=True),
        Match("x", 3, 0.7),
    ]
    # 0.9 lies half way from 0.8 to 1: 0.2 + 0.7 · 0.5.
    plain = [match for match in matches if not match.distinctive]
    assert node_relevance([0, 1], plain, 0.8) == pytest.approx({0: 0.1, 1: 0.55, 4: 0.5})
    # A question that says «X-1» is about it: all else counts half.
    told = node_relevance([0, 1], matches, 0.8)
    assert told == pytest.approx({0: 0.05, 1: 0.275, 2: 1.0, 4: 0.25})


@pytest.mark.parametrize(
    ("name", "text", "stands"),
    [
        ("qx-77", "what is the qx-77?", True),
        ("qx-7", "what is the qx-77?", False),
        ("art", "who started it", False),
        ("雷达", "激光雷达是什么", True),
        ("c++", "is it written in c++?", True),
        ("x", "x marks the spot", False),
    ],
)
def test_names_stand_as_whole_words(name: str, text: str, stands: bool) -> None:
    assert (find_name(name, text) >= 0) is stands


def test_standardised_scores() -> None:
    # Values 1, 3 and, for the absent one, 2: mean 2, deviation √(2/3).
    scores = standardise({"a": 1.0, "b": 3.0}, ["a", "b", "c"], 2.0)
    assert scores == pytest.approx({"a": -1.2247449, "b": 1.2247449, "c": 0})
    assert standardise({"a": 5.0}, ["a"], None) == {"a": 0}
    # With a least deviation of 2 the same differences count half of it at most.
    calm = standardise({"a": 1.0, "b": 3.0}, ["a", "b", "c"], 2.0, least=2.0)
    assert calm == pytest.approx({"a": -0.5, "b": 0.5, "c": 0})
    assert standardise({}, ["a"], None) == {"a": 0}
    finite = standardise({"a": float("nan"), "b": 1.0}, ["a", "b"], 0.0)
    assert np.isfinite([*finite.values()]).all()


def test_fused_scores_shares_and_ranks() -> None:
    fused = weighted_sum(["a", "b", "c"], [(2.0, {"a": 1.0}), (1.0, {"b": 2.0, "c": 3.0})])
    assert [*fused.items()] == [("c", 3.0), ("a", 2.0), ("b", 2.0)]
    assert shares({"a": 4.0, "b": 1.0, "c": -1.0}) == {"a": 1, "b": 0.25, "c": 0}
    assert shares({"a": -1.0}) == {}
    assert ranks({"a": 1.0, "b": 2.0}) == {"b": 1, "a": 2}


def test_words_of_scripts_without_spaces() -> None:
    assert count_words("two words") == 2
    assert count_words("激光雷达 is good") == 4
    assert count_words("") == 0
