"""WikiWeb2M, Wikipedia pages as TFRecord files (Burns et al. 2023, arXiv 2305.03668).

A record has the page's title and lists by section; a section's pictures are lists inside. The files
hold addresses of pictures only, so pictures come from the upload by name. Memory holds one record.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from brit.config import ReadingConfig
from brit.documents.html_parts import ALTERNATIVE, CAPTION, NEIGHBOUR
from brit.documents.pictures import PictureFolder, PictureLoader
from brit.documents.tfrecord import Values, read_examples
from brit.models import ReadRequest
from brit.types import Block, DocumentHead, ImageBlock, Page, TextBlock

_CAPTIONS = (
    ("section_image_raw_ref_desc", CAPTION),
    ("section_image_clean_ref_desc", CAPTION),
    ("section_image_alt_text", ALTERNATIVE),
    ("section_image_clean_attr_desc", NEIGHBOUR),
)

Lists = Mapping[str, list[Values]]


class WikiWeb2MReader:
    """Reads one file of records; pictures are looked for beside it where no folders are given."""

    suffixes: tuple[str, ...] = (".tfrecord", ".tfrecord.gz")

    def __init__(
        self, config: ReadingConfig | None = None, pictures: PictureFolder | None = None
    ) -> None:
        self._config = config or ReadingConfig()
        self._pictures = pictures

    def read(
        self, path: Path, request: ReadRequest
    ) -> Iterator[tuple[DocumentHead, Iterator[Page]]]:
        """→ a head and its one page for every record. Raises DocumentError, Cancelled."""
        home = request.home or path.parent
        folder = self._pictures or PictureFolder([home], self._config.max_pixels)
        loader = PictureLoader(
            lambda address: folder.read(address, home),
            request.save_image,
            self._config.max_pixels,
        )
        for context, lists in read_examples(path):
            request.check()
            title = " ".join(" ".join(context.get("page_title", ())).split()) or path.name
            head = DocumentHead(title, path.name, "wikiweb2m", page_count=1, paged=False)
            yield head, (_read_page(lists, title, loader) for _ in request.left(head))


def _read_page(lists: Lists, title: str, pictures: PictureLoader) -> Page:
    start = time.perf_counter()
    blocks: list[Block] = [TextBlock(title, "heading", level=1)]
    for number, text in enumerate(lists.get("section_text", ())):
        heading = " ".join(_section(lists, "section_title", number))
        if heading and heading != title:
            level = next(iter(_section(lists, "section_heading_level", number)), "")
            depth = int(level) if level in ("3", "4", "5", "6") else 2
            blocks.append(TextBlock(heading, "heading", level=depth))
        paragraphs = " ".join(text).splitlines()
        blocks += [TextBlock(p.strip(), "paragraph") for p in paragraphs if p.strip()]
        blocks += _read_pictures(lists, number, pictures)
    return Page(1, 0.0, 0.0, tuple(blocks), seconds=time.perf_counter() - start)


def _read_pictures(lists: Lists, section: int, pictures: PictureLoader) -> Iterator[ImageBlock]:
    captions = [(_section(lists, name, section), sure) for name, sure in _CAPTIONS]
    for at, address in enumerate(_section(lists, "section_image_url", section)):
        shown = pictures.load(address)
        if shown is None:
            continue
        found = [(texts[at], sure) for texts, sure in captions if at < len(texts) and texts[at]]
        caption, confidence = found[0] if found else ("", 0.0)
        yield ImageBlock(
            shown.file,
            name=shown.name or None,
            caption=" ".join(caption.split()),
            caption_confidence=confidence,
        )


def _section(lists: Lists, name: str, section: int) -> Values:
    groups = lists.get(name, [])
    return groups[section] if section < len(groups) else []
