"""Opening a PDF: which errors there are, and what is known before the first page (sandbox only)."""

from __future__ import annotations

from dataclasses import dataclass

import pymupdf

from brit.documents.prose import clean_text
from brit.errors import DocumentError, PasswordNeeded
from brit.types import OutlineEntry


@dataclass(frozen=True)
class Opened:
    """Number of pages, bookmarks, and what to warn of."""

    pages: int
    outline: tuple[OutlineEntry, ...]
    warnings: tuple[str, ...]


def open_document(path: str, password: str | None) -> pymupdf.Document:
    """An open document, unlocked. Raises DocumentError, PasswordNeeded.

    `needs_pass` is asked before anything else: a locked document claims to have no pages. A file
    that only its owner's password protects opens as any other.
    """
    try:
        doc = pymupdf.open(path, filetype="pdf")
    except (RuntimeError, ValueError, OSError) as error:
        raise DocumentError(
            "The file is no PDF, or too damaged to be opened; export it again and add it anew."
        ) from error
    if doc.needs_pass:
        if not password:
            raise PasswordNeeded("The document is encrypted; give its password to read it.")
        if not doc.authenticate(password):
            raise PasswordNeeded("The password is wrong; give the document's password to read it.")
    return doc


def read_head(doc: pymupdf.Document) -> Opened:
    """What is known before the first page. Raises DocumentError where there are no pages."""
    try:
        pages = doc.page_count
    except (RuntimeError, ValueError) as error:
        raise DocumentError(
            "The document's list of pages is damaged; export it again and add it anew."
        ) from error
    if pages < 1:
        raise DocumentError("The document has no pages; export it again and add it anew.")
    repaired = "The file is damaged and was repaired; parts of it may be missing."
    return Opened(pages, _outline(doc, pages), (repaired,) if doc.is_repaired else ())


def _outline(doc: pymupdf.Document, pages: int) -> tuple[OutlineEntry, ...]:
    try:
        entries = doc.get_toc(simple=True)
    except (RuntimeError, ValueError):
        # Bookmarks only help to tell levels apart: a broken tree of them costs nothing else.
        return ()
    return tuple(
        OutlineEntry(level, clean_text(title), page)
        for level, title, page in entries
        if 1 <= page <= pages
    )
