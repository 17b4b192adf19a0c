"""A picture for the Verify page: uploaded, out of the collection, or none."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from brit.types import Image
from brit.ui.pictures import picture_name, small_jpeg
from brit.ui.safe import one_line
from brit.ui.state import Place
from brit.ui.verify_pictures import marked_picture
from brit.ui.wording import dotted, page_of, t

PICTURES = ("png", "jpg", "jpeg", "webp", "gif")
_PREVIEW = (900, 420)


def pick_picture(place: Place, key: str) -> bytes | None:
    """→ the bytes of the picture chosen, None for none."""
    images = _images(place)
    sources = ["collection", "upload", "none"] if images else ["upload", "none"]
    source = st.segmented_control(
        t("verify.picture"), sources, default=sources[0], required=True,
        format_func=lambda each: t(f"verify.from_{each}"), key=f"{key}-source",
        persist_state="session",
    )  # fmt: skip
    if source == "collection":
        return _of_collection(place, images, key)
    return _uploaded(key) if source == "upload" else None


def _images(place: Place) -> dict[str, Image]:
    if place.collection is None:
        return {}
    images = place.workspace.content.images(place.collection.id)
    return {each.id: each for each in images if each.file and not each.furniture}


def _uploaded(key: str) -> bytes | None:
    file = st.file_uploader(
        t("verify.upload"), type=PICTURES, key=f"{key}-upload", label_visibility="collapsed"
    )
    if file is None:
        return None
    content: bytes = file.getvalue()
    if preview := marked_picture(content, ()):
        with st.container(key=f"{key}-preview"):
            st.image(preview, alt=one_line(file.name, 60))
    return content


def first_figure(images: Iterable[Image]) -> int | None:
    """The place of the first picture with a caption; covers and logos have none."""
    return next((at for at, image in enumerate(images) if image.caption), None)


def _of_collection(place: Place, images: dict[str, Image], key: str) -> bytes | None:
    documents = place.workspace.documents.documents(place.collection.id if place.collection else "")
    names = {each.id: each.name for each in documents}

    def label(id: str) -> str:
        image = images[id]
        document = one_line(names.get(image.document, ""), 24)
        called = one_line(picture_name(image.caption, image.name, image.page, document), 40)
        if image.caption or image.name:
            return dotted(called, page_of(image.page), document if len(documents) > 1 else "")
        return dotted(called, one_line(image.section_title, 32))

    chosen = st.selectbox(
        t("verify.which"), list(images), format_func=label, key=f"{key}-image",
        index=first_figure(images.values()), placeholder=t("verify.choose"),
        label_visibility="collapsed", persist_state="session",
    )  # fmt: skip
    if chosen is None:
        return None
    path = place.workspace.images.path(images[chosen].file)
    if preview := small_jpeg(str(path), _PREVIEW):
        with st.container(key=f"{key}-preview"):
            st.image(preview, alt=label(chosen))
        return path.read_bytes()
    st.caption(t("picture.missing"))
    return None
