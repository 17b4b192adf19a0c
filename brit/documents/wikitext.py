"""Wikitext → blocks: what a reader of the page sees, no markup left.

`mwparserfromhell` gives the tree; this walks it once and gathers text line by line as MediaWiki
does: an empty line ends a paragraph, any line end ends a list item.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import mwparserfromhell
from mwparserfromhell.nodes import (
    Argument,
    ExternalLink,
    Heading,
    HTMLEntity,
    Node,
    Tag,
    Template,
    Text,
    Wikilink,
)

from brit.documents.html_links import page_title
from brit.documents.wiki_files import FILE_NAMESPACES, find_caption, is_icon, split_fields
from brit.documents.wiki_tables import Cell, lay_out
from brit.documents.wiki_templates import TemplateCall, is_infobox, render_template
from brit.types import Block, ImageBlock, TableBlock, TextBlock, TextKind

CATEGORY_NAMESPACES = frozenset((
    "category", "kategorie", "catégorie", "categoría", "categoria", "categorie", "kategoria",
    "категория", "категорія", "kategori", "luokka", "分类", "分類", "カテゴリ", "분류", "تصنيف",
))  # fmt: skip
_RAW_TAGS = ("pre", "source", "syntaxhighlight")
_DROPPED_TAGS = frozenset((
    "references", "style", "script", "templatestyles", "templatedata", "score", "timeline",
    "graph", "mapframe", "maplink", "includeonly", "languages", "indicator", "hiero", "chem",
    "imagemap", "inputbox", "dynamicpagelist", "section",
))  # fmt: skip
_BLOCK_TAGS = ("div", "p", "center", "blockquote", "ul", "ol", "dl", "hr", "tr", "caption")
_ITEM_TAGS = ("li", "dd", "dt")
_FILE_NAME = re.compile(r"[^\[\]{}|<>#\n]+\.(?:png|jpe?g|gif|webp|svg)", re.IGNORECASE)
_PICTURE_PARAMETER = re.compile(
    r"(image|img|file|photo|picture|logo|map|bild|foto|imagen)s?_?(\d*)"
)
# What is left where markup was broken or belongs to MediaWiki itself.
_LEFTOVERS = re.compile(
    r"'{2,}|\[\[|\]\]|\{\{\{?|\}\}\}?|^\{\||^\|[-}].*$|__[A-Z]{3,}__", re.MULTILINE
)
_VARIANT = re.compile(r"-\{(?:\w\|)?(?:[^{};:|]*:)?([^{};]*)[^{}]*\}-")
_LANGUAGE_LINK = re.compile(r"[a-z]{2,3}(-[a-z]+)?")


@dataclass(frozen=True)
class WikiContext:
    """What the markup of one page needs to know of its wiki: namespaces in small letters."""

    title: str
    file_namespaces: frozenset[str] = FILE_NAMESPACES
    category_namespaces: frozenset[str] = CATEGORY_NAMESPACES


def parse_wikitext(markup: str, context: WikiContext) -> list[Block]:
    """A page's wikitext → blocks in reading order; pictures carry their name, not yet pixels."""
    walker = _Walker(context)
    walker.walk(mwparserfromhell.parse(markup).nodes)
    walker.end_block()
    return walker.blocks


