"""Saving what is drawn as a picture, and the graph as a file other programs read."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from brit.pipeline.explore import Explorer, export_bytes, extract_of
from brit.storage.export import Extract, Format
from brit.ui.explore.stage import Stage
from brit.ui.explore.svg import scene_svg
from brit.ui.safe import one_line
from brit.ui.theme import ThemeName
from brit.ui.wording import t

_SAVED, _PNG = "explore-saved", "explore-png"
_FORMATS: tuple[tuple[Format, str, str], ...] = (
    ("graphml", "graphml", "application/graphml+xml"),
    ("json", "json", "application/json"),
    ("csv", "zip", "application/zip"),
)


def picture_asked() -> int:
    """A number greater than any before where the browser shall save what it shows, else 0."""
    if not st.session_state.get(_PNG):
        return 0
    st.session_state[_SAVED] = st.session_state.get(_SAVED, 0) + 1
    return int(st.session_state[_SAVED])


def save_button(explorer: Explorer, stage: Stage, theme: ThemeName) -> None:
    """A button that opens what can be saved; `picture_asked` says whether the PNG was."""
    name = one_line(explorer.collection.name, 60)
    with st.popover(
        t("explore.export"), icon=":material/download:", key="explore-export", type="secondary"
    ), st.container(key="explore-export-body", gap="small"):  # fmt: skip
        st.markdown(f"**{t('explore.export_view')}**")
        with st.container(horizontal=True, gap="small"):
            st.button("PNG", key=_PNG, icon=":material/image:")
            svg = partial(scene_svg, stage.scene, theme)
            _download("SVG", f"{name}.svg", "image/svg+xml", svg)
        st.markdown(f"**{t('explore.export_graph')}**", help=t("explore.export_help"))
        _graph(explorer, stage, name)


def _graph(explorer: Explorer, stage: Stage, name: str) -> None:
    scope = st.segmented_control(
        t("explore.export_scope"),
        ["filter", "all"],
        default="filter",
        required=True,
        format_func=lambda each: t(f"explore.scope_{each}"),
        key="explore-scope",
        label_visibility="collapsed",
    )

    def extract() -> Extract | None:
        return extract_of(explorer.ties, stage.admitted) if scope == "filter" else None

    def file(format: Format) -> bytes:
        return export_bytes(explorer.workspace, explorer.collection.id, format, extract())

    with st.container(horizontal=True, gap="small"):
        for format, suffix, mime in _FORMATS:
            label = {"graphml": "GraphML", "json": "JSON", "csv": "CSV"}[format]
            _download(label, f"{name}.{suffix}", mime, partial(file, format))


def _download(label: str, name: str, mime: str, data: Callable[[], bytes]) -> None:
    """Made only when it is asked for."""
    st.download_button(
        label, data, file_name=name, mime=mime, key=f"explore-{label}", on_click="ignore"
    )
