"""Draws a graph with streamlit-agraph, behind the guards its use was found to need.

- Nodes never get a title: agraph puts it into the page as HTML and opens it on a double click.
- Ids are unique and edges have both ends, or nothing is drawn.
- The key changes with turn, graph and theme, or the view is not fitted to new data.
- `_agraph` is called itself because `agraph()` takes no key; hence the exact pin of its version.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from brit.ui.graph_layout import LINE_LENGTH, extent
from brit.ui.graph_spec import GraphEdge, GraphNode, GraphSpec, State
from brit.ui.safe import one_line
from brit.ui.theme import Palette
from brit.ui.wording import t

Thumbnail = Callable[[str], str]
_FONT = "Inter, Helvetica, Arial, sans-serif"
_PIXELS = ("x", "y", "size")
_LARGER = 1.35
_MUTED = 0.16
_SIDE = 46  # half of what a label is wide
_NODE_SIZE: dict[State, int] = {"used": 12, "kept": 8, "dropped": 6}
_IMAGE_SIZE: dict[State, int] = {"used": 27, "kept": 22, "dropped": 17}


@dataclass(frozen=True)
class Light:
    """What of a graph is lit up while the rest is muted, and the mark and line looked at now."""

    marks: frozenset[str]
    pairs: frozenset[frozenset[str]]
    now: str = ""
    now_pair: frozenset[str] = frozenset()


def draw_graph(
    spec: GraphSpec,
    *,
    key: str,
    palette: Palette,
    thumbnail: Thumbnail,
    layered: bool,
    large: bool = False,
    light: Light | None = None,
    on_click: Callable[[], None] | None = None,
) -> str | None:
    """→ the id of the node clicked last (it stays until another one is clicked), or None.

    `large`: all is drawn larger, and the mouse wheel zooms. Where a graph is part of a page the
    wheel scrolls the page. `on_click` is called once the value of `key` is a new id.
    """
    from streamlit_agraph import _agraph

    data = vis_data(spec, palette, thumbnail, layered=layered, large=large, light=light)
    clicked = _agraph(
        data=json.dumps(data), config=json.dumps(vis_config(large)), key=key, on_change=on_click
    )
    return clicked if clicked in {node.id for node in spec.nodes} else None


def vis_config(zoom: bool) -> dict[str, Any]:
    """vis-network's options: fixed places, no physics, as high as the frame (see style.css)."""
    return {
        # vis-network takes a height only if "px" or "%" is in it.
        "height": "calc(100vh - 0px)",
        "width": "100%",
        "physics": {"enabled": False},
        "interaction": {"hover": True, "dragNodes": True, "zoomView": zoom, "tooltipDelay": 150},
        "layout": {"improvedLayout": False},
    }


def vis_data(
    spec: GraphSpec,
    palette: Palette,
    thumbnail: Thumbnail,
    *,
    layered: bool,
    large: bool = False,
    light: Light | None = None,
) -> dict[str, list[dict[str, Any]]]:
    """Nodes and edges as vis-network takes them: labels only, no titles on nodes. Each says all of
    how it looks: what is left out stays as it was when a drawing is only changed."""
    place = {node.id: (node.x, node.y) for node in spec.nodes}
    width = round(LINE_LENGTH * _LARGER) if large else LINE_LENGTH
    drawn = [_node(node, palette, thumbnail, width) for node in spec.nodes]
    if light:
        drawn = [_lit_node(node, light, palette) for node in drawn]
    nodes = [*drawn, *_bends(spec.edges), *_margin(spec.nodes)]
    return {
        "nodes": [_grown(node) for node in nodes] if large else nodes,
        "edges": [
            part
            for edge in spec.edges
            for part in _parts(edge, _edge(edge, palette, light), place, layered)
        ],
    }


def _margin(marks: Sequence[GraphNode]) -> list[dict[str, Any]]:
    """Two points nobody sees: vis-network fits marks into the frame and forgets their labels."""
    xs = [mark.x for mark in marks]
    top = min(mark.y - extent(mark)[0] for mark in marks)
    bottom = max(mark.y + extent(mark)[1] for mark in marks)
    corners = ((min(xs) - _SIDE, top), (max(xs) + _SIDE, bottom))
    return [_unseen(f"margin-{i}", x, y) for i, (x, y) in enumerate(corners)]


def _unseen(id: str, x: float, y: float) -> dict[str, Any]:
    return {"id": id, "x": x, "y": y, "shape": "dot", "size": 1, "opacity": 0, "label": ""}


def _bends(edges: Sequence[GraphEdge]) -> list[dict[str, Any]]:
    """The points through which lines are led."""
    return [
        _unseen(f"{_line_id(edge)}-{i}", x, y)
        for edge in edges
        for i, (x, y) in enumerate(edge.via)
    ]


def _line_id(edge: GraphEdge) -> str:
    return f"{edge.source}>{edge.target}"


def _parts(
    edge: GraphEdge, drawn: dict[str, Any], place: dict[str, tuple[float, float]], layered: bool
) -> list[dict[str, Any]]:
    """A line as the parts between its bends: an arrow at its end, its words on its first part."""
    ids = [edge.source, *(f"{_line_id(edge)}-{i}" for i in range(len(edge.via))), edge.target]
    points = [place[edge.source], *edge.via, place[edge.target]]
    last = len(ids) - 2
    return [
        drawn
        | {
            "id": f"{_line_id(edge)}:{i}",
            "from": ids[i],
            "to": ids[i + 1],
            "arrows": {"to": {"enabled": i == last, "scaleFactor": 0.5}},
            "smooth": _smooth(points[i], points[i + 1]) if layered else False,
            "label": drawn["label"] if i == 0 else "",
        }
        for i in range(last + 1)
    ]


