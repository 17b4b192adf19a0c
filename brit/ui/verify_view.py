"""The Verify page: a text checked against a picture, and an answer graded by a rubric."""

from __future__ import annotations

import streamlit as st

from brit.ui.state import Place
from brit.ui.verify_grade import grade_tab
from brit.ui.verify_text import check_tab
from brit.ui.wording import t


def show_verify(place: Place) -> None:
    """The whole page but for its frame."""
    with st.container(key="verify"):
        st.markdown(f"## {t('verify.title')}", anchors=False)
        claims, rubric = st.tabs([t("verify.tab_claims"), t("verify.tab_rubric")])
        with claims:
            check_tab(place)
        with rubric:
            grade_tab(place)
