"""A reader of any format but PDF, held open and asked for one document or page at a time
(sandbox only; confined.py is its other end)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from brit.config import ReadingConfig
from brit.documents.pictures import PictureFolder
from brit.documents.readers import make_reader
from brit.documents.wire import bytes_to_json, page_to_json
from brit.errors import DocumentError
from brit.models import ReadRequest
from brit.types import DocumentHead, Page


@dataclass
class _Desk:
    """The page that is asked for, and the pictures on it by their hash."""

    number: int = 0
    pictures: dict[str, bytes] = field(default_factory=dict)

    def keep(self, data: bytes) -> str:
        self.pictures[id := sha256(data).hexdigest()] = data
        return id


@dataclass(frozen=True)
class _Request(ReadRequest):
    """A request whose pages are named when they are asked for."""

    desk: _Desk = field(default_factory=_Desk)

    def left(self, head: DocumentHead) -> Iterable[int]:  # noqa: ARG002 - of whichever document
        while True:
            yield self.desk.number


class Stream:
    """Answers «start», «head» and «leaf» (see sandbox.py)."""

    def __init__(self) -> None:
        self._upload, self._folder = "", PictureFolder([], 0)
        self._desk = _Desk()
        self._documents: Iterator[tuple[DocumentHead, Iterator[Page]]] = iter(())
        self._pages: Iterator[Page] = iter(())

    def start(self, request: dict[str, Any]) -> dict[str, Any]:
        """Open a file. The folders of one upload are looked through once."""
        config = ReadingConfig(**request["config"])
        if request["upload"] != self._upload:
            folders = [Path(each) for each in request["folders"]]
            self._folder = PictureFolder(folders, config.max_pixels)
            self._upload = request["upload"]
        reader = make_reader(request["reader"], config, self._folder)
        self._desk = desk = _Desk()
        home = Path(request["home"])
        self._documents = reader.read(
            Path(request["path"]), _Request(desk.keep, home=home, desk=desk)
        )
        self._pages = iter(())
        return {}

    def head(self, _: dict[str, Any]) -> dict[str, Any]:
        """The head of the next document, null at the end of the file."""
        head, self._pages = next(self._documents, (None, iter(())))
        return {"head": head and asdict(head)}

    def leaf(self, request: dict[str, Any]) -> dict[str, Any]:
        """A page of the document whose head came last."""
        self._desk.pictures.clear()
        self._desk.number = request["number"]
        page = next(self._pages, None)
        if page is None:
            raise DocumentError("The file ends before this page.")
        pictures = {id: bytes_to_json(data) for id, data in self._desk.pictures.items()}
        return {"page": page_to_json(page), "pictures": pictures}
