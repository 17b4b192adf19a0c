"""Benchmark sets out of a collection (§4): material, generator and checks joined."""

from __future__ import annotations

from collections.abc import Callable

from brit.errors import InputError, WorkspaceError
from brit.evaluation.benchmark.embedded import EmbeddedGenerator
from brit.evaluation.benchmark.making import Check, Draft, Generate, make_questions
from brit.evaluation.benchmark.material import Catalogue, Material
from brit.evaluation.benchmark.records import (
    BenchmarkQuestion,
    BenchmarkSet,
    MadeBy,
    Making,
    Source,
)
from brit.evaluation.benchmark.sampling import MIN_IMAGES, Slot, fit_documents, quotas
from brit.evaluation.benchmark.validation import find_fault, max_similarity
from brit.evaluation.benchmark.written import Examiner, WrittenGenerator
from brit.evaluation.questions import Kind
from brit.generation.evidence import to_data_url
from brit.models import LanguageModel, TextEncoder
from brit.pipeline.benchmark_material import read_material
from brit.pipeline.models import Models
from brit.storage import Workspace
from brit.types import Image, OnProgress, no_progress


def make_set(
    workspace: Workspace,
    collection: str,
    *,
    models: Models,
    count: int,
    seed: int,
    made_by: MadeBy = "embedded",
    only: tuple[Kind, Source] | None = None,
    on_progress: OnProgress = no_progress,
    cancelled: Callable[[], bool] = lambda: False,
) -> BenchmarkSet:
    """At most `count` questions about a collection, by its model or without one; in the paper's
    shares, or of one type and source only.

    Raises InputError where no document is fit (3 images, 1 section), none can be asked about, or a
    model is wanted and none is configured that sees pictures.
    """
    documents = read_material(workspace, collection)
    fit, encoder = fit_documents(documents), models.text_encoder
    if not fit:
        raise InputError(
            f"No document of “{collection}” has {MIN_IMAGES} pictures and a section: add some "
            "that do, or take another collection."
        )
    threshold, model = max_similarity(encoder), None
    if made_by == "model":
        model = _seeing(models)
        generate, check = _with_model(workspace, model, encoder, threshold)
    else:
        generate, check = _without_model(documents, encoder, threshold)
    made = make_questions(
        fit, generate, check,
        wanted={only: count} if only else quotas(count), seed=seed,
        on_progress=on_progress, cancelled=cancelled,
    )  # fmt: skip
    making = Making(
        collection=collection, seed=seed, encoder=encoder.name, threshold=threshold,
        made_by=made_by, model=model.name if model else "", documents=len(fit), wanted=count,
        rejected=dict(made.rejected),
    )  # fmt: skip
    if not made.questions:
        raise InputError(f"No question could be made of “{collection}” ({_told(making.rejected)}).")
    return BenchmarkSet(making, tuple(made.questions))


def _without_model(
    documents: list[Material], encoder: TextEncoder, threshold: float
) -> tuple[Generate, Check]:
    def check(draft: BenchmarkQuestion, slot: Slot) -> Draft:
        return find_fault(draft, slot.image.caption, encoder, threshold) or draft

    return EmbeddedGenerator(Catalogue(documents)), check


def _with_model(
    workspace: Workspace, model: LanguageModel, encoder: TextEncoder, threshold: float
) -> tuple[Generate, Check]:
    def see(image: Image) -> str:
        try:
            return to_data_url(workspace.images.path(image.file).read_bytes())
        except OSError as error:
            raise WorkspaceError(
                f"The picture “{image.file}” cannot be read: run `python -m brit doctor`."
            ) from error

    return WrittenGenerator(model, see), Examiner(model, see, encoder, threshold)


def _seeing(models: Models) -> LanguageModel:
    model = models.language_model
    if model is None:
        raise InputError("No model is configured that answers: set one, or leave out the model.")
    if not model.accepts_images:
        raise InputError(f"“{model.name}” takes no pictures: choose a model that sees them.")
    return model


def _told(rejected: dict[str, int]) -> str:
    return ", ".join(f"{reason}: {count}" for reason, count in sorted(rejected.items()))
