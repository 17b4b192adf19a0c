"""Records of the Perception-Collection (and files of its form), read one at a time.

A file is a JSON array or one object a line; 150,108 records never stand in memory together.
Fields are those of the data set's card.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from brit.errors import InputError

CHUNK = 1 << 16
HALF_SIGN = "it holds half of an escaped character (\\ud800 to \\udfff)"
MAX_RECORD = 8_000_000
"""Characters of one record: beyond it the file is not of this form."""


@dataclass(frozen=True)
class GradingRecord:
    """`instruction` is the whole request to the evaluator, `output` its model reply; `image` a path
    inside the picture folder. `orig_score` is None where a record has none."""

    image: str = ""
    instruction: str = ""
    output: str = ""
    orig_instruction: str = ""
    orig_response: str = ""
    orig_reference_answer: str = ""
    orig_criteria: str = ""
    orig_score1_description: str = ""
    orig_score2_description: str = ""
    orig_score3_description: str = ""
    orig_score4_description: str = ""
    orig_score5_description: str = ""
    orig_feedback: str = ""
    orig_score: int | None = None
    id: str = ""

    @property
    def levels(self) -> tuple[str, ...]:
        """What a score of 1, 2, 3, 4, 5 means."""
        return (
            self.orig_score1_description,
            self.orig_score2_description,
            self.orig_score3_description,
            self.orig_score4_description,
            self.orig_score5_description,
        )

    @property
    def gradable(self) -> bool:
        parts = (self.orig_instruction, self.orig_response, self.orig_criteria, *self.levels)
        return bool(self.instruction) or all(parts)


@dataclass(frozen=True)
class BrokenRecord:
    """An object that is no record, and why."""

    id: str
    reason: str


_NAMES = tuple(field.name for field in fields(GradingRecord))


def try_records(path: Path) -> Iterator[GradingRecord | BrokenRecord]:
    """The records in order, one that breaks the form among them as such: the others of 150,108 need
    not wait for it. Raises InputError where the file can be read no further."""
    for number, row in enumerate(read_objects(path), start=1):
        try:
            yield _record(row, number)
        except ValueError as error:
            yield BrokenRecord(str(number), broken_record(path, number, str(error)))


def read_objects(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSON array, of JSON Lines, or of objects that follow each other.

    Raises InputError.
    """
    decoder = json.JSONDecoder()
    buffer, number, ended = "", 0, False
    try:
        with path.open(encoding="utf-8-sig") as stream:
            while not ended or buffer:
                if buffer:
                    try:
                        value, end = decoder.raw_decode(buffer)
                    except (ValueError, RecursionError) as error:
                        if ended or len(buffer) > MAX_RECORD:
                            raise InputError(
                                broken_record(path, number + 1, _fault(error))
                            ) from error
                    else:
                        number += 1
                        if not isinstance(value, dict):
                            raise InputError(broken_record(path, number, "it is no object"))
                        if _half_signs(value):
                            raise InputError(broken_record(path, number, HALF_SIGN))
                        yield value
                        buffer = _skip(buffer[end:])
                        continue
                more = stream.read(max(CHUNK, len(buffer)))
                ended = not more
                buffer = _skip(buffer + more)
    except OSError as error:
        raise InputError(f"The file “{path}” cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise InputError(f"The file “{path}” cannot be read: it is no text in UTF-8.") from error
    if not number:
        raise InputError(f"The file “{path}” holds no records.")


def _fault(error: ValueError | RecursionError) -> str:
    """What keeps JSON from being read. The decoder counts lines from where the record begins."""
    if isinstance(error, json.JSONDecodeError):
        said = error.msg.removesuffix(" at")
        return f"{said} (character {error.pos + 1} of the record)"
    return "it nests too deep" if isinstance(error, RecursionError) else "a number is too long"


def _half_signs(value: object) -> bool:
    """Whether it has halves of surrogate pairs, which JSON can escape and no text can hold."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def record_id(row: dict[str, Any], number: int) -> str:
    """Its `id`, or its number in the file. Raises ValueError."""
    id = row.get("id", number)
    if isinstance(id, bool) or not isinstance(id, str | int):
        raise ValueError("`id` is neither a text nor a whole number")
    return str(id)


def picture_path(folder: Path, name: str) -> Path | None:
    """The file of a record's picture; None where it is missing or lies outside the folder."""
    if not name or not lies_inside(folder, name):
        return None
    found = os.path.realpath(folder / name)
    return Path(found) if os.path.isfile(found) else None


def lies_inside(folder: Path, name: str) -> bool:
    """Whether a path, links followed, stays in the folder."""
    if "\0" in name:
        return False
    root = os.path.realpath(folder)
    return os.path.commonpath((root, os.path.realpath(folder / name))) == root


def _skip(text: str) -> str:
    """Without what stands between records."""
    return text.lstrip(" \t\r\n,[]")


def broken_record(path: Path, number: int, reason: str) -> str:
    return f"Record {number} of “{path}” cannot be read: {reason}."


def _record(row: dict[str, Any], number: int) -> GradingRecord:
    """Raises ValueError."""
    values = {name: row[name] for name in _NAMES if row.get(name) is not None}
    values["id"] = record_id(values, number)
    score = _score(values.pop("orig_score", None))
    if wrong := [name for name, value in values.items() if not isinstance(value, str)]:
        raise ValueError(f"{', '.join(wrong)} must be text")
    record = GradingRecord(**values, orig_score=score)
    if not record.gradable:
        raise ValueError(
            "it needs `instruction`, or `orig_instruction`, `orig_response`, `orig_criteria` "
            "and five score descriptions"
        )
    return record


def _score(value: object) -> int | None:
    """1 to 5, also as text, as the published file has it in places; None for none."""
    if value is None or value == "":
        return None
    if str(value) not in ("1", "2", "3", "4", "5"):
        raise ValueError("orig_score is no whole number from 1 to 5")
    return int(str(value))
