"""Benchmark sets out of a collection (§4): material, generator and checks joined."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from brit.config import Budget
from brit.errors import InputError, WorkspaceError
from brit.evaluation.benchmark.embedded import EmbeddedGenerator
from brit.evaluation.benchmark.making import Check, Draft, Generate, Made, make_questions
from brit.evaluation.benchmark.material import Catalogue, Material
from brit.evaluation.benchmark.records import (
    BenchmarkQuestion,
    BenchmarkSet,
    MadeBy,
    Making,
    Source,
    read_set,
    write_set,
)
from brit.evaluation.benchmark.sampling import MIN_IMAGES, Slot, fit_documents, quotas
from brit.evaluation.benchmark.validation import find_fault, max_similarity
from brit.evaluation.benchmark.written import Examiner, WrittenGenerator
from brit.evaluation.questions import Kind
from brit.generation.evidence import to_data_url
from brit.models import LanguageModel, TextEncoder
from brit.pipeline.benchmark_cap import capped
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
    cap: Budget | None = None,
    begun: Path | None = None,
    on_progress: OnProgress = no_progress,
    cancelled: Callable[[], bool] = lambda: False,
) -> BenchmarkSet:
    """At most `count` questions about a collection, by its model or without one; in the paper's
    shares, or of one type and source only.

    `cap`: what the model may cost in this call. `begun`: a file of what there is so far, from which
    the same call goes on; whoever has kept the whole set removes it.

    Raises InputError where no document is fit (3 images, 1 section), none can be asked about, or a
    model is wanted and none is configured that sees pictures; BudgetSpent, Cancelled, ModelError.
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
        model = capped(seeing(models), cap, workspace.folder)
        generate, check = _with_model(workspace, model, encoder, threshold)
    else:
        generate, check = _without_model(documents, encoder, threshold)
    making = Making(
        collection=collection, seed=seed, encoder=encoder.name, threshold=threshold,
        made_by=made_by, model=model.name if model else "", documents=len(fit), wanted=count,
        version=workspace.documents.stamp(collection).version,
    )  # fmt: skip
    made = make_questions(
        fit, generate, check,
        wanted={only: count} if only else quotas(count), seed=seed,
        begun=_read_begun(begun, making), save=partial(_save_begun, begun, making),
        on_progress=on_progress, cancelled=cancelled,
    )  # fmt: skip
    making = _so_far(making, made)
    if not made.questions:
        raise InputError(f"No question could be made of “{collection}” ({_told(making.rejected)}).")
    return BenchmarkSet(making, tuple(made.questions))


def begun_beside(path: Path) -> Path:
    """Where a set that is to be written to `path` is while it is made."""
    return path.with_name(f"{path.name}.begun")


def _read_begun(path: Path | None, making: Making) -> Made | None:
    """What is there of the same making; what was begun otherwise is not gone on with."""
    if path is None or not path.exists():
        return None
    known = read_set(path)
    if not known.making.begins(making):
        return None
    return Made(list(known.questions), Counter(known.making.rejected), known.making.slots)


def _save_begun(path: Path | None, making: Making, made: Made) -> None:
    if path is not None and made.questions:
        write_set(path, BenchmarkSet(_so_far(making, made), tuple(made.questions)))


def _so_far(making: Making, made: Made) -> Making:
    return replace(making, rejected=dict(made.rejected), slots=made.slots)


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


def seeing(models: Models) -> LanguageModel:
    """The model that answers. Raises InputError where there is none, or it takes no pictures."""
    model = models.language_model
    if model is None:
        raise InputError("No model is configured that answers: set one, or leave out the model.")
    if not model.accepts_images:
        raise InputError(f"“{model.name}” takes no pictures: choose a model that sees them.")
    return model


def _told(rejected: dict[str, int]) -> str:
    return ", ".join(f"{reason}: {count}" for reason, count in sorted(rejected.items()))
