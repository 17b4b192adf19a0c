"""The sections of a document, from its headings and bookmarks."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from brit.types import Block, OutlineEntry, Page, Section, TextBlock, stable_id

RUNNING = 3
"""Pages on which a heading must stand again, at the edge, to be a running title."""
EDGE = 0.12
"""Depth of the bands at the top and bottom of a page in which running titles stand."""
LARGE = 2
"""Level down to which a heading is in large type (or a bookmark's)."""
MAX_HEADING = 200
"""Characters above which a heading is a paragraph set in large type."""


def build_sections(
    pages: Sequence[Page], outline: Sequence[OutlineEntry]
) -> tuple[list[Section], list[list[str]]]:
    """The sections in order, and for every page the section id of every one of its blocks.

    A heading opens a section that lasts until a heading of the same depth or less. Levels are the
    bookmarks' where a bookmark has the heading's words, else the heading's own; a jump of several
    levels counts as one. Running titles open nothing. What stands before the first heading belongs
    to the bookmark of its page, if there is one, else to no section ("").
    """
    titles = {(entry.page, _plain(entry.title)): entry.level for entry in outline}
    running = _running_titles(pages)
    stack: list[Section] = []
    sections: list[Section] = []
    ids: list[list[str]] = []
    for page in pages:
        row = []
        for entry in _bookmarks_without_heading(page, outline):
            stack = _open(stack, sections, entry.title, entry.level)
        for block in page.blocks:
            if _opens(block, page, running) and isinstance(block, TextBlock):
                key = (page.number, _plain(block.text))
                stack = _open(stack, sections, block.text, titles.get(key, block.level or 1))
            row.append(stack[-1].id if stack else "")
        ids.append(row)
    return sections, ids


def _open(
    stack: Sequence[Section], sections: list[Section], title: str, level: int
) -> list[Section]:
    """The open sections after a heading, outermost first; the new one is added to `sections`."""
    outer = [section for section in stack if section.level < level]
    path = (*(section.title for section in outer), title)
    section = Section(stable_id("section", len(sections), *path), title, level, path)
    sections.append(section)
    return [*outer, section]


def _opens(block: Block, page: Page, running: set[str]) -> bool:
    if not isinstance(block, TextBlock) or block.kind != "heading":
        return False
    if len(block.text) > MAX_HEADING or not any(c.isalpha() for c in block.text):
        return False
    return not (_at_edge(block, page) and _running_key(block) in running)


def _at_edge(block: TextBlock, page: Page) -> bool:
    if block.bbox is None or not page.height:
        return False
    return block.bbox[3] < EDGE * page.height or block.bbox[1] > (1 - EDGE) * page.height


def _running_titles(pages: Sequence[Page]) -> set[str]:
    """Lines that stand at the edge of at least three pages, as their keys."""
    seen: dict[str, set[int]] = defaultdict(set)
    for page in pages:
        for block in page.blocks:
            if isinstance(block, TextBlock) and _at_edge(block, page):
                seen[_running_key(block)].add(page.number)
    return {text for text, numbers in seen.items() if len(numbers) >= RUNNING}


def _running_key(block: TextBlock) -> str:
    """What is the same on every page of a running title.

    Small ones may differ in numbers (pages, chapters); headings in large type that do so
    («Chapter 1», «Chapter 2») are different headings.
    """
    large = block.kind == "heading" and 0 < block.level <= LARGE
    return block.text.casefold() if large else _plain(block.text)


def _bookmarks_without_heading(
    page: Page, outline: Sequence[OutlineEntry]
) -> Iterator[OutlineEntry]:
    """Bookmarks of a page that none of its texts repeats: they open their section at its top."""
    texts = {_plain(block.text) for block in page.blocks if isinstance(block, TextBlock)}
    for entry in outline:
        if entry.page == page.number and entry.title and _plain(entry.title) not in texts:
            yield entry


def _plain(text: str) -> str:
    """A title as its letters only: numbers and spaces differ between bookmark and page."""
    return re.sub(r"[\W\d_]+", "", text).casefold()
