"""Where things stand: which passages and images share a block, a page or a section."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from brit.models import GraphIndex
from brit.types import Image, Passage

PageKey = tuple[str, int]  # document id, page number


@dataclass(frozen=True, eq=False)
class Places:
    """Ids by place, of a whole collection; read once and kept with its graph."""

    passages_of_block: dict[str, list[str]]
    passages_on_page: dict[PageKey, list[str]]
    passages_in_section: dict[str, list[str]]
    images_on_page: dict[PageKey, list[str]]
    images_in_section: dict[str, list[str]]
    last_page: dict[str, int]

    def passages_of_blocks(self, blocks: Iterable[str]) -> list[str]:
        """The passages that hold one of the blocks, each once, in that order."""
        found = (passage for block in blocks for passage in self.passages_of_block.get(block, ()))
        return list(dict.fromkeys(found))


def page_key(thing: Passage | Image) -> PageKey | None:
    """The page a passage or an image stands on; None where there are no pages."""
    return None if thing.page is None else (thing.document, thing.page)


def read_places(index: GraphIndex) -> Places:
    """The places of a collection, read at the first question."""
    known: Places | None = index.graph.derived.get("places")
    if known is None:
        known = index.graph.derived["places"] = _read(index)
    return known


def _read(index: GraphIndex) -> Places:
    by_block, by_page, by_section = defaultdict(list), defaultdict(list), defaultdict(list)
    images_by_page, images_by_section = defaultdict(list), defaultdict(list)
    last: dict[str, int] = {}
    for id in index.passage_ids():
        passage = index.passage(id)
        for block in passage.blocks:
            by_block[block].append(id)
        by_section[passage.section].append(id)
        if passage.page is not None:
            by_page[passage.document, passage.page].append(id)
            last[passage.document] = max(passage.page, last.get(passage.document, 0))
    for id in index.graph.image_ids:
        image = index.image(id)
        images_by_section[image.section].append(id)
        if image.page is not None:
            images_by_page[image.document, image.page].append(id)
            last[image.document] = max(image.page, last.get(image.document, 0))
    by_section.pop("", None)
    images_by_section.pop("", None)
    return Places(
        passages_of_block=dict(by_block),
        passages_on_page=dict(by_page),
        passages_in_section=dict(by_section),
        images_on_page=dict(images_by_page),
        images_in_section=dict(images_by_section),
        last_page=last,
    )
