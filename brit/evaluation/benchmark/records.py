"""A test set: a file of lines, the first says how it was made, each other one is a question.

A line is a JSON object in UTF-8. A question keeps its gold (picture by id, hash of its pixels and
place, or text and its blocks), so that a set outlives the collection it was made from.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked_dataclass

from brit.errors import InputError
from brit.evaluation.questions import Kind, Question
from brit.types import BBox, stable_id

MadeBy = Literal["model", "embedded", "hand"]
Source = Literal["caption", "section", "picture", "other"]
State = Literal["made", "accepted", "edited", "rejected"]
_CHECKED = ConfigDict(extra="forbid", allow_inf_nan=False)


@checked_dataclass(frozen=True, config=_CHECKED)
class BenchmarkQuestion:
    """One question. `type` is the paper's, `source` the text it was made from (§4.1).

    `choices` are empty where it only measures recall; `answer` is one of them, or the words that
    answer it. `facts` are the textual facts used, `phrase` the words of an image-image
    question that tell which image is meant. Gold: `image` (its id), `image_hash`, `page`,
    `bbox`, `image_name`; for image-text also `evidence_text` and its `blocks`. A pair of NEA
    (§4.3) shares `pair`, and `named` is the one with the imaginary name. Questions of other
    people's sets may know their `pages` only, the `sources` of their evidence, and an answer
    without choices, of a format (see `brit.evaluation.answers`).
    """

    id: str
    doc: str
    type: Kind
    source: Source
    question: str
    answer: str
    made_by: MadeBy
    image: str
    image_hash: str
    choices: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    phrase: str = ""
    page: int | None = None
    bbox: BBox | None = None
    image_name: str = ""
    evidence_text: str = ""
    blocks: tuple[str, ...] = ()
    pair: str = ""
    named: bool = False
    state: State = "made"
    pages: tuple[int, ...] = ()
    sources: tuple[str, ...] = ()
    answer_format: str = ""

    def as_question(self) -> Question:
        """What the methods are asked and scored by."""
        return Question(
            id=self.id, document=self.doc, kind=self.type, text=self.question, page=self.page,
            bbox=self.bbox, image_name=self.image_name, evidence_text=self.evidence_text,
            pages=self.pages, sources=self.sources,
        )  # fmt: skip


@checked_dataclass(frozen=True, config=_CHECKED)
class Making:
    """How a set was made: `collection` is the one it is asked of ("" for other people's sets, of
    which only the questions are asked whose documents are there), `rejected` counts what was
    dropped by reason, `threshold` is the similarity to the source that is too much. `version` is
    that of the collection's content, `slots` how many were gone through."""

    collection: str
    seed: int
    encoder: str
    threshold: float
    made_by: MadeBy
    model: str = ""
    documents: int = 0
    wanted: int = 0
    rejected: dict[str, int] = field(default_factory=dict)
    version: int = 0
    slots: int = 0

    def begins(self, other: Making) -> bool:
        """Whether it is the same making as the other, which may have come further."""
        return replace(self, rejected={}, slots=0) == replace(other, rejected={}, slots=0)


NO_THRESHOLD = 1.0
"""Nothing was dropped for being close to its source."""


@dataclass(frozen=True)
class BenchmarkSet:
    making: Making
    questions: tuple[BenchmarkQuestion, ...]

    @property
    def asked(self) -> tuple[BenchmarkQuestion, ...]:
        """Those that nobody has rejected."""
        return tuple(each for each in self.questions if each.state != "rejected")

    def changed(self, question: BenchmarkQuestion) -> BenchmarkSet:
        """With this question in the place of the one of its id."""
        questions = tuple(question if each.id == question.id else each for each in self.questions)
        return replace(self, questions=questions)


_MAKING, _QUESTION = TypeAdapter(Making), TypeAdapter(BenchmarkQuestion)


def hash_of(questions: Sequence[BenchmarkQuestion]) -> str:
    """The same for the same questions: whether they were accepted does not count, nor that a later
    version knows more fields of one."""
    lines = (
        _QUESTION.dump_json(each, exclude={"state"}, exclude_defaults=True) for each in questions
    )
    return stable_id(*(line.decode() for line in lines))


def write_set(path: Path, made: BenchmarkSet) -> None:
    """Aside and renamed, so that a crash leaves no half file."""
    lines = [_MAKING.dump_json(made.making), *map(_QUESTION.dump_json, made.questions)]
    replace_file(path, b"\n".join(lines) + b"\n")


def replace_file(path: Path, content: bytes) -> None:
    written = path.with_name(f"{path.name}.{os.getpid()}.part")
    written.write_bytes(content)
    written.replace(path)


def read_set(path: Path) -> BenchmarkSet:
    """Raises InputError, which names the line, for a file that is not of this form."""
    try:
        lines = [line for line in path.read_bytes().split(b"\n") if line.strip()]
    except OSError as error:
        raise InputError(f"The test set “{path}” cannot be read ({error.strerror}).") from error
    if len(lines) < 2:
        raise InputError(f"The test set “{path}” holds no questions: make it again.")
    questions = []
    for number, line in enumerate(lines, start=1):
        try:
            if number == 1:
                making = _MAKING.validate_json(line)
            else:
                questions.append(_QUESTION.validate_json(line))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(str(part) for part in first["loc"]) or "it"
            raise InputError(
                f"Line {number} of “{path}” is not that of a test set: {place}: {first['msg']}."
            ) from error
    return BenchmarkSet(making, tuple(check_ids(questions, path)))


def check_ids(questions: list[BenchmarkQuestion], path: Path) -> Iterable[BenchmarkQuestion]:
    """Raises InputError where two questions have one id: their results would be mixed up."""
    seen: Mapping[str, BenchmarkQuestion] = {each.id: each for each in questions}
    if len(seen) < len(questions):
        raise InputError(f"Two questions of “{path}” have the same id: give each its own.")
    return questions
