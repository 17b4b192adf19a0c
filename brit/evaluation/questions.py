"""Question files: cross-modal questions (image and text evidence) and page questions.

A line is a JSON object with `id`, `doc`, `question`. With `evidence_pages` it is a page question,
asked of its own document; else it is one of the paper's three types, asked of the whole collection,
with `evidence_page` and `bbox` (points, origin top left) or `evidence_image_file`, and
`evidence_text`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from brit.errors import InputError
from brit.types import BBox


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
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise InputError(
                    f"Line {number} of “{path}” is no question with id, doc and question ({error})."
                ) from error
    if not questions:
        raise InputError(f"The question file “{path}” holds no questions.")
    return questions


def _question(row: dict[str, Any]) -> Question:
    box = row.get("bbox")
    return Question(
        id=str(row["id"]),
        document=PurePosixPath(row["doc"]).name,
        kind="pages" if "evidence_pages" in row else row["type"],
        text=row["question"],
        page=row.get("evidence_page"),
        bbox=None if box is None else (box[0], box[1], box[2], box[3]),
        image_name=PurePosixPath(row.get("evidence_image_file") or "").name,
        evidence_text=row.get("evidence_text", ""),
        pages=tuple(row.get("evidence_pages", ())),
        sources=tuple(row.get("evidence_sources", ())),
    )
