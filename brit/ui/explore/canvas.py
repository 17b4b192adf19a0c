"""Our own component on vis-network: a scene goes in, clicks come back.

Names travel as data and are painted on a canvas; the frame loads nothing but its own files
(`component/index.html` says so to the browser).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import streamlit as st
import streamlit.components.v1 as components

from brit.types import LINK_KINDS, LinkKind
from brit.ui.explore.scene import FONT_SIZE, LINE_HEIGHT, Family, Line, Mark, Scene
from brit.ui.theme import Palette, ThemeName
from brit.ui.wording import t

Event = Literal["pick", "open", "ground"]
COLOURS: dict[ThemeName, dict[Family, str]] = {
    "light": {
        "term": "#3451d1", "person": "#db2777", "organisation": "#8b3fd9", "place": "#4d8b0b",
        "thing": "#0891b2", "number": "#6b7489", "picture": "#0d9488",
    },
    "dark": {
        "term": "#8ea2ff", "person": "#f47ab5", "organisation": "#c792ff", "place": "#a3d65c",
        "thing": "#3fd0ea", "number": "#98a0b5", "picture": "#2dd4bf",
    },
}  # fmt: skip
_SOLID, _CROWDED = 400, 1500
"""Marks from which on they are filled, as a ring of soft colour is lost among so many; lines from
which on they are drawn faintly and plainly."""


@dataclass(frozen=True)
class Click:
    """What was clicked: a mark or line to be told of (`pick`), a mark to go to (`open`), or the
    empty ground."""

    event: Event
    id: str = ""


@st.cache_resource(show_spinner=False)
def _component() -> Any:
    folder = Path(__file__).parent / "component"
    return components.declare_component("brit_graph", path=str(folder))


def draw(
    scene: Scene,
    *,
    picked: str,
    palette: Palette,
    theme: ThemeName,
    key: str,
    save: int,
    on_click: Callable[[], None],
) -> None:
    """Draw a scene; `read_click` tells what was clicked in it. The view is kept as long as the
    scene is the same. `on_click` is called once the value of `key` holds a new click; a `save`
    greater than any before makes the browser save what is seen."""
    data = scene_data(scene, palette, theme)
    _component()(
        **data,
        version=_version(data),
        picked=picked,
        save=save,
        file="graph.png",
        words={name: t(f"explore.tool_{name}") for name in ("graph", "in", "out", "fit")},
        default=None,
        key=key,
        on_change=on_click,
    )


def read_click(value: object) -> Click | None:
    """The component's value, which a browser sent, as a click."""
    if not isinstance(value, dict):
        return None
    event, id = value.get("event"), value.get("id")
    if event not in ("pick", "open", "ground") or not isinstance(id, str):
        return None
    return Click(event, id)


def scene_data(scene: Scene, palette: Palette, theme: ThemeName) -> dict[str, Any]:
    """Rows of a scene and the tables their numbers stand in, as graph.js takes them."""
    families = list(COLOURS[theme])
    solid, crowded = len(scene.marks) > _SOLID, len(scene.lines) > _CROWDED
    return {
        "marks": [_mark_row(mark, families) for mark in scene.marks],
        "lines": [_line_row(line) for line in scene.lines],
        "colours": [_colours(COLOURS[theme][each], palette, solid) for each in families],
        "square": families.index("picture"),
        "styles": [_style(kind, main, palette, crowded) for kind, main in _STYLES],
        "theme": {
            "text": palette.text, "muted": palette.muted, "surface": palette.surface,
            "accent": palette.accent, "border": palette.faint, "hover": palette.node_soft,
            "size": FONT_SIZE, "line": LINE_HEIGHT,
        },
    }  # fmt: skip


_STYLES: list[tuple[LinkKind | None, bool]] = [
    (kind, main) for main in (False, True) for kind in (None, *LINK_KINDS)
]


def _mark_row(mark: Mark, families: list[Family]) -> list[Any]:
    return [mark.id, mark.x, mark.y, mark.size, families.index(mark.family), mark.label, mark.zoom,
            mark.picture, int(mark.main)]  # fmt: skip


def _line_row(line: Line) -> list[Any]:
    label = line.label
    if line.main and line.link:
        label = t(f"link.{line.link}")
    return [line.one, line.other, _STYLES.index((line.link, line.main)), label]


def _colours(colour: str, palette: Palette, solid: bool) -> list[str]:
    if solid:
        return [colour, colour]
    return [mixed(colour, palette.surface, 0.22), colour]


def line_colour(kind: LinkKind | None, main: bool, palette: Palette) -> str:
    """Of a line: links to pictures are green, what is said is grey, what is told of orange."""
    if main:
        return palette.accent
    if kind is None:
        return mixed(palette.muted, palette.surface, 0.6)
    return mixed(palette.image, palette.surface, 0.8 if kind == "CA" else 0.4)


def _style(kind: LinkKind | None, main: bool, palette: Palette, crowded: bool) -> dict[str, Any]:
    colour = line_colour(kind, main, palette)
    return {
        "colour": mixed(colour, palette.surface, 0.55) if crowded and not main else colour,
        "width": 2.5 if main else 1.0,
        "dashes": [4, 4] if kind not in (None, "CA") and not crowded else False,
        "arrow": kind is None and not crowded,
        "main": main,
    }


def mixed(colour: str, ground: str, share: float) -> str:
    """A colour laid over a ground, both as #rrggbb."""
    pairs = zip(_channels(colour), _channels(ground), strict=True)
    return "#" + "".join(f"{round(c * share + g * (1 - share)):02x}" for c, g in pairs)


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _version(data: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(data).encode()).hexdigest()[:16]
