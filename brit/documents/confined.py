"""Readers of every format but PDF, at work in the sandbox: what hangs or explodes costs one page.

The sandbox gives the head of one document, or one page of it, at a time. Where it had to be ended,
a new one is led past the documents that were given already.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from brit.config import ReadingConfig
from brit.documents.process import PageCrash, PageLimit, SandboxProcess, acquire, release
from brit.documents.wire import bytes_from_json, head_from_json, page_from_json, understood
from brit.errors import Cancelled, DocumentError
from brit.models import DocumentReader, ReadRequest
from brit.types import Block, DocumentHead, ImageBlock, Page

SECONDS_A_MEGABYTE = 10.0
"""More time to find the next document of a file: a dump is gone through for its redirects, and for
its next article. Measured 0.1 s a megabyte with nothing beside it."""


class ConfinedReader:
    """Reads as `reader` does, in a sandbox. `upload` names the call in which `folders`, where the
    pictures are, were added."""

    def __init__(
        self,
        reader: type[DocumentReader],
        config: ReadingConfig,
        folders: Sequence[Path],
        upload: str,
    ) -> None:
        self.suffixes = reader.suffixes
        self._config = config
        self._start = {
            "do": "start",
            "reader": reader.__name__,
            "config": asdict(config),
            "folders": [str(folder.absolute()) for folder in folders],
            "upload": upload,
        }

    def read(
        self, path: Path, request: ReadRequest
    ) -> Iterator[tuple[DocumentHead, Iterator[Page]]]:
        """Yields what the reader does. A page beyond the limits is one with a `failure`; where the
        next document cannot be told within them, the file ends there.

        Raises DocumentError, Cancelled.
        """
        place = {"path": str(path), "home": str((request.home or path.parent).absolute())}
        reading = _Reading(request, {**self._start, **place}, self._config)
        try:
            yield from reading.documents(path.stat().st_size / 1e6)
        finally:
            reading.close()


class _Reading:
    """One file being read: the sandbox in use, and how many documents it has given."""

    def __init__(self, request: ReadRequest, start: dict[str, Any], config: ReadingConfig) -> None:
        self._request, self._start, self._config = request, start, config
        self._sandbox: SandboxProcess | None = None
        self._given = 0
        self._head_seconds = config.page_seconds

    def documents(self, megabytes: float) -> Iterator[tuple[DocumentHead, Iterator[Page]]]:
        self._head_seconds += SECONDS_A_MEGABYTE * megabytes
        while True:
            self._request.check()
            reply = self._ask({"do": "head"}, self._head_seconds)
            found = understood(lambda: reply["head"] and head_from_json(reply["head"]))  # noqa: B023
            if found is None:
                return
            self._given += 1
            yield found, self._pages(found)

    def close(self) -> None:
        if self._sandbox is not None:
            release(self._sandbox)
            self._sandbox = None

    def _pages(self, head: DocumentHead) -> Iterator[Page]:
        for number in self._request.left(head):
            self._request.check()
            yield self._page(number)

    def _page(self, number: int) -> Page:
        start = time.monotonic()
        try:
            reply = self._ask({"do": "leaf", "number": number}, self._config.page_seconds)
            return understood(lambda: self._page_of(reply, number))
        except DocumentError as error:
            seconds = round(time.monotonic() - start, 3)
            return Page(number, 0.0, 0.0, failure=str(error), seconds=seconds)

    def _page_of(self, reply: dict[str, Any], number: int) -> Page:
        page = page_from_json(reply["page"])
        if page.number != number:
            raise ValueError("another page")
        pictures = {id: bytes_from_json(data) for id, data in reply["pictures"].items()}
        files = {id: self._request.save_image(data) for id, data in pictures.items()}
        return replace(page, blocks=tuple(_with_file(block, files) for block in page.blocks))

    def _ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        """A crash may be the machine's doing rather than the page's: a second try."""
        try:
            return self._try(request, seconds)
        except PageCrash:
            return self._try(request, seconds)

    def _try(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        try:
            if self._sandbox is None:
                self._sandbox = acquire()
                self._send(self._start, self._config.page_seconds)
                for _ in range(self._given):
                    self._send({"do": "head"}, self._head_seconds)
            return self._send(request, seconds)
        except (PageLimit, Cancelled):
            self._sandbox = None
            raise

    def _send(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        assert self._sandbox is not None
        return self._sandbox.ask(
            request,
            seconds=seconds,
            megabytes=self._config.page_megabytes,
            cancelled=self._request.cancelled,
        )


def _with_file(block: Block, files: dict[str, str]) -> Block:
    if not isinstance(block, ImageBlock) or not block.file:
        return block
    return replace(block, file=files[block.file])
