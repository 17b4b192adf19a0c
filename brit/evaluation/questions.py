"""Question files: cross-modal questions (image and text evidence) and page questions.

A line is a JSON object with `id`, `doc`, `question`. With `evidence_pages` it is a page question,
asked of its own document; else `type` names one of the paper's three, asked of the whole
collection: text-image and image-image with `evidence_page` and `bbox` (points, origin top left) or
`evidence_image_file`, image-text with `evidence_text`. README.md describes it for users.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, StringConstraints, TypeAdapter
from pydantic.dataclasses import dataclass as checked_dataclass

from brit.errors import InputError
from brit.evaluation.lines import read_lines, reason
from brit.types import BBox

Half = Literal["A", "B"]
HALVES: tuple[Half, ...] = ("A", "B")
Kind = Literal["text-image", "image-text", "image-image", "pages"]
TYPES = "text-image, image-text, image-image"
_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
_Page = Annotated[int, Field(ge=1)]


@dataclass(frozen=True)
class Question:
    """`pages` are 1-based. `answer` is one of the `choices`, or free and of `answer_format` (see
    `brit.evaluation.answers`)."""

    id: str
    document: str
    kind: Kind
    text: str
    page: int | None = None
    bbox: BBox | None = None
    image_name: str = ""
    evidence_text: str = ""
    pages: tuple[int, ...] = ()
    sources: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    answer: str = ""
    answer_format: str = ""


@checked_dataclass(frozen=True, config=ConfigDict(strict=True, allow_inf_nan=False))
class _Line:
    """The fields of a line, as they are named in the file; others are ignored."""

    id: _Text | int
    doc: _Text
    question: _Text
    type: Kind | None = None
    evidence_page: _Page | None = None
    bbox: BBox | None = None
    evidence_image_file: str | None = None
    evidence_text: str | None = None
    evidence_pages: tuple[_Page, ...] | None = None
    evidence_sources: tuple[str, ...] | None = None
    # Answers are not what retrieval is scored by: in a form we cannot grade they are no error.
    choices: Any = None
    answer: Any = None
    answer_format: Any = None


_LINE = TypeAdapter(_Line)


def read_questions(path: Path) -> list[Question]:
    """Raises InputError, which names the line, for a file that is not of this form."""
    questions = []
    for number, line in read_lines(path, "question file"):
        try:
            questions.append(_question(_LINE.validate_json(line)))
        except ValueError as error:
            raise InputError(
                f"Line {number} of “{path}” is no question: {reason(error)}."
            ) from error
    if not questions:
        raise InputError(f"The question file “{path}” holds no questions.")
    return questions


def half_of(questions: Sequence[Question], half: Half) -> list[Question]:
    """The questions of every other document, by name: settings are chosen on one half of the
    documents and reported on the other."""
    names = sorted({question.document for question in questions})
    chosen = set(names[HALVES.index(half) :: 2])
    return [question for question in questions if question.document in chosen]


def _question(line: _Line) -> Question:
    """Raises ValueError for one that no answer could ever be right for."""
    kind = line.type or ("pages" if line.evidence_pages is not None else None)
    if kind is None:
        raise ValueError(f"it has neither `evidence_pages` nor a `type` ({TYPES})")
    if lacking := _lacking(kind, line):
        raise ValueError(f"of type {kind} it needs {lacking}")
    return Question(
        id=str(line.id),
        document=PurePosixPath(line.doc).name,
        kind=kind,
        text=line.question,
        page=line.evidence_page,
        bbox=line.bbox,
        image_name=PurePosixPath(line.evidence_image_file or "").name,
        evidence_text=line.evidence_text or "",
        pages=line.evidence_pages or (),
        sources=line.evidence_sources or (),
        choices=_texts(line.choices),
        answer="" if line.answer is None else str(line.answer),
        answer_format=line.answer_format if isinstance(line.answer_format, str) else "",
    )


def _texts(value: object) -> tuple[str, ...]:
    """A list of texts; nothing for anything else."""
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        return ()
    return tuple(value)


def _lacking(kind: Kind, line: _Line) -> str:
    """The evidence it would be scored by and does not have; "" where all is there."""
    if kind == "pages":
        return "" if line.evidence_pages is not None else "`evidence_pages`"
    if kind == "image-text":
        return "" if re.search(r"\w", line.evidence_text or "") else "`evidence_text` with words"
    if PurePosixPath(line.evidence_image_file or "").name:
        return ""
    if line.evidence_page is None or line.bbox is None:
        return "`evidence_page` and `bbox`, or `evidence_image_file`"
    x0, y0, x1, y1 = line.bbox
    return "" if x0 < x1 and y0 < y1 else "a `bbox` of [left, top, right, bottom]"
