"""Milliseconds of each step of a retrieval."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

STEPS = ("encode", "search", "pcst", "traverse")


class Clock:
    """`with clock("search"): …` adds to that step, and only to it where it stands inside another;
    `timings()` ends the total."""

    def __init__(self) -> None:
        self._began = time.perf_counter()
        self._spent = dict.fromkeys(STEPS, 0.0)
        self._counted = 0.0

    @contextmanager
    def __call__(self, step: str) -> Iterator[None]:
        began, before = time.perf_counter(), self._counted
        try:
            yield
        finally:
            spent = time.perf_counter() - began - (self._counted - before)
            self._spent[step] = self._spent.get(step, 0.0) + spent
            self._counted += spent

    def timings(self) -> dict[str, float]:
        """→ milliseconds: encode, search, pcst, traverse, total; decide where a model was asked."""
        spent = {**self._spent, "total": time.perf_counter() - self._began}
        return {step: round(1000 * seconds, 3) for step, seconds in spent.items()}
