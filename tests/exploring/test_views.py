"""Neighbourhoods, filters, components and ways of a graph that can be checked by eye."""

from __future__ import annotations

import numpy as np
import pytest

from brit.exploring import (
    GraphFilter,
    Ties,
    View,
    admit,
    around,
    find_parts,
    join_ties,
    overview,
    shortest_path,
    within_part,
)
from tests.exploring.makers import small_graph, star_graph

TIES = join_ties(small_graph())
EVERYTHING = admit(TIES, GraphFilter())


def names(view: View, ties: Ties = TIES) -> set[str]:
    return {ties.mark_id(int(mark))[2:] for mark in view.marks}


def mark(id: str) -> int:
    found = TIES.mark_at(id)
    assert found is not None
    return found


def test_marks_have_ids_that_lead_back() -> None:
    assert [TIES.mark_at(TIES.mark_id(i)) for i in range(TIES.marks)] == list(range(8))
    assert TIES.mark_at("n:p1") is None
    assert TIES.mark_at("i:pump") is None
    assert TIES.mark_at("") is None
    assert TIES.mark_at("<script>") is None


@pytest.mark.parametrize(
    ("hops", "expected"),
    [
        (1, {"oldane", "pump"}),
        (2, {"oldane", "pump", "water", "p1"}),
        (3, {"oldane", "pump", "water", "p1", "lamp"}),
        (9, {"oldane", "pump", "water", "p1", "lamp", "coast", "p2"}),
    ],
)
def test_a_neighbourhood_widens_by_hops_through_sentences_and_pictures(
    hops: int, expected: set[str]
) -> None:
    view = around(TIES, EVERYTHING, mark("n:oldane"), hops, 50)
    assert names(view) == expected
    assert view.left_out == 0


def test_what_is_not_drawn_is_counted() -> None:
    star = join_ties(star_graph(40))
    view = around(star, admit(star, GraphFilter()), 0, 1, 10)
    assert len(view.marks) == 10
    assert view.left_out == 31
    assert len(view.ties) == 9


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (GraphFilter(kinds=("PRODUCT",)), {"pump", "lamp", "p1"}),
        (GraphFilter(documents=("b",)), {"water", "pump", "lamp", "coast", "p2"}),
        (GraphFilter(links=()), {"pump", "oldane", "water", "lamp", "coast"}),
        (GraphFilter(links=("CA",)), {"pump", "oldane", "water", "lamp", "coast", "p1"}),
        (GraphFilter(relations=("lights",), links=()), {"lamp", "coast"}),
        (GraphFilter(relations=("lights",), score=0.6), {"lamp", "coast", "pump", "p1"}),
        (GraphFilter(kinds=("NOTHING",)), set()),
    ],
)
def test_filters_leave_what_was_asked_for(wanted: GraphFilter, expected: set[str]) -> None:
    assert names(overview(TIES, admit(TIES, wanted), 50)) == expected


def test_the_mark_in_the_middle_stays_whatever_is_filtered() -> None:
    start = mark("n:oldane")
    admitted = admit(TIES, GraphFilter(kinds=("PRODUCT",)), [start])
    assert names(around(TIES, admitted, start, 1, 9)) == {"oldane", "pump"}


def test_an_overview_shows_the_best_connected_and_nobody_alone() -> None:
    view = overview(TIES, EVERYTHING, 3)
    assert names(view) == {"pump", "water", "oldane"}
    assert view.left_out == 4
    assert set(view.ties) == {0, 1, 2}


def test_components_are_what_sentences_join() -> None:
    parts = find_parts(TIES, EVERYTHING, 9)
    assert [(part.size, TIES.mark_id(part.top[0])) for part in parts.largest] == [
        (3, "n:pump"), (2, "n:lamp"),
    ]  # fmt: skip
    assert (parts.total, parts.alone) == (2, 1)


def test_filtered_components_fall_apart() -> None:
    parts = find_parts(TIES, admit(TIES, GraphFilter(relations=("lights",))), 9)
    assert [part.size for part in parts.largest] == [2]
    assert parts.alone == 4
    assert find_parts(TIES, admit(TIES, GraphFilter(kinds=("X",))), 9).total == 0


def test_a_whole_component_comes_with_its_pictures_alone() -> None:
    view = within_part(TIES, EVERYTHING, mark("n:oldane"), 50)
    assert names(view) == {"oldane", "pump", "water", "p1"}


def test_the_shortest_way_goes_through_a_picture() -> None:
    way = shortest_path(TIES, EVERYTHING, mark("n:oldane"), mark("n:coast"))
    assert way is not None
    steps = [(TIES.mark_id(s.start), TIES.mark_id(s.end), s.forward) for s in way]
    assert steps == [
        ("n:oldane", "n:pump", True), ("n:pump", "i:p1", False), ("i:p1", "n:lamp", True),
        ("n:lamp", "n:coast", True),
    ]  # fmt: skip
    assert [TIES.link_kind(s.tie) or TIES.relation(s.tie) for s in way] == [
        "designs", "CA", "LP", "lights",
    ]  # fmt: skip


def test_no_way_is_none_and_the_way_to_itself_is_empty() -> None:
    pump, alone, coast = mark("n:pump"), mark("n:alone"), mark("n:coast")
    assert shortest_path(TIES, EVERYTHING, pump, alone) is None
    assert shortest_path(TIES, EVERYTHING, pump, pump) == []
    unlinked = admit(TIES, GraphFilter(links=()))
    assert shortest_path(TIES, unlinked, pump, coast) is None


def test_of_two_ties_the_stronger_is_walked() -> None:
    way = shortest_path(TIES, EVERYTHING, mark("n:water"), mark("n:pump"))
    assert way is not None
    assert [TIES.relation(step.tie) for step in way] == ["runs on"]
    assert TIES.between(mark("n:pump"), mark("n:water")) == [1, 2]


def test_an_empty_graph_has_nothing_to_show() -> None:
    from brit.index import build_collection_graph

    empty = join_ties(build_collection_graph([], [], [], [], []))
    admitted = admit(empty, GraphFilter())
    assert len(overview(empty, admitted, 9).marks) == 0
    assert find_parts(empty, admitted, 9).total == 0


def test_the_ties_of_a_view_join_marks_of_it() -> None:
    view = around(TIES, EVERYTHING, mark("n:pump"), 2, 4)
    assert np.isin(TIES.one[view.ties], view.marks).all()
    assert np.isin(TIES.other[view.ties], view.marks).all()
