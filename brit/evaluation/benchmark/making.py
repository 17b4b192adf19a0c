"""Slots → drafts → questions that hold, with the count of what was dropped and why."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from brit.errors import Cancelled
from brit.evaluation.benchmark.material import Material
from brit.evaluation.benchmark.records import BenchmarkQuestion, Source
from brit.evaluation.benchmark.sampling import Slot, draw_slots
from brit.evaluation.benchmark.validation import Reason
from brit.evaluation.questions import Kind
from brit.types import OnProgress, Progress, no_progress

DRAFTS = 8
"""At most looked at for one slot."""
SAVED_EVERY = 2.0  # seconds
Draft = BenchmarkQuestion | Reason
Generate = Callable[[Slot], Iterator[Draft]]
Check = Callable[[BenchmarkQuestion, Slot], Draft]
"""The draft, perhaps asked otherwise, or why it is dropped."""


@dataclass
class Made:
    """Questions so far, dropped drafts by reason, and the number of slots gone through."""

    questions: list[BenchmarkQuestion] = field(default_factory=list)
    rejected: Counter[str] = field(default_factory=Counter)
    slots: int = 0


def make_questions(
    documents: Sequence[Material],
    generate: Generate,
    check: Check,
    *,
    wanted: Mapping[tuple[Kind, Source], int],
    seed: int,
    begun: Made | None = None,
    save: Callable[[Made], None] = lambda _: None,
    on_progress: OnProgress = no_progress,
    cancelled: Callable[[], bool] = lambda: False,
) -> Made:
    """At most as many questions of each type and source as `wanted`; fewer where the documents do
    not give them. Goes on with what was `begun` by the same documents, wishes and seed.

    What there is is saved every 2 seconds, and however it ends. Raises Cancelled, and what
    `generate` and `check` raise.
    """
    made, count, saved = begun or Made(), sum(wanted.values()), time.monotonic()
    there = Counter((each.type, each.source) for each in made.questions)
    left = {key: number - there[key] for key, number in wanted.items()}
    try:
        for slot in islice(draw_slots(documents, seed), made.slots, None):
            if not any(left.values()):
                break
            if cancelled():
                raise Cancelled("Making questions was cancelled; those made so far stay.")
            if left.get((slot.type, slot.source)):
                on_progress(Progress("making questions", len(made.questions), count))
                if question := _first_good(slot, generate, check, made):
                    made.questions.append(question)
                    left[slot.type, slot.source] -= 1
            made.slots += 1
            if time.monotonic() - saved > SAVED_EVERY:
                save(made)
                saved = time.monotonic()
    finally:
        save(made)
    return made


def _first_good(
    slot: Slot, generate: Generate, check: Check, made: Made
) -> BenchmarkQuestion | None:
    asked = {each.question for each in made.questions}
    empty = True
    for draft in islice(generate(slot), DRAFTS):
        empty = False
        checked = draft if isinstance(draft, str) else check(draft, slot)
        if isinstance(checked, str):
            made.rejected[checked] += 1
        elif checked.question in asked:
            made.rejected["asked already"] += 1
        else:
            return checked
    if empty:
        made.rejected["nothing to ask"] += 1
    return None
