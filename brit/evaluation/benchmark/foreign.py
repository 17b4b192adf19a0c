"""Other people's sets: question files, MMLongBench-Doc's among them, and MM-RAG's test set.

A question file is described in `brit.evaluation.questions`. The fields of `mm_rag_test.json`, the
published test set of the paper, are not named in it: a small TOML file says which is which.

    [fields]            # ours = "theirs"; id, document, type, question; choices, answer, image,
    type = "..."        # evidence_text, page where they are there
    [types]             # theirs = ours, where they are spelt otherwise
    "Text-Image" = "text-image"
"""

from __future__ import annotations

import string
import tomllib
from collections.abc import Mapping
from dataclasses import fields as fields_of
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked_dataclass
from pydantic_core import from_json

from brit.errors import InputError
from brit.evaluation.benchmark.records import (
    NO_THRESHOLD,
    BenchmarkQuestion,
    BenchmarkSet,
    Making,
    check_ids,
    read_set,
)
from brit.evaluation.lines import read_lines, read_text, reason
from brit.evaluation.questions import Kind, Question, read_questions

_LISTS = ("data", "questions", "test")
"""Under one of these a JSON file may hold its list."""


@checked_dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class Fields:
    """Ours → theirs; "" for what their records do not have."""

    question: str
    document: str
    type: str
    id: str = ""
    choices: str = ""
    answer: str = ""
    image: str = ""
    evidence_text: str = ""
    page: str = ""


@checked_dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class FieldMap:
    fields: Fields
    types: dict[str, Kind] = Field(default_factory=dict)


@checked_dataclass(frozen=True)
class _Record:
    """What the mapped fields must hold."""

    question: Annotated[str, Field(min_length=1)]
    document: Annotated[str, Field(min_length=1)]
    type: Kind
    id: str | int = ""
    choices: tuple[str, ...] | dict[str, str] = ()
    answer: str = ""
    image: str = ""
    evidence_text: str | tuple[str, ...] = ""
    page: int | None = None


_MAP, _RECORD = TypeAdapter(FieldMap), TypeAdapter(_Record)


def read_any_set(path: Path, field_map: Path | None = None) -> BenchmarkSet:
    """A test set of ours, a question file, or MM-RAG's with its map. Raises InputError."""
    if field_map is not None:
        return _as_set(_mapped(path, read_field_map(field_map)), path)
    if path.suffix == ".json":
        raise InputError(
            f"The fields of “{path}” have to be named by a map (--fields MAP.toml), a file with "
            'the lines [fields], question = "their name", document = "their name", '
            'type = "their name".'
        )
    if _is_ours(path):
        return read_set(path)
    return _as_set([_converted(each) for each in read_questions(path)], path)


def read_field_map(path: Path) -> FieldMap:
    """Raises InputError for a file that is none."""
    try:
        return _MAP.validate_python(tomllib.loads(read_text(path, "map of fields")))
    except ValueError as error:
        raise InputError(f"“{path}” is no map of fields: {reason(error)}.") from error
    except RecursionError as error:
        raise InputError(f"“{path}” is no map of fields: it nests too deep.") from error


def _is_ours(path: Path) -> bool:
    """The first line says how the set was made."""
    for _, line in read_lines(path, "test set"):
        try:
            TypeAdapter(Making).validate_json(line)
        except ValidationError:
            return False
        return True
    return False


def _as_set(questions: list[BenchmarkQuestion], path: Path) -> BenchmarkSet:
    making = Making("", 0, "", NO_THRESHOLD, "hand", wanted=len(questions))
    return BenchmarkSet(making, tuple(check_ids(questions, path)))


def _converted(question: Question) -> BenchmarkQuestion:
    return BenchmarkQuestion(
        id=question.id, doc=question.document, type=question.kind, source="other",
        question=question.text, answer=question.answer, made_by="hand", image="", image_hash="",
        choices=question.choices if question.answer in question.choices else (),
        page=question.page, bbox=question.bbox,
        image_name=question.image_name, evidence_text=question.evidence_text,
        pages=question.pages, sources=question.sources, answer_format=question.answer_format,
    )  # fmt: skip


# --- MM-RAG ---


def _mapped(path: Path, field_map: FieldMap) -> list[BenchmarkQuestion]:
    named = {
        each.name: theirs for each in fields_of(Fields)
        if (theirs := getattr(field_map.fields, each.name))
    }  # fmt: skip
    questions = []
    for number, record in enumerate(_records(path), start=1):
        if missing := [theirs for theirs in named.values() if theirs not in record]:
            there = ", ".join(f"“{each}”" for each in record)
            raise InputError(
                f"Question {number} of “{path}” has no field “{missing[0]}”; it has {there}: mend "
                "the map of fields."
            )
        values = {ours: record[theirs] for ours, theirs in named.items()}
        values["type"] = field_map.types.get(str(values["type"]), values["type"])
        try:
            questions.append(_from_record(_RECORD.validate_python(values), number))
        except ValueError as error:
            raise InputError(
                f"Question {number} of “{path}” cannot be used: {reason(error)}."
            ) from error
    return questions


def _records(path: Path) -> list[Mapping[str, Any]]:
    try:
        found = from_json(read_text(path, "test set"))
    except ValueError as error:
        raise InputError(f"The test set “{path}” is no JSON: {error}.") from error
    if isinstance(found, dict):
        found = next((found[name] for name in _LISTS if name in found), None)
    if not isinstance(found, list) or not found or not all(isinstance(x, dict) for x in found):
        raise InputError(f"The test set “{path}” holds no list of questions.")
    return found


def _from_record(record: _Record, number: int) -> BenchmarkQuestion:
    """Raises ValueError where it has no evidence that it could be scored by, and no choices."""
    letters = record.choices if isinstance(record.choices, dict) else {}
    offered = tuple(letters.values()) or tuple(record.choices)
    letters = letters or dict(zip(string.ascii_uppercase, offered, strict=False))
    answer = record.answer
    if offered and answer not in offered:
        answer = letters.get(answer.strip("(). "), "")
    text = record.evidence_text
    evidence = text if isinstance(text, str) else " ".join(text)
    document = PurePosixPath(record.document).name
    gold = evidence if record.type == "image-text" else record.image
    if offered and not answer:
        raise ValueError("its answer is none of its choices")
    if document in ("", ".."):
        raise ValueError("its document has no name")
    if not gold and not offered:
        raise ValueError("it has neither evidence nor choices")
    return BenchmarkQuestion(
        id=str(record.id) or str(number), doc=document,
        type=record.type, source="other", question=record.question, answer=answer,
        made_by="hand", image="", image_hash="", choices=offered,
        image_name=PurePosixPath(record.image).name, evidence_text=evidence, page=record.page,
    )  # fmt: skip
