"""Lines of texts to verify: `{"id", "image", "text", "claims"?: [str], "labels"?: [str]}`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from brit.errors import InputError
from brit.types import LABELS, Label
from brit.verification.perception_collection import broken_record, read_objects, record_id


@dataclass(frozen=True)
class VerifyRecord:
    """`claims` None: the text is cut into claims. `labels` are those of the claims, or empty."""

    id: str
    image: str
    text: str
    claims: tuple[str, ...] | None = None
    labels: tuple[Label, ...] = ()


def read_verify_records(path: Path) -> Iterator[VerifyRecord]:
    """The records in order. Raises InputError, which names the record, at what is none."""
    for number, row in enumerate(read_objects(path), start=1):
        try:
            yield _record(row, number)
        except ValueError as error:
            raise InputError(broken_record(path, number, str(error))) from error


def _record(row: dict[str, Any], number: int) -> VerifyRecord:
    """Raises ValueError."""
    claims, labels = _texts(row, "claims"), _texts(row, "labels") or ()
    text = _text(row, "text") or "\n".join(claims or ())
    if not text.strip():
        raise ValueError("it has no `text`")
    if claims and not all(claim.strip() for claim in claims):
        raise ValueError("a text of `claims` is empty")
    image = _text(row, "image")
    if "\0" in image:
        raise ValueError("`image` is no path")
    if labels and (claims is None or len(labels) != len(claims)):
        raise ValueError("`labels` need `claims`, one label for each")
    if wrong := [label for label in labels if label not in LABELS]:
        raise ValueError(f"the label “{wrong[0]}” is neither of {' and '.join(LABELS)}")
    given = cast("tuple[Label, ...]", labels)
    return VerifyRecord(record_id(row, number), image, text, claims, given)


def _text(row: dict[str, Any], name: str) -> str:
    value = row.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(f"`{name}` is no text")
    return value


def _texts(row: dict[str, Any], name: str) -> tuple[str, ...] | None:
    """None also for an empty list: it gives no claims."""
    value = row.get(name)
    if value is None or value == []:
        return None
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ValueError(f"`{name}` is no list of texts")
    return tuple(value)
