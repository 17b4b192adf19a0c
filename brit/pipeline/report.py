"""One run of an ingestion: its progress, its clock, and what it reports at the end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from brit.errors import Cancelled, InputError
from brit.storage import Workspace
from brit.storage.ledger import Collection
from brit.types import Document, OnProgress, Progress

T = TypeVar("T")


@contextmanager
def end_if_deleted(workspace: Workspace, collection: Collection) -> Iterator[None]:
    """Work on a collection that is deleted meanwhile ends with one sentence, whatever it missed
    first. Raises InputError then."""
    missed: Exception | None = None
    try:
        yield
    except Exception as error:
        if isinstance(error, Cancelled) or workspace.documents.has_collection(collection.id):
            raise
        missed = error
    if not workspace.documents.has_collection(collection.id):
        raise InputError(
            f"The collection “{collection.name}” was deleted while files were read into it. "
            "Add them again to another one."
        ) from missed


@dataclass(frozen=True)
class IngestReport:
    """`stages` in seconds; `peak_mb` is this process's peak plus that of its largest child."""

    documents: tuple[Document, ...]
    stages: dict[str, float]
    peak_mb: float

    @property
    def failures(self) -> list[Document]:
        """What is not in the collection, with the reason."""
        return [each for each in self.documents if each.refused]


@dataclass
class Run:
    """Progress goes out through `tell`, a cancel comes in through `check`; `seconds` by stage."""

    on_progress: OnProgress
    cancelled: Callable[[], bool]
    position: str = ""
    seconds: dict[str, float] = field(default_factory=dict)

    def tell(self, stage: str, done: int, total: int, detail: str) -> None:
        shown = f"{detail} ({self.position})" if self.position else detail
        self.on_progress(Progress(stage, done, total, shown))

    def counter(self, stage: str, total: int, detail: str) -> Callable[[int], None]:
        """A function that is told how many more of `total` are done; it may raise Cancelled."""
        done = 0

        def advance(more: int) -> None:
            nonlocal done
            done += more
            self.tell(stage, done, total, detail)
            self.check()

        return advance

    def check(self) -> None:
        """Raises Cancelled when somebody pressed cancel."""
        if self.cancelled():
            raise Cancelled("Cancelled. What was finished stays; resume to go on from there.")

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - started

    def timed(self, name: str, call: Callable[[], T]) -> T:
        with self.stage(name):
            return call()
