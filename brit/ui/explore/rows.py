"""Rows of a card: long lists are cut until somebody asks for the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import streamlit as st

from brit.ui.evidence import Evidence
from brit.ui.explore.address import Spot
from brit.ui.explore.where import go
from brit.ui.page_view import open_evidence
from brit.ui.safe import escape_markdown
from brit.ui.state import Place
from brit.ui.wording import number, t

T = TypeVar("T")
_FIRST = 12


def shortened(rows: Sequence[T], key: str, first: int = _FIRST) -> Sequence[T]:
    """The first rows, or all once they were asked for; `more_button` asks."""
    return rows if st.session_state.get(f"explore-all-{key}") else rows[:first]


def more_button(rows: Sequence[T], key: str, first: int = _FIRST) -> None:
    """Below a list that `shortened` cut."""
    flag, left = f"explore-all-{key}", len(rows) - first
    if left > 0 and not st.session_state.get(flag):
        st.button(
            t("explore.more", n=left, count=number(left)),
            key=f"explore-more-{key}",
            type="tertiary",
            icon=":material/expand_more:",
            on_click=lambda: st.session_state.update({flag: True}),
        )


def pick_button(spot: Spot, id: str, label: str, key: str) -> None:
    """A row that tells of another mark; `label` is our own Markdown."""
    st.button(
        label,
        key=f"explore-pick-{key}",
        type="tertiary",
        width="stretch",
        on_click=go,
        args=(replace(spot, pick=id),),
    )


def page_button(
    place: Place, evidence: Sequence[Evidence], shown: Evidence, key: str, title: str = ""
) -> None:
    """A small button that opens the page a row was read on."""
    if st.button(
        t("explore.open_page"),
        icon=":material/menu_book:",
        key=f"explore-page-{key}",
        type="tertiary",
        help=t("explore.step_help"),
    ):
        open_evidence(place, evidence, shown.key, escape_markdown(title, 60))
