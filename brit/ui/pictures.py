"""Pictures on the page: small versions, made once, and the strip of pictures found."""

from __future__ import annotations

import base64
from io import BytesIO
from pathlib import Path

import streamlit as st

THUMBNAIL = (112, 84)
CARD = (360, 270)


@st.cache_data(max_entries=2000, show_spinner=False)
def small_jpeg(path: str, size: tuple[int, int], background: str = "#ffffff") -> bytes:
    """A picture within `size` pixels as JPEG on `background`; b"" where it cannot be read."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(path) as picture:
            picture.draft("RGB", (size[0] * 2, size[1] * 2))
            picture.thumbnail((size[0] * 2, size[1] * 2))
            drawn = picture.convert("RGBA")
    except (OSError, UnidentifiedImageError):
        return b""
    drawn.thumbnail(size)
    canvas = Image.new("RGB", drawn.size, background)
    canvas.paste(drawn, mask=drawn.getchannel("A"))
    stream = BytesIO()
    canvas.save(stream, "JPEG", quality=82)
    return stream.getvalue()


@st.cache_data(max_entries=1000, show_spinner=False)
def card_jpeg(path: str) -> bytes:
    """A picture whole within a card of fixed proportions, so that a row of them lines up."""
    from PIL import Image

    small = small_jpeg(path, CARD)
    canvas = Image.new("RGB", CARD, "#ffffff")
    if small:
        with Image.open(BytesIO(small)) as picture:
            place = ((CARD[0] - picture.width) // 2, (CARD[1] - picture.height) // 2)
            canvas.paste(picture, place)
    stream = BytesIO()
    canvas.save(stream, "JPEG", quality=85)
    return stream.getvalue()


def data_uri(path: Path | str) -> str:
    """A thumbnail as a data URI for the graph, or "" where the picture cannot be read."""
    small = small_jpeg(str(path), THUMBNAIL)
    return f"data:image/jpeg;base64,{base64.b64encode(small).decode()}" if small else ""
