"""What a damaged PDF has lost, and the pages it still holds (sandbox only).

MuPDF rebuilds a broken table of objects from what stands in the file. That alone loses nothing; a
file that ends early does, and where its list of pages was at the end, all its pages seem gone.
"""

from __future__ import annotations

import mmap
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pymupdf

BROKEN = (RuntimeError, ValueError, OSError, pymupdf.mupdf.FzErrorBase)
"""What the library raises for files that are damaged."""
MAX_OBJECTS = 2000
"""Objects of one page that are looked at."""
HEAD = 1024
"""Bytes within which the promises of a linearized file stand."""
_ENDS = (b"%%EOF", b"trailer", b"\nxref", b"\rxref", b"/Type/XRef", b"/Type /XRef")
"""What stands behind the objects of a file, or of one of its updates."""
_LINEARIZED = re.compile(rb"/Linearized\b[^>]*")
_PROMISE = re.compile(rb"/([LNO])\s+(\d{1,12})")
_PAGE = re.compile(r"/Type\s*/Page\b")
_OBJECT = re.compile(rb"\d\s+obj\b")
_REFERENCE = re.compile(r"(?<!\d)(\d+) \d+ R\b")
_UPWARDS = re.compile(r"/(?:Parent|P|StructParent|Dest)\s+\d+ \d+ R")


@dataclass(frozen=True)
class Ending:
    """How a file ends, and what its head promises where it is linearized (ISO 32000-1, annex F):
    the number of its pages and of its first page's object, 0 where it does not say.

    `open`: its last table of objects is missing, which follows them; `cut`: it is shorter than its
    head promises.
    """

    open: bool
    cut: bool
    pages: int
    first: int


def read_ending(path: str) -> Ending:
    """Raises OSError."""
    size = Path(path).stat().st_size
    with (
        open(path, "rb") as stream,
        mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data,
    ):
        mark = max(map(data.rfind, _ENDS))
        is_open = mark < 0 or _OBJECT.search(data, mark) is not None
        head = _LINEARIZED.search(data[:HEAD])
    promised = dict(_PROMISE.findall(head[0] if head else b""))
    length, pages, first = (int(promised.get(key, 0)) for key in (b"L", b"N", b"O"))
    return Ending(is_open, size < length, pages, first)


def count_pages(doc: pymupdf.Document) -> int:
    """0 where the list of pages is damaged."""
    try:
        return int(doc.page_count)
    except BROKEN:
        return 0


def list_pages(doc: pymupdf.Document, ending: Ending) -> bool:
    """Make a new list of pages, in the order of their objects, where the old one has lost some
    that are in the file; → whether it was made."""
    listed = sum(_is_there(doc, at) for at in range(count_pages(doc)))
    if listed and not doc.is_repaired:
        return False
    numbers = [n for n in range(1, doc.xref_length()) if _PAGE.search(_text(doc, n))]
    if len(numbers) <= listed:
        return False
    numbers.sort(key=lambda number: (number != ending.first, number))
    kids = " ".join(f"{number} 0 R" for number in numbers)
    tree, root = doc.get_new_xref(), doc.get_new_xref()
    doc.update_object(tree, f"<</Type/Pages/Count {len(numbers)}/Kids[{kids}]>>")
    doc.update_object(root, f"<</Type/Catalog/Pages {tree} 0 R>>")
    for number in numbers:
        doc.xref_set_key(number, "Parent", f"{tree} 0 R")
    doc.xref_set_key(-1, "Root", f"{root} 0 R")
    return True


def missing_of(doc: pymupdf.Document, ending: Ending, relisted: bool) -> str:
    """What is missing of the whole file, in words; "" where nothing is known to be."""
    there = count_pages(doc)
    early = ending.open and (ending.cut or doc.is_repaired)
    if not early and not relisted:
        return ""
    fault = "The file ends early" if early else "The file's list of pages is damaged"
    if ending.pages > there:
        return f"{fault}: {there} of its {ending.pages} pages are there."
    if relisted and not ending.pages:
        return f"{fault}: pages beside the {there} found in it may be missing."
    return f"{fault}: what stood at its end, such as pages or pictures, is missing."


def _is_there(doc: pymupdf.Document, at: int) -> bool:
    try:
        return _text(doc, doc.page_xref(at)) != "null"
    except BROKEN:
        return False


def is_lost(doc: pymupdf.Document, number: int) -> bool:
    """Whether a page that is listed is not in the file (MuPDF shows it as an empty one)."""
    return bool(doc.is_repaired) and _text(doc, doc.page_xref(number - 1)) == "null"


def has_holes(doc: pymupdf.Document, number: int) -> bool:
    """Whether something that a page of a repaired file shows is not in the file."""
    if not doc.is_repaired:
        return False
    page = doc.page_xref(number - 1)
    keys = (doc.xref_get_key(page, key)[1] for key in ("Contents", "Resources"))
    return any(text == "null" for text in _below(doc, " ".join(keys)))


def _below(doc: pymupdf.Document, text: str) -> Iterator[str]:
    """The objects that `text` refers to, and those that they refer to."""
    waiting, seen = [text], set[int]()
    while waiting and len(seen) < MAX_OBJECTS:
        for reference in _REFERENCE.findall(_UPWARDS.sub("", waiting.pop())):
            if (number := int(reference)) not in seen:
                seen.add(number)
                waiting.append(_text(doc, number))
                yield waiting[-1]


def _text(doc: pymupdf.Document, number: int) -> str:
    """An object as it is written; "null" where it is not there."""
    try:
        return str(doc.xref_object(number, compressed=True))
    except BROKEN:
        return "null"
