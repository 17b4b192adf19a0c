"""Questions with known evidence → recall, beside the baselines in the same run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from brit.config import RetrievalConfig
from brit.errors import InputError
from brit.evaluation.bootstrap import LEVEL, RESAMPLES, SEED
from brit.evaluation.methods import Asked, Method, Score, run_methods
from brit.evaluation.questions import Question
from brit.evaluation.tables import Row, as_json, tabulate
from brit.pipeline.methods import Comparison
from brit.pipeline.models import Models
from brit.storage import Workspace
from brit.types import OnProgress, no_progress

Among = Literal["own", "all"]


@dataclass(frozen=True)
class Evaluation:
    """`methods[0]` is BRIT as configured; `questions` those whose document is in the collection."""

    methods: tuple[Method, ...]
    questions: tuple[Question, ...]
    skipped: int
    scores: tuple[Score, ...]
    config: RetrievalConfig
    encoder: str

    @property
    def about(self) -> str:
        """What was asked, in a line."""
        count = len(self.questions)
        return (
            f"{count} question{'' if count == 1 else 's'} asked, {self.skipped} skipped; "
            f"encoder {self.encoder}."
        )

    @property
    def rows(self) -> list[Row]:
        return tabulate(self.methods, self.scores)

    def summary(self, *, ablation: bool = False) -> dict[str, Any]:
        """The command-line contract; with `ablation` every method with its intervals."""
        own = [score for score in self.scores if score.method == self.methods[0].name]
        kinds = sorted({question.kind for question in self.questions})
        by_type = {kind: [s for s in own if s.question.kind == kind] for kind in kinds}
        table = {
            "ablation": as_json(self.rows),
            "bootstrap": {"resamples": RESAMPLES, "seed": SEED, "level": LEVEL},
        }
        return {
            "questions": len(self.questions),
            "skipped": self.skipped,
            **recalls(own),
            "by_type": {
                kind: {"questions": len(scores), **recalls(scores)}
                for kind, scores in by_type.items()
            },
            "words": mean(own, "words"),
            "images": mean(own, "images"),
            "preset": self.config.preset,
            "encoder": self.encoder,
            "low_relevance": mean([s for s in own if answerable(s.question)], "low_relevance"),
            "low_relevance_unanswerable": mean(
                [s for s in own if not answerable(s.question)], "low_relevance"
            ),
            "ms": percentiles([score.measures["ms"] for score in own]),
            "baselines": {
                method.name: recalls([s for s in self.scores if s.method == method.name])
                for method in self.methods[1:4]
            },
            **(table if ablation else {}),
        }


def evaluate(
    workspace: Workspace,
    questions: Sequence[Question],
    collection: str,
    *,
    models: Models,
    config: RetrievalConfig,
    ablation: bool = False,
    among: Among | None = None,
    on_progress: OnProgress = no_progress,
) -> Evaluation:
    """Run every question whose document is in the collection by every method.

    Page questions are asked of their own document and the others of the whole collection, or all of
    them `among` the same. Those without evidence pages tell only whether BRIT finds low relevance.
    Raises InputError where no document of theirs is in the collection.
    """
    asked = find_documents(workspace, collection, questions, among)
    if not asked:
        raise InputError(
            f"No question is about a document that can be asked in “{collection}”: `doc` must be "
            "its name, or that of its file."
        )
    models.warm()  # so that the times are those of the retrieval
    comparison = Comparison(workspace, collection, models, config)
    methods = comparison.ablation(on_progress) if ablation else comparison.own()
    measured = [each for each in asked if answerable(each.question)]
    others = [each for each in asked if not answerable(each.question)]
    scores = [
        *run_methods(methods, measured, on_progress),
        *run_methods(methods[:1], others, on_progress),
    ]
    return Evaluation(
        methods=tuple(methods),
        questions=tuple(each.question for each in asked),
        skipped=len(questions) - len(asked),
        scores=tuple(scores),
        config=config,
        encoder=comparison.index.image_encoder.name,
    )


def find_documents(
    workspace: Workspace, collection: str, questions: Sequence[Question], among: Among | None
) -> list[Asked]:
    """The questions whose document is in the collection, by its name or the name of its file."""
    here: dict[str, list[str]] = {}
    id = workspace.documents.collection(collection).id
    for document in workspace.documents.documents(id):
        if document.refused:
            continue
        for name in {document.name, document.source}:
            here.setdefault(name, []).append(document.id)
    asked = [question for question in questions if question.document in here]
    return [Asked(question, _asked_of(question, here, among)) for question in asked]


def _asked_of(
    question: Question, here: Mapping[str, Sequence[str]], among: Among | None
) -> tuple[str, ...]:
    own = among == "own" or (among is None and question.kind == "pages")
    return tuple(here[question.document]) if own else ()


def answerable(question: Question) -> bool:
    """Whether its evidence is known to be there."""
    return question.kind != "pages" or bool(question.pages)


def mean(scores: Iterable[Score], measure: str) -> float | None:
    """None where nothing was measured."""
    values = [score.measures[measure] for score in scores if measure in score.measures]
    return round(sum(values) / len(values), 4) if values else None


def recalls(scores: Sequence[Score]) -> dict[str, Any]:
    pages = {cut: mean(scores, f"page@{cut}") for cut in ("1", "3", "5")}
    return {
        "image_recall": mean(scores, "image"),
        "text_recall": mean(scores, "text"),
        "page_recall": None if pages["1"] is None else pages,
    }


def percentiles(values: Sequence[float]) -> dict[str, float] | None:
    """Median and 95th percentile."""
    if not values:
        return None
    ordered = sorted(values)
    return {
        "median": round(ordered[len(ordered) // 2], 1),
        "p95": round(ordered[min(int(len(ordered) * 0.95), len(ordered) - 1)], 1),
    }
