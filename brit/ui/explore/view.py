"""The Graph page: a drawing to walk through, and beside it what is known of what is looked at.

All of it is one fragment. Where somebody is stands in the address and nowhere else, so that a link
shows the same and the browser's way back leads back.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import streamlit as st

from brit.pipeline.explore import Explorer, open_explorer
from brit.ui.explore.address import HOPS, SIZES, WHOLE, Spot, pair_of
from brit.ui.explore.canvas import COLOURS, draw, read_click
from brit.ui.explore.cards import image_card, line_card, node_card
from brit.ui.explore.filters_view import filters_button
from brit.ui.explore.find import search_boxes
from brit.ui.explore.mode import mode_switch, reviewing
from brit.ui.explore.review_acts import last_said
from brit.ui.explore.review_view import show_review
from brit.ui.explore.save_view import picture_asked, save_button
from brit.ui.explore.scene import ROOMY
from brit.ui.explore.stage import Stage, mark_name, stage_of
from brit.ui.explore.start import start_panel
from brit.ui.explore.told import tell_way
from brit.ui.explore.where import after_click, bound, changed, current_spot, go
from brit.ui.safe import escape_markdown
from brit.ui.state import Place, address, shown_errors
from brit.ui.theme import palette, theme_name
from brit.ui.view_watch import watch_view
from brit.ui.wording import dotted, number, t

_CANVAS = "explore-canvas"


def show_explore(place: Place) -> None:
    """The whole page but for its frame."""
    st.html(Path(__file__).with_name("explore.css"))
    with st.container(key="explore"), shown_errors():
        if place.collection is None or not place.collection.nodes:
            _nothing(place)
            return
        if reviewing():
            show_review(place, place.collection.name)
            return
        explorer = open_explorer(place.workspace, place.collection.name)
        if not explorer.ties.nodes:
            _nothing(place)
            return
        _explore(place, explorer)


def _nothing(place: Place) -> None:
    """Why there is no graph, in a sentence."""
    collection = place.collection
    read = collection is not None and collection.documents
    why = "no_collection" if collection is None else "empty" if read else "nothing"
    with st.container(key="explore-start"):
        if reviewing() and (said := last_said()):
            st.markdown(said)
        st.markdown(f"## {t('explore.title')}", anchors=False)
        st.markdown(f":gray[{t(f'explore.{why}')}]")
        st.page_link(
            "pages/1_Library.py", label=t("nav.library"), icon=":material/library_books:",
            query_params=address(collection.id if collection else None), width="content",
        )  # fmt: skip


@st.fragment
def _explore(place: Place, explorer: Explorer) -> None:
    if reviewing():  # since the page was drawn
        st.rerun()
    ties, theme = explorer.ties, theme_name()
    spot = current_spot(ties)
    with st.spinner(t("explore.placing")) if spot.size > ROOMY else nullcontext():
        stage = stage_of(explorer, spot, theme)
    bar = st.container(key="explore-bar", horizontal=True, vertical_alignment="center")
    left, right = st.columns([17, 8], gap="medium")
    with left:
        head = st.container(
            key="explore-head",
            horizontal=True,
            horizontal_alignment="distribute",
            vertical_alignment="center",
        )
        # First of all: its frame loads while the rest is made.
        with st.container(key="explore-frame", border=True):
            draw(
                stage.scene,
                picked=spot.pick,
                palette=palette(),
                theme=theme,
                key=_CANVAS,
                save=picture_asked(),
                on_click=lambda: _clicked(explorer),
            )
        _legend(stage)
        watch_view("explore-view")  # the drawing keeps the colours it was given
    with head:
        _head(explorer, spot, stage)
    with bar:
        mode_switch()
        search_boxes(explorer, spot)
        filters_button(explorer, spot)
        save_button(explorer, stage, theme)
    with right, st.container(key="explore-panel"):
        _panel(place, explorer, spot, stage)


def _clicked(explorer: Explorer) -> None:
    click = read_click(st.session_state.get(_CANVAS))
    if click is not None:
        go(after_click(click, current_spot(explorer.ties), explorer.ties))


# --- above and below the drawing ---


def _head(explorer: Explorer, spot: Spot, stage: Stage) -> None:
    st.markdown(f"{_where(explorer, spot)} \u2002:gray[:small[{_counts(stage)}]]")
    with st.container(key="explore-reach", horizontal=True, width="content", gap="small"):
        if spot.node:
            st.button(
                t("explore.back"),
                icon=":material/arrow_back:",
                type="tertiary",
                key="explore-back",
                on_click=go,
                args=(Spot(size=spot.size, wanted=spot.wanted),),
            )
        if spot.node and not spot.to:
            _hops(spot)
        if not spot.to:
            _size(spot)


def _where(explorer: Explorer, spot: Spot) -> str:
    names = {
        field: escape_markdown(mark_name(explorer, mark), 48)
        for field, id in (("name", spot.node), ("other", spot.to))
        if (mark := explorer.ties.mark_at(id)) is not None
    }
    if spot.to:
        return t("explore.way_of", **names)
    if spot.node:
        return t("explore.whole_of" if spot.hops == WHOLE else "explore.around_one", **names)
    return f"**{t('explore.overview')}**"


def _counts(stage: Stage) -> str:
    drawn, left = len(stage.scene.marks), stage.view.left_out
    told = t("explore.left_out", n=left, count=number(left)) if left else ""
    return dotted(t("explore.drawn", n=drawn, count=number(drawn)), told)


def _hops(spot: Spot) -> None:
    key = bound("explore-hops", spot.hops)
    whole = [WHOLE] if spot.node.startswith("n:") else []
    st.segmented_control(
        t("explore.hops"),
        [*HOPS[:3], *whole] if spot.hops in (*HOPS[:3], *whole) else [*HOPS, *whole],
        key=key,
        required=True,
        format_func=lambda hops: t("explore.whole") if hops == WHOLE else t("explore.hop", n=hops),
        label_visibility="collapsed",
        on_change=changed(key, lambda hops: replace(spot, hops=hops)),
    )


def _size(spot: Spot) -> None:
    key = bound("explore-size", spot.size)
    st.selectbox(
        t("explore.size"),
        SIZES,
        key=key,
        format_func=lambda size: t("explore.size_of", count=number(size)),
        label_visibility="collapsed",
        on_change=changed(key, lambda size: replace(spot, size=size)),
        width=130,
    )


def _legend(stage: Stage) -> None:
    """The families that are there, each in its colour."""
    there = {mark.family for mark in stage.scene.marks}
    marks = [
        f'<i class="{"square" if family == "picture" else "dot"}" style="--c:{colour}"></i>'
        + t(f"family.{family}")
        for family, colour in COLOURS[theme_name()].items()
        if family in there
    ]
    with st.container(key="explore-legend"):
        st.html(f"<p>{' '.join(f'<span>{mark}</span>' for mark in marks)}"
                f"<span>{t('explore.legend_more')}</span></p>")  # fmt: skip


# --- beside it ---


def _panel(place: Place, explorer: Explorer, spot: Spot, stage: Stage) -> None:
    ties = explorer.ties
    if spot.to:
        _way(place, explorer, spot, stage)
    elif spot.node and len(stage.view.marks) == 1:
        name = escape_markdown(stage.scene.marks[0].label, 60)
        st.info(t("explore.lonely", name=name), icon=":material/info:")
    pair = pair_of(ties, spot.pick)
    mark = ties.mark_at(spot.pick or ("" if spot.to else spot.node))
    if pair is not None:
        line_card(place, explorer, spot, stage, pair)
    elif mark is not None:
        card = node_card if mark < ties.nodes else image_card
        card(place, explorer, spot, stage, mark)
    elif not spot.to:
        start_panel(explorer, spot, stage)


def _way(place: Place, explorer: Explorer, spot: Spot, stage: Stage) -> None:
    if stage.way:
        tell_way(place, explorer, stage.way)
        return
    ends = (explorer.ties.mark_at(id) for id in (spot.node, spot.to))
    name, other = (escape_markdown(mark_name(explorer, end), 60) for end in ends if end is not None)
    st.info(t("explore.no_way", name=name, other=other), icon=":material/info:")
