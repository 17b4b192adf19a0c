"""Pictures with what was found inside them marked and numbered."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from brit.types import BBox
from brit.ui.theme import PALETTES

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

SIDE = 1200
_FILL = "2e"  # opacity of a box, of ff


@st.cache_data(max_entries=100, show_spinner=False)
def marked_picture(source: bytes | str, boxes: tuple[BBox, ...], numbered: bool = True) -> bytes:
    """A picture (its bytes, or the path of its file) as JPEG with boxes in fractions of its sides
    drawn on it, numbered from 1; b"" where it cannot be read."""
    from PIL import Image

    try:
        with Image.open(BytesIO(source) if isinstance(source, bytes) else Path(source)) as picture:
            picture.draft("RGB", (SIDE, SIDE))
            drawn = picture.convert("RGBA")
    except (OSError, Image.DecompressionBombError):
        return b""
    drawn.thumbnail((SIDE, SIDE))
    canvas = Image.new("RGB", drawn.size, "#ffffff")
    canvas.paste(drawn, mask=drawn.getchannel("A"))
    _draw(canvas, boxes, numbered and len(boxes) > 1)
    stream = BytesIO()
    canvas.save(stream, "JPEG", quality=86)
    return stream.getvalue()


def _draw(canvas: Picture, boxes: Sequence[BBox], numbered: bool) -> None:
    from PIL import ImageDraw, ImageFont

    draw = ImageDraw.Draw(canvas, "RGBA")
    colour = PALETTES["light"].accent
    width, height = canvas.size
    line = max(2, round(max(width, height) / 320))
    font = ImageFont.load_default(6 * line)
    for number, (x0, y0, x1, y1) in enumerate(boxes, start=1):
        left, top = x0 * width, y0 * height
        draw.rectangle((left, top, x1 * width, y1 * height), f"{colour}{_FILL}", colour, line)
        if numbered:
            top = max(top - 7 * line, 0)
            draw.rectangle((left, top, left + (3 + 4 * len(str(number))) * line, top + 7 * line),
                           colour)  # fmt: skip
            draw.text((left + 1.5 * line, top), str(number), "#1a1c2b", font)
