"""Figures: what is one and what is none, on pages made here and on real ones, counted by hand."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pymupdf
import pytest
from PIL import Image, ImageDraw

from brit.config import ReadingConfig
from brit.documents.furniture import mark_furniture
from brit.documents.geometry import iou
from brit.documents.page import PageReader, ReadPage
from brit.documents.pixels import PageImage
from brit.documents.placements import trace_marks
from brit.documents.register import PictureRegister
from brit.types import BBox, ImageBlock, Page

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
needs_data = pytest.mark.skipif(
    not DATA.is_dir(), reason="the folder of public test documents is not on this machine"
)


def _read(doc: pymupdf.Document, number: int = 1) -> ReadPage:
    return PageReader(doc, (), ReadingConfig()).read(number)


def _figures(read: ReadPage) -> list[ImageBlock]:
    return [block for block in read.page.blocks if isinstance(block, ImageBlock)]


def _noise(width: int, height: int) -> bytes:
    pixels = np.random.default_rng(7).integers(0, 256, (height, width, 3), np.uint8)
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


def test_a_sign_in_a_line_of_text_is_no_figure_and_the_same_picture_alone_is_one() -> None:
    with pymupdf.open() as doc:
        page = doc.new_page(width=500, height=700)
        page.insert_text(
            (60, 120), "When the request is displayed on the screen, touch", fontsize=10
        )
        page.insert_image((305, 100, 331, 126), stream=_noise(26, 26))
        page.insert_text((336, 120), "to pair the kettle.", fontsize=10)
        page.insert_image((60, 300, 86, 326), stream=_noise(26, 26))
        boxes = [figure.bbox for figure in _figures(_read(doc))]
    assert boxes == [pytest.approx((60, 300, 86, 326), abs=1)]


def test_figures_that_touch_at_a_corner_stay_apart() -> None:
    with pymupdf.open() as doc:
        page = doc.new_page(width=500, height=700)
        page.insert_image((60, 300, 110, 350), stream=_noise(60, 60))
        page.insert_image((110, 350, 160, 400), stream=_noise(50, 50))
        assert len(_figures(_read(doc))) == 2


def _smooth(width: int, height: int) -> bytes:
    """Warm light in the middle of a dark blue evening: nowhere an edge."""
    y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
    glow = np.exp(-3 * (x**2 + y**2))[:, :, None]
    pixels = glow * (250, 180, 90) + (1 - glow) * (20, 30, 80)
    out = io.BytesIO()
    Image.fromarray(pixels.astype(np.uint8)).save(out, "PNG")
    return out.getvalue()


def _fade(width: int, height: int) -> bytes:
    """The tint of a page's column, dark at its head and light at its foot."""
    rows = np.linspace(120, 230, height)[:, None, None]
    pixels = np.broadcast_to(rows, (height, width, 3)).astype(np.uint8)
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


def test_smooth_picture_is_a_figure_and_the_fade_of_a_column_is_none() -> None:
    with pymupdf.open() as doc:
        page = doc.new_page(width=500, height=700)
        page.insert_image((60, 60, 260, 200), stream=_smooth(200, 140))
        page.insert_image((300, 60, 460, 500), stream=_fade(160, 440))
        boxes = [figure.bbox for figure in _figures(_read(doc))]
    assert boxes == [pytest.approx((60, 60, 260, 200), abs=8)]


def test_pie_with_little_detail_is_a_figure() -> None:
    pie = Image.new("RGB", (400, 300), "white")
    pen = ImageDraw.Draw(pie)
    for start, end, colour in ((0, 150, "red"), (150, 260, "gold"), (260, 360, "royalblue")):
        pen.pieslice((60, 20, 320, 280), start, end, fill=colour)
    out = io.BytesIO()
    pie.save(out, "PNG")
    with pymupdf.open() as doc:
        doc.new_page(width=500, height=700).insert_image((60, 60, 260, 210), stream=out.getvalue())
        assert len(_figures(_read(doc))) == 1


def test_photos_beside_large_type_are_no_signs_in_a_line() -> None:
    with pymupdf.open() as doc:
        page = doc.new_page(width=500, height=700)
        page.insert_text((170, 350), "Historic houses", fontsize=40)
        page.insert_image((60, 300, 160, 390), stream=_noise(100, 90))
        assert len(_figures(_read(doc))) == 1


