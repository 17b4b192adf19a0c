"""Free answers against MMLongBench-Doc's published rules, by values worked out by hand."""

from __future__ import annotations

import pytest

from brit.evaluation.answers import (
    Graded,
    anls,
    declines,
    distance,
    f1,
    grade,
    score_answer,
    short_answer,
)
from brit.evaluation.bootstrap import bootstrap_ratio


@pytest.mark.parametrize(
    ("one", "other", "steps"),
    [("kitten", "sitting", 3), ("saturday", "sunday", 3), ("flaw", "lawn", 2), ("", "abc", 3),
     ("same", "same", 0)],
)  # fmt: skip
def test_the_distances_of_textbooks(one: str, other: str, steps: int) -> None:
    assert distance(one, other) == distance(other, one) == steps


def test_anls_is_nothing_up_to_a_half() -> None:
    assert anls("kitten", "sitting") == pytest.approx(4 / 7)
    assert anls("abcd", "abxy") == 0.0  # exactly a half
    assert anls("", "") == 1.0


@pytest.mark.parametrize(
    ("format", "answer", "given", "score"),
    [
        ("Int", "7", "7", 1.0),
        ("Int", "7", "7.9", 1.0),  # what is given is cut to a whole number
        ("Int", "1038", "1,038", 1.0),
        ("Int", "7", "seven", 0.0),
        ("Int", "7", "about 7", 0.0),
        ("Float", "18.29%", "0.1829", 1.0),
        ("Float", "0.45", "45%", 1.0),
        ("Float", "100", "101", 1.0),
        ("Float", "100", "101.1", 0.0),
        ("Float", "$3.91", "3.91", 1.0),
        ("Float", "12", "no number", 0.0),
        ("Str", "Eating out", "“eating out”", 1.0),
        ("Str", "Europe", "Europa", 5 / 6),
        ("Str", "Europe", "Asia", 0.0),
        ("Str", "blue (dark)", "Blue", 1.0),
        ("Str", "10:08AM", "10:09AM", 0.0),  # a time that is nearly right is wrong
        ("Str", "page 12", "page 13", 0.0),
        ("Str", "www.a.org", "www.b.org", 0.0),
        ("Str", "2023-04", "2023-05", 0.0),
        ("Str", "1-800-555", "1-800-556", 0.0),
        ("List", "['gray', 'red']", "[\"red\", \"gray\"]", 1.0),
        ("List", "['gray', 'red']", "['gray', 'rod']", 2 / 3),  # the worst counts
        ("List", "['gray', 'red']", "['gray']", 0.0),
        ("List", "['90%', '42%']", "['42', '90']", 1.0),
        ("List", "['3', '4']", "['3', '5']", 0.0),
        ("List", "['3', '4']", "[3, 4", 1.0),  # broken, but plain
        ("None", "Not answerable", "not answerable.", 1.0),
        ("None", "Not answerable", "42", 0.0),
    ],
)  # fmt: skip
def test_an_answer_counts_by_its_format(format: str, answer: str, given: str, score: float) -> None:
    assert score_answer(answer, given, format) == pytest.approx(score)


def test_f1_is_the_harmonic_mean_of_recall_and_precision() -> None:
    graded = [
        grade("7", "7", "Int"),
        grade("8", "9", "Int"),
        grade("Europe", "Not answerable", "Str"),
        grade("Not answerable", "Not answerable", "None"),
        grade("Not answerable", "Asia", "None"),
    ]
    assert [each.declined for each in graded] == [False, False, True, True, False]
    # Recall 1 of 3 that can be answered, precision 1 of 3 that were answered.
    assert f1(graded) == pytest.approx(1 / 3)
    assert f1([Graded(1.0, False, True)]) == f1([]) == 0.0
    assert declines("“Not answerable”.")


def test_a_ratio_is_that_of_the_sums() -> None:
    interval = bootstrap_ratio([1, 0, 1], [2, 1, 1])
    assert interval.mean == 0.5
    assert 0 <= interval.low <= interval.mean <= interval.high <= 1
    assert bootstrap_ratio([0.0], [0.0]).mean == 0.0


@pytest.mark.parametrize(
    ("question", "short"),
    [("How many ferries are there?", "12"), ("What was counted?", "In 12 harbours 3 ferries lay")],
)
def test_a_quotation_comes_to_its_number_or_its_line(question: str, short: str) -> None:
    said = "The documents say:\n\n- “In 12 harbours 3 ferries lay” [2]\n- “Other” [3]\n"
    assert short_answer(question, said) == short


def test_a_comma_behind_a_number_is_none_of_it() -> None:
    assert short_answer("How many?", "- 1,815, and more [1]") == "1,815"
