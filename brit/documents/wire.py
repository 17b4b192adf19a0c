"""How pages travel between the sandbox and its parent: plain JSON, never pickle."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, TypeVar

from brit.errors import DocumentError
from brit.types import (
    BBox,
    Block,
    DocumentHead,
    ImageBlock,
    OutlineEntry,
    Page,
    TableBlock,
    TextBlock,
)

T = TypeVar("T")

_TYPES: dict[str, type[TextBlock] | type[ImageBlock] | type[TableBlock]] = {
    "text": TextBlock,
    "image": ImageBlock,
    "table": TableBlock,
}
_NAMES = {cls: name for name, cls in _TYPES.items()}


def understood(read: Callable[[], T]) -> T:
    """What a reply says. Raises DocumentError where it has not the form it should have: a page may
    have taken its reader over."""
    try:
        return read()
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DocumentError("The reader gave an answer that makes no sense.") from error


def page_to_json(page: Page) -> dict[str, Any]:
    """A page as JSON values; each block carries its type."""
    blocks = [{"type": _NAMES[type(block)], **asdict(block)} for block in page.blocks]
    return {**asdict(page), "blocks": blocks}


def page_from_json(data: dict[str, Any]) -> Page:
    """The page again, equal to what was written."""
    return Page(**{**data, "blocks": tuple(_block(block) for block in data["blocks"])})


def head_from_json(data: dict[str, Any]) -> DocumentHead:
    """The head of a document, of which `asdict` had made JSON values."""
    outline = tuple(OutlineEntry(**entry) for entry in data["outline"])
    return DocumentHead(**{**data, "outline": outline, "warnings": tuple(data["warnings"])})


def _block(data: dict[str, Any]) -> Block:
    fields = {key: value for key, value in data.items() if key != "type"}
    for name in ("bbox", "caption_bbox"):
        if fields.get(name) is not None:
            fields[name] = _box(fields[name])
    if data["type"] == "text":
        fields["links"] = tuple(fields["links"])
    if data["type"] == "table":
        fields["header"] = tuple(fields["header"])
        fields["rows"] = tuple(tuple(row) for row in fields["rows"])
    return _TYPES[data["type"]](**fields)


def _box(values: list[float]) -> BBox:
    x0, y0, x1, y1 = values
    return (x0, y0, x1, y1)


def bytes_to_json(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def bytes_from_json(text: str) -> bytes:
    return base64.b64decode(text, validate=True)
