"""One figure or several, on pages made here."""

from __future__ import annotations

import io

import numpy as np
import pymupdf
import pytest
from PIL import Image

from brit.config import ReadingConfig
from brit.documents.page import PageReader
from brit.types import ImageBlock

PROSE = "The kettle heats a litre of water in three minutes and keeps it warm for an hour. " * 6


def _figures(doc: pymupdf.Document) -> list[ImageBlock]:
    blocks = PageReader(doc, (), ReadingConfig()).read(1).page.blocks
    return [block for block in blocks if isinstance(block, ImageBlock)]


def _noise(seed: int, width: int, height: int) -> bytes:
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


def test_logo_over_a_numbered_photo_is_no_panel_of_it() -> None:
    with pymupdf.open() as doc:
        page = doc.new_page(width=595, height=842)
        page.insert_image((48, 28, 140, 60), stream=_noise(1, 92, 32))
        page.insert_image((48, 84, 547, 361), stream=_noise(2, 250, 139))
        page.insert_text((48, 376), "Figure 1. Morning on the fjord.", fontsize=9)
        page.insert_textbox((48, 400, 547, 520), PROSE, fontsize=10)
        captioned = [figure.bbox for figure in _figures(doc) if figure.caption]
    assert captioned == [pytest.approx((48, 84, 547, 361), abs=2)]


def test_photos_side_by_side_over_one_number_are_one_figure() -> None:
    with pymupdf.open() as doc:
        page = doc.new_page(width=595, height=842)
        page.insert_image((48, 84, 288, 261), stream=_noise(1, 120, 89))
        page.insert_image((308, 84, 547, 261), stream=_noise(2, 120, 89))
        page.insert_text((48, 276), "Figure 1. The kettle, cold and hot.", fontsize=9)
        page.insert_textbox((48, 300, 547, 420), PROSE, fontsize=10)
        figures = _figures(doc)
    assert [figure.bbox for figure in figures] == [pytest.approx((48, 84, 547, 261), abs=2)]


def _bars(page: pymupdf.Page, x: float, y: float) -> None:
    for i in range(5):
        row = (x, y + 18 * i, x + 190, y + 14 + 18 * i)
        page.draw_rect(row, color=None, fill=(0.8, 0.8, 0.8))
        page.draw_rect((x, row[1], x + 60 + 25 * i, row[3]), color=None, fill=(0.1, 0.3, 0.6))


def test_charts_side_by_side_with_a_title_each_are_two_figures() -> None:
    with pymupdf.open() as doc:
        page = doc.new_page(width=500, height=700)
        page.insert_textbox((40, 60, 460, 160), PROSE, fontsize=9)
        page.insert_textbox((40, 190, 230, 206), "Salary a month by school", fontsize=9, align=1)
        page.insert_textbox((260, 190, 450, 206), "Share of those at work", fontsize=9, align=1)
        _bars(page, 40, 214)
        _bars(page, 260, 214)
        page.insert_textbox((40, 340, 460, 440), PROSE, fontsize=9)
        figures = {figure.caption: figure.bbox for figure in _figures(doc)}
    assert figures == {
        "Salary a month by school": pytest.approx((40, 214, 230, 300), abs=4),
        "Share of those at work": pytest.approx((260, 214, 450, 300), abs=4),
    }


def test_portraits_in_a_column_are_named_by_the_texts_beside_them() -> None:
    people = ["Maren Tosk", "Oona Brevik", "Teo Marchetal"]
    with pymupdf.open() as doc:
        page = doc.new_page(width=500, height=700)
        page.insert_textbox((40, 40, 460, 140), PROSE, fontsize=9)
        for i, person in enumerate(people):
            top = 180 + 120 * i
            page.insert_image((40, top, 110, top + 80), stream=_noise(i, 70, 80))
            life = f"{person} joined the workshop as its first calibrator. " + PROSE[:240]
            page.insert_textbox((124, top, 460, top + 80), life, fontsize=9)
        captions = [figure.caption for figure in _figures(doc)]
    assert [
        caption[: len(person)] for caption, person in zip(captions, people, strict=True)
    ] == people
