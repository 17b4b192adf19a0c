"""The PDF reader on files made here, whose every place is known."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pymupdf
import pytest
from PIL import Image

from brit.config import ReadingConfig
from brit.documents import pdf
from brit.documents.drawing import MARKER
from brit.documents.geometry import iou
from brit.documents.pdf import PdfReader
from brit.documents.process import close_idle
from brit.documents.render import render_page
from brit.errors import Cancelled, DocumentError, PasswordNeeded
from brit.models import ReadRequest
from brit.types import DocumentHead, ImageBlock, Page, TextBlock

PHOTO = (100.0, 200.0, 300.0, 350.0)
LOGO = (500.0, 20.0, 560.0, 50.0)
CAPTION = "Figure 1. A kettle of the Lumora series on the stove."
PROSE = "The kettle heats a litre of water in three minutes and keeps it warm for an hour. " * 5


def _noise(seed: int, width: int, height: int) -> bytes:
    pixels = np.random.default_rng(seed).integers(0, 256, (height // 10, width // 10, 3), np.uint8)
    out = io.BytesIO()
    Image.fromarray(pixels).resize((width, height), Image.Resampling.NEAREST).save(out, "PNG")
    return out.getvalue()


def _strips(seed: int) -> list[bytes]:
    """A photo of 400 x 320 pixels in four strips."""
    pixels = np.random.default_rng(seed).integers(0, 256, (8, 10, 3), np.uint8)
    photo = Image.fromarray(pixels).resize((400, 320), Image.Resampling.BICUBIC)
    strips = []
    for top in range(0, 320, 80):
        out = io.BytesIO()
        photo.crop((0, top, 400, top + 80)).save(out, "PNG")
        strips.append(out.getvalue())
    return strips


def _brochure() -> pymupdf.Document:
    doc = pymupdf.open()
    for number in range(4):
        page = doc.new_page(width=600, height=800)
        page.insert_image(LOGO, stream=_noise(1, 120, 60))
        page.insert_text((60, 100), f"Chapter {number + 1}", fontsize=24)
        page.insert_textbox((60, 120, 540, 190), PROSE, fontsize=10)
    doc[0].insert_image(PHOTO, stream=_noise(2, 400, 300))
    doc[0].insert_text((100, 364), CAPTION, fontsize=9)
    doc[1].insert_image(PHOTO, stream=_noise(3, 400, 300))
    doc[1].draw_rect((60, 400, 540, 500), color=None, fill=(0.9, 0.9, 1))
    for i, strip in enumerate(_strips(5)):
        doc[1].insert_image((100, 550 + 40 * i, 300, 590 + 40 * i), stream=strip)
    doc[1].insert_image((300, 550, 450, 710), stream=_noise(6, 300, 320))
    doc[2].insert_image(PHOTO, stream=_noise(4, 400, 300))
    doc[2].set_rotation(90)
    doc.set_toc([[1, "Chapter 1", 1], [1, "Chapter 2", 2]])
    return doc


@pytest.fixture(scope="module", autouse=True)
def _sandboxes() -> Iterator[None]:
    yield
    close_idle()


@pytest.fixture(scope="module")
def brochure(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pdf") / "brochure.pdf"
    with _brochure() as doc:
        doc.save(path)
    return path


class Store(dict[str, bytes]):
    def save(self, data: bytes) -> str:
        key = str(len(self))
        self[key] = data
        return key


@pytest.fixture(scope="module")
def read(brochure: Path) -> tuple[DocumentHead, list[Page], Store]:
    store = Store()
    for head, pages in PdfReader().read(brochure, ReadRequest(store.save)):
        return head, list(pages), store
    raise AssertionError("nothing was read")


def _images(page: Page) -> list[ImageBlock]:
    return [block for block in page.blocks if isinstance(block, ImageBlock)]


def _at(page: Page, box: tuple[float, float, float, float]) -> ImageBlock:
    return max(_images(page), key=lambda image: iou(image.bbox or box, box))


def test_head_names_pages_and_bookmarks(read: tuple[DocumentHead, list[Page], Store]) -> None:
    head, pages, _ = read
    assert (head.name, head.format, head.page_count) == ("brochure.pdf", "pdf", 4)
    assert [entry.title for entry in head.outline] == ["Chapter 1", "Chapter 2"]
    assert [page.number for page in pages] == [1, 2, 3, 4]
    assert not any(page.failure for page in pages)


def test_figure_has_its_box_and_caption(read: tuple[DocumentHead, list[Page], Store]) -> None:
    photo = _at(read[1][0], PHOTO)
    assert photo.bbox is not None
    assert iou(photo.bbox, PHOTO) > 0.95
    assert photo.caption == CAPTION
    assert photo.caption_confidence > 0.8
    texts = [b for b in read[1][0].blocks if isinstance(b, TextBlock)]
    assert [b.text for b in texts if b.kind == "caption"] == [CAPTION]
    assert any(b.kind == "heading" and b.text == "Chapter 1" and b.level == 1 for b in texts)


def test_crop_shows_the_pixels_of_the_photo(
    read: tuple[DocumentHead, list[Page], Store],
) -> None:
    crop = Image.open(io.BytesIO(read[2][_at(read[1][0], PHOTO).file])).convert("RGB")
    original = Image.open(io.BytesIO(_noise(2, 400, 300))).resize(crop.size, Image.Resampling.BOX)
    difference = np.abs(np.asarray(crop, float) - np.asarray(original, float))
    assert difference.mean() < 8


def test_logo_on_every_page_is_one_file(read: tuple[DocumentHead, list[Page], Store]) -> None:
    files = {_at(page, LOGO).file for page in read[1] if page.rotation == 0}
    assert len(files) == 1


def test_strips_are_one_figure_mosaics_are_not_and_tinted_panels_none(
    read: tuple[DocumentHead, list[Page], Store],
) -> None:
    boxes = [image.bbox for image in _images(read[1][1]) if image.bbox]
    assert len(boxes) == 4
    assert max(iou(box, (100, 550, 300, 710)) for box in boxes) > 0.95
    assert max(iou(box, (300, 550, 450, 710)) for box in boxes) > 0.95
    assert max(iou(box, (60, 400, 540, 500)) for box in boxes) < 0.1


def test_boxes_of_a_turned_page_are_those_of_the_page_unturned(
    read: tuple[DocumentHead, list[Page], Store],
) -> None:
    page = read[1][2]
    assert (page.rotation, page.width, page.height) == (90, 600, 800)
    assert iou(_at(page, PHOTO).bbox or (0, 0, 0, 0), PHOTO) > 0.95


def test_done_pages_are_skipped(brochure: Path) -> None:
    for _, pages in PdfReader().read(brochure, ReadRequest(Store().save, done=lambda _: {1, 2, 4})):
        assert [page.number for page in pages] == [3]


def test_cancelled_reading_stops(brochure: Path) -> None:
    pressed: list[bool] = []
    request = ReadRequest(Store().save, cancelled=lambda: bool(pressed))
    _, pages = next(PdfReader().read(brochure, request))
    pressed.append(True)
    with pytest.raises(Cancelled):
        next(pages)


def test_encrypted_file_asks_for_its_password(tmp_path: Path) -> None:
    path = tmp_path / "locked.pdf"
    with _brochure() as doc:
        doc.save(path, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="tea", owner_pw="owner")
    reader = PdfReader()
    with pytest.raises(PasswordNeeded):
        next(reader.read(path, ReadRequest(Store().save)))
    with pytest.raises(PasswordNeeded):
        next(reader.read(path, ReadRequest(Store().save, password="coffee")))
    head, _ = next(reader.read(path, ReadRequest(Store().save, password="tea")))
    assert head.page_count == 4


@pytest.mark.parametrize("content", [b"", b"hello, this is no PDF", b"%PDF-1.7\n%%EOF\n"])
def test_what_is_no_pdf_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bad.pdf"
    path.write_bytes(content)
    with pytest.raises(DocumentError):
        next(PdfReader().read(path, ReadRequest(Store().save)))


def test_truncated_file_is_read_with_a_warning(tmp_path: Path, brochure: Path) -> None:
    path = tmp_path / "cut.pdf"
    data = brochure.read_bytes()
    path.write_bytes(data[: data.rindex(b"startxref") - 20])
    head, _ = next(PdfReader().read(path, ReadRequest(Store().save)))
    assert len(head.warnings) == 1


def _endless_page(doc: pymupdf.Document, page: pymupdf.Page) -> None:
    """A form that draws a form ten times, twelve levels deep: 10^12 lines."""
    inner = b"0 0 m 9 9 l S"
    form = 0
    for _ in range(12):
        xref = doc.get_new_xref()
        resources = f"/Resources<</XObject<</F {form} 0 R>>>>" if form else ""
        doc.update_object(xref, f"<</Type/XObject/Subtype/Form/BBox[0 0 9 9]{resources}>>")
        doc.update_stream(xref, inner)
        inner, form = b"/F Do " * 10, xref
    doc.xref_set_key(page.xref, "Resources", f"<</XObject<</F {form} 0 R>>>>")
    contents = doc.get_new_xref()
    doc.update_object(contents, "<<>>")
    doc.update_stream(contents, inner)
    doc.xref_set_key(page.xref, "Contents", f"{contents} 0 R")


def test_page_that_hangs_costs_that_page_only(tmp_path: Path) -> None:
    path = tmp_path / "endless.pdf"
    with pymupdf.open() as doc:
        for number in range(3):
            doc.new_page(width=300, height=200).insert_text((50, 100), f"Page {number + 1}")
        _endless_page(doc, doc[1])
        doc.save(path)
    reader = PdfReader(ReadingConfig(page_seconds=4))
    for _, pages in reader.read(path, ReadRequest(Store().save)):
        first, second, third = pages
    assert "4 seconds" in second.failure
    assert not first.failure
    assert not third.failure
    assert [b.text for b in third.blocks if isinstance(b, TextBlock)] == ["Page 3"]


def test_page_beyond_its_memory_is_a_failure(brochure: Path) -> None:
    reader = PdfReader(ReadingConfig(page_megabytes=-1))
    only = {1, 2, 3}
    for _, pages in reader.read(brochure, ReadRequest(Store().save, done=lambda _: only)):
        assert "memory" in next(pages).failure


def test_rendered_page_is_turned_and_marked(brochure: Path) -> None:
    plain = Image.open(io.BytesIO(render_page(brochure, 3, dpi=72)))
    marked = Image.open(io.BytesIO(render_page(brochure, 3, [(60, 600, 160, 700)], dpi=72)))
    assert plain.size == marked.size == (800, 600)
    # 90 degrees clockwise: (x, y) of the page goes to (800 - y, x) of the picture.
    assert plain.getpixel((150, 110)) == (255, 255, 255)
    assert marked.getpixel((150, 110)) == (255, 255, 255)  # colours stay what they are
    assert marked.getpixel((150, 57)) == MARKER
    assert marked.getpixel((400, 500)) == (255, 255, 255)


def test_page_that_is_not_there(brochure: Path) -> None:
    with pytest.raises(DocumentError, match="no page 9"):
        render_page(brochure, 9)


def test_attached_files_are_told(tmp_path: Path) -> None:
    with pymupdf.open() as doc:
        doc.new_page().insert_text((72, 72), "The kettle has a manual of its own.")
        doc.embfile_add("manual.txt", b"Boil.")
        doc.save(tmp_path / "a.pdf")
    head, pages = next(PdfReader().read(tmp_path / "a.pdf", ReadRequest(Store().save)))
    assert len(list(pages)) == 1
    assert head.warnings == (
        "Beside its pages a file is attached, not read: save such files and add them.",
    )


@pytest.mark.parametrize("reply", [{}, {"page": {"number": 2}, "pictures": {}}, {"page": []}])
def test_a_reader_that_was_taken_over_costs_the_page_it_speaks_nonsense_about(
    monkeypatch: pytest.MonkeyPatch, reply: dict[str, object]
) -> None:
    monkeypatch.setattr(pdf._Lane, "_read", lambda *_: reply)
    request = ReadRequest(lambda data: str(len(data)))
    lane = pdf._Lane(Path("a.pdf"), request, ReadingConfig(), request.cancelled)
    assert "makes no sense" in lane.page(1).page.failure
