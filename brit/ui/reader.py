"""Any page of any document, with what was read on it: from a region to its names, from a name to
all its mentions, and on to the next page. In a dialog, so that what was left is still there."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import groupby

import streamlit as st

from brit.errors import BritError, UnknownName
from brit.exploring.quotes import sentence_around
from brit.storage.pages import Named, blocks_saying, page_numbers
from brit.storage.provenance import mention_places
from brit.types import Document, StoredBlock
from brit.ui.explore.link import graph_link
from brit.ui.page_map import page_map
from brit.ui.page_regions import KINDS, PageContent, RegionKind, page_content, text_of
from brit.ui.safe import escape_markdown, one_line
from brit.ui.state import Place, open_dialog
from brit.ui.wording import decimal, dotted, number, page_of, t

_READER = "reader"
_HITS, _NAMES = 40, 24
_FIRST: list[RegionKind] = ["figure", "name"]


@dataclass(frozen=True)
class Spot:
    """Where a reader is: the number of the page record, what is picked on it (a region), and the
    node whose mentions are listed."""

    document: str
    page: int
    picked: str = ""
    node: str = ""


def open_reader(place: Place, document: str, page: int | None, picked: str = "") -> None:
    """Open the dialog at a page; at the first where a format has none."""
    start_reader(document, page, picked)
    dialog = open_dialog(t("reader.title"), width="large")
    dialog(show_reader)(place)


def start_reader(document: str, page: int | None, picked: str = "") -> None:
    """Where the next reader begins."""
    st.session_state[_READER] = Spot(document, page or 1, picked)
    st.session_state.pop("reader-find", None)


def reader_stands() -> bool:
    """Has one been begun and not been closed?"""
    return _READER in st.session_state


def close_reader() -> None:
    st.session_state.pop(_READER, None)


def _go(spot: Spot) -> None:
    st.session_state[_READER] = spot


def show_reader(place: Place) -> None:
    """The page beside what is known of it; whoever shows it has opened a dialog."""
    spot: Spot = st.session_state[_READER]
    try:
        document = place.workspace.documents.document(spot.document)
        numbers = page_numbers(place.workspace, document.id)
        if not numbers:
            st.caption(t("reader.no_pages"))
            return
        if spot.page not in numbers:
            spot = replace(spot, page=min(numbers, key=lambda n: abs(n - spot.page)))
        content = page_content(place.workspace, document, spot.page)
        with st.container(key="reader", gap="small"):
            _head(document, numbers, spot)
            left, right = st.columns([11, 9], gap="medium")
            with left:
                _page(place, document, content, spot)
            with right, st.container(key="reader-side", gap="small"):
                _side(place, document, content, spot)
    except BritError as error:  # deleted meanwhile, or a page that cannot be drawn
        st.warning(escape_markdown(str(error)), icon=":material/info:")


def _head(document: Document, numbers: Sequence[int], spot: Spot) -> None:
    at = numbers.index(spot.page)
    with st.container(key="reader-head", horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{escape_markdown(document.name, 70)}**", width="stretch")
        if len(numbers) > 1:
            _turn("reader.before", "chevron_left", "Left", at == 0, numbers[at - 1], spot)
            st.number_input(
                t("reader.page"), min_value=numbers[0], max_value=numbers[-1], value=spot.page,
                key=f"reader-page-{spot.document}-{spot.page}", width=96,
                label_visibility="collapsed", on_change=_typed, args=(spot,),
            )  # fmt: skip
            st.markdown(f":gray[{t('reader.of', count=number(numbers[-1]))}]", width="content")
            following = numbers[min(at + 1, len(numbers) - 1)]
            _turn("reader.after", "chevron_right", "Right", at == len(numbers) - 1, following, spot)


def _typed(spot: Spot) -> None:
    page = st.session_state.get(f"reader-page-{spot.document}-{spot.page}")
    if isinstance(page, int):
        _go(replace(spot, page=page, picked=""))


def _turn(key: str, icon: str, shortcut: str, off: bool, page: int, spot: Spot) -> None:
    st.button(
        t(key), icon=f":material/{icon}:", type="tertiary", key=f"reader-{shortcut}",
        disabled=off, shortcut=shortcut, on_click=_go, args=(replace(spot, page=page, picked=""),),
    )  # fmt: skip


def _page(place: Place, document: Document, content: PageContent, spot: Spot) -> None:
    kinds: list[RegionKind] = st.pills(
        t("reader.kinds"), list(KINDS), selection_mode="multi", default=_FIRST, wrap=True,
        format_func=lambda kind: _counted(content, kind), key=f"reader-kinds-{document.format}",
        label_visibility="collapsed",
    )  # fmt: skip
    flowing: set[RegionKind] = {"text", "section", "figure"}  # where no page is drawn
    shown = set(kinds) if document.format == "pdf" else flowing
    key = f"reader-map-{document.id}"

    def picked() -> None:
        id = one_line(str(st.session_state[key].get("pick") or ""))
        node = id[2:] if id.startswith("n:") else ""
        _go(replace(spot, picked="" if id == spot.picked else id, node=node))

    on = {spot.picked, f"n:{spot.node}"} - {"", "n:"}
    page_map(place.workspace, document, spot.page, content, shown, on, key=key, on_pick=picked)


def _counted(content: PageContent, kind: RegionKind) -> str:
    count = len({region.id for region in content.regions if region.kind == kind})
    return t(f"reader.{kind}", count=number(count))


# --- beside the page ---


def _side(place: Place, document: Document, content: PageContent, spot: Spot) -> None:
    words = one_line(
        st.text_input(
            t("reader.find"), placeholder=t("reader.find"), key="reader-find",
            icon=":material/search:", label_visibility="collapsed",
        )
    )  # fmt: skip
    if words:
        _hits(place, document, words, spot)
    elif spot.node:
        _mentions(place, document, spot)
    else:
        _names(place, document, content, spot)


def _hits(place: Place, document: Document, words: str, spot: Spot) -> None:
    found = blocks_saying(place.workspace, document.id, words, _HITS + 1)
    if not found:
        st.caption(t("reader.not_found"))
        return
    more = "+" if len(found) > _HITS else ""
    st.markdown(f":gray[{t('reader.hits', n=min(len(found), _HITS), more=more)}]")
    with st.container(key="reader-hits", gap="xsmall", height=460):
        for block in found[:_HITS]:
            _place_row(block, sentence_around(text_of(block), words, 180), spot, "hit")


def _place_row(block: StoredBlock, quote: str, spot: Spot, kind: str) -> None:
    """A line of text that opens its page, its block lit up."""
    record = block.page if block.page is not None else 1
    target = replace(spot, document=block.document, page=record, picked=f"b:{block.id}")
    where = page_of(block.page)
    here = ":material/location_on: " if target.picked == spot.picked else ""
    st.button(
        f"{here}{f':gray[{where}] ' if where else ''}{escape_markdown(quote, 200)}",
        key=f"reader-{kind}-{block.id}", type="tertiary", width="stretch",
        on_click=_go, args=(target,),
    )  # fmt: skip


def _mentions(place: Place, document: Document, spot: Spot) -> None:
    patch = place.workspace.corrections.patch(document.collection)
    read = place.workspace.graph.nodes_by_id([spot.node])
    nodes = [node for node in (patch.nodes.get(spot.node), *read) if node]
    if not nodes:
        st.caption(t("reader.no_node"))
        return
    with st.container(key="reader-node", horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{escape_markdown(nodes[0].label, 80)}**", width="stretch")
        st.button(
            t("reader.back"), icon=":material/arrow_back:", type="tertiary", key="reader-back",
            on_click=_go, args=(replace(spot, node=""),),
        )  # fmt: skip
    places = mention_places(place.workspace, spot.node, patch)
    st.caption(t("reader.mentions", n=len(places), count=number(len(places))))
    with st.container(key="reader-mentions", gap="xsmall", height=420):
        for id, group in groupby(places[:_HITS], key=lambda each: each.document):
            with suppress(UnknownName):  # deleted this moment
                name = place.workspace.documents.document(id).name
                st.caption(f":material/description: {escape_markdown(name, 60)}")
                for each in group:
                    block = place.workspace.content.block(each.block)
                    _place_row(block, sentence_around(text_of(block), each.surfaces[0], 180),
                               spot, "mention")  # fmt: skip
    if len(places) > _HITS:
        st.caption(t("reader.first", n=_HITS))
    graph_link(place, f"n:{spot.node}")


def _names(place: Place, document: Document, content: PageContent, spot: Spot) -> None:
    """What is named in the region picked, or on the page."""
    region = next((each for each in content.regions if each.id == spot.picked), None)
    if region is None:
        names = list({each.node: each for each in reversed(content.names)}.values())[::-1]
        st.markdown(f"**{t('reader.names_page')}** :gray[{len(names)}]")
    else:
        id = f"i:{region.id[2:]}" if region.kind == "caption" else region.id
        names = content.names_at(id)
        st.markdown(f"**{t(f'reader.one_{region.kind}')}**")
        if region.label:
            st.markdown(f"> {escape_markdown(region.label, 320)}")
        st.markdown(f"**{t('reader.names_region')}** :gray[{len(names)}]")
    if not names:
        st.caption(t("reader.no_names"))
    with st.container(key="reader-names", gap="xsmall"):
        for each in names[:_NAMES]:
            _name_row(each, spot)
    if len(names) > _NAMES:
        st.caption(t("reader.more_names", n=len(names) - _NAMES))
    if region and region.kind == "figure":
        graph_link(place, region.id)
    elif region is None:
        st.caption(t("reader.hint" if document.format == "pdf" else "reader.hint_text"))


def _name_row(named: Named, spot: Spot) -> None:
    how = dotted(t(f"link.{named.link}"), decimal(named.score)) if named.link else ""
    told = f" :gray[:small[{how}]]" if how else ""
    st.button(
        f"{escape_markdown(named.label, 60)}{told}", key=f"reader-name-{named.node}",
        type="tertiary", on_click=_go, args=(replace(spot, node=named.node),),
    )  # fmt: skip
