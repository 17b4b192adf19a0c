"""HTML → blocks: what a reader of the page sees, without navigation, scripts and styles.

lxml gives the tree: libxml2 reads broken pages, fetches nothing, expands no entity of a document's
own and stops at a depth of 256, where parsers that follow the HTML standard take minutes over
nested tags. Classes are those MediaWiki writes (https://www.mediawiki.org/wiki/Help:Images).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from brit.documents.html_links import link_title
from brit.documents.html_parts import (
    ALTERNATIVE,
    CAPTION,
    STANDING,
    TITLE,
    Element,
    alternative,
    captioned,
    classes,
    flat,
    has_letter,
    has_title,
    is_caption,
    is_dropped,
    is_infobox,
    make_cell,
    number,
    rows,
)
from brit.documents.pictures import ICON_PIXELS, PictureLoader
from brit.documents.wiki_tables import Cell, lay_out, lay_out_facts
from brit.types import Block, ImageBlock, TextBlock, TextKind

_BLOCK_TAGS = frozenset((
    "div", "p", "center", "blockquote", "ul", "ol", "dl", "section", "article", "main", "header",
    "aside", "details", "summary", "address", "fieldset", "hr", "body", "figure",
))  # fmt: skip
_ITEM_TAGS = frozenset(("li", "dd", "dt"))
_FIGURE_CLASSES = ("thumb", "gallerybox", "tsingle")

# «Figure 3», «Abb. 2», «图 3».
_LABEL = re.compile(
    r"(fig(ure|\.)?|abb(ildung|\.)|bild|foto|photo|image|figura|рис(унок|\.)?|图|圖|図|그림)\s*\d",
    re.IGNORECASE,
)


def parse_html(content: bytes) -> Element | None:
    """The tree of a page, or None where there is nothing in it. `content` is UTF-8."""
    from lxml import etree, html

    parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    try:
        return html.document_fromstring(content, parser=parser)
    except etree.ParserError:
        return None


def find_heading(root: Element) -> str:
    """The first heading of the first level, "" where there is none."""
    return next(filter(None, (flat(each.text_content()) for each in root.iter("h1"))), "")


def find_title(root: Element, fallback: str) -> str:
    """The first heading of the page, else the title of its window, else `fallback`."""
    window = (flat(each.text_content()) for each in root.iter("title"))
    return find_heading(root) or next(filter(None, window), fallback)


def read_blocks(root: Element, title: str, pictures: PictureLoader) -> list[Block]:
    """The blocks of a page in reading order; its title, if any, is the first. Raises
    RecursionError."""
    walker = _Walker(title, pictures)
    walker.walk(_find_main(root))
    walker.end_block()
    body = attach_captions(walker.blocks)
    if not title:
        return body
    first = body[0] if body else None
    if isinstance(first, TextBlock) and (first.text, first.kind) == (title, "heading"):
        body = body[1:]
    return [TextBlock(title, "heading", level=1), *caption_lone_picture(body, title)]


def attach_captions(blocks: list[Block]) -> list[Block]:
    """Gives pictures without a caption the one that stands right after or before them."""
    taken: set[int] = set()
    for at, block in enumerate(blocks):
        for place in (at + 1, at - 1):
            if not isinstance(block, ImageBlock) or block.caption:
                break
            near = blocks[place] if 0 <= place < len(blocks) and place not in taken else None
            if isinstance(near, TextBlock) and (near.kind == "caption" or _LABEL.match(near.text)):
                block = replace(block, caption=near.text, caption_confidence=STANDING)
                blocks[at], blocks[place] = block, replace(near, kind="caption")
                taken.add(place)
    return blocks


def caption_lone_picture(blocks: list[Block], title: str) -> list[Block]:
    """The only picture of a page shows what the page is about."""
    places = [i for i, block in enumerate(blocks) if isinstance(block, ImageBlock)]
    if len(places) == 1:
        (at,) = places
        only = blocks[at]
        if isinstance(only, ImageBlock) and not only.caption:
            blocks[at] = replace(only, caption=title, caption_confidence=TITLE)
    return blocks


def _find_main(root: Element) -> Element:
    """Where the page's own text is, without the frame that all pages share."""
    tests: tuple[Callable[[Element], bool], ...] = (
        lambda e: "mw-parser-output" in classes(e),
        lambda e: e.get("id") == "mw-content-text",
        lambda e: e.tag == "main" or e.get("role") == "main",
        lambda e: e.tag == "body",
    )
    for test in tests:
        for element in root.iter("*"):
            if test(element):
                return element
    return root


