"""A method under measurement: a question goes in, what it would hand to a model comes out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from brit.evaluation.metrics import score
from brit.evaluation.questions import Question
from brit.types import (
    LinkKind,
    OnProgress,
    Preset,
    Progress,
    Retrieval,
    RetrievedImage,
    RetrievedPage,
    no_progress,
)


@dataclass(frozen=True)
class Found:
    """What a method returned, best first; None where it returns nothing of the kind, and so is not
    measured by it.

    `whole_pages`: the images are pictures of pages. Of BRIT only: `low_relevance`, `ms`, the
    `match` (the highest cosine of a node to a name in the question), the whole `retrieval`.
    """

    images: Sequence[RetrievedImage] | None = None
    texts: Sequence[str] | None = None
    pages: Sequence[RetrievedPage] | None = None
    words: int = 0
    whole_pages: bool = False
    low_relevance: bool | None = None
    ms: float | None = None
    match: float | None = None
    retrieval: Retrieval | None = None


Find = Callable[[str, Sequence[str]], Found]


@dataclass(frozen=True)
class Method:
    """`find` takes a question and ids of documents (none: the whole collection); it is None where
    something is missing here, and `missing` says what. `preset` and `links` are BRIT's."""

    name: str
    find: Find | None
    missing: str = ""
    preset: Preset | None = None
    links: tuple[LinkKind, ...] | None = None


@dataclass(frozen=True)
class Asked:
    """A question, and the ids of the documents it is asked of (none: the whole collection)."""

    question: Question
    documents: tuple[str, ...] = ()


@dataclass(frozen=True)
class Score:
    """How one method did on one question: measure → value (see `brit.evaluation.metrics.score`)."""

    method: str
    question: Question
    measures: dict[str, float]


def run_methods(
    methods: Sequence[Method], asked: Sequence[Asked], on_progress: OnProgress = no_progress
) -> Iterator[Score]:
    """Every question by every method that can run, question by question, so that what is kept of a
    question (its vectors, its documents' graph) serves all methods."""
    for number, each in enumerate(asked):
        on_progress(Progress("evaluating", number, len(asked), each.question.id))
        for method in methods:
            if method.find is not None:
                found = method.find(each.question.text, each.documents)
                yield Score(method.name, each.question, measure_found(each.question, found))


def measure_found(question: Question, found: Found) -> dict[str, float]:
    """Measure → value: what `score` counts, words, images, and what BRIT says of itself."""
    measures = score(
        question, found.images, found.texts, found.pages, whole_pages=found.whole_pages
    )
    measures["words"] = found.words
    measures["images"] = len(found.images or ())
    if found.low_relevance is not None:
        measures["low_relevance"] = float(found.low_relevance)
    if found.ms is not None:
        measures["ms"] = found.ms
    if found.match is not None:
        measures["match"] = found.match
    if found.retrieval and found.images:
        measures["top"] = found.images[0].score
    return measures
