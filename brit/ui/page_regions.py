"""What can be pointed at on a page: its blocks, figures, captions, headings and names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import streamlit as st

from brit import pipeline
from brit.errors import DocumentError
from brit.storage import Workspace
from brit.storage.pages import Named, names_of_images, names_on
from brit.types import BBox, Document, Image, ImageBlock, Patch, StoredBlock, TextBlock
from brit.ui.safe import one_line

RegionKind = Literal["text", "figure", "caption", "section", "name"]
KINDS: tuple[RegionKind, ...] = ("text", "figure", "caption", "section", "name")
_NEAR = 0.003  # of the page's sides: boxes of the same line differ by less
_MOST_NAMES = 60  # looked for on the drawn page: as many as anybody can tell apart


@dataclass(frozen=True)
class Region:
    """`id` is "b:…" a block, "i:…" an image, "c:…" the caption of one, "n:…" a node; `box` in
    fractions of the page as it is seen, None where no page is drawn. Of a name there can be
    several regions."""

    id: str
    kind: RegionKind
    label: str
    box: BBox | None = None


@dataclass(frozen=True)
class PageContent:
    """A page with its regions and names. `names` have in `at` the block or image they belong to."""

    regions: tuple[Region, ...]
    names: tuple[Named, ...]
    blocks: tuple[StoredBlock, ...]
    images: tuple[Image, ...]

    def names_at(self, id: str) -> list[Named]:
        """The nodes of a region, each once."""
        kind, _, at = id.partition(":")
        if kind == "n":
            return [each for each in self.names if each.node == at][:1]
        found = {each.node: each for each in reversed(self.names) if each.at == at}
        return list(reversed(found.values()))


def page_content(workspace: Workspace, document: Document, page: int) -> PageContent:
    """A page as read and as people corrected it. Raises UnknownName. Names are marked where their
    words stand; those of scans are not."""
    return _content(workspace, document, page, workspace.corrections.counts(document.collection))


@st.cache_data(max_entries=100, show_spinner=False)
def _content(
    _workspace: Workspace, document: Document, page: int, corrections: tuple[int, int]
) -> PageContent:
    del corrections  # tells a page as it was before from one that was corrected
    content = _workspace.content
    blocks = tuple(content.blocks(document.id, page))
    placed = {block.id: block for block in blocks}
    images = tuple(
        image for image in content.document_images(document.id)
        if not image.furniture and (image.block in placed or _on(image, document, page))
    )  # fmt: skip
    patch = _workspace.corrections.patch(document.collection)
    read = [
        *names_on(_workspace, document.id, page),
        *names_of_images(_workspace, [image.id for image in images]),
    ]
    names = corrected(read, patch, [image.id for image in images])
    regions = [*(_block_region(block) for block in blocks), *_image_regions(images)]
    shown = [region for region in regions if region is not None]
    if document.format == "pdf":
        shown = _placed(_workspace, document, page, shown, names)
    return PageContent(tuple(shown), names, blocks, images)


def corrected(read: Sequence[Named], patch: Patch, images: Sequence[str]) -> tuple[Named, ...]:
    """Names as people put them right: split, merged, linked, unlinked, rejected."""
    kept = [each for each in read if not each.link or not _is_unlinked(each, patch)]
    moved = [
        replace(each, node=patch.now(patch.split.get((each.node, each.surface), each.node)))
        for each in kept
    ]
    labels = {each.node: (each.label, each.kind) for each in read}
    labels |= {id: (node.label, node.kind) for id, node in patch.nodes.items()}
    added = [
        Named(node, *labels[node], link.image, "", link.kind, link.score)
        for link in patch.links
        if link.image in images and (node := patch.now(link.node)) in labels
    ]
    rejected = {pair for pair, said in patch.reviews.items() if said == "rejected"}
    return tuple(
        replace(each, label=labels.get(each.node, (each.label, ""))[0])
        for each in (*moved, *added)
        if not each.link or (each.at, each.node) not in rejected
    )


def _is_unlinked(named: Named, patch: Patch) -> bool:
    pairs = ((named.at, node, named.link) for node in (named.node, ""))
    return any(pair in patch.unlinked for pair in pairs)


def _on(image: Image, document: Document, page: int) -> bool:
    return document.paged and image.page == page


def _block_region(stored: StoredBlock) -> Region | None:
    block = stored.block
    if isinstance(block, ImageBlock):
        return None
    heading = isinstance(block, TextBlock) and block.kind == "heading"
    return Region(
        f"b:{stored.id}", "section" if heading else "text", one_line(block.text, 160), block.bbox
    )


def _image_regions(images: Sequence[Image]) -> list[Region]:
    found = []
    for image in images:
        name = one_line(image.caption or image.name or "", 160)
        found.append(Region(f"i:{image.id}", "figure", name, image.bbox))
        if image.caption and image.caption_bbox:
            found.append(Region(f"c:{image.id}", "caption", name, image.caption_bbox))
    return found


def _placed(
    workspace: Workspace,
    document: Document,
    page: int,
    regions: Sequence[Region],
    names: Sequence[Named],
) -> list[Region]:
    """The regions in fractions of the page as it is drawn, and the names on it."""
    boxed = [region for region in regions if region.box]
    surfaces = list(dict.fromkeys(each.surface for each in names if each.surface))[:_MOST_NAMES]
    try:
        boxes, words = pipeline.page_places(
            workspace, document.id, page, [region.box for region in boxed if region.box], surfaces
        )
    except DocumentError:  # the page is shown by its text instead
        return [replace(region, box=None) for region in regions]
    nodes = {each.surface: each for each in names if each.surface}
    placed = [replace(region, box=box) for region, box in zip(boxed, boxes, strict=True)]
    found = [
        Region(f"n:{nodes[surface].node}", "name", nodes[surface].label, box)
        for surface, boxes in zip(surfaces, words, strict=True)
        for box in boxes
    ]
    # Part of a longer name is no mention of its own, and would lie above it.
    return placed + [each for each in found if not any(_holds(other, each) for other in found)]


def _holds(outer: Region, inner: Region) -> bool:
    if outer.id == inner.id or not outer.box or not inner.box:
        return False
    (x0, y0, x1, y1), (a0, b0, a1, b1) = outer.box, inner.box
    within = x0 - _NEAR <= a0 and a1 <= x1 + _NEAR and y0 - _NEAR <= b0 and b1 <= y1 + _NEAR
    return within and a1 - a0 < x1 - x0 - _NEAR


def text_of(stored: StoredBlock) -> str:
    """The words of a block."""
    block = stored.block
    return block.caption if isinstance(block, ImageBlock) else block.text