@dataclass
class _Walker:
    """Gathers the text of the block in hand; ended blocks go to `blocks`."""

    title: str
    pictures: PictureLoader
    blocks: list[Block] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    kind: TextKind = "paragraph"

    def walk(self, element: Element) -> None:
        self.parts.append(element.text or "")
        for child in element:
            self.add(child)
            self.parts.append(child.tail or "")

    def end_block(self, kind: TextKind = "paragraph") -> None:
        """Ends the block in hand; the next one is of `kind`."""
        text = flat("".join(self.parts))
        if text:
            links = tuple(dict.fromkeys(self.links))
            self.blocks.append(TextBlock(text, self.kind, links=links))
            self.links = []
        self.parts, self.kind = [], kind

    def add(self, element: Element) -> None:
        tag = str(element.tag).lower()
        if is_dropped(element, tag):
            return
        if re.fullmatch(r"h[1-6]", tag):
            self.add_heading(element, int(tag[1]))
        elif tag == "img":
            self.add_picture(element)
        elif tag == "table":
            self.end_block()
            self.add_table(element)
        elif tag == "figure" or not classes(element).isdisjoint(_FIGURE_CLASSES):
            self.end_block()
            self.add_figure(element)
        elif tag == "pre":
            self.end_block()
            self.add_raw(element.text_content())
        elif tag == "a":
            self.add_link(element)
        elif tag == "br":
            self.parts.append(" ")
        elif tag == "math":
            self.parts.append(element.get("alttext") or element.text_content())
        else:
            self.add_flow(element, tag)

    def add_flow(self, element: Element, tag: str) -> None:
        """An element that only holds others: a block of its own, or part of the line."""
        kind = outer = self.kind
        if tag in _ITEM_TAGS:
            parent = element.getparent()
            kind = "footnote" if "references" in classes(parent) else "list-item"
        elif tag == "figcaption":
            kind = "caption"
        elif tag not in _BLOCK_TAGS:
            self.walk(element)
            return
        self.end_block(kind)
        self.walk(element)
        self.end_block(outer)

    def add_heading(self, element: Element, level: int) -> None:
        self.end_block()
        if text := self.read_inline(element):
            self.blocks.append(TextBlock(text, "heading", level=level))

    def add_raw(self, text: str) -> None:
        """Program text keeps its lines."""
        if text.strip():
            self.blocks.append(TextBlock(text.strip("\n").rstrip(), "paragraph"))

    def add_link(self, element: Element) -> None:
        if target := link_title(element.get("href"), element.get("title"), classes(element)):
            self.links += [target] if target != self.title else []
        self.walk(element)

    def read_inline(self, element: Element) -> str:
        """An element as one line of text; pictures and tables in it become blocks of their own."""
        text, others = self.read_apart(element)
        self.blocks.extend(others)
        return text

    def read_apart(self, element: Element) -> tuple[str, list[Block]]:
        """The text of an element as one line, and what else is in it."""
        inner = _Walker(self.title, self.pictures)
        inner.walk(element)
        inner.end_block()
        texts = [block.text for block in inner.blocks if isinstance(block, TextBlock)]
        others: list[Block] = [block for block in inner.blocks if not isinstance(block, TextBlock)]
        return ", ".join(texts), others

    # --- pictures --------------------------------------------------------------------------------

    def add_picture(self, element: Element, caption: str = "") -> None:
        sides = [number(element.get(name)) for name in ("width", "height")]
        known = [side for side in sides if side]
        address = element.get("data-src") or element.get("src") or ""
        if not address or (known and max(known) <= ICON_PIXELS):
            return
        shown = self.pictures.load(address, sized=bool(known))
        if shown is None:
            return
        confidence = CAPTION if caption else 0.0
        if not caption and (caption := alternative(element, shown.name)):
            confidence = ALTERNATIVE
        self.blocks.append(
            ImageBlock(
                shown.file,
                name=shown.name or None,
                caption=caption,
                caption_confidence=confidence,
            )
        )

    def add_figure(self, element: Element) -> None:
        """Pictures with the caption they share; what holds several captions holds several such."""
        captions = [e for e in element.iter("*") if is_caption(e)]
        images = list(element.iter("img"))
        missing = [e for e in element.iter("a") if "new" in classes(e)]
        if len(captions) > 1 or not (images or (captions and missing)):
            self.walk(element)
            self.end_block()
            return
        caption = self.read_apart(captions[0])[0] if captions else ""
        for image in images:
            if not any(is_caption(parent) for parent in image.iterancestors()):
                self.add_picture(image, caption)
        for link in missing if not images else ():
            name = str(link.get("title") or "").partition(":")[2]
            self.blocks.append(
                ImageBlock("", name=name or None, caption=caption, caption_confidence=CAPTION)
            )

    # --- tables ----------------------------------------------------------------------------------

    def add_table(self, table: Element) -> None:
        caption = ""
        grid: list[list[Cell]] = []
        pictures: list[tuple[Block, str]] = []
        for row in rows(table):
            cells = []
            found: list[tuple[Block, str]] = []
            for cell in row:
                text, others = self.read_apart(cell)
                if cell.tag == "caption":
                    caption = text
                else:
                    cells.append(make_cell(cell, text))
                found += [(block, text) for block in others]
            label = next((cell.text for cell in cells if has_letter(cell.text)), "")
            pictures += [(block, text if has_letter(text) else label) for block, text in found]
            grid += [cells] if cells or not row else []
        subject = (caption or self.title) if is_infobox(table) else ""
        facts = lay_out_facts(grid, "" if has_title(grid) else subject)
        heading = (grid[0][0].text if has_title(grid) else subject) if facts else ""
        self.blocks += [captioned(block, near or heading) for block, near in pictures]
        self.blocks += facts if facts is not None else lay_out(grid, caption)
