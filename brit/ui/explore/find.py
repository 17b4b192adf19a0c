"""Finding a name as it is typed, to go there or to be shown the way to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from brit.exploring import Hit
from brit.pipeline.explore import Explorer
from brit.ui.explore.address import Spot
from brit.ui.explore.where import go
from brit.ui.safe import escape_markdown, one_line
from brit.ui.wording import dotted, number, t, t_or

_MOST = 8
Target = Callable[[str], Spot]


def search_boxes(explorer: Explorer, spot: Spot) -> None:
    """One box to go to a name; beside it, where a name is open, one for the way to another."""
    _box(explorer, "search", ":material/search:", lambda id: spot.centred(id))
    if spot.node:
        _box(explorer, "way", ":material/route:", lambda id: replace(spot, to=id, pick=""))


def _box(explorer: Explorer, name: str, icon: str, target: Target) -> None:
    key = f"explore-{name}"
    with st.container(key=f"{key}-box", gap=None):
        query = st.text_input(
            t(f"explore.{name}"),
            key=key,
            max_chars=120,
            icon=icon,
            placeholder=t(f"explore.{name}_hint"),
            label_visibility="collapsed",
            live=True,
        ).strip()
        if not query:
            return
        with st.container(key=f"{key}-hits", gap=None):
            hits = explorer.search(query, _MOST)
            for hit in hits:
                _hit(explorer, hit, key, target)
            if not hits:
                st.caption(t("explore.no_hit", query=escape_markdown(one_line(query, 40))))


def _hit(explorer: Explorer, hit: Hit, key: str, target: Target) -> None:
    ties = explorer.ties
    id, alias = ties.mark_id(hit.node), hit.alias
    count = len(ties.at.row(hit.node))
    told = dotted(
        t("explore.hit_alias", alias=escape_markdown(alias, 40)) if alias else "",
        kind_name(ties.graph.node_kinds[hit.node]),
        t("explore.ties", n=count, count=number(count)),
    )
    st.button(
        f"{escape_markdown(ties.graph.node_labels[hit.node], 60)} \u2002:gray[:small[{told}]]",
        key=f"{key}-hit-{id}",
        type="tertiary",
        width="stretch",
        on_click=_take,
        args=(key, target, id),
    )


def _take(key: str, target: Target, id: str) -> None:
    st.session_state[key] = ""
    go(target(id))


def kind_name(kind: str) -> str:
    """The kind of a node in words; a model's own kinds as they are."""
    return t_or(f"kind.{kind}", escape_markdown(kind.lower(), 24))