@dataclass
class _Walker:
    """Gathers the text of the block in hand; ended blocks go to `blocks`."""

    context: WikiContext
    blocks: list[Block] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    kind: TextKind = "paragraph"

    def walk(self, nodes: Iterable[Node]) -> None:
        for node in nodes:
            if isinstance(node, Text):
                self.add_lines(_clean(str(node.value)))
            elif isinstance(node, Wikilink):
                self.add_link(node)
            elif isinstance(node, Tag):
                self.add_tag(node)
            elif isinstance(node, Template):
                self.add_template(node)
            elif isinstance(node, Heading):
                self.add_heading(node)
            elif isinstance(node, ExternalLink):
                self.walk((node.title or node.url).nodes)
            elif isinstance(node, HTMLEntity):
                self.parts.append(_decode(node))
            elif isinstance(node, Argument) and node.default is not None:
                self.walk(node.default.nodes)

    def add_lines(self, text: str) -> None:
        first, *others = text.split("\n")
        self.parts.append(first)
        for line in others:
            if self.kind != "paragraph" or (not line.strip() and len(others) > 1):
                self.end_block()
            self.parts.append("\n" + line)

    def end_block(self, kind: TextKind = "paragraph") -> None:
        """Ends the block in hand; the next one is of `kind`. Footnotes follow their block."""
        text = " ".join("".join(self.parts).split()).strip()
        if text:
            self.blocks.append(TextBlock(text, self.kind, links=tuple(dict.fromkeys(self.links))))
            self.links = []
            self.blocks.extend(TextBlock(note, "footnote") for note in self.notes)
            self.notes = []
        self.parts, self.kind = [], kind

    def add_heading(self, node: Heading) -> None:
        self.end_block()
        title = self.read_inline(node.title.nodes)
        if title:
            self.blocks.append(TextBlock(title, "heading", level=node.level))

    def read_inline(self, nodes: Iterable[Node]) -> str:
        """Nodes as one line of text; pictures and tables among them become blocks of their own."""
        inner = _Walker(self.context)
        inner.walk(nodes)
        inner.end_block()
        texts = [block.text for block in inner.blocks if isinstance(block, TextBlock)]
        self.blocks.extend(block for block in inner.blocks if not isinstance(block, TextBlock))
        return ", ".join(texts)

    def read_markup(self, markup: str) -> str:
        """A field of a link or a gallery as one line; pictures inside it are left out."""
        return _Walker(self.context).read_inline(mwparserfromhell.parse(markup).nodes)

    # --- links -----------------------------------------------------------------------------------

    def add_link(self, node: Wikilink) -> None:
        target = str(node.title).strip()
        namespace, separator, name = target.partition(":")
        namespace = namespace.strip().lower()
        if separator and namespace in self.context.file_namespaces:
            self.add_picture(name, split_fields(str(node.text)) if node.text else [])
        elif separator and namespace in self.context.category_namespaces:
            return
        elif node.text is not None and str(node.text).strip():
            self.note_link(target)
            self.walk(node.text.nodes)
        elif not (separator and _LANGUAGE_LINK.fullmatch(namespace)):
            self.note_link(target)
            self.parts.append(_link_label(target, piped=node.text is not None))

    def note_link(self, target: str) -> None:
        title = page_title(target)
        self.links += [title] if title and title != self.context.title else []

    def add_picture(self, name: str, fields: Sequence[str]) -> None:
        if name.strip() and not is_icon(fields):
            self.add_image(name.strip(), self.read_markup(find_caption(fields)))

    def add_image(self, name: str, caption: str) -> None:
        confidence = 1.0 if caption else 0.0
        self.blocks.append(
            ImageBlock("", name=name, caption=caption, caption_confidence=confidence)
        )

    def add_gallery(self, markup: str) -> None:
        for line in markup.splitlines():
            name, *fields = split_fields(line)
            namespace, separator, rest = name.partition(":")
            known = separator and namespace.strip().lower() in self.context.file_namespaces
            self.add_picture(rest if known else name, fields)

    # --- tags ------------------------------------------------------------------------------------

    def add_tag(self, node: Tag) -> None:
        tag = str(node.tag).strip().lower()
        if tag in _DROPPED_TAGS:
            return
        if tag in _ITEM_TAGS:
            # An indented line is a paragraph of its own, not an item of a list.
            self.end_block("paragraph" if node.wiki_markup == ":" else "list-item")
            self.walk(_contents(node))
        elif tag == "table":
            self.end_block()
            self.add_table(node)
        elif tag == "gallery":
            self.end_block()
            self.add_gallery(str(node.contents))
        elif tag == "ref":
            note = self.read_inline(_contents(node))
            self.notes.extend([note] if note else [])
        elif tag in _RAW_TAGS:
            self.end_block()
            self.add_raw(str(node.contents))
        elif tag == "nowiki" or tag == "math":
            self.parts.append(str(node.contents or ""))
        elif tag == "br":
            self.parts.append(" ")
        elif tag in _BLOCK_TAGS:
            self.end_block()
            self.walk(_contents(node))
            self.end_block()
        else:
            self.walk(_contents(node))

    def add_raw(self, text: str) -> None:
        """Program text keeps its lines."""
        if text.strip():
            self.blocks.append(TextBlock(text.strip("\n").rstrip(), "paragraph"))

    def add_table(self, node: Tag) -> None:
        caption = ""
        grid: list[list[Cell]] = []
        for row in _rows(node):
            cells = []
            for cell in row:
                text = self.read_inline(_contents(cell))
                if cell.wiki_markup == "|" and text.startswith("+"):
                    caption = text[1:].strip()
                elif str(cell.tag) == "caption":
                    caption = text
                else:
                    cells.append(_make_cell(cell, text))
            grid.append(cells)
        self.blocks.extend(lay_out(grid, caption))

    # --- templates -------------------------------------------------------------------------------

    def add_template(self, node: Template) -> None:
        call = self.read_call(node)
        pictures = {
            key for key, value in call.named.items() if self.add_parameter(key, value, call)
        }
        if is_infobox(call):
            self.add_infobox(call, pictures)
        else:
            self.parts.append(render_template(call, self.context.title))

    def read_call(self, node: Template) -> TemplateCall:
        positional, named = [], {}
        for parameter in node.params:
            value = self.read_inline(parameter.value.nodes)
            key = str(parameter.name).strip()
            if not parameter.showkey or key.isdigit():
                positional.append(value)
            elif value:
                named[key.lower()] = value
        name = str(node.name)
        return TemplateCall(
            " ".join(name.split()).replace("_", " ").lower(), tuple(positional), named
        )

    def add_parameter(self, key: str, value: str, call: TemplateCall) -> bool:
        """A parameter that names a picture, with the caption parameter that belongs to it."""
        match = _PICTURE_PARAMETER.match(key)
        if not match or not _FILE_NAME.fullmatch(value):
            return False
        number = match[2]
        keys = (f"caption{number}", f"{key}_caption", "image_caption", "caption", "bildtext")
        caption = next((call.named[name] for name in keys if name in call.named), "")
        namespace, separator, name = value.partition(":")
        known = separator and namespace.lower() in self.context.file_namespaces
        # The picture of an infobox shows what the page is about.
        fallback = self.context.title if is_infobox(call) else ""
        self.add_image(name if known else value, caption or fallback)
        return True

    def add_infobox(self, call: TemplateCall, pictures: set[str]) -> None:
        """One row whose columns are the box's parameters and whose name is the page's subject."""
        facts = {
            key.replace("_", " "): value
            for key, value in call.named.items()
            if key not in pictures
            and not re.search(r"caption|image|size|width|style|name|title", key)
        }
        subject = call.named.get("name") or call.named.get("title") or self.context.title
        self.end_block()
        if facts:
            self.blocks.append(
                TableBlock(("", *facts), ((subject, *facts.values()),), caption=subject)
            )


