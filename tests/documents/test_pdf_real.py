"""The PDF reader on public files nobody here wrote; their places were measured by eye."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pymupdf
import pytest

from brit.config import ReadingConfig
from brit.documents.geometry import iou
from brit.documents.pdf import PdfReader, save_unlocked
from brit.documents.process import close_idle
from brit.documents.render import render_page
from brit.errors import DocumentError, PasswordNeeded
from brit.models import ReadRequest
from brit.types import BBox, ImageBlock, Page

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="the folder of public test documents is not on this machine"
)


@pytest.fixture(scope="module", autouse=True)
def _sandboxes() -> Iterator[None]:
    yield
    close_idle()


def _read_page(name: str, number: int) -> Page:
    reader = PdfReader().read(
        DATA / name,
        ReadRequest(
            lambda _: "file", done=lambda head: set(range(1, head.page_count + 1)) - {number}
        ),
    )
    for _, pages in reader:
        return next(pages)
    raise AssertionError("nothing was read")


def _figure(page: Page, box: BBox) -> ImageBlock:
    images = [block for block in page.blocks if isinstance(block, ImageBlock) and block.bbox]
    best = max(images, key=lambda image: iou(image.bbox or box, box))
    assert iou(best.bbox or (0, 0, 0, 0), box) >= 0.7
    return best


def test_strips_of_a_scan_are_photos_with_their_captions() -> None:
    page = _read_page("pdf/hamilton_county_historic_survey.pdf", 16)
    places: dict[str, BBox] = {
        "Giltner": (72, 237, 288, 471),
        "Hordville": (72, 500, 288, 661),
        "Marquette": (324, 73, 540, 360),
    }
    for town, box in places.items():
        assert town in _figure(page, box).caption
    assert sum(isinstance(block, ImageBlock) for block in page.blocks) == 3


def test_hundred_fragments_are_the_two_figures_of_the_handbook() -> None:
    page = _read_page("pdf/faa_amt_handbook_sample.pdf", 1)
    assert _figure(page, (320, 420, 560, 690)).caption.startswith("Figure 7-27.")
    assert sum(isinstance(block, ImageBlock) for block in page.blocks) == 2


def test_photo_of_the_data_sheet() -> None:
    _figure(_read_page("pdf/case_cx57c_excavator_datasheet.pdf", 1), (26, 136, 202, 256))


def test_portraits_beside_the_biographies() -> None:
    page = _read_page("pdf/ibm_redpaper_redp5110.pdf", 4)
    _figure(page, (143, 376, 251, 505))
    _figure(page, (146, 528, 252, 635))


def test_photos_under_text_are_whole() -> None:
    page = _read_page("pdf/ntu_ug_prospectus_2024.pdf", 3)
    _figure(page, (302, 580, 552, 799))
    assert "Most Beautiful Campus" in _figure(page, (899, 311, 1149, 584)).caption
    _figure(page, (637, 43, 887, 315))


def test_panels_under_one_number_are_one_figure() -> None:
    page = _read_page("pdf/de_geotopo_textbook.pdf", 24)
    assert _figure(page, (124, 139, 505, 247)).caption.startswith("Abbildung 1.11")


def test_password_opens_an_encrypted_file() -> None:
    path = DATA / "hostile" / "enc_password_test.pdf"
    with pytest.raises(PasswordNeeded):
        next(PdfReader().read(path, ReadRequest(lambda _: "")))
    head, _ = next(PdfReader().read(path, ReadRequest(lambda _: "", password="test")))
    assert head.page_count == 4


def test_invalid_file_is_refused() -> None:
    with pytest.raises(DocumentError):
        next(PdfReader().read(DATA / "hostile" / "invalid_44bytes.pdf", ReadRequest(lambda _: "")))


def test_a_file_that_has_no_pages_before_its_password_can_be_kept_without(tmp_path: Path) -> None:
    target = tmp_path / "open.pdf"
    save_unlocked(DATA / "hostile" / "enc_certificate_pr6531_1.pdf", target, "asdfasdf")
    with pymupdf.open(target) as doc:
        assert (doc.needs_pass, doc.page_count) == (0, 1)


def test_page_that_never_renders_ends_at_its_limit() -> None:
    path = DATA / "hostile" / "HANG_render_pages_0_1.pdf"
    config = ReadingConfig(page_seconds=2)
    assert render_page(path, 4, dpi=36).startswith(b"\x89PNG")
    with pytest.raises(DocumentError, match="2 seconds"):
        render_page(path, 1, config=config)


def test_a_picture_that_is_left_out_is_told_of() -> None:
    path = DATA / "hostile" / "zero_width_image.pdf"
    _, pages = next(PdfReader().read(path, ReadRequest(lambda _: "x")))
    assert next(pages).missing.startswith("Something on the page")
