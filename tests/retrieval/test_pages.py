"""Ranking pages by all their words."""

from __future__ import annotations

import math

import pytest

from brit.retrieval.pages import word_scores
from brit.retrieval.terms import terms


def test_terms_are_the_first_letters_of_words_that_mean_something() -> None:
    assert terms("How was the Temperature measured?") == ["temper", "measur"]
    assert terms("激光雷达 V2") == ["激光", "光雷", "雷达", "v2"]


def test_bm25_of_words_and_pairs_over_these_texts() -> None:
    # «pump» stands in both texts: ln(1 + 0.5 / 2.5); «blue» and the pair «blue pump» in one:
    # ln 2. Both have three terms, so a count of 1 weighs 2.2 / 2.2.
    scores = word_scores("Is the blue pump on?", ["a blue pump leaks", "pump and valve and seal"])
    common = math.log(1.2)
    assert scores == pytest.approx([common + 2 * math.log(2), common])


def test_words_in_another_order_are_no_pair() -> None:
    scores = word_scores("net income", ["net income rose", "income tax net"])
    assert scores[0] - scores[1] == pytest.approx(math.log(2))


def test_nothing_to_score() -> None:
    assert word_scores("pump", []).tolist() == []
    assert word_scores("what is it?", ["a pump"]).tolist() == [0.0]
    assert word_scores("pump", ["", "valve"]).tolist() == [0.0, 0.0]
