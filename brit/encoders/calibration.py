"""How `same_entity` of an encoder is found: names that mean one thing against names that do not.

The pairs stand in a file of lines "kind, tab, variants separated by « | »"; "de:" marks German.
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np

from brit.models import TextEncoder
from brit.types import FloatArray

Pair = tuple[str, str]


def load_pairs(file: Path, german: bool, every: int = 1) -> tuple[list[Pair], list[Pair]]:
    """→ (pairs of one thing, pairs of different things of one kind), of one line in `every`."""
    kinds: dict[str, list[list[str]]] = {}
    text = file.read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    for line in lines[::every]:
        kind, names = line.split("\t")
        variants = [name for name in names.split(" | ") if german or not name.startswith("de:")]
        kinds.setdefault(kind, []).append([name.removeprefix("de:") for name in variants])
    same = [
        pair for things in kinds.values() for names in things for pair in combinations(names, 2)
    ]
    different = [
        (one[0], other[-1]) for things in kinds.values() for one, other in combinations(things, 2)
    ]
    return same, different


def cosines(encoder: TextEncoder, pairs: list[Pair]) -> FloatArray:
    """(n,) of the first name as a query, the second as a passage: as a question meets a node."""
    firsts, seconds = (
        {name: i for i, name in enumerate(dict.fromkeys(side))} for side in zip(*pairs, strict=True)
    )
    asked = encoder.encode_texts(list(firsts), role="query")
    stored = encoder.encode_texts(list(seconds))
    rows = asked[[firsts[first] for first, _ in pairs]] * stored[[seconds[one] for _, one in pairs]]
    return np.asarray(rows.sum(axis=1), dtype=np.float32)


def f1(same: FloatArray, different: FloatArray, threshold: float) -> float:
    """Harmonic mean of precision and recall of « cosine above threshold »."""
    hits, wrong = int((same > threshold).sum()), int((different > threshold).sum())
    return 2 * hits / (hits + wrong + len(same))


def best_threshold(same: FloatArray, different: FloatArray) -> tuple[float, float]:
    """→ (threshold, F1) in steps of 0.005; the middle of the range where F1 is best."""
    steps = np.arange(0.3, 1.0, 0.005)
    scores = np.array([f1(same, different, step) for step in steps])
    best = steps[scores > scores.max() - 1e-9]
    return float(best.mean()), float(scores.max())