def _contents(node: Tag) -> list[Node]:
    return list(node.contents.nodes) if node.contents is not None else []


def _rows(table: Tag) -> Iterator[list[Tag]]:
    """Cells row by row; those before the first row marker are a row of their own."""
    loose: list[Tag] = []
    for child in _contents(table):
        if not isinstance(child, Tag):
            continue
        tag = str(child.tag).strip().lower()
        if tag in ("td", "th", "caption"):
            loose.append(child)
        else:
            if loose:
                yield loose
                loose = []
            yield from [_cells(child)] if tag == "tr" else _rows(child)
    if loose:
        yield loose


def _cells(row: Tag) -> list[Tag]:
    return [n for n in _contents(row) if isinstance(n, Tag) and str(n.tag).strip() in ("td", "th")]


def _make_cell(node: Tag, text: str) -> Cell:
    spans = {str(a.name).strip().lower(): str(a.value or "").strip() for a in node.attributes}
    return Cell(
        text, str(node.tag).strip() == "th", _span(spans, "rowspan"), _span(spans, "colspan")
    )


def _span(attributes: dict[str, str], name: str) -> int:
    value = attributes.get(name, "")
    return min(max(int(value), 1), 100) if value.isascii() and value.isdigit() else 1


def _clean(text: str) -> str:
    return _LEFTOVERS.sub("", _VARIANT.sub(r"\1", text))


def _decode(node: HTMLEntity) -> str:
    try:
        return str(node.normalize())
    except (ValueError, OverflowError):
        # A number that is no character: nothing to show.
        return ""


def _link_label(target: str, piped: bool) -> str:
    """What MediaWiki shows for a link without a text; `[[Name (kind)|]]` shows «Name»."""
    label = target.lstrip(":#").replace("_", " ")
    return re.sub(r"\s*\([^()]*\)$|^[^:]+:", "", label) if piped else label
