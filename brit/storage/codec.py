"""Dataclasses ↔ JSON, through pydantic's adapters: what comes out of the file is checked."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from pydantic import TypeAdapter

from brit.types import BBox

T = TypeVar("T")


_ADAPTERS: dict[Any, TypeAdapter[Any]] = {}


def _adapter(kind: Any) -> TypeAdapter[Any]:
    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind]


def encode(value: object) -> str:
    """A dataclass, tuple or plain value as JSON."""
    return _adapter(type(value)).dump_json(value).decode()


def decode(kind: type[T], text: str) -> T:
    """The dataclass that `encode` wrote. Raises pydantic.ValidationError on anything else."""
    value: T = _adapter(kind).validate_json(text)
    return value


def encode_box(box: BBox | None) -> str | None:
    return None if box is None else json.dumps([round(value, 2) for value in box])


def decode_box(text: str | None) -> BBox | None:
    if text is None:
        return None
    x0, y0, x1, y1 = json.loads(text)
    return (x0, y0, x1, y1)


def to_plain(value: object) -> Any:
    """A dataclass as dictionaries, lists and plain values, for `--json`."""
    return _adapter(type(value)).dump_python(value, mode="json")
