"""The process that touches the files people add: `python -m brit.documents.sandbox`.

PyMuPDF is not thread-safe, and some files hang a reader, explode in memory or crash it; here that
costs a process which its parent (process.py) replaces. Requests and replies are JSON, one a line.
Of PDF files, but for the first:

    {"do": "load", "for"}                                 → {}, when what it needs is loaded
    {"do": "open", "path", "password", "config": {…}}     → {"pages", "outline", "warnings",
                                                            "missing"}
    {"do": "page", "number"}                              → {"page", "pictures": {number: base64}}
    {"do": "render", "path", "password", "number",
     "boxes", "dpi", "around"}                            → {"png": base64}
    {"do": "places", "path", "password", "number",
     "boxes", "words"}                                    → {"boxes": […], "words": [[…], …]}
    {"do": "figures", "path", "page", "lines", "quarters",
     "config": {…}}                                       → {"page", "pictures": {number: base64}}
    {"do": "unlock", "path", "password", "target"}        → {}

Of all others (stream.py), whose documents and their pages come in order:

    {"do": "start", "reader", "path", "home", "folders",
     "upload", "config": {…}}                             → {}
    {"do": "head"}                                        → {"head": {…} | null}
    {"do": "leaf", "number"}                              → {"page", "pictures": {hash: base64}}

A failure is {"error": "sentence", "kind": "document" | "password"}. The process ends with its
input, and by an alarm should a request outlast its parent's limit.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from dataclasses import replace
from typing import Any

import pymupdf

from brit.config import ReadingConfig
from brit.documents.drawing import draw_page, find_places
from brit.documents.layout import load_model
from brit.documents.opening import open_document
from brit.documents.page import PageReader, ReadPage
from brit.documents.repair import has_holes, is_lost
from brit.documents.scans import scan_of
from brit.documents.stream import Stream
from brit.documents.wire import bytes_to_json, page_from_json, page_to_json
from brit.errors import DocumentError, PasswordNeeded

GRACE = 10
"""Seconds beyond the parent's limit after which a process without a parent ends itself."""

SIGNS_OF_LOSS = ("page may not be correct", "image only stream")
"""Parts of MuPDF's messages on syntax errors and on pictures it gave up."""
DAMAGED = "Something on the page, such as a picture, is damaged and is left out."


class Sandbox:
    """Holds the open document between requests."""

    def __init__(self) -> None:
        self._stream = Stream()
        self._config = ReadingConfig()
        self._doc: pymupdf.Document | None = None
        self._reader: PageReader | None = None

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """The reply to one request; what a reader raises is the page's failure."""
        try:
            return {
                "load": self._load,
                "open": self._open,
                "page": self._page,
                "render": self._render,
                "places": self._places,
                "figures": self._figures,
                "unlock": self._unlock,
                "start": self._stream.start,
                "head": self._stream.head,
                "leaf": self._stream.leaf,
            }[request["do"]](request)
        except DocumentError as error:
            kind = "password" if isinstance(error, PasswordNeeded) else "document"
            return {"error": str(error), "kind": kind}
        except pymupdf.mupdf.FzErrorLimit:
            return {"error": "The page is too large to be drawn.", "kind": "document"}
        except MemoryError:
            return {"error": "The page needs more memory than there is.", "kind": "document"}
        except Exception as error:
            # Broken files raise anything, from the library's own errors to KeyError inside it.
            text = " ".join(str(error).split())[:200] or type(error).__name__
            return {"error": f"The page is damaged, its reader said: {text}.", "kind": "document"}

    def _load(self, request: dict[str, Any]) -> dict[str, Any]:
        if request["for"] == "open":
            load_model()
        return {}

    def _open(self, request: dict[str, Any]) -> dict[str, Any]:
        if self._doc is not None:
            self._doc.close()
            self._doc = self._reader = None
        self._config = ReadingConfig(**request["config"])
        opened = open_document(request["path"], request["password"])
        self._doc = opened.doc
        self._reader = PageReader(opened.doc, opened.outline, self._config)
        return {
            "pages": opened.pages,
            "outline": [[e.level, e.title, e.page] for e in opened.outline],
            "warnings": list(opened.warnings),
            "missing": opened.missing,
        }

    def _page(self, request: dict[str, Any]) -> dict[str, Any]:
        if self._reader is None or self._doc is None:
            raise DocumentError("No document is open.")
        number = request["number"]
        if is_lost(self._doc, number):
            raise DocumentError("The page is not in the file, which is damaged or ends early.")
        pymupdf.TOOLS.reset_mupdf_warnings()
        read = self._reader.read(number)
        damaged = _is_cut(pymupdf.TOOLS.mupdf_warnings()) or has_holes(self._doc, number)
        return _to_json(replace(read, page=replace(read.page, missing=DAMAGED if damaged else "")))

    def _render(self, request: dict[str, Any]) -> dict[str, Any]:
        with open_document(request["path"], request["password"]).doc as doc:
            png = draw_page(
                doc, request["number"], request["boxes"], request["dpi"], self._config.max_pixels,
                request["around"],
            )  # fmt: skip
        return {"png": bytes_to_json(png)}

    def _places(self, request: dict[str, Any]) -> dict[str, Any]:
        with open_document(request["path"], request["password"]).doc as doc:
            boxes, words = find_places(doc, request["number"], request["boxes"], request["words"])
        return {"boxes": boxes, "words": words}

    def _figures(self, request: dict[str, Any]) -> dict[str, Any]:
        lines = [
            (text, (x0, y0, x1, y1), sure) for text, (x0, y0, x1, y1), sure in request["lines"]
        ]
        scan = scan_of(page_from_json(request["page"]), lines, request["quarters"])
        with open_document(request["path"], None).doc as doc:
            reader = PageReader(doc, (), ReadingConfig(**request["config"]))
            return _to_json(reader.find_on_scan(scan))

    def _unlock(self, request: dict[str, Any]) -> dict[str, Any]:
        # Its pages counted: some files cannot be saved before.
        with open_document(request["path"], request["password"]).doc as doc:
            if doc.needs_pass:
                doc.save(request["target"], encryption=pymupdf.PDF_ENCRYPT_NONE)
            else:
                shutil.copyfile(request["path"], request["target"])
        return {}


def _to_json(read: ReadPage) -> dict[str, Any]:
    pictures = {number: bytes_to_json(data) for number, data in read.pictures.items()}
    return {"page": page_to_json(read.page), "pictures": pictures}


def _is_cut(warnings: str) -> bool:
    """Whether MuPDF's messages on a page say that it left something out."""
    return any(sign in warnings for sign in SIGNS_OF_LOSS)


def serve() -> None:
    """Answer requests until the input ends. MuPDF's own messages go to stderr."""
    replies = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)
    sandbox = Sandbox()
    for line in sys.stdin:
        request = json.loads(line)
        if hasattr(signal, "alarm"):
            signal.alarm(int(request["seconds"]) + GRACE)
        replies.write(json.dumps(sandbox.answer(request)) + "\n")
        replies.flush()
        if hasattr(signal, "alarm"):
            signal.alarm(0)


if __name__ == "__main__":
    serve()
