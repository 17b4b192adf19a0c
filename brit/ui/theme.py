"""Colours by theme for what Streamlit does not colour itself: the graph and the marked places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import streamlit as st

ThemeName = Literal["light", "dark"]


@dataclass(frozen=True)
class Palette:
    """`accent` is what was used in the answer, `node` text, `image` pictures; `…_text` are their
    shades for small words, which need more contrast."""

    text: str
    muted: str
    faint: str
    surface: str
    node: str
    node_soft: str
    image: str
    accent: str
    image_text: str
    accent_text: str


PALETTES: dict[ThemeName, Palette] = {
    "light": Palette(
        text="#1a1c2b", muted="#7b8094", faint="#c3c8d6", surface="#ffffff",
        node="#3451d1", node_soft="#e3e8fc", image="#0d9488", accent="#e98a10",
        image_text="#0b756c", accent_text="#945400",
    ),
    "dark": Palette(
        text="#eceef6", muted="#8b91a6", faint="#434a5e", surface="#11141c",
        node="#8ea2ff", node_soft="#262f57", image="#2dd4bf", accent="#ffac3e",
        image_text="#2dd4bf", accent_text="#ffac3e",
    ),
}  # fmt: skip


def theme_name() -> ThemeName:
    """The theme the browser shows now."""
    return "dark" if st.context.theme.type == "dark" else "light"


def palette() -> Palette:
    return PALETTES[theme_name()]
