"""The card beside the drawing: all that is known of a name, a picture, or what joins two."""

from __future__ import annotations

from itertools import groupby

import streamlit as st

from brit.pipeline.explore import Explorer
from brit.ui.evidence import Evidence
from brit.ui.evidence_panel import picture_card
from brit.ui.explore.address import Spot
from brit.ui.explore.facts import (
    LinkRow,
    Relation,
    between,
    links_of,
    mentions_of,
    picture_evidence,
    relations_of,
)
from brit.ui.explore.find import kind_name
from brit.ui.explore.rows import more_button, page_button, pick_button, shortened
from brit.ui.explore.stage import Stage, image_of, mark_name
from brit.ui.explore.where import go
from brit.ui.page_view import open_evidence
from brit.ui.pictures import small_jpeg
from brit.ui.safe import escape_markdown
from brit.ui.state import Place
from brit.ui.wording import decimal, dotted, page_of, t

_PICTURE = (640, 480)
_TABS = ("relations", "mentions", "pictures")


def node_card(place: Place, explorer: Explorer, spot: Spot, stage: Stage, node: int) -> None:
    """Name, other names, kind; relations, mentions and pictures."""
    id, label = explorer.ties.mark_id(node), explorer.ties.graph.node_labels[node]
    with st.container(key="explore-card", gap="small"):
        kind = explorer.ties.graph.node_kinds[node]
        st.markdown(f"#### {escape_markdown(label, 120)}", anchors=False)
        st.markdown(f":gray[:small[{kind_name(kind)}]]")
        if names := [name for name in explorer.names.names_of(node) if name != label]:
            told = ", ".join(f"“{escape_markdown(name, 60)}”" for name in names[:8])
            st.caption(t("explore.also", names=told))
        _ways(explorer, spot, id)
        relations = relations_of(explorer, node, stage.admitted)
        mentions = mentions_of(explorer, node)
        links = links_of(explorer, node, stage.admitted)
        counts = dict(zip(_TABS, (len(relations), len(mentions), len(links)), strict=True))
        tab = _tab(id, counts)
        if tab == "relations":
            _relations(place, explorer, spot, relations, id)
        elif tab == "mentions":
            _mentions(place, mentions, id, label)
        else:
            _pictures(place, links, id)


def _ways(explorer: Explorer, spot: Spot, id: str) -> None:
    """To the mark, or to the way to it, where it is not in the middle already."""
    if id == spot.node and not spot.to:
        return
    with st.container(horizontal=True, gap="small", key="explore-card-ways"):
        st.button(
            t("explore.go"),
            icon=":material/center_focus_strong:",
            key=f"explore-go-{id}",
            help=t("explore.go_help"),
            on_click=go,
            args=(spot.centred(id),),
        )
        centre = explorer.ties.mark_at(spot.node)
        if centre is not None and id not in (spot.node, spot.to):
            name = escape_markdown(mark_name(explorer, centre), 24)
            st.button(
                t("explore.way_from", name=name),
                icon=":material/route:",
                key=f"explore-way-to-{id}",
                on_click=go,
                args=(Spot(spot.node, to=id, size=spot.size, wanted=spot.wanted),),
            )


def _tab(id: str, counts: dict[str, int]) -> str:
    keys = {"relations": "explore.relations_tab", "mentions": "explore.mentions",
            "pictures": "explore.pictures"}  # fmt: skip
    first = next((tab for tab in _TABS if counts[tab]), "mentions")
    chosen = st.segmented_control(
        t("explore.title"),
        list(_TABS),
        default=first,
        required=True,
        format_func=lambda tab: t(keys[tab], n=counts[tab]),
        key=f"explore-tab-{id}",
        label_visibility="collapsed",
    )
    return chosen or first


def _relations(
    place: Place, explorer: Explorer, spot: Spot, relations: list[Relation], id: str
) -> None:
    if not relations:
        st.caption(t("explore.no_relations"))
    evidence = [each for row in relations for each in row.evidence]
    for number, row in enumerate(shortened(relations, f"relations-{id}")):
        other = escape_markdown(mark_name(explorer, row.other), 60)
        said = escape_markdown(row.relation, 40)
        label = f":gray[{said} →] {other}" if row.forward else f":gray[← {said}] {other}"
        if len(row.evidence) > 1:
            label += f" {t('explore.times', count=len(row.evidence))}"
        key = f"{id}-relation-{number}"
        with st.container(key=f"explore-row-{key}", horizontal=True, gap="small"):
            pick_button(spot, explorer.ties.mark_id(row.other), label, key)
            page_button(place, evidence, row.evidence[0], key)
    more_button(relations, f"relations-{id}")


