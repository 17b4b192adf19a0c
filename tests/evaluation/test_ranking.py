"""Rankings worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from brit.evaluation.ranking import RowIndex, WordIndex, fuse_ranks
from brit.types import FloatArray


def rows(*lines: list[float]) -> FloatArray:
    return np.array(lines, dtype=np.float32)


def test_an_id_scores_as_its_best_row() -> None:
    index = RowIndex(["a", "b", "c"], rows([1, 0, 0, 0], [0, 1, 0.5, 0], [0, 0.2, 0.9, 0]))
    east, north = rows([1, 0], [0, 1])
    ranked = index.search(np.stack([east, north]), 2)
    assert [[id for id, _ in line] for line in ranked] == [["a", "c"], ["b", "c"]]
    assert [score for _, score in ranked[0]] == pytest.approx([1.0, 0.9])
    assert [id for id, _ in index.search(east[None], 9, ["b", "c", "x"])[0]] == ["c", "b"]
    assert index.search(east[None], 9, []) == [[]]
    assert RowIndex([], rows([])).search(east[None], 3) == [[]]


def test_bm25_knows_only_its_own_texts() -> None:
    index = WordIndex({1: "the pump turns", 2: "a valve and a pump", 3: "roses"})
    assert [key for key, _ in index.ranked("Which valve?")] == [2]
    # Both hold one «pump»; the shorter text weighs it more.
    assert [key for key, _ in index.ranked("pump")] == [1, 2]
    assert index.ranked("tulips") == []
    assert WordIndex({1: ""}).ranked("pump") == []
    assert WordIndex({1: "the of"}).ranked("the") == []


def test_reciprocal_ranks_are_summed() -> None:
    fused = fuse_ranks([["a", "b", "c"], ["b", "d"]])
    assert [key for key, _ in fused] == ["b", "a", "d", "c"]
    assert fused[0][1] == pytest.approx(1 / 62 + 1 / 61)
