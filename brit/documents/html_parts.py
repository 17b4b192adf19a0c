"""What single elements of an HTML page mean: which are left out, cells, captions, sizes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

from brit.documents.wiki_tables import Cell
from brit.types import Block, ImageBlock

Element = Any
"""An lxml element: `text` before its first child, `tail` after its end."""

CAPTION, STANDING, ALTERNATIVE, NEIGHBOUR, TITLE = 1.0, 0.8, 0.6, 0.5, 0.3
"""How sure a caption is: written as one; a paragraph that looks like one; the text in place of the
picture; the text beside it in a table; the title of the page."""

_DROPPED_TAGS = frozenset((
    "script", "style", "noscript", "template", "head", "nav", "footer", "iframe", "svg", "form",
    "button", "input", "select", "textarea", "object", "embed", "audio", "video", "canvas",
    "dialog",
))  # fmt: skip
_DROPPED_CLASSES = frozenset((
    "mw-editsection", "toc", "noprint", "navbox", "catlinks", "printfooter", "mw-jump-link",
    "mw-indicators", "navigation-not-searchable", "magnify", "vertical-navbox", "sistersitebox",
    "mw-cite-backlink", "reference", "mw-empty-elt", "breadcrumb", "breadcrumbs",
))  # fmt: skip
_DROPPED_IDS = frozenset(("toc", "catlinks", "siteSub", "contentSub", "mw-navigation", "footer"))
_CAPTION_CLASSES = ("thumbcaption", "gallerytext")
_INFOBOX = re.compile(r"infobox|portable-infobox|taxobox", re.IGNORECASE)
_HIDDEN = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_FILE_NAME = re.compile(r".*\.(png|jpe?g|gif|webp|svg|tiff?|bmp)", re.IGNORECASE)


def captioned(block: Block, near: str) -> Block:
    if not isinstance(block, ImageBlock) or block.caption or not near:
        return block
    return replace(block, caption=near, caption_confidence=NEIGHBOUR)


def has_title(grid: list[list[Cell]]) -> bool:
    return bool(grid) and len(grid[0]) == 1 and grid[0][0].columns > 1 and bool(grid[0][0].text)


def rows(table: Element) -> Iterator[list[Element]]:
    """The cells of a table row by row; its caption is a row of one."""
    for child in table:
        if child.tag == "tr":
            yield [cell for cell in child if cell.tag in ("td", "th")]
        elif child.tag == "caption":
            yield [child]
        elif child.tag in ("tbody", "thead", "tfoot"):
            yield from rows(child)


def make_cell(element: Element, text: str) -> Cell:
    spans = [min(max(number(element.get(name)), 1), 100) for name in ("rowspan", "colspan")]
    return Cell(text, element.tag == "th", *spans)


def has_letter(text: str) -> bool:
    return any(c.isalpha() for c in text)


def number(value: object) -> int:
    match = re.match(r"\s*(\d{1,6})\s*(?:px)?\s*$", str(value or ""))
    return int(match[1]) if match else 0


def alternative(element: Element, name: str) -> str:
    """What the page says in place of the picture, or the page the picture leads to; not its file's
    name."""
    parent = element.getparent()
    around = parent.get("title") if parent is not None and parent.tag == "a" else ""
    for text in (flat(element.get("alt")), flat(element.get("title")), flat(around)):
        plain = unquote(name).rpartition(".")[0].replace("_", " ").casefold()
        is_name = text.replace("_", " ").casefold() == plain and text != flat(around)
        if has_letter(text) and not is_name and not _FILE_NAME.fullmatch(text):
            return text
    return ""


def is_dropped(element: Element, tag: str) -> bool:
    return (
        tag in _DROPPED_TAGS
        or not isinstance(element.tag, str)
        or element.get("hidden") is not None
        or str(element.get("id")) in _DROPPED_IDS
        or element.get("role") == "navigation"
        or not classes(element).isdisjoint(_DROPPED_CLASSES)
        or bool(_HIDDEN.search(str(element.get("style") or "")))
    )


def is_caption(element: Element) -> bool:
    return element.tag == "figcaption" or not classes(element).isdisjoint(_CAPTION_CLASSES)


def classes(element: Element) -> frozenset[str]:
    return frozenset(str(element.get("class") or "").split())


def flat(text: object) -> str:
    return " ".join(str(text or "").split())


def is_infobox(table: Element) -> bool:
    """Whether a table says facts on the page's subject."""
    return bool(_INFOBOX.search(str(table.get("class") or "")))
