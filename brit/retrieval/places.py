"""Where things stand: which passages and images share a block, a page or a section."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from brit.models import GraphIndex
from brit.types import CollectionGraph, Image, Passage

PageKey = tuple[str, int]  # document id, page number
_Key = TypeVar("_Key")


@dataclass(frozen=True, eq=False)
class Places:
    """Ids by place, of the passages and images that are `known`: those of a whole collection, read
    once and kept with its graph."""

    passages_of_block: dict[str, list[str]]
    passages_on_page: dict[PageKey, list[str]]
    passages_in_section: dict[str, list[str]]
    images_on_page: dict[PageKey, list[str]]
    images_in_section: dict[str, list[str]]
    last_page: dict[str, int]
    known: frozenset[str] = frozenset()

    def passages_of_blocks(self, blocks: Iterable[str]) -> list[str]:
        """The passages that hold one of the blocks, each once, in that order."""
        found = (passage for block in blocks for passage in self.passages_of_block.get(block, ()))
        return list(dict.fromkeys(found))


def page_key(thing: Passage | Image) -> PageKey | None:
    """The page a passage or an image stands on; None where there are no pages."""
    return None if thing.page is None else (thing.document, thing.page)


def read_places(index: GraphIndex) -> Places:
    """The places of a collection, read at the first question; of a collection that has grown since
    only what is new."""
    known: Places | None = index.graph.derived.get("places")
    if known is None:
        before = index.graph.derived.pop("places before", None)
        known = index.graph.derived["places"] = _read(index, before or _NOWHERE)
    return known


def keep_places(before: CollectionGraph, grown: CollectionGraph) -> None:
    """Hands on what was read for a graph to the one it has grown to."""
    if grown is not before and (places := before.derived.get("places")):
        grown.derived["places before"] = places


_NOWHERE = Places({}, {}, {}, {}, {}, {})


def _read(index: GraphIndex, before: Places) -> Places:
    """What is not in `before` is of other documents, but for images that are no furniture again."""
    by_block, by_page, by_section = defaultdict(list), defaultdict(list), defaultdict(list)
    images_by_page, images_by_section = defaultdict(list), defaultdict(list)
    last: dict[str, int] = {}
    for id in (id for id in index.passage_ids() if id not in before.known):
        passage = index.passage(id)
        for block in passage.blocks:
            by_block[block].append(id)
        by_section[passage.section].append(id)
        if passage.page is not None:
            by_page[passage.document, passage.page].append(id)
            last[passage.document] = max(passage.page, last.get(passage.document, 0))
    for id in (id for id in index.graph.image_ids if id not in before.known):
        image = index.image(id)
        images_by_section[image.section].append(id)
        if image.page is not None:
            images_by_page[image.document, image.page].append(id)
            last[image.document] = max(image.page, last.get(image.document, 0))
    by_section.pop("", None)
    images_by_section.pop("", None)
    return Places(
        passages_of_block={**before.passages_of_block, **by_block},
        passages_on_page={**before.passages_on_page, **by_page},
        passages_in_section={**before.passages_in_section, **by_section},
        images_on_page=_joined(before.images_on_page, images_by_page),
        images_in_section=_joined(before.images_in_section, images_by_section),
        last_page={
            **before.last_page,
            **{id: max(page, before.last_page.get(id, 0)) for id, page in last.items()},
        },
        known=frozenset(index.passage_ids()) | frozenset(index.graph.image_ids),
    )


def _joined(before: dict[_Key, list[str]], new: dict[_Key, list[str]]) -> dict[_Key, list[str]]:
    return {**before, **{key: [*before.get(key, ()), *ids] for key, ids in new.items()}}
