"""Colours of figures: each kind of raster as the page shows it, and the page as the standard says.

Every page holds one picture of four quarters: red, green above blue, yellow, or for one bit
black, white above white, black. The colours are those of ISO 32000-1 (8.9.5.2 Decode, 8.9.6.4
colour keys, 11.6.5.3 soft masks); of solid inks those of SWOP, as every print shop knows them.
JBIG2 is made after ITU-T T.88, its bitmap coded as T.6 says.
"""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pymupdf
import pytest
from PIL import Image, TiffImagePlugin

from brit.config import ReadingConfig
from brit.documents.page import PageReader
from brit.documents.pixels import PageImage, encode
from brit.types import BBox, ImageBlock

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
needs_data = pytest.mark.skipif(
    not DATA.is_dir(), reason="the folder of public test documents is not on this machine"
)
PLACE: BBox = (100.0, 100.0, 300.0, 260.0)
SIDE = 32
"""Pixels a side of every picture."""
RED, GREEN, BLUE, YELLOW = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0)
BLACK, WHITE = (0, 0, 0), (255, 255, 255)
COLOURS = (RED, GREEN, BLUE, YELLOW)
PRESS = ((237, 28, 36), (0, 166, 81), (46, 49, 146), (255, 242, 0))
"""Solid magenta on yellow, yellow on cyan, magenta on cyan, and yellow, on coated paper (SWOP)."""
TWO_TONES = (BLACK, WHITE, WHITE, BLACK)
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

Pixels = npt.NDArray[np.uint8]
Quarters = tuple[tuple[int, int, int], ...]


