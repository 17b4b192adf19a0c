"""Pages of formats other than PDF that hang, explode or crash cost themselves only."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from xml.sax.saxutils import escape

import psutil
import pytest
from PIL import Image as Pillow

from brit.config import ReadingConfig
from brit.documents.confined import _Reading
from brit.documents.process import PageCrash, _reply, close_idle
from brit.documents.sources import find_sources
from brit.errors import Cancelled, DocumentError
from brit.models import ReadRequest
from brit.types import DocumentHead, ImageBlock, Page

HANGS = "{{a|" * 20_000
"""Templates in templates: the parser takes minutes over them."""
CONFIG = ReadingConfig()


@pytest.fixture(autouse=True, scope="module")
def _ended() -> Iterator[None]:
    yield
    close_idle()


def write_dump(folder: Path, **pages: str) -> Path:
    body = "".join(
        f"<page><title>{title}</title><ns>0</ns><id>{n}</id><revision><id>{n}</id>"
        f"<timestamp>2020-01-01T00:00:00Z</timestamp><text>{escape(text)}</text></revision></page>"
        for n, (title, text) in enumerate(pages.items(), start=1)
    )
    path = folder / "wiki.xml"
    path.write_text(
        '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11">'
        f"<siteinfo><sitename>W</sitename></siteinfo>{body}</mediawiki>"
    )
    return path


def read(
    path: Path,
    config: ReadingConfig = CONFIG,
    cancelled: Callable[[], bool] = lambda: False,
    done: Callable[[DocumentHead], set[int]] = lambda _: set(),
) -> dict[str, Page]:
    (source,) = (s for s in find_sources([path], config) if s.path == path)
    assert source.reader is not None
    request = ReadRequest(lambda data: f"{len(data)} bytes", cancelled=cancelled, done=done)
    return {head.name: page for head, pages in source.reader.read(path, request) for page in pages}


def test_a_page_that_hangs_costs_itself(tmp_path: Path) -> None:
    path = write_dump(tmp_path, One="The first.", Two=HANGS, Three="The third.")
    pages = read(path, replace(CONFIG, page_seconds=1.0))
    assert {title: page.failure for title, page in pages.items()} == {
        "One": "", "Two": "The page took longer than 1 seconds.", "Three": ""}  # fmt: skip
    assert len(pages["Three"].blocks) == 2


def test_a_page_beyond_the_memory_costs_itself(tmp_path: Path) -> None:
    path = write_dump(tmp_path, One="The first.", Two="Text.\n\n" * 400_000, Three="The third.")
    pages = read(path, replace(CONFIG, page_megabytes=60))
    assert {title: page.failure for title, page in pages.items()} == {
        "One": "", "Two": "The page needs more than 60 MB of memory.", "Three": ""}  # fmt: skip


def test_pictures_come_with_their_page(tmp_path: Path) -> None:
    Pillow.new("RGB", (300, 200), "red").save(tmp_path / "Red.png")
    pages = read(write_dump(tmp_path, One="[[File:Red.png|thumb|It]]", Two="[[File:No.png|x]]"))
    files = {t: [b.file for b in p.blocks if isinstance(b, ImageBlock)] for t, p in pages.items()}
    size = (tmp_path / "Red.png").stat().st_size
    assert files == {"One": [f"{size} bytes"], "Two": [""]}


def test_a_crash_is_tried_again_and_then_told(tmp_path: Path) -> None:
    path = write_dump(tmp_path, One="The first.", Two=HANGS, Three="The third.")
    ended: list[int] = []
    at: list[str] = []

    def done(head: DocumentHead) -> set[int]:
        at.append(head.name)
        return set()

    def kill_it() -> bool:
        """Ends the process that reads the second page, and the one that tries it again."""
        running = {child.pid for child in psutil.Process().children()} - {*ended}
        if at[-1:] == ["Two"] and len(ended) < 2 and running:
            ended.append(running.pop())
            os.kill(ended[-1], signal.SIGKILL)
        return False

    pages = read(path, cancelled=kill_it, done=done)
    assert {title: page.failure for title, page in pages.items()} == {
        "One": "", "Two": "The page crashed its reader.", "Three": ""}  # fmt: skip
    assert len(ended) == 2


def test_a_reading_can_be_cancelled_in_the_middle_of_a_page(tmp_path: Path) -> None:
    path = write_dump(tmp_path, One="The first.", Two=HANGS)
    asked = 0

    def cancelled() -> bool:
        nonlocal asked
        asked += 1
        return asked > 12

    with pytest.raises(Cancelled):
        read(path, cancelled=cancelled)


def test_what_a_reader_says_of_a_file_is_passed_on(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("")
    with pytest.raises(DocumentError, match="The file is empty"):
        read(tmp_path / "a.html")


GOOD = {"name": "d", "source": "d", "format": "html", "page_count": 1}


@pytest.mark.parametrize(
    "replies",
    [[{}], [{"head": 5}], [{"head": {"name": "d"}}], [{"head": {**GOOD, "extra": 1}}]],
)
def test_a_reader_that_was_taken_over_and_speaks_nonsense_costs_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, replies: list[dict[str, object]]
) -> None:
    said = iter(replies)
    monkeypatch.setattr(_Reading, "_ask", lambda *_: next(said))
    with pytest.raises(DocumentError, match="makes no sense"):
        read(write_dump(tmp_path, A="x"))


@pytest.mark.parametrize(
    "reply",
    [{}, {"page": {}, "pictures": {}}, {"page": None, "pictures": {}},
     {"page": {"number": 1, "width": 0, "height": 0, "blocks": [{"type": "x"}]}, "pictures": {}},
     {"page": {"number": 2, "width": 0, "height": 0, "blocks": []}, "pictures": {}},
     {"page": {"number": 1, "width": 0, "height": 0, "blocks": []}, "pictures": {"a": "%"}},
     {"page": {"number": 1, "width": 0, "height": 0, "blocks": []}, "pictures": [1]}],
)  # fmt: skip
def test_a_page_of_nonsense_is_a_failed_page(
    monkeypatch: pytest.MonkeyPatch, reply: dict[str, object]
) -> None:
    request = ReadRequest(lambda data: f"{len(data)} bytes")
    monkeypatch.setattr(_Reading, "_ask", lambda *_: reply)
    assert "makes no sense" in _Reading(request, {}, CONFIG)._page(1).failure


@pytest.mark.parametrize(
    "line", [b"no json\n", b"[1]\n", b"\xff\n", b'{"error": "x"}\n', b"[" * 100_000]
)
def test_a_reply_that_is_none_is_taken_for_a_crash(line: bytes) -> None:
    with pytest.raises(PageCrash, match="makes no sense"):
        _reply(line)
