"""The pictures of a document out of the image blocks that show them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from brit.types import Image, ImageBlock, Section, StoredBlock, stable_id


def collect_images(
    document: str, blocks: Iterable[StoredBlock], sections: Sequence[Section]
) -> list[Image]:
    """One image for all places of the same pixels (or, where they are missing, of the same name).

    The first place that has a caption stands for all of them, else the first.
    """
    titles = {section.id: " › ".join(section.path) for section in sections}
    places: dict[str, list[tuple[StoredBlock, ImageBlock]]] = {}
    for stored in blocks:
        block = stored.block
        if isinstance(block, ImageBlock) and (block.file or block.name or block.caption):
            key = block.file or block.name or block.caption
            places.setdefault(key, []).append((stored, block))
    return [_image(document, key, found, titles) for key, found in places.items()]


def _image(
    document: str,
    key: str,
    places: Sequence[tuple[StoredBlock, ImageBlock]],
    titles: Mapping[str, str],
) -> Image:
    stored, block = next((place for place in places if place[1].caption), places[0])
    return Image(
        id=stable_id("image", document, key),
        document=document,
        file=block.file,
        page=stored.page,
        bbox=block.bbox,
        name=block.name,
        caption=block.caption,
        caption_bbox=block.caption_bbox,
        section=block.section,
        section_title=titles.get(block.section, ""),
        furniture=all(place.furniture for _, place in places),
        block=stored.id,
    )
