"""The way from elsewhere to the Graph page."""

from __future__ import annotations

import streamlit as st

from brit.ui.state import Place, address
from brit.ui.wording import t


def graph_link(place: Place, mark: str) -> None:
    """A link to what is around a node («n:…») or an image («i:…»)."""
    collection = place.collection.id if place.collection else None
    st.page_link(
        "pages/2_Graph.py",
        label=t("explore.see"),
        icon=":material/hub:",
        query_params=address(collection) | {"node": mark},
        width="content",
    )
