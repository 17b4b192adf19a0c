"""Rows with bars: what was weighed at a step of a retrieval, kept or dropped.

The bars are the only HTML, and made of numbers alone.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence

import streamlit as st

from brit.ui.lab_steps import Group, Look, Row
from brit.ui.wording import decimal, t

_KEPT, _DROPPED = 8, 5


def draw_look(look: Look, key: str, thumbnail: Callable[[str], str]) -> None:
    """The groups of a step; `thumbnail` gives the data URI of a picture's id."""
    for at, group in enumerate(look.groups):
        _draw_group(group, f"{key}-{at}", thumbnail)


def _draw_group(group: Group, key: str, thumbnail: Callable[[str], str]) -> None:
    line = "" if group.mark is None else t("lab.mark", threshold=decimal(group.mark))
    if group.title:
        st.markdown(f"**{group.title}** :gray[:small[{line}]]" if line else f"**{group.title}**")
    if not group.rows:
        st.caption(t("lab.no_rows"))
    # What was dropped says why, and is shown even where much was kept.
    kept = [row for row in group.rows if row.kept]
    dropped = [row for row in group.rows if not row.kept]
    with st.container(key=f"lab-rows-{key}", gap="xsmall"):
        _draw_rows([*kept[:_KEPT], *dropped[:_DROPPED]], group.mark, key, thumbnail)
        if rest := [*kept[_KEPT:], *dropped[_DROPPED:]]:
            with st.expander(t("steps.more", n=len(rest)), type="compact"):
                _draw_rows(rest, group.mark, f"{key}-more", thumbnail)


def _draw_rows(
    rows: Sequence[Row], mark: float | None, key: str, thumbnail: Callable[[str], str]
) -> None:
    for at, row in enumerate(rows):
        state = "kept" if row.kept else "dropped"
        with st.container(
            key=f"lab-row-{state}-{key}-{at}", horizontal=True, vertical_alignment="center",
            gap="small",
        ):  # fmt: skip
            st.html(_bar(row.value, mark), width="content")
            if picture := thumbnail(row.image) if row.image else "":
                st.image(base64.b64decode(picture.partition(",")[2]), width=48)
            note = f"  \n:gray[{row.note}]" if row.note else ""
            st.markdown(f"{row.name}{note}", width="stretch")
            st.markdown(row.shown, width="content")


def _bar(value: float, mark: float | None) -> str:
    width = 100 * min(max(value, 0.0), 1.0)
    line = "" if mark is None else f'<i style="left:{100 * min(max(mark, 0.0), 1.0):.1f}%"></i>'
    return f'<div class="lab-bar"><b style="width:{width:.1f}%"></b>{line}</div>'
