"""Opening a PDF: which errors there are, and what is known before the first page (sandbox only)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pymupdf

from brit.documents.prose import clean_text
from brit.documents.repair import BROKEN, count_pages, list_pages, missing_of, read_ending
from brit.errors import DocumentError, PasswordNeeded
from brit.types import OutlineEntry


@dataclass(frozen=True)
class Opened:
    """The document, its bookmarks, what to warn of, and what is missing of it."""

    doc: pymupdf.Document
    pages: int
    outline: tuple[OutlineEntry, ...]
    warnings: tuple[str, ...]
    missing: str


def unlock(path: str, password: str | None) -> pymupdf.Document:
    """An open document, unlocked. Raises DocumentError, PasswordNeeded.

    `needs_pass` is asked before anything else: a locked document claims to have no pages. A file
    that only its owner's password protects opens as any other.
    """
    try:
        doc = pymupdf.open(path, filetype="pdf")
    except BROKEN as error:
        raise DocumentError(
            "The file is no PDF, or too damaged to be opened; export it again and add it anew."
        ) from error
    if doc.needs_pass:
        if not password:
            raise PasswordNeeded("The document is encrypted; give its password to read it.")
        if not doc.authenticate(password):
            raise PasswordNeeded("The password is wrong; give the document's password to read it.")
    return doc


def open_document(path: str, password: str | None) -> Opened:
    """A document with at least one page; its list of pages is made anew where it is damaged.

    Raises DocumentError, PasswordNeeded.
    """
    doc = unlock(path, password)
    ending = read_ending(path)
    relisted = list_pages(doc, ending)
    pages = count_pages(doc)
    if pages < 1:
        raise DocumentError("The document has no pages; export it again and add it anew.")
    missing = missing_of(doc, ending, relisted)
    return Opened(doc, pages, _outline(doc, pages), tuple(_warnings(doc, missing)), missing)


def _warnings(doc: pymupdf.Document, missing: str) -> Iterator[str]:
    if doc.is_repaired and not missing:
        yield "The file is damaged and was repaired; parts of it may be missing."
    try:
        attached = doc.embfile_count()
    except BROKEN:
        # What is attached stands beside the pages: a broken list of it costs none of them.
        return
    if attached:
        files = "a file is" if attached == 1 else f"{attached} files are"
        yield f"Beside its pages {files} attached, not read: save such files and add them."


def _outline(doc: pymupdf.Document, pages: int) -> tuple[OutlineEntry, ...]:
    try:
        entries = doc.get_toc(simple=True)
    except BROKEN:
        # Bookmarks only help to tell levels apart: a broken tree of them costs nothing else.
        return ()
    return tuple(
        OutlineEntry(level, clean_text(title), page)
        for level, title, page in entries
        if 1 <= page <= pages
    )
