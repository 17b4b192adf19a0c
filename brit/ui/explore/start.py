"""Beside the whole graph: where one may begin, and the components it falls into."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from brit.exploring import Part, find_parts
from brit.pipeline.explore import Explorer
from brit.ui.explore.address import WHOLE, Spot
from brit.ui.explore.find import kind_name
from brit.ui.explore.rows import more_button, shortened
from brit.ui.explore.stage import Stage
from brit.ui.explore.where import go
from brit.ui.safe import escape_markdown
from brit.ui.wording import dotted, number, t, unbroken

_NODES, _PARTS, _MORE_PARTS = 8, 8, 60


def start_panel(explorer: Explorer, spot: Spot, stage: Stage) -> None:
    """The best connected names and the largest components."""
    with st.container(key="explore-card", gap="small"):
        if not len(stage.view.marks):
            st.info(t("explore.all_filtered"), icon=":material/info:")
        _nodes(explorer, spot, stage)
        _parts(explorer, spot, stage)


def _nodes(explorer: Explorer, spot: Spot, stage: Stage) -> None:
    ties = explorer.ties
    nodes = [int(mark) for mark in stage.view.marks if mark < ties.nodes]
    counts = {node: int(stage.admitted.ties[ties.at.row(node)].sum()) for node in nodes}
    if nodes:
        st.markdown(f"**{t('explore.start')}**")
    for node in sorted(nodes, key=lambda node: -counts[node])[:_NODES]:
        count = counts[node]
        ties_told = t("explore.ties", n=count, count=number(count))
        told = unbroken(dotted(kind_name(ties.graph.node_kinds[node]), ties_told))
        label = f"{escape_markdown(ties.graph.node_labels[node], 48)} \u2002:gray[:small[{told}]]"
        _leading(label, spot.centred(ties.mark_id(node)), f"node-{node}")


def _parts(explorer: Explorer, spot: Spot, stage: Stage) -> None:
    parts = find_parts(explorer.ties, stage.admitted, _MORE_PARTS)
    if not parts.largest:
        return
    st.markdown(f"**{t('explore.components')}**")
    alone = t("explore.alone", n=parts.alone, count=number(parts.alone)) if parts.alone else ""
    st.caption(f"{t('explore.components_of', n=parts.total, count=number(parts.total))} {alone}")
    for part in shortened(parts.largest, "parts", _PARTS):
        _part(explorer, spot, part)
    more_button(parts.largest, "parts", _PARTS)


def _part(explorer: Explorer, spot: Spot, part: Part) -> None:
    labels = explorer.ties.graph.node_labels
    # Isolated, that what is written from right to left does not draw the count into it.
    names = ", ".join(f"\u2068{escape_markdown(labels[node], 32)}\u2069" for node in part.top)
    size = t("explore.component_size", n=part.size, count=number(part.size))
    there = replace(spot.centred(explorer.ties.mark_id(part.top[0])), hops=WHOLE)
    _leading(f"{names} \u2002:gray[:small[{unbroken(size)}]]", there, f"part-{part.top[0]}")


def _leading(label: str, there: Spot, key: str) -> None:
    st.button(label, key=f"explore-{key}", type="tertiary", width="stretch",
              on_click=go, args=(there,))  # fmt: skip
