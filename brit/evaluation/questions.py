"""Question files: cross-modal questions (image and text evidence) and page questions.

A line is a JSON object with `id`, `doc`, `question`. With `evidence_pages` it is a page question,
asked of its own document; else it is one of the paper's three types, asked of the whole collection,
with `evidence_page` and `bbox` (points, origin top left) or `evidence_image_file`, and
`evidence_text`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from brit.errors import InputError
from brit.types import BBox

Half = Literal["A", "B"]
HALVES: tuple[Half, ...] = ("A", "B")


@dataclass(frozen=True)
class Question:
    """`kind` is text-image, image-text, image-image or pages; `pages` are 1-based."""

    id: str
    document: str
    kind: str
    text: str
    page: int | None = None
    bbox: BBox | None = None
    image_name: str = ""
    evidence_text: str = ""
    pages: tuple[int, ...] = ()
    sources: tuple[str, ...] = ()


_CHECK = TypeAdapter(Question)


def read_questions(path: Path) -> list[Question]:
    """Raises InputError, which names the line, for a file that is not of this form."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"The question file “{path}” cannot be read ({error}).") from error
    questions = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                questions.append(_question(json.loads(line)))
            except (ValueError, LookupError, TypeError, AttributeError) as error:
                raise InputError(
                    f"Line {number} of “{path}” is no question with id, doc and question "
                    f"({_reason(error)})."
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


def _question(row: dict[str, Any]) -> Question:
    """Raises ValueError, LookupError, TypeError or AttributeError where it is none."""
    question = Question(
        id=str(row["id"]),
        document=PurePosixPath(row["doc"]).name,
        kind="pages" if "evidence_pages" in row else row["type"],
        text=row["question"],
        page=row.get("evidence_page"),
        bbox=row.get("bbox"),
        image_name=PurePosixPath(row.get("evidence_image_file") or "").name,
        evidence_text=row.get("evidence_text") or "",
        pages=row.get("evidence_pages") or (),
        sources=row.get("evidence_sources") or (),
    )
    return _CHECK.validate_python(vars(question))


def _reason(error: Exception) -> str:
    """What is wrong with a line, in one line."""
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False)[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return f"no {error}" if isinstance(error, KeyError) else str(error)
