"""Slots → drafts → questions that hold, with the count of what was dropped and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from brit.evaluation.benchmark.material import Material
from brit.evaluation.benchmark.records import BenchmarkQuestion, Source
from brit.evaluation.benchmark.sampling import Slot, draw_slots
from brit.evaluation.benchmark.validation import Reason
from brit.evaluation.questions import Kind
from brit.types import OnProgress, Progress, no_progress

DRAFTS = 8
"""At most looked at for one slot."""
Draft = BenchmarkQuestion | Reason
Generate = Callable[[Slot], Iterator[Draft]]
Check = Callable[[BenchmarkQuestion, Slot], Draft]
"""The draft, perhaps asked otherwise, or why it is dropped."""


@dataclass
class Made:
    """Questions so far, and dropped drafts by reason."""

    questions: list[BenchmarkQuestion] = field(default_factory=list)
    rejected: Counter[str] = field(default_factory=Counter)


def make_questions(
    documents: Sequence[Material],
    generate: Generate,
    check: Check,
    *,
    wanted: Mapping[tuple[Kind, Source], int],
    seed: int,
    on_progress: OnProgress = no_progress,
    cancelled: Callable[[], bool] = lambda: False,
) -> Made:
    """At most as many questions of each type and source as `wanted`; fewer where the documents do
    not give them. Stopped by `cancelled`, what was made until then."""
    made, left, count = Made(), dict(wanted), sum(wanted.values())
    for slot in draw_slots(documents, seed):
        if not any(left.values()) or cancelled():
            break
        if left.get((slot.type, slot.source)):
            on_progress(Progress("making questions", len(made.questions), count))
            if question := _first_good(slot, generate, check, made):
                made.questions.append(question)
                left[slot.type, slot.source] -= 1
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