def _quarters(colours: Quarters) -> Pixels:
    quarters = np.array(colours, np.uint8).reshape(2, 2, 3)
    return quarters.repeat(SIDE // 2, axis=0).repeat(SIDE // 2, axis=1)


def _bits(inverted: bool = False) -> bytes:
    """The two tones as one bit a pixel, 1 for white."""
    white = _quarters(TWO_TONES)[:, :, 0] > 0
    return np.packbits(white ^ inverted, axis=1).tobytes()


def _group4() -> bytes:
    """The two tones after ITU-T T.6."""
    out = io.BytesIO()
    tags = TiffImagePlugin.ImageFileDirectory_v2()
    tags[TiffImagePlugin.ROWSPERSTRIP] = SIDE
    # A bit that is set is black to T.6 and white to Pillow.
    picture = Image.fromarray(255 - _quarters(TWO_TONES)).convert("1")
    picture.save(out, "TIFF", compression="group4", tiffinfo=tags)
    with Image.open(io.BytesIO(out.getvalue())) as tiff:
        assert isinstance(tiff, TiffImagePlugin.TiffImageFile)
        (start,), (length,) = tiff.tag_v2[273], tiff.tag_v2[279]
    return out.getvalue()[start : start + length]


def _jbig2() -> bytes:
    """Page information and one generic region with an MMR bitmap (T.88, 7.4.8 and 7.4.6)."""
    information = struct.pack(">IIIIBH", SIDE, SIDE, 0, 0, 0, 0)
    region = struct.pack(">IIIIBB", SIDE, SIDE, 0, 0, 0, 1) + _group4()
    segments = [(0, 48, information), (1, 38, region)]
    heads = [struct.pack(">IBBBI", n, kind, 0, 1, len(data)) for n, kind, data in segments]
    return b"".join(head + data for head, (_, _, data) in zip(heads, segments, strict=True))


def _as(kind: str, mode: str, colours: Quarters = COLOURS, **options: object) -> bytes:
    out = io.BytesIO()
    Image.fromarray(_quarters(colours)).convert(mode).save(out, kind, **options)
    return out.getvalue()


def _palette() -> bytes:
    rows = np.arange(4).reshape(2, 2).repeat(SIDE // 2, axis=0).repeat(SIDE // 2, axis=1)
    return rows.astype(np.uint8).tobytes()


def _cmyk() -> bytes:
    inks = ((0, 255, 255, 0), (255, 0, 255, 0), (255, 255, 0, 0), (0, 0, 255, 0))
    return bytes(np.array(inks, np.uint8)[np.frombuffer(_palette(), np.uint8)].tobytes())


RGB, GREY, ONE_BIT = "/ColorSpace/DeviceRGB", "/ColorSpace/DeviceGray", "/BitsPerComponent 1"
EIGHT = "/BitsPerComponent 8"
PALETTE = "/ColorSpace[/Indexed/DeviceRGB 3<FF000000FF000000FFFFFF00>]"
FAX = f"/Filter/CCITTFaxDecode/DecodeParms<</K -1/Columns {SIDE}/Rows {SIDE}"
INVERTED = "/Decode[1 0 1 0 1 0 1 0]"

RASTERS: dict[str, tuple[str, Callable[[], bytes], Quarters]] = {
    "RGB": (EIGHT + RGB, lambda: _quarters(COLOURS).tobytes(), COLOURS),
    "CMYK": (EIGHT + "/ColorSpace/DeviceCMYK", _cmyk, PRESS),
    "CMYK in a JPEG": (
        EIGHT + "/ColorSpace/DeviceCMYK/Filter/DCTDecode" + INVERTED,
        lambda: _as("JPEG", "CMYK", quality=95, subsampling=0),
        PRESS,
    ),
    "JPX": ("/Filter/JPXDecode", lambda: _as("JPEG2000", "RGB", no_jp2=False), COLOURS),
    "JBIG2": (ONE_BIT + GREY + "/Filter/JBIG2Decode", _jbig2, TWO_TONES),
    "CCITT": (ONE_BIT + GREY + FAX + ">>", _group4, TWO_TONES),
    "CCITT, black is 1": (
        ONE_BIT + GREY + FAX + "/BlackIs1 true>>/Decode[1 0]",
        _group4,
        TWO_TONES,
    ),
    "indexed": (EIGHT + PALETTE, _palette, COLOURS),
    "one bit": (ONE_BIT + GREY, _bits, TWO_TONES),
    "inverted Decode": (ONE_BIT + GREY + "/Decode[1 0]", lambda: _bits(True), TWO_TONES),
    "colour key": (
        EIGHT + RGB + "/Mask[0 0 255 255 0 0]",
        lambda: _quarters(COLOURS).tobytes(),
        (RED, WHITE, BLUE, YELLOW),
    ),
    "deflated": (
        EIGHT + RGB + "/Filter/FlateDecode",
        lambda: zlib.compress(_quarters(COLOURS).tobytes()),
        COLOURS,
    ),
}


def _document(
    entries: str, data: bytes, content: str = "", mask: tuple[str, bytes] | None = None
) -> pymupdf.Document:
    """A page of 400 points with the picture /I, drawn at PLACE unless `content` says otherwise."""
    doc = pymupdf.open()
    page = doc.new_page(width=400, height=400)
    if mask is not None:
        entries += f"/SMask {_stream(doc, _image(mask[0]), mask[1])} 0 R"
    image = _stream(doc, _image(entries), data)
    doc.xref_set_key(page.xref, "Resources", f"<</XObject<</I {image} 0 R>>>>")
    x0, y0, x1, y1 = PLACE
    content = content or f"{x1 - x0} 0 0 {y1 - y0} {x0} {400 - y1} cm /I Do"
    doc.xref_set_key(page.xref, "Contents", f"{_stream(doc, '', content.encode())} 0 R")
    return pymupdf.open(stream=doc.tobytes())


def _image(entries: str) -> str:
    return f"/Type/XObject/Subtype/Image/Width {SIDE}/Height {SIDE}{entries}"


def _stream(doc: pymupdf.Document, entries: str, data: bytes) -> int:
    xref = int(doc.get_new_xref())
    doc.update_object(xref, f"<<{entries}>>")
    doc.update_stream(xref, data, compress=False)
    # The stream is taken as it is coded; update_stream has dropped the word of it.
    doc.update_object(xref, f"<<{entries}/Length {len(data)}>>")
    return xref


def _figure(doc: pymupdf.Document) -> tuple[BBox, Pixels]:
    """The one figure of the page: its box, and its pixels as they are stored."""
    read = PageReader(doc, (), ReadingConfig()).read(1)
    (block,) = (block for block in read.page.blocks if isinstance(block, ImageBlock))
    assert block.bbox is not None
    (stored,) = read.pictures.values()
    return block.bbox, np.asarray(Image.open(io.BytesIO(stored)).convert("RGB"))


def _check(doc: pymupdf.Document, colours: Quarters, place: BBox = PLACE) -> None:
    box, crop = _figure(doc)
    assert box == pytest.approx(place, abs=1)
    pixmap = doc[0].get_pixmap(dpi=144, alpha=0)
    page = np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.width, 3)
    x0, y0 = round(2 * box[0]), round(2 * box[1])
    render = page[y0 : y0 + len(crop), x0 : x0 + crop.shape[1]]
    assert np.abs(crop.astype(np.int16) - render).mean() <= 2
    height, width = crop.shape[:2]
    seen = [crop[int(y * height), int(x * width)] for y in (0.25, 0.75) for x in (0.25, 0.75)]
    for patch, colour in zip(seen, colours, strict=True):
        assert patch.astype(int) == pytest.approx(colour, abs=6)


@pytest.mark.parametrize("kind", RASTERS)
def test_picture_is_cut_out_in_its_colours(kind: str) -> None:
    entries, data, colours = RASTERS[kind]
    _check(_document(entries, data()), colours)


def test_soft_mask_mixes_with_the_white_of_the_page() -> None:
    mask = np.full((SIDE, SIDE), 255, np.uint8)
    mask[:, SIDE // 2 :] = 128
    doc = _document(EIGHT + RGB, _quarters(COLOURS).tobytes(), mask=(EIGHT + GREY, mask.tobytes()))
    _, crop = _figure(doc)
    height, width = crop.shape[:2]
    assert crop[height // 4, width // 4] == pytest.approx(RED, abs=2)
    assert crop[height // 4, 3 * width // 4] == pytest.approx((127, 255, 127), abs=2)


@pytest.mark.parametrize(
    ("matrix", "colours"),
    [
        ("0 160 -200 0 300 140", (GREEN, YELLOW, RED, BLUE)),
        ("-200 0 0 160 300 140", (GREEN, RED, YELLOW, BLUE)),
        ("200 0 0 -160 100 300", (BLUE, YELLOW, RED, GREEN)),
    ],
    ids=["turned left", "mirrored", "upside down"],
)
def test_turned_and_flipped_pictures_stand_as_on_the_page(matrix: str, colours: Quarters) -> None:
    content = f"{matrix} cm /I Do"
    _check(_document(EIGHT + RGB, _quarters(COLOURS).tobytes(), content), colours)


def test_clipped_picture_is_what_the_clip_leaves() -> None:
    content = "150 140 100 160 re W n 200 0 0 160 100 140 cm /I Do"
    doc = _document(EIGHT + RGB, _quarters(COLOURS).tobytes(), content)
    _check(doc, COLOURS, (150, 100, 250, 260))


def test_picture_that_runs_off_the_page_ends_at_its_edge() -> None:
    content = "200 0 0 160 -100 140 cm /I Do"
    doc = _document(EIGHT + RGB, _quarters(COLOURS).tobytes(), content)
    _check(doc, (GREEN, GREEN, YELLOW, YELLOW), (0, 100, 100, 260))


def test_appearance_of_an_annotation_is_a_figure() -> None:
    doc = _document(EIGHT + RGB, _quarters(COLOURS).tobytes(), "q Q")
    page = doc[0]
    resources = doc.xref_get_key(page.xref, "Resources")[1]
    entries = f"/Type/XObject/Subtype/Form/BBox[0 0 200 160]/Resources {resources}"
    form = _stream(doc, entries, b"200 0 0 160 0 0 cm /I Do")
    annotation = doc.get_new_xref()
    doc.update_object(
        annotation,
        f"<</Type/Annot/Subtype/Stamp/Rect[100 140 300 300]/F 4/AP<</N {form} 0 R>>>>",
    )
    doc.xref_set_key(page.xref, "Annots", f"[{annotation} 0 R]")
    _check(pymupdf.open(stream=doc.tobytes()), COLOURS)


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
