"""A test set, a collection and names of methods → a run that goes on where it stopped."""

from __future__ import annotations

import platform
import re
import string
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from brit.config import RetrievalConfig
from brit.errors import InputError
from brit.evaluation.benchmark.records import BenchmarkQuestion, BenchmarkSet
from brit.evaluation.benchmark.running import (
    Answer,
    Contest,
    Identity,
    Run,
    resume,
    run_benchmark,
    write_run,
)
from brit.evaluation.benchmark.written import letter_of, lettered, show_picture
from brit.evaluation.bootstrap import SEED
from brit.evaluation.methods import Found, Method
from brit.generation.evidence import to_data_url
from brit.models import LanguageModel
from brit.pipeline.methods import BASELINES, LINK_COMBINATIONS, Comparison
from brit.pipeline.models import Models
from brit.prompts import fill_prompt
from brit.storage import Workspace
from brit.storage.schema import MIGRATIONS
from brit.types import LINK_KINDS, LinkKind, OnProgress, Preset, no_progress, stable_id

PRESETS: tuple[Preset, ...] = ("default", "paper")
ALL_METHODS = (*PRESETS, *(f"{preset}:all" for preset in PRESETS), *BASELINES)
PACKAGES = ("numpy", "faiss-cpu", "spacy", "bm25s", "pymupdf")
_LETTER = re.compile(r"\(([A-Z])\)|(?<![A-Za-z])([A-Z])(?![A-Za-z])")


def run_set(
    workspace: Workspace,
    questions: BenchmarkSet,
    collection: str,
    output: Path,
    *,
    models: Models,
    methods: Sequence[str] = ALL_METHODS,
    answers: bool = False,
    on_progress: OnProgress = no_progress,
    cancelled: Callable[[], bool] = lambda: False,
) -> Run:
    """Run a set, kept in `output` as it comes; the same call goes on with what is missing.

    `methods`: names of `BASELINES`, a preset, or a preset with links (« paper:CA+LS », « :none »,
    « :all » for the twelve of Table 2). `answers`: the model also answers the questions with
    choices, once a method. Raises InputError, UnknownName, ModelError, Cancelled.
    """
    configs = [config for name in methods for config in parse_method(name)]
    asked = _here(workspace, questions, collection)
    model = _answering(models) if answers else None
    models.warm()
    comparison = Comparison(workspace, collection, models, RetrievalConfig())
    contest = _contest(comparison, configs, model, on_progress)
    index = comparison.index
    identity = Identity(
        stable_id(*asked), collection, index.collection.version, index.image_encoder.name,
        index.text_encoder.name, model.name if model else "",
    )  # fmt: skip
    seeds = {"set": questions.making.seed, "intervals": SEED}
    fresh = Run(identity, asked, contest.described, seeds, versions())
    return run_benchmark(
        resume(output, fresh), contest, lambda run: write_run(output, run), on_progress, cancelled
    )


def parse_method(name: str) -> list[str | RetrievalConfig]:
    """A baseline's name, or BRIT's settings. Raises InputError."""
    name = " ".join(name.split())
    if name.casefold() in (known := {each.casefold(): each for each in BASELINES}):
        return [known[name.casefold()]]
    preset, colon, links = name.partition(":")
    for each in PRESETS:
        if preset == each:
            if not colon:
                return [RetrievalConfig.of(each)]
            if links == "all":
                return [RetrievalConfig.of(each, kinds) for kinds in LINK_COMBINATIONS]
            if (kinds := _links(links)) is not None:
                return [RetrievalConfig.of(each, kinds)]
    raise InputError(
        f"There is no method “{name}”. Methods: {', '.join((*PRESETS, *BASELINES))}; a preset with "
        "links as paper:CA+LS, paper:none or paper:all."
    )


def _links(text: str) -> tuple[LinkKind, ...] | None:
    names = [] if text == "none" else text.upper().split("+")
    known = tuple(kind for kind in LINK_KINDS if kind in names)
    return known if len(known) == len(names) else None


def _contest(
    comparison: Comparison,
    wanted: Sequence[str | RetrievalConfig],
    model: LanguageModel | None,
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
    return Contest(methods, [config for _, config in found.values()], _answer_with(model))


def _here(
    workspace: Workspace, questions: BenchmarkSet, collection: str
) -> tuple[BenchmarkQuestion, ...]:
    """The questions that are asked. Raises InputError where their documents are not there."""
    id = workspace.documents.collection(collection).id
    names = set(workspace.documents.names(id).values())
    asked = questions.asked
    if missing := {each.doc for each in asked} - names:
        raise InputError(
            f"{len(missing)} documents of the test set are not in “{collection}”, “{min(missing)}” "
            f"among them: it was made of “{questions.making.collection}”."
        )
    if not asked:
        raise InputError("All questions of the test set were rejected: accept some, or make more.")
    return asked


def versions() -> dict[str, str]:
    """Of the workspace's form, Python, and the packages that results depend on."""
    found = {"workspace": str(len(MIGRATIONS)), "python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


# --- answers to questions with choices ---


def _answering(models: Models) -> LanguageModel:
    if models.language_model is None:
        raise InputError("No model is configured that answers: set one, or leave out the answers.")
    return models.language_model


def _answer_with(model: LanguageModel | None) -> Answer | None:
    """Choices in the prompt, the letter parsed, 1 where it is the right one (§5.4)."""
    if model is None:
        return None

    def answer(question: BenchmarkQuestion, found: Found) -> tuple[str, float]:
        messages = fill_prompt(
            "benchmark_choose",
            texts="\n".join(found.texts or ()) or "(none)",
            question=question.question, choices=lettered(question.choices),
        )  # fmt: skip
        pictures = [image.path for image in found.images or () if image.path]
        urls = [to_data_url(Path(path).read_bytes()) for path in pictures[: model.image_limit]]
        messages = show_picture(messages, *urls) if urls else messages
        reply = model.complete(messages).text
        return reply, float(parse_letter(reply, question.choices) == letter_of(question))

    return answer


def parse_letter(reply: str, choices: Sequence[str]) -> str:
    """The letter a model chose: the first in brackets, else the first that stands alone, else that
    of the choice it wrote out; "" where it chose none."""
    letters = string.ascii_uppercase[: len(choices)]
    found = [match[1] or match[2] for match in _LETTER.finditer(reply)]
    bracketed = [match[1] for match in _LETTER.finditer(reply) if match[1]]
    for letter in (*bracketed, *found):
        if letter in letters:
            return letter
    said = reply.strip(" .").casefold()
    return next(
        (a for a, each in zip(letters, choices, strict=True) if each.casefold() == said), ""
    )
