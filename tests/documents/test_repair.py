"""Damaged PDF files: what a repair loses, and what it does not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from brit.config import ReadingConfig
from brit.documents.pdf import PdfReader
from brit.documents.process import close_idle
from brit.models import ReadRequest
from brit.types import DocumentHead, Page, TextBlock

HOSTILE = Path(__file__).resolve().parents[3] / "shared" / "data" / "hostile"
WORDS = ("Kettles boil the water.", "Teapots hold the tea.", "Cups come in pairs.")


@pytest.fixture(scope="module", autouse=True)
def _sandboxes() -> Iterator[None]:
    yield
    close_idle()


def objects(*, tree_first: bool) -> list[bytes]:
    """A document of three pages; its catalog and list of pages come first or last."""
    kids = b" ".join(b"%d 0 R" % (10 + 2 * n) for n in range(len(WORDS)))
    tree = [
        b"1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n",
        b"2 0 obj <</Type/Pages/Count %d/Kids[%s]>> endobj\n" % (len(WORDS), kids),
    ]
    pages = [b"3 0 obj <</Type/Font/Subtype/Type1/BaseFont/Helvetica>> endobj\n"]
    for n, words in enumerate(WORDS):
        text = b"BT /F 12 Tf 72 700 Td (%s) Tj ET" % words.encode("ascii")
        pages.append(
            b"%d 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents %d 0 R"
            b"/Resources<</Font<</F 3 0 R>>>>>> endobj\n" % (10 + 2 * n, 11 + 2 * n)
        )
        pages.append(
            b"%d 0 obj <</Length %d>> stream\n%s\nendstream endobj\n"
            % (11 + 2 * n, len(text), text)
        )
    return [*tree, *pages] if tree_first else [*pages, *tree]


def read(path: Path, content: bytes) -> tuple[DocumentHead, list[Page]]:
    path.write_bytes(b"%PDF-1.4\n" + content)
    ((head, pages),) = [
        (head, list(pages))
        for head, pages in PdfReader(ReadingConfig()).read(path, ReadRequest(lambda _: ""))
    ]
    return head, pages


def texts(page: Page) -> str:
    return " ".join(block.text for block in page.blocks if isinstance(block, TextBlock))


def test_a_broken_table_of_objects_alone_loses_nothing(tmp_path: Path) -> None:
    content = b"".join(objects(tree_first=True))
    end = b"trailer <</Root 1 0 R>>\nstartxref\n7\n%%EOF\n"
    head, pages = read(tmp_path / "a.pdf", content + end)
    assert head.missing == ""
    assert "repaired" in head.warnings[0]
    assert [texts(page) for page in pages] == list(WORDS)
    assert not any(page.failure or page.missing for page in pages)


def test_pages_listed_but_cut_off_are_failures_of_their_own(tmp_path: Path) -> None:
    """Two pages and the text of one of them are left."""
    head, pages = read(tmp_path / "a.pdf", b"".join(objects(tree_first=True)[:6]))
    assert head.missing.startswith("The file ends early")
    assert head.page_count == 3
    assert texts(pages[0]) == WORDS[0]
    assert not pages[0].missing
    assert not pages[1].failure
    assert "damaged" in pages[1].missing
    assert "not in the file" in pages[2].failure


def test_pages_are_found_where_their_list_is_cut_off(tmp_path: Path) -> None:
    head, pages = read(tmp_path / "a.pdf", b"".join(objects(tree_first=False)[:5]))
    assert head.missing == ("The file ends early: pages beside the 2 found in it may be missing.")
    assert [texts(page) for page in pages] == list(WORDS[:2])


def test_the_head_of_a_linearized_file_says_how_many_pages_there_were(tmp_path: Path) -> None:
    """Its first page's object, here the second, comes first."""
    promise = b"30 0 obj <</Linearized 1/L 99999/O 12/E 9/N 3/T 9>> endobj\n"
    cut = b"".join(objects(tree_first=False)[:5])
    head, pages = read(tmp_path / "a.pdf", promise + cut)
    assert head.missing == "The file ends early: 2 of its 3 pages are there."
    assert [texts(page) for page in pages] == [WORDS[1], WORDS[0]]


@pytest.mark.skipif(not HOSTILE.is_dir(), reason="the data folder is not here")
def test_real_files_without_a_list_of_pages(tmp_path: Path) -> None:
    """Counted by hand: `grep -c "/Type */Page\\b"` and /N of the linearized head."""
    lost = (HOSTILE / "unreadable_metadata.pdf").read_bytes()
    head, pages = read(tmp_path / "a.pdf", lost.removeprefix(b"%PDF-1.4\n"))
    assert head.missing == "The file's list of pages is damaged: 3 of its 4 pages are there."
    assert any(texts(page) for page in pages)