@needs_data
@pytest.mark.parametrize(
    ("name", "number", "photos"),
    [
        ("pdf/hamilton_county_historic_survey.pdf", 12, 1),
        ("pdf/hamilton_county_historic_survey.pdf", 13, 2),
        ("pdf/hamilton_county_historic_survey.pdf", 14, 0),
        ("pdf/hamilton_county_historic_survey.pdf", 16, 3),
        ("pdf/hamilton_county_historic_survey.pdf", 19, 3),
        ("pdf/faa_amt_handbook_sample.pdf", 1, 2),
    ],
)
def test_figures_counted_by_hand(name: str, number: int, photos: int) -> None:
    with pymupdf.open(DATA / name) as doc:
        assert len(_figures(_read(doc, number))) == photos


@needs_data
def test_strips_of_a_scan_are_one_picture_of_its_page() -> None:
    with pymupdf.open(DATA / "hostile" / "scan_strips_26_images.pdf") as doc:
        whole: BBox = (0.0, 0.0, doc[0].rect.width, doc[0].rect.height)
        boxes = [figure.bbox for figure in _figures(_read(doc)) if figure.bbox]
    assert len(boxes) <= 1
    assert all(iou(box, whole) > 0.7 for box in boxes)


@needs_data
def test_pieces_of_the_handbook_are_merged_into_its_two_figures() -> None:
    with pymupdf.open(DATA / "pdf" / "faa_amt_handbook_sample.pdf") as doc:
        page = _read(doc).page
    assert page.merged >= 123


@needs_data
def test_ten_pictures_that_every_page_refers_to_are_drawn_on_one_page_each() -> None:
    with pymupdf.open(DATA / "hostile" / "same_images_every_page_pdkids.pdf") as doc:
        drawn = [sum(mark.kind == "raster" for mark in trace_marks(page)) for page in doc]
    assert len(drawn) == 55
    assert sorted(drawn) == [0] * 45 + [1] * 10


def test_logo_of_55_pages_is_one_picture_in_55_places() -> None:
    register = PictureRegister()
    logo = _noise(90, 30)
    pages, numbers = [], []
    with pymupdf.open() as doc:
        for number in range(1, 56):
            page = doc.new_page(width=300, height=400)
            place: BBox = (180.0, 12.0 + number / 10, 270.0, 42.0 + number / 10)
            page.insert_image(place, stream=logo)
            page.insert_text((30, 200), f"Page {number}")
            picture, _ = register.number(PageImage(page, 144, 16_000_000).crop(place))
            numbers.append(picture)
            pages.append(Page(number, 300, 400, (ImageBlock(str(picture), place),)))
    assert numbers == [0] * 55
    blocks = [page.blocks[0] for page in mark_furniture(pages)]
    assert all(isinstance(block, ImageBlock) and block.furniture for block in blocks)


def test_a_drawing_on_a_scanned_page_is_a_figure_and_its_rules_and_edge_are_none() -> None:
    """A scan at 150 dpi under its recognised text: a heading's rule, a machine, a dark edge."""
    scan = Image.new("L", (1250, 1750), 245)
    draw = ImageDraw.Draw(scan)
    draw.rectangle((100, 195, 1150, 200), fill=20)
    draw.rectangle((1180, 900, 1249, 1749), fill=15)
    for at in range(0, 300, 60):
        draw.ellipse((700 + at // 2, 400 + at, 900 + at // 2, 500 + at), outline=20, width=3)
    draw.line((800, 450, 950, 800), fill=20, width=3)
    out = io.BytesIO()
    scan.save(out, "PNG")
    with pymupdf.open() as doc:
        page = doc.new_page(width=600, height=840)
        for line in range(12):
            page.insert_text((48, 130 + 14 * line), "Turn the crank until the drum is full.")
        page.insert_image(page.rect, stream=out.getvalue())
        (figure,) = _figures(_read(doc))
    assert figure.bbox is not None
    assert iou(figure.bbox, (336, 192, 504, 384)) > 0.85


def test_strips_of_a_picture_are_one_also_where_a_line_falls_on_a_seam() -> None:
    ground = np.full((300, 400, 3), 230, np.uint8)
    ground[::7] = (90, 120, 200)
    ground[120:] //= 2
    with pymupdf.open() as doc:
        page = doc.new_page(width=500, height=700)
        for top in range(0, 300, 60):
            out = io.BytesIO()
            Image.fromarray(ground[top : top + 60]).save(out, "PNG")
            page.insert_image((50, 100 + top, 450, 160 + top), stream=out.getvalue())
        (figure,) = _figures(_read(doc))
    assert figure.bbox == pytest.approx((50, 100, 450, 400), abs=1)
