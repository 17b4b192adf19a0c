"""The benchmark of a collection on the page: its test set and its run, and the work on them.

All its files lie among the collection's index files: they hold words of documents, and go with
them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brit.config import read_budget
from brit.errors import InputError, WorkspaceError
from brit.evaluation.benchmark.records import BenchmarkQuestion, BenchmarkSet, read_set, write_set
from brit.evaluation.benchmark.running import Run, read_run
from brit.storage import Workspace
from brit.types import OnProgress

if TYPE_CHECKING:
    from brit.pipeline import Models


@dataclass(frozen=True)
class BenchmarkFiles:
    """Where the test set and the run of a collection (its id) are."""

    folder: Path

    @classmethod
    def of(cls, workspace: Workspace, collection: str) -> BenchmarkFiles:
        return cls(workspace.folder / "indexes" / collection / "benchmark")

    @classmethod
    def named(cls, workspace: Workspace, collection: str) -> BenchmarkFiles:
        """Of a collection by its name. Raises UnknownName."""
        return cls.of(workspace, workspace.documents.collection(collection).id)

    @property
    def questions(self) -> Path:
        return self.folder / "set.jsonl"

    @property
    def begun(self) -> Path:
        """A set that is not made to its end."""
        return self.folder / "set.jsonl.begun"

    @property
    def run(self) -> Path:
        return self.folder / "run.json"

    def read_set(self) -> BenchmarkSet | None:
        """None where none was made. Raises InputError for a damaged file."""
        return read_set(self.questions) if self.questions.exists() else None

    def read_begun(self) -> BenchmarkSet | None:
        return read_set(self.begun) if self.begun.exists() else None

    def read_run(self) -> Run | None:
        return read_run(self.run) if self.run.exists() else None

    def put(self, made: BenchmarkSet) -> None:
        """In the place of the set there was, its run and what was begun. Raises WorkspaceError."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_set(self.questions, made)
            self.begun.unlink(missing_ok=True)
            self.drop_run()
        except OSError as error:
            raise WorkspaceError(f"The test set cannot be written ({error.strerror}).") from error

    def put_foreign(self, path: Path, field_map: Path | None) -> None:
        """A set or a file of questions from elsewhere. Raises InputError, WorkspaceError."""
        from brit.evaluation.benchmark.foreign import read_any_set

        try:
            self.put(read_any_set(path, field_map))
        except InputError as error:
            said = str(error)
            for each in filter(None, (path, field_map)):
                said = said.replace(str(each), each.name)
            raise InputError(said) from error

    def keep(self, question: BenchmarkQuestion) -> None:
        """What a person decided of a question."""
        made = self.read_set()
        if made is None:
            raise InputError("The test set went with its documents: make it again.")
        write_set(self.questions, made.changed(question))

    def drop_run(self) -> None:
        self.run.unlink(missing_ok=True)


def work_for_page(
    workspace: Workspace,
    payload: Mapping[str, Any],
    *,
    models: Models,
    on_progress: OnProgress,
    cancelled: Callable[[], bool],
) -> None:
    """A job of the page: `action` "make" with count, seed, and made_by, cap, named, paths where
    they are wanted (see `make_for_page`), or "run" with methods, answers, cap (see `run_set`).
    Both go on where they stopped."""
    work = make_for_page if payload["action"] == "make" else run_for_page
    work(
        workspace, payload["collection"], payload,
        models=models, on_progress=on_progress, cancelled=cancelled,
    )  # fmt: skip


def make_for_page(
    workspace: Workspace, collection: str, payload: Mapping[str, Any], **watched: Any
) -> None:
    """A new set in the place of the old one and its run: of this collection, or, `named`, pairs
    with imaginary names in a new collection of that name, those of the file in `paths` if any."""
    from brit.evaluation.benchmark.by_hand import read_pairs
    from brit.pipeline.benchmark import make_set
    from brit.pipeline.benchmark_named import make_named_set

    here = BenchmarkFiles.named(workspace, collection)
    here.folder.mkdir(parents=True, exist_ok=True)
    make: Callable[..., BenchmarkSet] = make_set
    if named := payload.get("named"):
        by_hand = [pair for path in payload.get("paths", ()) for pair in read_pairs(Path(path))]
        make = partial(make_named_set, derived=named, by_hand=by_hand)
    made = make(
        workspace, collection, count=payload["count"], seed=payload["seed"],
        made_by=payload.get("made_by", "embedded"), cap=read_budget(payload.get("cap", ""), "Cap"),
        begun=here.begun, **watched,
    )  # fmt: skip
    BenchmarkFiles.named(workspace, made.making.collection).put(made)
    here.begun.unlink(missing_ok=True)


def run_for_page(
    workspace: Workspace, collection: str, payload: Mapping[str, Any], **watched: Any
) -> None:
    """Run the set, or go on with its run. Raises InputError where there is no set."""
    from brit.pipeline.benchmark_run import run_set

    files = BenchmarkFiles.named(workspace, collection)
    made = files.read_set()
    if made is None:
        raise InputError("There is no test set of this collection: make one first.")
    run_set(
        workspace, made, collection, files.run, methods=payload["methods"],
        answers=payload.get("answers", False), cap=read_budget(payload.get("cap", ""), "Cap"),
        **watched,
    )  # fmt: skip
