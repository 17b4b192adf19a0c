"""A test set, a collection and names of methods → a run that goes on where it stopped."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from brit.config import Budget, RetrievalConfig
from brit.errors import InputError
from brit.evaluation.benchmark.records import BenchmarkQuestion, BenchmarkSet, hash_of
from brit.evaluation.benchmark.running import (
    Contest,
    Identity,
    Run,
    resume,
    run_benchmark,
    write_run,
)
from brit.evaluation.bootstrap import SEED
from brit.evaluation.methods import Method
from brit.pipeline.benchmark_answers import Answering
from brit.pipeline.methods import BASELINES, LINK_COMBINATIONS, Comparison
from brit.pipeline.models import Models
from brit.storage import Workspace
from brit.storage.schema import MIGRATIONS
from brit.types import LINK_KINDS, LinkKind, OnProgress, Preset, no_progress

PRESETS: tuple[Preset, ...] = ("default", "paper")
OWN = "own"
ALL_METHODS = (*PRESETS, *(f"{preset}:all" for preset in PRESETS), *BASELINES)
PACKAGES = ("numpy", "faiss-cpu", "spacy", "bm25s", "pymupdf")


def run_set(
    workspace: Workspace,
    questions: BenchmarkSet,
    collection: str,
    output: Path,
    *,
    models: Models,
    methods: Sequence[str] = ALL_METHODS,
    answers: bool = False,
    cap: Budget | None = None,
    on_progress: OnProgress = no_progress,
    cancelled: Callable[[], bool] = lambda: False,
) -> Run:
    """Run a set, kept in `output` as it comes; the same call goes on with what is missing.

    `methods`: names of `BASELINES`, a preset, a preset with links (« paper:CA+LS », « :none »,
    « :all » for the twelve of Table 2), or « own », the collection's own setting. `answers`:
    questions that have answers are answered too, once a method, by the model, which may cost up to
    `cap` in this call; without a model those without choices by quoting.
    Raises InputError, UnknownName, ModelError, BudgetSpent, Cancelled.
    """
    own = workspace.settings.retrieval(workspace.documents.collection(collection).id)
    configs = [config for name in methods for config in parse_method(name, own)]
    asked = questions_here(workspace, questions, collection)
    answering = Answering.of(models, asked, cap) if answers else None
    models.warm()
    comparison = Comparison(workspace, collection, models, RetrievalConfig())
    contest = _contest(comparison, configs, answering, on_progress)
    index = comparison.index
    identity = Identity(
        hash_of(asked), collection, index.collection.version, index.image_encoder.name,
        index.text_encoder.name, answering.name if answering else "",
    )  # fmt: skip
    seeds = {"set": questions.making.seed, "intervals": SEED}
    fresh = Run(identity, asked, contest.described, seeds, versions())
    return run_benchmark(
        resume(output, fresh), contest, lambda run: write_run(output, run), on_progress, cancelled
    )


def parse_method(name: str, own: RetrievalConfig | None = None) -> list[str | RetrievalConfig]:
    """A baseline's name, or BRIT's settings; `own` is the collection's. Raises InputError."""
    name = " ".join(name.split())
    if name == OWN:
        return [own or RetrievalConfig()]
    if name.casefold() in (known := {each.casefold(): each for each in BASELINES}):
        return [known[name.casefold()]]
    preset, colon, links = name.partition(":")
    for each in PRESETS:
        if preset == each:
            if not colon:
                return [RetrievalConfig.of(each)]
            if links == "all":
                return [RetrievalConfig.of(each, kinds) for kinds in LINK_COMBINATIONS]
            if (kinds := _links(links, each)) is not None:
                return [RetrievalConfig.of(each, kinds)]
    raise InputError(
        f"There is no method “{name}”. Methods: {', '.join((*PRESETS, OWN, *BASELINES))}; a preset "
        "with links as paper:CA+LS, paper:none or paper:all."
    )


def _links(text: str, preset: Preset) -> tuple[LinkKind, ...] | None:
    """In the order of Table 2 or the preset's own, so that one setting has one name. None for what
    names no links."""
    names = [] if text == "none" else text.upper().split("+")
    own = RetrievalConfig.of(preset).links
    if len(names) == len(own) and set(names) == set(own):
        return own
    known = tuple(kind for kind in sorted(LINK_KINDS) if kind in names)
    return known if len(known) == len(names) else None


def _contest(
    comparison: Comparison,
    wanted: Sequence[str | RetrievalConfig],
    answering: Answering | None,
    on_progress: OnProgress,
) -> Contest:
    found: dict[str, tuple[Method, RetrievalConfig | None]] = {}
    for each in wanted:
        config = each if isinstance(each, RetrievalConfig) else None
        if isinstance(each, RetrievalConfig):
            method = comparison.brit(each)
        else:
            method = comparison.baseline(each, on_progress)
        found.setdefault(method.name, (method, config))
    methods = [method for method, _ in found.values()]
    own: dict[str, list[str]] = {}
    for id, name in comparison.index.documents.items():
        own.setdefault(name, []).append(id)
    return Contest(
        methods,
        [config for _, config in found.values()],
        answering,
        lambda each: own[each.doc] if each.type == "pages" else (),
    )


def questions_here(
    workspace: Workspace, questions: BenchmarkSet, collection: str
) -> tuple[BenchmarkQuestion, ...]:
    """The questions that are asked: of other people's sets those whose documents are there. Raises
    InputError where there are none, or a document of a set made here is gone."""
    id = workspace.documents.collection(collection).id
    names = set(workspace.documents.names(id).values())
    asked, own = questions.asked, questions.making.collection
    if not asked:
        raise InputError("All questions of the test set were rejected: accept some, or make more.")
    missing = {each.doc for each in asked} - names
    here = tuple(each for each in asked if each.doc in names)
    if missing and (own or not here):
        raise InputError(
            f"{len(missing)} documents of the test set are not in “{collection}”, “{min(missing)}” "
            f"among them{f': it was made of “{own}”' if own else ': add them first'}."
        )
    return here


def versions() -> dict[str, str]:
    """Of the workspace's form, Python, and the packages that results depend on."""
    found = {"workspace": str(len(MIGRATIONS)), "python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
