"""The reader of PDF files.

Boxes are in points of the unrotated page, origin top left: a page that is shown turned by
`Page.rotation` degrees keeps the coordinates it has without the turn, which is what PyMuPDF's text
and drawing functions mean too. `Page.width` and `Page.height` are those of the unrotated page.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from brit.config import ReadingConfig
from brit.documents.process import PageCrash, PageLimit, SandboxProcess, acquire, borrow, release
from brit.documents.wire import bytes_from_json, page_from_json
from brit.errors import DocumentError
from brit.models import ReadRequest
from brit.types import Block, DocumentHead, ImageBlock, OutlineEntry, Page

UNLOCK_SECONDS = 300.0


class PdfReader:
    """Reads PDF files page by page in a sandbox (see DocumentReader)."""

    suffixes: tuple[str, ...] = (".pdf",)

    def __init__(self, config: ReadingConfig | None = None) -> None:
        self._config = config or ReadingConfig()

    def read(
        self, path: Path, request: ReadRequest
    ) -> Iterator[tuple[DocumentHead, Iterator[Page]]]:
        """Yields one (head, pages).

        A page beyond the limits of time or memory, or one that is damaged, is a page with a
        `failure`; the others go on. Raises DocumentError, PasswordNeeded, Cancelled.
        """
        if not path.is_file() or path.stat().st_size == 0:
            raise DocumentError("The file is empty or not there; add it again.")
        reading = _Reading(path, request, self._config)
        try:
            head = reading.open()
            yield head, reading.pages(request.left(head))
        finally:
            reading.close()


class _Reading:
    """One file being read: the sandbox in use, and which pictures were stored already."""

    def __init__(self, path: Path, request: ReadRequest, config: ReadingConfig) -> None:
        self._path, self._request, self._config = path, request, config
        self._sandbox: SandboxProcess | None = None
        self._files: dict[str, str] = {}

    def open(self) -> DocumentHead:
        opened = self._open()
        return DocumentHead(
            self._path.name,
            self._path.name,
            "pdf",
            opened["pages"],
            outline=tuple(OutlineEntry(*entry) for entry in opened["outline"]),
            warnings=tuple(opened["warnings"]),
            missing=opened["missing"],
        )

    def pages(self, numbers: list[int]) -> Iterator[Page]:
        try:
            for number in numbers:
                self._request.check()
                yield self._page(number)
        finally:
            self.close()

    def close(self) -> None:
        if self._sandbox is not None:
            release(self._sandbox)
            self._sandbox = None

    def _page(self, number: int) -> Page:
        start = time.monotonic()
        try:
            reply = self._read(number)
        except PageLimit as error:
            self._sandbox = None
            page = Page(number, 0.0, 0.0, failure=str(error))
        except DocumentError as error:
            page = Page(number, 0.0, 0.0, failure=str(error))
        else:
            page = self._store(reply)
        return replace(page, seconds=round(time.monotonic() - start, 3))

    def _read(self, number: int) -> dict[str, Any]:
        """One page. A crash may be the machine's doing rather than the page's: a second try."""
        request = {"do": "page", "number": number}
        try:
            if self._sandbox is None:
                self._open()
            return self._ask(request)
        except PageCrash:
            self._open()
            return self._ask(request)

    def _store(self, reply: dict[str, Any]) -> Page:
        """The page with the ids of its pictures in place of their numbers."""
        for number, data in reply["pictures"].items():
            self._files[number] = self._request.save_image(bytes_from_json(data))
        page = page_from_json(reply["page"])
        return replace(page, blocks=tuple(self._with_file(block) for block in page.blocks))

    def _with_file(self, block: Block) -> Block:
        if not isinstance(block, ImageBlock):
            return block
        return replace(block, file=self._files[block.file])

    def _open(self) -> dict[str, Any]:
        self._sandbox, self._files = acquire(), {}
        request = {"do": "open", "path": str(self._path), "password": self._request.password}
        return self._ask({**request, "config": asdict(self._config)})

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self._sandbox is not None
        return self._sandbox.ask(
            request,
            seconds=self._config.page_seconds,
            megabytes=self._config.page_megabytes,
            cancelled=self._request.cancelled,
        )


def save_unlocked(
    path: Path, target: Path, password: str, config: ReadingConfig | None = None
) -> None:
    """Write the PDF at `path` to `target`, without its encryption where a password opens it.

    Runs in a sandbox. Raises DocumentError, PasswordNeeded.
    """
    limits = config or ReadingConfig()
    request = {"do": "unlock", "path": str(path), "password": password, "target": str(target)}
    with borrow() as sandbox:
        sandbox.ask(request, seconds=UNLOCK_SECONDS, megabytes=limits.page_megabytes)
