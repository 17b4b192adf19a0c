"""Questions with known evidence → recall, beside the baselines in the same run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from brit.config import RetrievalConfig
from brit.evaluation.baselines import bm25_pages, dense_pages, similar_images, similar_passages
from brit.evaluation.metrics import image_hit, page_recall, returned_texts, text_hit
from brit.evaluation.questions import Question
from brit.pipeline.ask import open_collection
from brit.pipeline.collection import OpenCollection
from brit.pipeline.models import Models
from brit.retrieval import retrieve
from brit.storage import Workspace
from brit.types import OnProgress, Progress, no_progress

IMAGE_TYPES = ("text-image", "image-image")


@dataclass
class Tally:
    """Scores of one method: recalls by measure, and words and images retrieved."""

    scores: dict[str, list[float]] = field(default_factory=dict)

    def add(self, measure: str, value: float) -> None:
        self.scores.setdefault(measure, []).append(float(value))

    def mean(self, measure: str) -> float | None:
        """None where nothing was measured."""
        values = self.scores.get(measure)
        return round(sum(values) / len(values), 4) if values else None

    def summary(self) -> dict[str, Any]:
        pages = {cut: self.mean(f"page@{cut}") for cut in ("1", "3", "5")}
        return {
            "image_recall": self.mean("image"),
            "text_recall": self.mean("text"),
            "page_recall": None if pages["1"] is None else pages,
        }


def evaluate(
    workspace: Workspace,
    questions: Sequence[Question],
    collection: str,
    *,
    models: Models,
    config: RetrievalConfig,
    on_progress: OnProgress = no_progress,
) -> dict[str, Any]:
    """Run every question whose document is in the collection (command-line contract).

    Image recall counts text-image and image-image questions, text recall image-text ones. Page
    questions are asked of their own document, the others of the whole collection; those without
    evidence pages are run and left out of the recall.
    """
    index = open_collection(workspace, collection, models, config)
    here = _documents_by_name(workspace, index)
    asked = [question for question in questions if question.document in here]
    own, similarity, bm25, dense = Tally(), Tally(), Tally(), Tally()
    by_type: dict[str, Tally] = {}
    for number, question in enumerate(asked):
        on_progress(Progress("evaluating", number, len(asked), question.id))
        of_type = by_type.setdefault(question.kind, Tally())
        if question.kind == "pages":
            scope = here[question.document]
            _run_pages(index, question, scope, models, config, (own, of_type))
            if question.pages:
                _add_pages(bm25, question, bm25_pages(index, question.text, scope))
                _add_pages(dense, question, dense_pages(index, question.text, scope))
        else:
            _run_cross_modal(index, question, models, config, (own, of_type))
            _run_similarity(index, question, similarity)
    return {
        "questions": len(asked),
        "skipped": len(questions) - len(asked),
        **own.summary(),
        "by_type": {
            kind: {"questions": sum(q.kind == kind for q in asked), **tally.summary()}
            for kind, tally in sorted(by_type.items())
        },
        "words": own.mean("words"),
        "images": own.mean("images"),
        "preset": config.preset,
        "encoder": index.image_encoder.name,
        "low_relevance": own.mean("low"),
        "low_relevance_unanswerable": own.mean("low unanswerable"),
        "ms": percentiles(own.scores.get("ms", [])),
        "baselines": {
            name: tally.summary()
            for name, tally in (("similarity", similarity), ("bm25", bm25), ("dense", dense))
            if tally.scores
        },
    }


def _documents_by_name(workspace: Workspace, index: OpenCollection) -> dict[str, list[str]]:
    """Name of the document, and name of its file, → document ids."""
    found: dict[str, list[str]] = {}
    for document in workspace.documents.documents(index.collection.id):
        for name in {document.name, document.source}:
            found.setdefault(name, []).append(document.id)
    return found


def _run_pages(
    index: OpenCollection,
    question: Question,
    scope: Sequence[str],
    models: Models,
    config: RetrievalConfig,
    tallies: Sequence[Tally],
) -> None:
    found = retrieve(index, question.text, extractor=models.parser, config=config, documents=scope)
    for tally in tallies:
        tally.add("ms", found.timings_ms["total"])
        tally.add("words", found.words)
        tally.add("images", len(found.images))
        tally.add("low" if question.pages else "low unanswerable", found.low_relevance)
        if question.pages:
            _add_pages(tally, question, found.pages)


def _add_pages(tally: Tally, question: Question, pages: Sequence[Any]) -> None:
    for cut, share in page_recall(question.pages, pages).items():
        tally.add(f"page@{cut}", share)


def _run_cross_modal(
    index: OpenCollection,
    question: Question,
    models: Models,
    config: RetrievalConfig,
    tallies: Sequence[Tally],
) -> None:
    found = retrieve(index, question.text, extractor=models.parser, config=config)
    texts = returned_texts(found.passages, found.triplets)
    for tally in tallies:
        tally.add("ms", found.timings_ms["total"])
        tally.add("words", found.words)
        tally.add("images", len(found.images))
        tally.add("low", found.low_relevance)
        if question.kind in IMAGE_TYPES:
            tally.add("image", image_hit(question, found.images))
        else:
            tally.add("text", text_hit(question.evidence_text, texts))


def _run_similarity(index: OpenCollection, question: Question, tally: Tally) -> None:
    if question.kind in IMAGE_TYPES:
        tally.add("image", image_hit(question, similar_images(index, question.text)))
    else:
        texts = [passage.text for passage in similar_passages(index, question.text)]
        tally.add("text", text_hit(question.evidence_text, texts))


def percentiles(values: Sequence[float]) -> dict[str, float] | None:
    """Median and 95th percentile."""
    if not values:
        return None
    ordered = sorted(values)
    return {
        "median": round(ordered[len(ordered) // 2], 1),
        "p95": round(ordered[min(int(len(ordered) * 0.95), len(ordered) - 1)], 1),
    }
