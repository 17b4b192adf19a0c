"""What of the graph is wanted: documents, kinds, relations, links and their score."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from brit.exploring import GraphFilter
from brit.pipeline.explore import Explorer
from brit.types import LINK_KINDS, LinkKind
from brit.ui.explore.address import Spot
from brit.ui.explore.find import kind_name
from brit.ui.explore.where import bound, changed, go
from brit.ui.safe import escape_markdown, one_line
from brit.ui.wording import number, t

_MOST_RELATIONS = 300


def filters_button(explorer: Explorer, spot: Spot) -> None:
    """A button that says how many filters are on, and opens them."""
    on = filters_on(spot.wanted)
    label = t("explore.filters_on", n=on) if on else t("explore.filters")
    with st.popover(
        label, icon=":material/filter_alt:", key="explore-filters", type="secondary"
    ), st.container(key="explore-filters-body", gap="small"):  # fmt: skip
        _lists(explorer, spot)
        _links(explorer, spot)
        st.button(
            t("explore.reset"),
            key="explore-reset",
            type="tertiary",
            icon=":material/filter_alt_off:",
            disabled=not on,
            on_click=go,
            args=(replace(spot, wanted=GraphFilter()),),
        )


def filters_on(wanted: GraphFilter) -> int:
    """How many of the filters leave something out."""
    usual, names = GraphFilter(), ("documents", "kinds", "relations", "links", "score")
    return sum(getattr(wanted, name) != getattr(usual, name) for name in names)


def _with(spot: Spot, name: str, value: Any) -> Spot:
    value = tuple(value) if isinstance(value, list) else value
    return replace(spot, wanted=replace(spot.wanted, **{name: value}))


def _lists(explorer: Explorer, spot: Spot) -> None:
    graph, wanted = explorer.ties.graph, spot.wanted
    kinds = Counter(graph.node_kinds)
    counted = Counter(graph.edge_relation.tolist()).most_common(_MOST_RELATIONS)
    relations = {graph.relations[at]: count for at, count in counted}
    relations |= {name: relations.get(name, 0) for name in wanted.relations}
    names = {id: explorer.documents.get(id, id) for id in graph.documents}
    _choose("documents", wanted.documents, names, {}, spot)
    _choose("kinds", wanted.kinds, {k: kind_name(k) for k, _ in kinds.most_common()}, kinds, spot)
    _choose("relations", wanted.relations, dict(zip(relations, relations, strict=True)),
            relations, spot)  # fmt: skip


def _choose(
    name: str,
    chosen: tuple[str, ...],
    names: dict[str, str],
    counts: dict[str, int],
    spot: Spot,
) -> None:
    key = bound(f"explore-{name}", list(chosen))

    def shown(value: str) -> str:
        count = f" ({number(counts[value])})" if counts.get(value) else ""
        return f"{one_line(names.get(value, value), 60)}{count}"

    st.multiselect(
        t(f"explore.{name}"),
        list(names),
        key=key,
        format_func=shown,
        placeholder=t(f"explore.{name}_all"),
        help=t("explore.relations_help") if name == "relations" else None,
        on_change=changed(key, partial(_with, spot, name)),
    )


def _links(explorer: Explorer, spot: Spot) -> None:
    there = {LINK_KINDS[at] for at in set(explorer.ties.graph.link_kind.tolist())}
    options = [kind for kind in LINK_KINDS if kind in there]
    if not options:
        return

    def chosen(values: list[LinkKind]) -> Spot:
        everything = len(values) == len(options)
        return _with(spot, "links", LINK_KINDS if everything else values)

    key = bound("explore-links", [kind for kind in options if kind in spot.wanted.links])
    st.pills(
        t("explore.links"),
        options,
        selection_mode="multi",
        key=key,
        format_func=lambda kind: escape_markdown(t(f"link.{kind}")),
        help=t("explore.links_help"),
        on_change=changed(key, chosen),
        wrap=True,
    )
    score = bound("explore-score", spot.wanted.score)
    st.slider(
        t("explore.score"),
        0.0,
        1.0,
        step=0.05,
        key=score,
        help=t("explore.score_help"),
        on_change=changed(score, lambda value: _with(spot, "score", round(value, 2))),
    )