def _grown(node: dict[str, Any]) -> dict[str, Any]:
    """The same, larger, its words but wider apart: vis-network itself enlarges nothing."""
    return {key: _LARGER * value if key in _PIXELS else value for key, value in node.items()}


def cut_label(label: str, width: int, lines: int = 2) -> str:
    """A label on at most `lines` lines of `width` characters, cut at a word's end."""
    wrapped = textwrap.wrap(label, width, max_lines=lines, placeholder="…", break_on_hyphens=False)
    return "\n".join(wrapped)


def _node(node: GraphNode, palette: Palette, thumbnail: Thumbnail, width: int) -> dict[str, Any]:
    dropped = node.state == "dropped"
    base: dict[str, Any] = {
        "id": node.id,
        "x": node.x,
        "y": node.y,
        "label": cut_label(node.label, width),
        "font": {
            "face": _FONT,
            "size": 12 if dropped else 16,
            "color": palette.muted if dropped else palette.text,
            "strokeWidth": 3,
            "strokeColor": palette.surface,
            "vadjust": 0,
        },
        "opacity": 0.45 if dropped else 1.0,
        "borderWidth": 1,
    }
    picture = thumbnail(node.id[2:]) if node.kind == "image" else ""
    if picture:
        return base | _picture(node.state, palette, picture)
    shape = {"question": _star, "passage": _chip, "node": _dot, "image": _blank}[node.kind]
    return base | shape(node.state, palette)


def _lit_node(drawn: dict[str, Any], light: Light, palette: Palette) -> dict[str, Any]:
    if drawn["id"] not in light.marks:
        font = drawn["font"] | {"color": palette.faint}
        return drawn | {"opacity": _MUTED, "font": font}
    wide = 5 if drawn["id"] == light.now else max(drawn["borderWidth"], 3)
    same = drawn["color"] | {"border": palette.accent}
    color = same | {"highlight": same, "hover": same}
    return drawn | {"opacity": 1.0, "borderWidth": wide, "color": color}


def _colors(border: str, background: str) -> dict[str, Any]:
    same = {"border": border, "background": background}
    return {"color": same | {"highlight": same, "hover": same}}


def _star(_: State, palette: Palette) -> dict[str, Any]:
    return {"shape": "star", "size": 20} | _colors(palette.accent, palette.accent)


def _dot(state: State, palette: Palette) -> dict[str, Any]:
    background = palette.node if state == "used" else palette.node_soft
    border = palette.faint if state == "dropped" else palette.node
    size = {"shape": "dot", "size": _NODE_SIZE[state], "borderWidth": 1.5}
    return size | _colors(border, background if state != "dropped" else palette.surface)


def _chip(state: State, palette: Palette) -> dict[str, Any]:
    border = palette.accent if state == "used" else palette.node
    return {
        "shape": "box",
        "margin": 7,
        "borderWidth": 2 if state == "used" else 1,
        "shapeProperties": {"borderRadius": 6},
    } | _colors(border, palette.surface)


def _blank(state: State, palette: Palette) -> dict[str, Any]:
    border = palette.faint if state == "dropped" else palette.image
    return {"shape": "square", "size": _IMAGE_SIZE[state] * 0.6} | _colors(border, palette.surface)


def _picture(state: State, palette: Palette, picture: str) -> dict[str, Any]:
    border = {"used": palette.accent, "kept": palette.image, "dropped": palette.faint}[state]
    return {
        "shape": "image",
        "image": picture,
        "size": _IMAGE_SIZE[state],
        "borderWidth": {"used": 3, "kept": 2, "dropped": 1}[state],
        "shapeProperties": {"useBorderWithImage": True, "interpolation": True},
    } | _colors(border, palette.surface)


def _edge(edge: GraphEdge, palette: Palette, light: Light | None) -> dict[str, Any]:
    pair = frozenset((edge.source, edge.target))
    lit = light is not None and pair in light.pairs
    color = {"used": palette.accent, "kept": palette.muted, "dropped": palette.faint}[edge.state]
    width = {"used": 2.0, "kept": 1.0, "dropped": 1.0}[edge.state]
    told = edge.state == "used" and edge.source[:2] == edge.target[:2] == "n:"
    if light:
        color = palette.accent if lit else palette.faint
        width = 5.0 if pair == light.now_pair else 3.0 if lit else 1.0
        told = lit and edge.label not in (t("graph.similar"), t("graph.stated"))
    drawn: dict[str, Any] = {
        "color": {"color": color, "highlight": color, "hover": color,
                  "opacity": 1.0 if lit or not light else 0.5},
        "width": width,
        "dashes": [4, 4] if edge.state == "dropped" else False,
        "label": cut_label(one_line(edge.label, 34), 16) if told else "",
        "font": _edge_font(palette),
    }  # fmt: skip
    return drawn | ({"title": edge.label} if edge.label else {})


def _edge_font(palette: Palette) -> dict[str, Any]:
    return {
        "face": _FONT, "size": 13, "color": palette.text, "strokeWidth": 4,
        "strokeColor": palette.surface,
    }  # fmt: skip


def _smooth(source: tuple[float, float], target: tuple[float, float]) -> dict[str, Any]:
    if abs(source[0] - target[0]) < 100:  # in one column: around what stands between
        return {"enabled": True, "type": "curvedCW", "roundness": 0.35}
    return {
        "enabled": True,
        "type": "cubicBezier",
        "forceDirection": "horizontal",
        "roundness": 0.45,
    }
