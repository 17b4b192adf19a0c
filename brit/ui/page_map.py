"""Draws a page with its regions to be pointed at, by a component that writes no HTML."""

from __future__ import annotations

import base64
from collections.abc import Callable, Collection, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import streamlit as st

from brit.storage import Workspace
from brit.types import Document
from brit.ui.page_pictures import page_png
from brit.ui.page_regions import PageContent, Region, RegionKind, text_of
from brit.ui.pictures import CARD, small_jpeg
from brit.ui.safe import printable
from brit.ui.wording import t

_FOLDER = Path(__file__).parent / "component"
_LONGEST = 1200  # letters of a block where no page is drawn


def page_map(
    workspace: Workspace,
    document: Document,
    page: int,
    content: PageContent,
    kinds: Collection[RegionKind],
    picked: Collection[str],
    *,
    key: str,
    on_pick: Callable[[], None],
) -> None:
    """Draw it: the page itself of a PDF, its text and pictures of other formats. What is clicked
    stands as `pick` in the session state of `key`. Raises DocumentError, UnknownName."""
    drawn = document.format == "pdf"
    shown = [each for each in content.regions if each.kind in kinds or each.id in picked]
    rows = _on_sheet(shown, picked) if drawn else _in_flow(workspace, content, shown, picked)
    data = {
        "page": f"{document.id}-{page}",
        "image": _page_uri(workspace, document.id, page) if drawn else "",
        "alt": t("reader.page_alt", page=page),
        "regions": rows,
    }
    component = st.components.v2.component(
        "brit_page",
        html='<div class="page"></div>',
        css=(_FOLDER / "page.css").read_text(encoding="utf-8"),
        js=(_FOLDER / "page.js").read_text(encoding="utf-8"),
    )
    component(data=data, key=key, on_pick_change=on_pick)


@st.cache_data(max_entries=60, show_spinner=False)
def _page_uri(_workspace: Workspace, document: str, page: int) -> str:
    from PIL import Image

    stream = BytesIO()
    with Image.open(BytesIO(page_png(_workspace, document, page, ()))) as picture:
        picture.convert("RGB").save(stream, "JPEG", quality=82)
    return f"data:image/jpeg;base64,{base64.b64encode(stream.getvalue()).decode()}"


def _row(region: Region, picked: Collection[str]) -> dict[str, Any]:
    return {"id": region.id, "kind": region.kind, "label": region.label,
            "said": t(f"reader.one_{region.kind}"), "on": region.id in picked}  # fmt: skip


def _on_sheet(regions: Sequence[Region], picked: Collection[str]) -> list[dict[str, Any]]:
    """What has a place; the large first, so that the small lie above them."""
    placed = [each for each in regions if each.box]
    placed.sort(key=lambda each: -_area(each))
    return [_row(each, picked) | {"box": each.box} for each in placed]


def _area(region: Region) -> float:
    x0, y0, x1, y1 = region.box or (0.0, 0.0, 0.0, 0.0)
    return (x1 - x0) * (y1 - y0)


def _in_flow(
    workspace: Workspace,
    content: PageContent,
    regions: Sequence[Region],
    picked: Collection[str],
) -> list[dict[str, Any]]:
    texts = {f"b:{block.id}": printable(text_of(block))[:_LONGEST] for block in content.blocks}
    files = {f"i:{image.id}": image.file for image in content.images if image.file}
    rows = []
    for each in regions:
        if each.kind == "caption":  # it stands below its picture
            continue
        row = _row(each, picked) | {"text": texts.get(each.id, "")}
        if file := files.get(each.id):
            small = small_jpeg(str(workspace.images.path(file)), CARD)
            row["picture"] = f"data:image/jpeg;base64,{base64.b64encode(small).decode()}"
        rows.append(row)
    return rows
