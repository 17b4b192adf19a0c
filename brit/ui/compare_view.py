"""A document of the Library beside another one: shared names and pictures, and what one lacks."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from brit.storage.comparison import NameCount, compare
from brit.types import Document
from brit.ui.pictures import CARD, small_jpeg
from brit.ui.safe import one_line
from brit.ui.state import Place
from brit.ui.wording import number, t

_MOST, _PICTURES = 500, 12


def compare_view(place: Place, document: Document) -> None:
    """Choose another document of the collection; what both say of names, and their pictures."""
    assert place.collection is not None, "a document is in a collection"
    others = [each for each in place.workspace.documents.documents(place.collection.id)
              if each.ready and each.id != document.id]  # fmt: skip
    if not others:
        st.caption(t("compare.none"))
        return
    other = st.selectbox(
        t("compare.with"),
        others,
        format_func=lambda each: one_line(each.name, 80),
        index=None,
        placeholder=t("compare.choose"),
        key=f"compare-{document.id}",
    )
    if other is None:
        return
    found = compare(place.workspace, document.id, other.id)
    names = one_line(document.name, 40), one_line(other.name, 40)
    shared, here, there = st.tabs([
        t("compare.shared", count=number(len(found.shared))),
        t("compare.only_here", count=number(len(found.only_one))),
        t("compare.only_there", count=number(len(found.only_other))),
    ])  # fmt: skip
    with shared:
        _names(found.shared, *names)
        _pictures(place, found.pictures)
    with here:
        _names(found.only_one, names[0], "")
    with there:
        _names(found.only_other, "", names[1])


def _names(rows: Sequence[NameCount], here: str, there: str) -> None:
    """Names as text in cells, with how often each document mentions them."""
    if not rows:
        st.caption(t("compare.no_names"))
        return
    counts = {f"{here} ": "one", f"{there}  ": "other"}  # names may be alike
    shown = [(heading, each) for heading, each in counts.items() if heading.strip()]
    st.dataframe(
        [
            {t("compare.name"): one_line(row.label, 80),
             **{heading: getattr(row, each) for heading, each in shown}}
            for row in rows[:_MOST]
        ],
        hide_index=True,
        width="stretch",
        height=min(38 + 36 * len(rows), 420),
        row_height=36,
    )  # fmt: skip
    if len(rows) > _MOST:
        st.caption(t("compare.more", count=number(len(rows) - _MOST)))


def _pictures(place: Place, files: Sequence[str]) -> None:
    if not files:
        return
    st.caption(t("compare.pictures", n=len(files)))
    with st.container(horizontal=True):
        for file in files[:_PICTURES]:
            if content := small_jpeg(str(place.workspace.images.path(file)), CARD):
                st.image(content, width=120)