def _mentions(place: Place, mentions: list[Evidence], id: str, label: str) -> None:
    if not mentions:
        st.caption(t("explore.no_mentions"))
    shown = list(shortened(mentions, f"mentions-{id}"))
    for document, group in groupby(shown, key=lambda each: (each.document_id, each.document)):
        st.caption(f":material/description: {escape_markdown(document[1], 60)}")
        for each in group:
            where = page_of(each.page)
            page = f":gray[{where}] \u2002" if where else ""
            with st.container(key=f"explore-mention-{each.key}", gap=None):
                if st.button(
                    f"{page}{escape_markdown(each.text, 200)}",
                    key=f"explore-open-{id}-{each.key}",
                    type="tertiary",
                    width="stretch",
                ):
                    open_evidence(place, mentions, each.key, escape_markdown(label, 60))
    more_button(mentions, f"mentions-{id}")


def _pictures(place: Place, links: list[LinkRow], id: str) -> None:
    if not links:
        st.caption(t("explore.no_pictures"))
    best: dict[str, LinkRow] = {}
    for row in links:
        best.setdefault(row.evidence.key, row)
    rows = list(best.values())
    evidence = [row.evidence for row in rows]
    shown = shortened(rows, f"pictures-{id}", 8)
    for start in range(0, len(shown), 2):
        for column, row in zip(st.columns(2, gap="small"), shown[start : start + 2], strict=False):
            with column:
                note = f"· {t(f'link.{row.kind}')}"
                picture_card(place, f"explore-{id}", row.evidence, evidence, note=note)
    more_button(rows, f"pictures-{id}", 8)


def image_card(place: Place, explorer: Explorer, spot: Spot, stage: Stage, mark: int) -> None:
    """A picture, where it stands, and the names it is linked to."""
    image, id = image_of(explorer, mark), explorer.ties.mark_id(mark)
    if image is None:
        return
    with st.container(key="explore-card", gap="small"):
        evidence = picture_evidence(explorer, image)
        st.markdown(f"#### {escape_markdown(evidence.label, 120)}", anchors=False)
        where = dotted(escape_markdown(evidence.document, 48), page_of(evidence.page))
        st.markdown(f":gray[:small[{where}]]")
        if content := small_jpeg(evidence.path, _PICTURE) if evidence.path else b"":
            st.image(content, width="stretch", alt=evidence.label)
        else:
            st.caption(t("picture.missing"))
        if st.button(t("explore.open_page"), icon=":material/menu_book:", key=f"explore-see-{id}"):
            open_evidence(place, [evidence], evidence.key)
        _ways(explorer, spot, id)
        names: dict[int, list[LinkRow]] = {}
        for row in links_of(explorer, mark, stage.admitted):
            names.setdefault(row.other, []).append(row)
        st.markdown(f"**{t('explore.names')}** :gray[{len(names)}]")
        for node in shortened(list(names), f"names-{id}"):
            name = escape_markdown(mark_name(explorer, node), 60)
            told = ", ".join(f"{t(f'link.{row.kind}')} {decimal(row.score)}" for row in names[node])
            label = f"{name} \u2002:gray[:small[{told}]]"
            pick_button(spot, explorer.ties.mark_id(node), label, f"{id}-name-{node}")
        more_button(list(names), f"names-{id}")


def line_card(
    place: Place, explorer: Explorer, spot: Spot, stage: Stage, pair: tuple[int, int]
) -> None:
    """Everything that joins two marks."""
    ids = [explorer.ties.mark_id(mark) for mark in pair]
    with st.container(key="explore-card", gap="small"):
        st.markdown(f"#### {t('explore.between')}", anchors=False)
        for id, mark in zip(ids, pair, strict=True):
            name = escape_markdown(mark_name(explorer, mark), 80)
            icon = ":material/circle:" if mark < explorer.ties.nodes else ":material/image:"
            pick_button(spot, id, f":small[{icon}] **{name}**", f"end-{id}")
        found = between(explorer, *pair, stage.admitted)
        for number, evidence in enumerate(found):
            with st.container(key=f"explore-mention-{number}", gap=None):
                if st.button(
                    escape_markdown(evidence.why, 240),
                    key=f"explore-between-{number}-{'-'.join(ids)}",
                    type="tertiary",
                    width="stretch",
                ):
                    open_evidence(place, found, evidence.key)
                score = decimal(evidence.score) if evidence.scored else ""
                where = escape_markdown(evidence.document, 40)
                st.caption(dotted(where, page_of(evidence.page), score))
