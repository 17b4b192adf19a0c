"""The list of corrections, the latest first, each of which can be undone."""

from __future__ import annotations

import streamlit as st

from brit.errors import UnknownName
from brit.pipeline.review import ReviewQueue
from brit.types import Correction
from brit.ui.explore.review_acts import undo_one
from brit.ui.explore.stage import image_name
from brit.ui.safe import escape_markdown
from brit.ui.wording import number, t

_ROWS = 8


def corrections_button(queue: ReviewQueue) -> None:
    """A button that says how many there are, and opens them."""
    store, collection = queue.workspace.corrections, queue.collection.id
    total, _ = store.counts(collection)
    label = t("review.corrections", count=number(total))
    with (
        st.popover(label, icon=":material/history:", key="review-corrections"),
        st.container(key="review-corrections-body", gap="small"),
    ):
        if not total:
            st.caption(t("review.no_corrections"))
            return
        page = min(st.session_state.get("review-corrections-page", 0), (total - 1) // _ROWS)
        for each in store.entries(collection, _ROWS, page * _ROWS):
            _entry(queue, each)
        _pager(page, total)


def _entry(queue: ReviewQueue, each: Correction) -> None:
    said = correction_words(queue, each)
    with st.container(
        key=f"review-entry-{each.number}", horizontal=True, vertical_alignment="center"
    ):
        st.markdown(f":gray[~~{said}~~]" if each.undone else said, width="stretch")
        if each.undone:
            st.caption(t("review.is_undone"), width="content")
            return
        st.button(
            t("review.undo_this"),
            key=f"review-undo-{each.number}",
            type="tertiary",
            on_click=undo_one,
            args=(queue, each.number),
        )


def correction_words(queue: ReviewQueue, each: Correction) -> str:
    """A correction in words, as Markdown; names are those of today."""
    return t(
        f"review.did_{each.kind}",
        name=_name(queue, each.node),
        other=escape_markdown(each.value, 60) if each.kind == "split" else _name(queue, each.other),
        picture=_picture(queue, each.image),
        caption=escape_markdown(each.value, 80) or t("review.no_caption"),
    )


def _name(queue: ReviewQueue, id: str) -> str:
    """A node as read or as split off, also where it has been merged since."""
    found = queue.workspace.graph.nodes_by_id([id])
    node = found[0] if found else queue.read.patch.nodes.get(id)
    return f"**{escape_markdown(node.label, 48)}**" if node else t("review.unknown_name")


def _picture(queue: ReviewQueue, id: str) -> str:
    try:
        return f"“{escape_markdown(image_name(queue.workspace.content.image(id)), 48)}”"
    except UnknownName:
        return t("picture.unnamed")


def _pager(page: int, total: int) -> None:
    pages = (total - 1) // _ROWS
    if not pages:
        return
    with st.container(key="review-corrections-pager", horizontal=True):
        for step, word in ((-1, "review.before"), (1, "review.after")):
            st.button(
                t(word),
                key=f"review-corrections-step-{step}",
                type="tertiary",
                disabled=not 0 <= page + step <= pages,
                on_click=lambda to=page + step: st.session_state.update(
                    {"review-corrections-page": to}
                ),
            )
