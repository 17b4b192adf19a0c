"""A scene as SVG: text as text, pictures inside it, nothing that runs or is fetched."""

from __future__ import annotations

import re
from xml.etree import ElementTree as xml

from brit.ui.explore.canvas import COLOURS, line_colour, mixed
from brit.ui.explore.scene import FONT_SIZE, LINE_HEIGHT, Line, Mark, Scene, bounds
from brit.ui.theme import PALETTES, Palette, ThemeName
from brit.ui.wording import t

_SPACE = "http://www.w3.org/2000/svg"
_FONT = "Inter, Helvetica, Arial, sans-serif"
_MARGIN = 24.0
_CROWDED = 60
"""Lines from which on only those of a way are named: around a hub words would cover each other."""
# What XML 1.0 cannot hold (https://www.w3.org/TR/xml/#charsets).
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def scene_svg(scene: Scene, theme: ThemeName) -> bytes:
    """All marks with all their names, in the colours of the theme."""
    palette = PALETTES[theme]
    left, top, right, bottom = bounds(scene)
    wide, high = right - left + 2 * _MARGIN, bottom - top + 2 * _MARGIN
    corner = (left - _MARGIN, top - _MARGIN)
    root = xml.Element("svg", {
        "xmlns": _SPACE, "width": _n(wide), "height": _n(high),
        "viewBox": f"{_n(corner[0])} {_n(corner[1])} {_n(wide)} {_n(high)}",
        "font-family": _FONT, "font-size": _n(FONT_SIZE),
    })  # fmt: skip
    xml.SubElement(root, "rect", {
        "x": _n(corner[0]), "y": _n(corner[1]), "width": _n(wide), "height": _n(high),
        "fill": palette.surface,
    })  # fmt: skip
    for line in sorted(scene.lines, key=lambda line: line.main):
        _draw_line(root, line, scene.marks, palette)
    ordered = sorted(scene.marks, key=lambda mark: mark.main)
    for mark in ordered:
        _draw_mark(root, mark, theme, palette)
    for line in scene.lines:
        _name_line(root, line, scene.marks, palette, len(scene.lines) > _CROWDED)
    for mark in ordered:
        _name_mark(root, mark, palette)
    return bytes(xml.tostring(root, encoding="utf-8", xml_declaration=True))


def _draw_line(root: xml.Element, line: Line, marks: tuple[Mark, ...], palette: Palette) -> None:
    one, other = marks[line.one], marks[line.other]
    attributes = {
        "x1": _n(one.x), "y1": _n(one.y), "x2": _n(other.x), "y2": _n(other.y),
        "stroke": line_colour(line.link, line.main, palette),
        "stroke-width": _n(2.5 if line.main else 1.0),
    }  # fmt: skip
    if line.link not in (None, "CA"):
        attributes["stroke-dasharray"] = "4 4"
    xml.SubElement(root, "line", attributes)


def _draw_mark(root: xml.Element, mark: Mark, theme: ThemeName, palette: Palette) -> None:
    colour = COLOURS[theme][mark.family]
    border = palette.accent if mark.main else colour
    edge = {"stroke": border, "stroke-width": _n(3.0 if mark.main else 1.5)}
    if mark.family != "picture":
        fill = mixed(colour, palette.surface, 0.22)
        xml.SubElement(root, "circle", {
            "cx": _n(mark.x), "cy": _n(mark.y), "r": _n(mark.size), "fill": fill, **edge,
        })  # fmt: skip
        return
    box = {
        "x": _n(mark.x - mark.size * 4 / 3), "y": _n(mark.y - mark.size),
        "width": _n(mark.size * 8 / 3), "height": _n(mark.size * 2),
    }  # fmt: skip
    if mark.picture:
        xml.SubElement(root, "image", {**box, "href": mark.picture})
    xml.SubElement(root, "rect", {**box, "fill": "none" if mark.picture else colour, **edge})


def _name_mark(root: xml.Element, mark: Mark, palette: Palette) -> None:
    start = mark.y + mark.size + 3 + FONT_SIZE
    for row, words in enumerate(mark.label.split("\n") if mark.label else ()):
        _write(root, words, mark.x, start + row * LINE_HEIGHT, palette.text, palette, mark.main)


def _name_line(
    root: xml.Element, line: Line, marks: tuple[Mark, ...], palette: Palette, crowded: bool
) -> None:
    one, other = marks[line.one], marks[line.other]
    label = t(f"link.{line.link}") if line.link and line.main else line.label
    long = ((one.x - other.x) ** 2 + (one.y - other.y) ** 2) ** 0.5
    if label and (line.main or (not crowded and long > FONT_SIZE * 0.56 * len(label) + 44)):
        middle = (one.x + other.x) / 2, (one.y + other.y) / 2
        _write(root, label, *middle, palette.muted, palette, line.main)


def _write(
    root: xml.Element, words: str, x: float, y: float, colour: str, palette: Palette, bold: bool
) -> None:
    text = xml.SubElement(root, "text", {
        "x": _n(x), "y": _n(y), "text-anchor": "middle", "fill": colour,
        "stroke": palette.surface, "stroke-width": "3", "paint-order": "stroke",
        "font-weight": "600" if bold else "400",
    })  # fmt: skip
    text.text = _NOT_XML.sub("", words)


def _n(value: float) -> str:
    return f"{value:g}" if abs(value) < 1e5 else f"{value:.0f}"
