"""How far what BRIT thinks of a retrieval agrees with whether it found what was to be found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from brit.evaluation.benchmark.report import RECALL
from brit.evaluation.benchmark.running import Result, Run

Scored = Literal["top", "match"]
WIDTH = 0.1


@dataclass(frozen=True)
class Bin:
    """Questions of a score from `low` to `low` + 0.1, and the share of them of which the evidence
    was found."""

    low: float
    questions: int
    recall: float


def calibrate(run: Run, method: str, by: Scored) -> list[Bin]:
    """By the score of the first picture (`top`), or by the highest cosine that the threshold of
    pruning (§3.2) is laid on (`match`), lowest first; empty for methods without one."""
    bins: dict[int, list[float]] = {}
    for result in _of(run, method):
        if (score := result.measures.get(by)) is not None:
            # Cosines of equal names are 1 but for rounding.
            at = min(max(int((score + 1e-6) / WIDTH), 0), int(1 / WIDTH) - 1)
            bins.setdefault(at, []).append(found(result))
    return [Bin(at * WIDTH, len(hits), sum(hits) / len(hits)) for at, hits in sorted(bins.items())]


def by_relevance(run: Run, method: str) -> dict[bool, list[float]]:
    """Whether a retrieval was marked as hardly relevant → 1 for each question whose evidence was
    found, else 0."""
    groups: dict[bool, list[float]] = {False: [], True: []}
    for result in _of(run, method):
        if (low := result.measures.get("low_relevance")) is not None:
            groups[bool(low)].append(found(result))
    return groups


def found(result: Result) -> float:
    return float(any(result.measures.get(measure) for measure in RECALL))


def _of(run: Run, method: str) -> Iterable[Result]:
    """Those that a recall was measured of."""
    return (
        each for each in run.results
        if each.method == method and any(measure in each.measures for measure in RECALL)
    )  # fmt: skip
