"""WikiWeb2M, Wikipedia pages as TFRecord files (Burns et al. 2023, arXiv 2305.03668).

A record is a SequenceExample: `page_title` and lists by section; a section's pictures are lists
inside. The files hold addresses of pictures only, so pictures come from the upload by name. The
frame of a record (length and checksums) is read here, because the package `tfrecord` takes memory
for whatever length a damaged file claims and unpacks a file twice; its messages are used as they
are. Memory holds one record.
"""

from __future__ import annotations

import gzip
import struct
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from brit.config import ReadingConfig
from brit.documents.html_parts import ALTERNATIVE, CAPTION, NEIGHBOUR
from brit.documents.pictures import PictureFolder, PictureLoader
from brit.errors import Cancelled, DocumentError
from brit.models import ImageSink
from brit.types import Block, DocumentHead, ImageBlock, Page, TextBlock

_MAX_RECORD = 64_000_000
_CAPTIONS = (
    ("section_image_raw_ref_desc", CAPTION),
    ("section_image_clean_ref_desc", CAPTION),
    ("section_image_alt_text", ALTERNATIVE),
    ("section_image_clean_attr_desc", NEIGHBOUR),
)


class WikiWeb2MReader:
    """Reads one file of records; pictures are looked for beside it where no folders are given."""

    suffixes: tuple[str, ...] = (".tfrecord", ".tfrecord.gz")

    def __init__(
        self, config: ReadingConfig | None = None, pictures: PictureFolder | None = None
    ) -> None:
        self._config = config or ReadingConfig()
        self._pictures = pictures

    def read(
        self,
        path: Path,
        *,
        save_image: ImageSink,
        password: str | None = None,  # noqa: ARG002 - records are never encrypted
        done: Callable[[DocumentHead], set[int]] = lambda _: set(),
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Iterator[tuple[DocumentHead, Iterator[Page]]]:
        """→ a head and its one page for every record. Raises DocumentError, Cancelled."""
        folder = self._pictures or PictureFolder([path.parent], self._config.max_pixels)
        loader = PictureLoader(
            lambda address: folder.read(address, path.parent), save_image, self._config.max_pixels
        )
        for record in _read_examples(path):
            if cancelled():
                raise Cancelled("Reading was cancelled; the pages read so far are kept.")
            title = _first(record.context.feature["page_title"]) or path.name
            head = DocumentHead(title, path.name, "wikiweb2m", page_count=1, paged=False)
            yield head, (_read_page(record, title, loader) for _ in {1} - done(head))


def _read_examples(path: Path) -> Iterator[Any]:
    from google.protobuf.message import DecodeError
    from tfrecord.example_pb2 import SequenceExample

    try:
        with path.open("rb") as plain:
            packed = ".gz" in path.name.lower()
            file: Any = gzip.GzipFile(fileobj=plain) if packed else plain
            while (record := _read_record(file)) is not None:
                yield SequenceExample.FromString(record)
    except (DecodeError, OSError, EOFError, ValueError, zlib.error) as error:
        reason = " ".join(str(error).split())[:120]
        raise DocumentError(
            f"{path.name} is damaged ({reason}): the pages before that place were read."
        ) from error


def _read_record(file: IO[bytes]) -> bytes | None:
    """The next record, None at the end. Raises ValueError.

    A record is its length (uint64), the length's checksum, its bytes, their checksum (uint32,
    CRC-32C, masked), all little-endian.
    """
    head = file.read(12)
    if not head:
        return None
    if len(head) < 12:
        raise ValueError("it ends within a record")
    length, check = struct.unpack("<QI", head)
    if check != _checksum(head[:8]) or length > _MAX_RECORD:
        raise ValueError("a record's length is wrong")
    record = file.read(length)
    if file.read(4) != struct.pack("<I", _checksum(record)) or len(record) < length:
        raise ValueError("a record's checksum is wrong")
    return record


def _checksum(data: bytes) -> int:
    from crc32c import crc32c

    crc = int(crc32c(data))
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def _read_page(record: Any, title: str, pictures: PictureLoader) -> Page:
    start = time.perf_counter()
    lists = record.feature_lists.feature_list
    titles, texts = _by_section(lists, "section_title"), _by_section(lists, "section_text")
    levels = _by_section(lists, "section_heading_level")
    blocks: list[Block] = [TextBlock(title, "heading", level=1)]
    for number, text in enumerate(texts):
        heading = " ".join(titles[number]) if number < len(titles) else ""
        if heading and heading != title:
            level = levels[number][0] if number < len(levels) and levels[number] else 2
            blocks.append(TextBlock(heading, "heading", level=max(int(level), 2)))
        paragraphs = " ".join(text).splitlines()
        blocks += [TextBlock(p.strip(), "paragraph") for p in paragraphs if p.strip()]
        blocks += _read_pictures(lists, number, pictures)
    return Page(1, 0.0, 0.0, tuple(blocks), seconds=time.perf_counter() - start)


def _read_pictures(lists: Any, section: int, pictures: PictureLoader) -> Iterator[ImageBlock]:
    addresses = _section(lists, "section_image_url", section)
    captions = [(_section(lists, name, section), sure) for name, sure in _CAPTIONS]
    for at, address in enumerate(addresses):
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


def _section(lists: Any, name: str, section: int) -> Sequence[str]:
    groups = _by_section(lists, name)
    return groups[section] if section < len(groups) else ()


def _by_section(lists: Any, name: str) -> list[list[str]]:
    """The values of a list, a row a section."""
    return [_values(feature) for feature in lists[name].feature] if name in lists else []


def _values(feature: Any) -> list[str]:
    texts = [value.decode("utf-8", "replace") for value in feature.bytes_list.value]
    return texts or [str(value) for value in feature.int64_list.value]


def _first(feature: Any) -> str:
    return " ".join(next(iter(_values(feature)), "").split())
