"""The two faces of the Graph page: walking through the graph, and reviewing its links."""

from __future__ import annotations

import streamlit as st

from brit.ui.explore.where import bound
from brit.ui.wording import t

_VIEW, _REVIEW = "view", "review"


def reviewing() -> bool:
    """Whether the address asks for the review."""
    return st.query_params.get(_VIEW) == _REVIEW


def mode_switch() -> None:
    """Explore, or Review links; the address says which."""
    key = bound("explore-mode", _REVIEW if reviewing() else "explore")
    st.segmented_control(
        t("review.mode"),
        ["explore", _REVIEW],
        key=key,
        required=True,
        format_func=lambda mode: t(f"review.mode_{mode}"),
        label_visibility="collapsed",
        on_change=_switch,
        width="content",
    )


def _switch() -> None:
    if st.session_state["explore-mode"] == _REVIEW:
        st.query_params[_VIEW] = _REVIEW
    else:
        st.query_params.pop(_VIEW, None)
