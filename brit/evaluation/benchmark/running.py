"""A run: every question of a set by every method, kept result by result so that it can go on.

The file of a run holds all a report needs: the questions, the methods with their configuration, and
for each question and method what was measured and found.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked_dataclass

from brit.config import RetrievalConfig
from brit.errors import Cancelled, InputError
from brit.evaluation.benchmark.records import BenchmarkQuestion, replace_file
from brit.evaluation.methods import Found, Method, measure_found
from brit.types import LinkKind, OnProgress, Preset, Progress, no_progress

SAVED_EVERY = 2.0  # seconds
KEPT_IMAGES, KEPT_TEXTS, KEPT_CHARACTERS = 4, 4, 240
_CHECKED = ConfigDict(extra="forbid")


@checked_dataclass(frozen=True, config=_CHECKED)
class RunMethod:
    """`missing` says why it could not run; `config` is BRIT's."""

    name: str
    missing: str = ""
    preset: Preset | None = None
    links: tuple[LinkKind, ...] | None = None
    config: dict[str, Any] = field(default_factory=dict)

    @property
    def setting(self) -> RetrievalConfig | None:
        """None for what is no setting of BRIT."""
        return _CONFIG.validate_python(self.config) if self.config else None


@checked_dataclass(frozen=True, config=_CHECKED)
class Result:
    """One question by one method: `images` (ids) and the beginnings of the first `texts`, best
    first; `reply` is what a model answered."""

    question: str
    method: str
    measures: dict[str, float]
    images: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    reply: str = ""


@checked_dataclass(frozen=True, config=_CHECKED)
class Identity:
    """What a run is of; results of another one are not mixed with it. `version` is that of the
    collection's content, `model` the one that answers questions with choices ("" for none)."""

    set_hash: str
    collection: str
    version: int
    image_encoder: str
    text_encoder: str
    model: str = ""


@checked_dataclass(frozen=True, config=_CHECKED)
class Run:
    """`seeds`: of the set and of the intervals; `versions`: of the workspace's form and of
    what BRIT computes with."""

    identity: Identity
    questions: tuple[BenchmarkQuestion, ...]
    methods: tuple[RunMethod, ...]
    seeds: dict[str, int]
    versions: dict[str, str]
    results: tuple[Result, ...] = ()

    @property
    def left(self) -> int:
        """Results that are still to come."""
        able = {each.name for each in self.methods if not each.missing}
        done = sum(each.method in able for each in self.results)
        return len(self.questions) * len(able) - done


_RUN, _CONFIG = TypeAdapter(Run), TypeAdapter(RetrievalConfig)
Answer = Callable[[BenchmarkQuestion, Found], tuple[str, dict[str, float]]]
"""A question and what was found → the reply and what it measures; "" where it is not answered."""


@dataclass(frozen=True)
class Contest:
    """The methods of a run, ready to be asked, the answers if they are wanted, and the ids of the
    documents each question is asked of (none: the whole collection)."""

    methods: Sequence[Method]
    configs: Sequence[RetrievalConfig | None]
    answer: Answer | None = None
    scope: Callable[[BenchmarkQuestion], Sequence[str]] = lambda _: ()

    @property
    def described(self) -> tuple[RunMethod, ...]:
        return tuple(
            RunMethod(each.name, each.missing, each.preset, each.links,
                      _CONFIG.dump_python(config, mode="json") if config else {})
            for each, config in zip(self.methods, self.configs, strict=True)
        )  # fmt: skip


def write_run(path: Path, run: Run) -> None:
    replace_file(path, _RUN.dump_json(run))


def read_run(path: Path) -> Run:
    """Raises InputError for a file that holds no run."""
    try:
        return _RUN.validate_json(path.read_bytes())
    except OSError as error:
        raise InputError(f"The run “{path}” cannot be read ({error.strerror}).") from error
    except ValidationError as error:
        raise InputError(f"“{path}” holds no run of a benchmark: name another file.") from error


def resume(path: Path, fresh: Run) -> Run:
    """The run in the file as far as it went, with the methods of both; `fresh` where there is no
    file. Raises InputError where the file is of other questions, documents or models."""
    if not path.exists():
        return fresh
    known = read_run(path)
    if known.identity != fresh.identity:
        raise InputError(
            f"“{path}” is a run of other questions, documents, encoders or models than these: name "
            "another file, or remove it."
        )
    methods = {each.name: each for each in (*fresh.methods, *known.methods)}
    methods |= {each.name: each for each in fresh.methods}  # weights may have come since
    # A setting of one's own may have become another under the same name.
    stale = {each.name for each in known.methods if each.setting != methods[each.name].setting}
    results = tuple(each for each in known.results if each.method not in stale)
    return replace(known, methods=tuple(methods.values()), results=results)


def run_benchmark(
    run: Run,
    contest: Contest,
    save: Callable[[Run], None],
    on_progress: OnProgress = no_progress,
    cancelled: Callable[[], bool] = lambda: False,
) -> Run:
    """Ask what is not answered yet; what there is is saved every 2 seconds and at the end, however
    it comes. Raises Cancelled, and what the answers raise."""
    done = {(each.question, each.method) for each in run.results}
    results, saved = list(run.results), time.monotonic()
    able = [method for method in contest.methods if method.find is not None]
    try:
        for number, question in enumerate(run.questions):
            on_progress(Progress("running the benchmark", number, len(run.questions)))
            for method in able:
                if (question.id, method.name) not in done:
                    results.append(_ask(question, method, contest))
            if cancelled():
                raise Cancelled("The run was cancelled; its results so far stay: resume it.")
            if time.monotonic() - saved > SAVED_EVERY:
                save(replace(run, results=tuple(results)))
                saved = time.monotonic()
    finally:
        save(finished := replace(run, results=tuple(results)))
    return finished


def _ask(question: BenchmarkQuestion, method: Method, contest: Contest) -> Result:
    assert method.find is not None
    asked = question.as_question()
    found = method.find(asked.text, contest.scope(question))
    measures, reply = measure_found(asked, found), ""
    if contest.answer:
        reply, scores = contest.answer(question, found)
        measures |= scores
    return Result(
        question.id,
        method.name,
        measures,
        tuple(image.id for image in (found.images or ())[:KEPT_IMAGES]),
        tuple(text[:KEPT_CHARACTERS] for text in (found.texts or ())[:KEPT_TEXTS]),
        reply[:KEPT_CHARACTERS],
    )
