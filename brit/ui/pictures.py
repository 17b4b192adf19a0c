"""Pictures on the page: what they are called, and small versions, made once."""

from __future__ import annotations

import base64
from io import BytesIO
from pathlib import Path

import streamlit as st

from brit.ui.safe import one_line
from brit.ui.wording import page_of, t

THUMBNAIL = (112, 84)
CARD = (360, 270)


def picture_name(caption: str, name: str | None, page: int | None = None, of: str = "") -> str:
    """What a picture is called: by its caption or its file's name; else by the page of the document
    `of` that it is on, for no heading says what is on a picture."""
    if caption or name:
        return one_line(caption or name or "")
    if page is None:
        return one_line(t("picture.in_document", document=of) if of else t("picture.unnamed"))
    if not of:
        return t("picture.on_page", page=page_of(page))
    return one_line(t("picture.on_page_of", page=page, document=of))


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


@st.cache_data(max_entries=2000, show_spinner=False)
def framed_jpeg(path: str, background: str) -> bytes:
    """A thumbnail of one shape for all: vis-network draws tall and wide pictures larger."""
    from PIL import Image

    small = small_jpeg(path, THUMBNAIL)
    if not small:
        return b""
    canvas = Image.new("RGB", THUMBNAIL, background)
    with Image.open(BytesIO(small)) as picture:
        place = ((THUMBNAIL[0] - picture.width) // 2, (THUMBNAIL[1] - picture.height) // 2)
        canvas.paste(picture, place)
    stream = BytesIO()
    canvas.save(stream, "JPEG", quality=82)
    return stream.getvalue()


def data_uri(path: Path | str, background: str) -> str:
    """A thumbnail as a data URI for the graph, or "" where the picture cannot be read."""
    small = framed_jpeg(str(path), background)
    return f"data:image/jpeg;base64,{base64.b64encode(small).decode()}" if small else ""
