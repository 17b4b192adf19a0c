"""Pages of PDF files as pictures, drawn once."""

from __future__ import annotations

import streamlit as st

from brit import pipeline
from brit.storage import Workspace
from brit.types import BBox


@st.cache_data(max_entries=200, show_spinner=False)
def page_png(_workspace: Workspace, document: str, page: int, boxes: tuple[BBox, ...]) -> bytes:
    """A page as PNG with the places marked. Raises DocumentError, UnknownName."""
    return pipeline.page_image(_workspace, document, page, boxes)


@st.cache_data(max_entries=200, show_spinner=False)
def page_part(_workspace: Workspace, document: str, page: int, box: BBox) -> bytes:
    """What is around a place on a page, marked. Raises DocumentError, UnknownName."""
    return pipeline.page_image(_workspace, document, page, (box,), around=True)
