"""The benchmark of a collection on the page: its test set and its run, and the work on them.

Both files lie among the collection's index files: they hold words of documents, and go with them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

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

    @property
    def questions(self) -> Path:
        return self.folder / "set.jsonl"

    @property
    def run(self) -> Path:
        return self.folder / "run.json"

    def read_set(self) -> BenchmarkSet | None:
        """None where none was made. Raises InputError for a damaged file."""
        return read_set(self.questions) if self.questions.exists() else None

    def read_run(self) -> Run | None:
        return read_run(self.run) if self.run.exists() else None

    def keep(self, question: BenchmarkQuestion) -> None:
        """What a person decided of a question."""
        made = self.read_set()
        if made is None:
            raise InputError("The test set went with its documents: make it again.")
        write_set(self.questions, made.changed(question))

    def drop_run(self) -> None:
        self.run.unlink(missing_ok=True)


def make_for_page(
    workspace: Workspace,
    collection: str,
    count: int,
    seed: int,
    *,
    models: Models,
    on_progress: OnProgress,
    cancelled: Callable[[], bool],
) -> None:
    """A new set in the place of the old one and its run."""
    from brit.pipeline.benchmark import make_set

    made = make_set(
        workspace, collection, models=models, count=count, seed=seed,
        on_progress=on_progress, cancelled=cancelled,
    )  # fmt: skip
    files = _files(workspace, collection)
    try:
        files.folder.mkdir(parents=True, exist_ok=True)
        write_set(files.questions, made)
        files.drop_run()
    except OSError as error:
        raise WorkspaceError(f"The test set cannot be written ({error.strerror}).") from error


def run_for_page(
    workspace: Workspace,
    collection: str,
    methods: list[str],
    *,
    models: Models,
    on_progress: OnProgress,
    cancelled: Callable[[], bool],
) -> None:
    """Run the set, or go on with its run. Raises InputError where there is no set."""
    from brit.pipeline.benchmark_run import run_set

    files = _files(workspace, collection)
    made = files.read_set()
    if made is None:
        raise InputError("There is no test set of this collection: make one first.")
    run_set(
        workspace, made, collection, files.run,
        models=models, methods=methods, on_progress=on_progress, cancelled=cancelled,
    )  # fmt: skip


def _files(workspace: Workspace, collection: str) -> BenchmarkFiles:
    return BenchmarkFiles.of(workspace, workspace.documents.collection(collection).id)
