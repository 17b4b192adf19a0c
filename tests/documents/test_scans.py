"""Lines of a page's picture → blocks; and which pages need it."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import pymupdf
import pytest
from PIL import Image

from brit.config import ReadingConfig
from brit.documents.geometry import iou
from brit.documents.pdf import find_on_scan
from brit.documents.placements import Mark
from brit.documents.process import close_idle
from brit.documents.scans import RecognisedLine, is_clear, page_of_lines, runs_upwards
from brit.documents.text_layer import is_scan
from brit.types import BBox, ImageBlock, Page, TextBlock

WIDTH, HEIGHT = 600.0, 800.0


@pytest.fixture(autouse=True, scope="module")
def _ended() -> Iterator[None]:
    yield
    close_idle()


def line(text: str, x0: float, y0: float, x1: float, high: float = 12) -> RecognisedLine:
    """A line of a page of 600 x 800 points, as fractions."""
    return (text, (x0 / WIDTH, y0 / HEIGHT, x1 / WIDTH, (y0 + high) / HEIGHT), 0.99)


def page(*blocks: ImageBlock, rotation: int = 0) -> Page:
    return Page(1, WIDTH, HEIGHT, blocks, rotation, scan=True)


def texts(read: Page) -> list[str]:
    return [block.text for block in read.blocks if isinstance(block, TextBlock)]


def prose(x0: float, x1: float, top: float, word: str, count: int = 6) -> list[RecognisedLine]:
    return [line(f"{word} line {n} of prose", x0, top + 16 * n, x1) for n in range(count)]


def test_paragraphs_come_by_proximity_and_headings_by_height() -> None:
    lines = [
        line("The Tarn pump", 60, 50, 300, high=26),
        *prose(60, 540, 100, "first"),
        line("moves the wa-", 60, 240, 540),
        line("ter uphill.", 60, 256, 200),
    ]
    read = page_of_lines(page(), lines)
    blocks = [block for block in read.blocks if isinstance(block, TextBlock)]
    assert [(b.kind, b.level) for b in blocks] == [
        ("heading", 1), ("paragraph", 0), ("paragraph", 0)]  # fmt: skip
    assert blocks[2].text == "moves the water uphill."
    assert blocks[0].bbox == (60, 50, 300, 76)
    assert read.confidence == 0.99
    assert not read.missing


def test_two_columns_are_read_one_after_the_other() -> None:
    left, right = prose(40, 290, 120, "left"), prose(320, 570, 120, "right")
    mixed = [each for pair in zip(left, right, strict=True) for each in pair]
    title = line("A title across both columns of the page", 40, 60, 570)
    foot = line("A note across both columns of the page", 40, 300, 570)
    joined = " ".join(texts(page_of_lines(page(), [title, *mixed, foot])))
    words = [w for w in joined.split() if w in ("title", "left", "right", "note")]
    assert words == ["title"] + ["left"] * 6 + ["right"] * 6 + ["note"]


def test_rows_of_a_table_stay_rows() -> None:
    rows = [each for n in range(8) for each in (
        line(f"Part {n}", 40, 100 + 30 * n, 90 + 40 * (n % 2)),
        line(f"weighs {n} kg and no more than that", 300, 100 + 30 * n, 560))]  # fmt: skip
    assert texts(page_of_lines(page(), rows))[:2] == [
        "Part 0", "weighs 0 kg and no more than that"]  # fmt: skip


def test_noise_leaves_no_text_but_a_word() -> None:
    noise = [(text, box, 0.72) for text, box, _ in prose(40, 560, 100, "( ) , 卫亚")]
    scan = ImageBlock("page.png", (0, 0, WIDTH, HEIGHT))
    read = page_of_lines(page(scan), noise)
    assert read.blocks == ()
    assert read.confidence == 0.72
    assert read.missing.startswith("Not readable here")


def test_punctuation_is_noise_however_sure_the_reader_is() -> None:
    assert not is_clear([line(". , ( ) : ; a", 40, 100, 560)])
    assert is_clear([line("Pressure (bar): 4.5", 40, 100, 560)])


def test_a_photo_with_a_sign_in_it_stays_a_figure() -> None:
    photo = ImageBlock("photo.png", (0, 0, WIDTH, HEIGHT))
    read = page_of_lines(page(photo), [line("STOP", 250, 300, 330)])
    assert read.blocks == (photo,)
    assert (read.scan, read.confidence) == (False, None)


def test_pictures_beside_the_text_stay_and_keep_their_words() -> None:
    photo = ImageBlock("photo.png", (60, 500, 300, 700))
    strip = ImageBlock("strip.png", (40, 90, 560, 260))
    lines = [*prose(40, 560, 100, "body"), line("STOP", 100, 600, 160)]
    read = page_of_lines(page(strip, photo), lines)
    assert photo in read.blocks
    assert strip not in read.blocks
    assert "STOP" not in " ".join(texts(read))


@pytest.mark.parametrize(
    ("rotation", "quarters", "seen", "expected"),
    [
        # Seen as it is, read as it is.
        (0, 0, (0.1, 0.1, 0.9, 0.15), (60, 80, 540, 120)),
        # /Rotate 90: the top of what is seen is the left side of the page.
        (90, 0, (0.1, 0.1, 0.8, 0.15), (60, 160, 90, 720)),
        # Drawn upside down: turned twice to be read.
        (0, 2, (0.1, 0.1, 0.8, 0.15), (120, 680, 540, 720)),
    ],
)
def test_boxes_are_those_of_the_unrotated_page(
    rotation: int, quarters: int, seen: BBox, expected: BBox
) -> None:
    lines = [("A line of text to be found", seen, 1.0)]
    read = page_of_lines(page(rotation=rotation), lines, quarters)
    assert read.blocks[0].bbox == pytest.approx(expected)


def test_lines_on_end_are_seen() -> None:
    assert runs_upwards([("a", (0.1, 0.1, 0.15, 0.9), 0.9)], (100, 100))
    assert not runs_upwards([("a", (0.1, 0.1, 0.9, 0.15), 0.9)], (100, 100))


class FakePage:
    """What `is_scan` asks of a PyMuPDF page."""

    rect = (0.0, 0.0, WIDTH, HEIGHT)

    def __init__(self, text: str, top: float = 300, type_size: float = 12) -> None:
        self._text, self._top, self._size = text, top, type_size

    def get_text(
        self, kind: str, **_: object
    ) -> str | list[tuple[float, float, float, float, str]]:
        if kind == "text":
            return self._text
        low, half = self._top + self._size, self._size / 2
        return [(60, self._top, 60 + half * len(w), low, w) for w in self._text.split()]


FULL = [Mark("raster", (0, 0, WIDTH, HEIGHT))]


@pytest.mark.parametrize(
    ("text", "marks", "expected"),
    [
        ("", FULL, True),
        ("", [], False),
        ("page 3", FULL, True),
        ("a full sentence of the text layer, " * 5, FULL, False),
        ("\ufffd\ue003\ue004 ab" * 9, [], True),
        ("\uf02b\uf03d\uf02d x" * 9, [], False),
        ("", [Mark("vector", (10, 10, 14, 20))] * 80, True),
        ("", [Mark("raster", (10, 10, 60, 60))], False),
    ],
)
def test_which_pages_have_no_usable_text(text: str, marks: list[Mark], expected: bool) -> None:
    assert is_scan(cast(Any, FakePage(text)), marks) is expected


SENTENCE = "a full sentence of the text layer, " * 5


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (FakePage(SENTENCE, top=20), True),
        (FakePage(SENTENCE, top=HEIGHT - 40), True),
        (FakePage(SENTENCE, top=100), False),
        (FakePage(SENTENCE, type_size=4), True),
    ],
    ids=["running title", "footer", "text", "a stamp in small type"],
)
def test_what_stands_at_the_edges_of_a_scan_is_not_its_text(page: FakePage, expected: bool) -> None:
    assert is_scan(cast(Any, page), FULL) is expected
    assert not is_scan(cast(Any, page), [])


# --- figures beside the lines ---


def _picture(seed: int, size: tuple[int, int]) -> bytes:
    pixels = np.random.default_rng(seed).integers(0, 256, (size[1] // 10, size[0] // 10, 3))
    out = io.BytesIO()
    small = Image.fromarray(pixels.astype(np.uint8))
    small.resize(size, Image.Resampling.NEAREST).save(out, "PNG")
    return out.getvalue()


PHOTO, LABEL = (120.0, 300.0, 360.0, 480.0), (120.0, 486.0, 330.0, 498.0)


def _drawn_page() -> pymupdf.Document:
    """Prose, a photo and its caption under it."""
    drawn = pymupdf.open()
    sheet = drawn.new_page(width=WIDTH, height=HEIGHT)
    for n in range(6):
        sheet.insert_text((60, 110 + 16 * n), "The first paragraph of prose on the page. " * 2)
    sheet.insert_image(PHOTO, stream=_picture(1, (480, 360)))
    sheet.insert_text((120, 496), "Figure 1. The Tarn pump uphill.", fontsize=10)
    return drawn


LINES = [*prose(60, 540, 100, "first"), line("Figure 1. The Tarn pump uphill.", 120, 486, 330)]


def _find(path: Path, read: Page, lines: list[RecognisedLine], quarters: int = 0) -> Page:
    found = find_on_scan(path, read, lines, quarters, lambda data: str(len(data)), ReadingConfig())
    return page_of_lines(found, lines, quarters, judged=True)


@pytest.mark.parametrize("ground", [None, (0.2, 0.5, 0.4)])
def test_a_photo_on_a_scan_is_cut_out_with_its_caption(
    tmp_path: Path, ground: tuple[float, float, float] | None
) -> None:
    with _drawn_page() as drawn, pymupdf.open() as document:
        if ground:
            drawn[0].draw_rect(drawn[0].rect, color=None, fill=ground, overlay=False)
        png = drawn[0].get_pixmap(dpi=144).tobytes("png")
        scan = document.new_page(width=WIDTH, height=HEIGHT)
        scan.insert_image(scan.rect, stream=png)
        document.save(tmp_path / "s.pdf")
    whole = ImageBlock("whole", (0, 0, WIDTH, HEIGHT))
    read = _find(tmp_path / "s.pdf", page(whole), LINES)
    (image,) = (block for block in read.blocks if isinstance(block, ImageBlock))
    assert image.bbox is not None
    assert iou(image.bbox, PHOTO) > 0.85
    assert image.caption == "Figure 1. The Tarn pump uphill."
    assert int(image.file) > 0
    kinds = [b.kind if isinstance(b, TextBlock) else "image" for b in read.blocks]
    assert kinds == ["paragraph", "image", "caption"]


def test_a_drawing_survives_beside_text_drawn_as_outlines(tmp_path: Path) -> None:
    bars = [(120 + 40 * n, 420 - 30 * n, 150 + 40 * n, 480) for n in range(6)]
    with pymupdf.open() as document:
        sheet = document.new_page(width=WIDTH, height=HEIGHT)
        for bar in bars:
            sheet.draw_rect(bar, color=(0, 0, 0), fill=(0.1, 0.3, 0.8))
        sheet.draw_line((115, 480), (320, 480))
        sheet.draw_line((115, 260), (115, 480))
        for top in range(100, 196, 16):
            for left in range(60, 540, 8):
                sheet.draw_rect((left, top + 2, left + 5, top + 10), color=None, fill=(0, 0, 0))
        document.save(tmp_path / "o.pdf")
    read = _find(tmp_path / "o.pdf", page(), LINES)
    (image,) = (block for block in read.blocks if isinstance(block, ImageBlock))
    assert image.bbox is not None
    assert iou(image.bbox, (115, 260, 320, 480)) > 0.9


def test_what_is_not_readable_keeps_its_figures_without_their_noise(tmp_path: Path) -> None:
    with _drawn_page() as drawn, pymupdf.open() as document:
        png = drawn[0].get_pixmap(dpi=144).tobytes("png")
        scan = document.new_page(width=WIDTH, height=HEIGHT)
        scan.insert_image(scan.rect, stream=png)
        scan.set_rotation(90)
        document.save(tmp_path / "s.pdf")
    # Shown a quarter to the right, and turned back by three to be read: the page unturned.
    noise = [(text, box, 0.6) for text, box, _ in LINES]
    read = _find(tmp_path / "s.pdf", page(rotation=90), noise, 3)
    (image,) = read.blocks
    assert isinstance(image, ImageBlock)
    assert image.bbox is not None
    assert iou(image.bbox, PHOTO) > 0.85
    assert (image.caption, image.caption_bbox) == ("", None)
    assert read.missing.startswith("Not readable here")
