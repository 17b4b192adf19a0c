"""Figures: what is one and what is none, on pages made here; their colours, known from outside.

Colours are those the PDF standard gives (ISO 32000-1: 8.6.4.4 CMYK, 8.9.5.2 Decode, 11.6.5.3 soft
masks), within what a naive conversion and a colour-managed one differ by.
"""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pymupdf
import pytest
from PIL import Image

from brit.config import ReadingConfig
from brit.documents.geometry import iou
from brit.documents.page import PageReader, ReadPage
from brit.documents.pixels import PageImage, encode
from brit.types import BBox, ImageBlock

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
PLACE: BBox = (100.0, 100.0, 300.0, 260.0)
KINDS = {
    "CMYK": "cmyk_jpeg_pdfjs.pdf",
    "JPX": "jpx_gray.pdf",
    "JPX, indexed, soft mask": "jpx_indexed_smask_S2.pdf",
    "JPX without a colour space": "jpx_no_colorspace_3p.pdf",
    "JPX, mask in its data": "jpx_smask_in_data.pdf",
    "JBIG2": "jbig2_scan_linn.pdf",
    "CCITT, indexed": "indexed_ccitt_mask.pdf",
    "inverted Decode": "images_1bit_inverted_decode.pdf",
    "colour key": "color_key_mask.pdf",
    "soft mask": "image_masks_softmask.pdf",
    "transparent": "img_transparent_smask.pdf",
    "rotated": "rotation_4_directions.pdf",
    "rotated page": "rotated90_report_fr.pdf",
    "annotations": "annotations_only_stamps.pdf",
    "inline": "inline_image.pdf",
}
needs_data = pytest.mark.skipif(
    not DATA.is_dir(), reason="the folder of public test documents is not on this machine"
)


def _read(doc: pymupdf.Document, number: int = 1) -> ReadPage:
    return PageReader(doc, (), ReadingConfig()).read(number)


def _figures(read: ReadPage) -> list[ImageBlock]:
    return [block for block in read.page.blocks if isinstance(block, ImageBlock)]


def _raster_page(
    image: str, data: bytes, mask: tuple[str, bytes] | None = None
) -> pymupdf.Document:
    """A page with one image of the given dictionary entries at PLACE."""
    doc = pymupdf.open()
    page = doc.new_page(width=400, height=400)
    if mask is not None:
        xref = doc.get_new_xref()
        doc.update_object(xref, f"<</Type/XObject/Subtype/Image{mask[0]}>>")
        doc.update_stream(xref, mask[1])
        image += f"/SMask {xref} 0 R"
    xref = doc.get_new_xref()
    doc.update_object(xref, f"<</Type/XObject/Subtype/Image{image}>>")
    doc.update_stream(xref, data)
    doc.xref_set_key(page.xref, "Resources", f"<</XObject<</I {xref} 0 R>>>>")
    contents = doc.get_new_xref()
    doc.update_object(contents, "<<>>")
    x0, y0, x1, y1 = PLACE
    doc.update_stream(contents, f"{x1 - x0} 0 0 {y1 - y0} {x0} {400 - y1} cm /I Do".encode())
    doc.xref_set_key(page.xref, "Contents", f"{contents} 0 R")
    return pymupdf.open(stream=doc.tobytes())


def _patch(doc: pymupdf.Document, x: float, y: float) -> list[int]:
    """The colour of the crop at a place given as shares of its width and height."""
    page = PageImage(doc[0], 144, 16_000_000)
    pixels = np.asarray(Image.open(io.BytesIO(encode(page.crop(PLACE)))).convert("RGB"))
    value = pixels[int(y * pixels.shape[0]), int(x * pixels.shape[1])]
    return [int(channel) for channel in value]


def test_cmyk_patches_are_red_and_black() -> None:
    half = "/Width 2/Height 1/BitsPerComponent 8/ColorSpace/DeviceCMYK"
    doc = _raster_page(half, bytes([0, 255, 255, 0, 0, 0, 0, 255]))
    red, green, blue = _patch(doc, 0.2, 0.5)
    assert red > 220
    assert max(green, blue) < 50
    assert max(_patch(doc, 0.8, 0.5)) < 50


@pytest.mark.parametrize(("decode", "left"), [("", 255), ("/Decode[1 0]", 0)])
def test_one_bit_image_and_its_inverse(decode: str, left: int) -> None:
    entries = f"/Width 8/Height 1/BitsPerComponent 1/ColorSpace/DeviceGray{decode}"
    doc = _raster_page(entries, bytes([0b11110000]))
    assert _patch(doc, 0.2, 0.5) == [left] * 3
    assert _patch(doc, 0.8, 0.5) == [255 - left] * 3


def test_soft_mask_mixes_with_the_white_of_the_page() -> None:
    blue = "/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceRGB"
    mask = ("/Width 2/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray", bytes([255, 128]))
    doc = _raster_page(blue, bytes([0, 0, 255]), mask)
    assert _patch(doc, 0.1, 0.5) == pytest.approx([0, 0, 255], abs=2)
    assert _patch(doc, 0.9, 0.5) == pytest.approx([127, 127, 255], abs=2)


def test_colour_key_shows_the_page() -> None:
    entries = "/Width 2/Height 1/BitsPerComponent 8/ColorSpace/DeviceRGB/Mask[0 0 255 255 0 0]"
    doc = _raster_page(entries, bytes([0, 255, 0, 200, 0, 0]))
    assert _patch(doc, 0.2, 0.5) == [255, 255, 255]
    assert _patch(doc, 0.8, 0.5) == pytest.approx([200, 0, 0], abs=2)


def test_indexed_colours_are_those_of_the_palette() -> None:
    entries = "/Width 2/Height 1/BitsPerComponent 8/ColorSpace[/Indexed/DeviceRGB 1<0A64C8FA8232>]"
    doc = _raster_page(entries, bytes([0, 1]))
    assert _patch(doc, 0.2, 0.5) == pytest.approx([10, 100, 200], abs=2)
    assert _patch(doc, 0.8, 0.5) == pytest.approx([250, 130, 50], abs=2)


@needs_data
@pytest.mark.parametrize("kind", KINDS)
def test_crop_differs_from_the_render_by_two_levels_at_most(kind: str) -> None:
    with pymupdf.open(DATA / "hostile" / KINDS[kind]) as doc:
        page = PageImage(doc[0], 144, 16_000_000)
        height, width = page.pixels.shape[:2]
        crop = page.crop((0.0, 0.0, width / page.scale, height / page.scale))
        stored = np.asarray(Image.open(io.BytesIO(encode(crop))).convert("RGB"), np.int16)
        pixmap = doc[0].get_pixmap(matrix=pymupdf.Matrix(page.scale, page.scale), alpha=0)
        render = np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.width, 3)
        assert np.abs(stored - render[: len(stored), : stored.shape[1]]).mean() <= 2


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
