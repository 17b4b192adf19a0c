"""The reader of PDF files.

Boxes are in points of the unrotated page, origin top left: a page that is shown turned by
`Page.rotation` degrees keeps the coordinates it has without the turn, which is what PyMuPDF's text
and drawing functions mean too. `Page.width` and `Page.height` are those of the unrotated page.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from brit.config import ReadingConfig
from brit.documents.lanes import in_order
from brit.documents.process import PageCrash, PageLimit, SandboxProcess, acquire, borrow, release
from brit.documents.register import Album
from brit.documents.scans import RecognisedLine
from brit.documents.wire import bytes_from_json, page_from_json, page_to_json, understood
from brit.errors import DocumentError
from brit.models import ImageSink, ReadRequest
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
    """One file being read, by one process or some, and the pictures of it that are kept."""

    def __init__(self, path: Path, request: ReadRequest, config: ReadingConfig) -> None:
        self._path, self._request = path, request
        self._stop = threading.Event()
        cancelled = self._stop.is_set if config.processes > 1 else request.cancelled
        self._lanes = [_Lane(path, request, config, cancelled) for _ in range(config.processes)]
        self._album = Album(request.save_image) if config.processes > 1 else None

    def open(self) -> DocumentHead:
        opened = self._lanes[0].open()
        return understood(lambda: self._head(opened))

    def _head(self, opened: dict[str, Any]) -> DocumentHead:
        return DocumentHead(
            self._path.name,
            self._path.name,
            "pdf",
            opened["pages"],
            outline=tuple(OutlineEntry(*entry) for entry in opened["outline"]),
            warnings=tuple(opened["warnings"]),
            missing=opened["missing"],
        )

    def pages(self, numbers: Iterable[int]) -> Iterator[Page]:
        work = [lane.page for lane in self._lanes]
        try:
            for reading in in_order(work, numbers, self._request.check, self._stop):
                yield self._store(reading)
        finally:
            self.close()

    def close(self) -> None:
        for lane in self._lanes:
            lane.close()

    def _store(self, reading: _Reply) -> Page:
        """The page with the ids of its pictures in place of their numbers."""
        save = self._album.keep if self._album else self._request.save_image
        for number, data in reading.pictures.items():
            reading.files[number] = save(data)
        blocks = understood(
            lambda: tuple(_with_file(block, reading.files) for block in reading.page.blocks)
        )
        return replace(reading.page, blocks=blocks)


@dataclass(frozen=True)
class _Reply:
    """A page whose pictures are numbered, those that are new, and where the ids of all belong."""

    page: Page
    pictures: dict[str, bytes]
    files: dict[str, str]


class _Lane:
    """One sandbox at work on a file, and which pictures it has handed out."""

    def __init__(
        self,
        path: Path,
        request: ReadRequest,
        config: ReadingConfig,
        cancelled: Callable[[], bool],
    ) -> None:
        self._path, self._password, self._config = path, request.password, config
        self._cancelled = cancelled
        self._sandbox: SandboxProcess | None = None
        self._files: dict[str, str] = {}

    def open(self) -> dict[str, Any]:
        self._sandbox, self._files = acquire(), {}
        request = {"do": "open", "path": str(self._path), "password": self._password}
        return self._ask({**request, "config": asdict(self._config)})

    def page(self, number: int) -> _Reply:
        start = time.monotonic()
        pictures: dict[str, bytes] = {}
        try:
            reply = self._read(number)
            page, pictures = understood(lambda: _read_reply(reply, number))
        except DocumentError as error:
            if isinstance(error, PageLimit):
                self._sandbox = None
            page = Page(number, 0.0, 0.0, failure=str(error))
        page = replace(page, seconds=round(time.monotonic() - start, 3))
        return _Reply(page, pictures, self._files)

    def close(self) -> None:
        if self._sandbox is not None:
            release(self._sandbox, self._config.processes)
            self._sandbox = None

    def _read(self, number: int) -> dict[str, Any]:
        """One page. A crash may be the machine's doing rather than the page's: a second try."""
        request = {"do": "page", "number": number}
        try:
            if self._sandbox is None:
                self.open()
            return self._ask(request)
        except PageCrash:
            self.open()
            return self._ask(request)

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self._sandbox is not None
        return self._sandbox.ask(
            request,
            seconds=self._config.page_seconds,
            megabytes=self._config.page_megabytes,
            cancelled=self._cancelled,
        )


def _read_reply(reply: dict[str, Any], number: int) -> tuple[Page, dict[str, bytes]]:
    page = page_from_json(reply["page"])
    if page.number != number:
        raise ValueError("another page")
    return page, {n: bytes_from_json(data) for n, data in reply["pictures"].items()}


def _with_file(block: Block, files: Mapping[str, str]) -> Block:
    return replace(block, file=files[block.file]) if isinstance(block, ImageBlock) else block


def find_on_scan(
    path: Path,
    page: Page,
    lines: Sequence[RecognisedLine],
    quarters: int,
    save_image: ImageSink,
    config: ReadingConfig,
) -> Page:
    """A scanned page with the figures beside the lines read on it (see scans.py) in place of what
    it showed before they were known.

    Runs in a sandbox. Raises DocumentError, also when the page goes beyond the limits.
    """
    request = {
        "do": "figures",
        "path": str(path),
        "page": page_to_json(page),
        "lines": lines,
        "quarters": quarters,
        "config": asdict(config),
    }
    with borrow() as sandbox:
        reply = sandbox.ask(request, seconds=config.page_seconds, megabytes=config.page_megabytes)
    found, pictures = understood(lambda: _read_reply(reply, page.number))
    files = {n: save_image(data) for n, data in pictures.items()}
    blocks = understood(lambda: tuple(_with_file(block, files) for block in found.blocks))
    return replace(found, blocks=blocks)


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
