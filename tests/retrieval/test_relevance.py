"""When nothing found seems to be about the question."""

from __future__ import annotations

import pytest

from brit.retrieval.relevance import coverage, is_low, standing_out
from brit.retrieval.stopwords import keywords


def test_keywords_leave_out_how_a_question_is_put() -> None:
    assert (
        keywords("How many people are there on the bridge of Trieste?") == "people bridge Trieste"
    )
    assert keywords("Wie viele Brücken hat die Stadt?") == "Brücken Stadt"
    assert keywords("What is the IT budget of the US-branch?") == "IT budget US-branch"
    assert keywords("What is it?") == "What is it"


def test_the_share_of_the_questions_words_in_one_text() -> None:
    # «people», «bridge», «Trieste»: two of three in the second text, «bridges» like «bridge».
    texts = ["A bridge.", "The bridges of Trieste", "people"]
    assert coverage("How many people are on the bridge of Trieste?", texts) == pytest.approx(2 / 3)
    assert coverage("", texts) == 0
    assert coverage("bridge", []) == 0


def test_scripts_without_spaces_are_compared_by_pairs_of_signs() -> None:
    assert coverage("雷达画像", ["激光雷达"]) == pytest.approx(1 / 3)


def test_standing_out_counts_standard_deviations() -> None:
    # Mean 2, standard deviation 4 (population), best 10.
    assert standing_out(dict.fromkeys("abcd", 0.0) | {"e": 10.0}) == pytest.approx(2)
    assert standing_out({"a": 0.5}) == 0
    assert standing_out({}) == 0


def test_low_needs_both() -> None:
    flat = dict.fromkeys("abcdefgh", 0.5)
    outlier = {str(n): 0.5 for n in range(20)} | {"best": 0.9}
    assert is_low("inflation forecasts", ["lemon trees"], flat)
    assert not is_low("inflation forecasts", ["lemon trees"], outlier)
    assert not is_low("lemon forecasts", ["lemon trees"], flat)
