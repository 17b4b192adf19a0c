"""How a free answer counts: the published rules of MMLongBench-Doc (Ma et al. 2024), written anew.

Int: equal. Float: equal within 1 %, also as a percentage or a fraction of it. Str: ANLS, or exact
where a near miss is a miss (addresses, pages, phone numbers, times, dates). List: as many elements,
sorted, and the worst of them counts. « Not answerable » is an answer like any other.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

NOT_ANSWERABLE = "Not answerable"
MIN_ANLS = 0.5
TOLERANCE = 0.01
_BRACKETS = re.compile(r"\s*\([^)]*\)|[\[\]{}]")
_QUOTES = re.compile("[\"'`“”‘’«»]")
_EXACT = re.compile(
    r"https?://|www\.|\.(?:py|ipynb)$|^pages?\b|^p\.?\s?\d+$"  # addresses, files, pages
    r"|^[\w.+-]+@[\w-]+\.[\w.-]+$"
    r"|^\+?\d+(?:[- ]\d+)*$"  # phone numbers, and what else is digits only
    r"|\b[ap]\.?m\b|^\d{1,2}:\d\d"
    r"|^\d{4}[-/ ]\d{1,2}(?:[-/ ]\d{1,2})?$"
)
_NUMBER = re.compile(r"[-+]?\d+(?:,\d{3})*(?:\.\d+)?|[-+]?\.\d+")


@dataclass(frozen=True)
class Graded:
    """The score of an answer (0 to 1), whether the question can be answered, and whether that was
    denied."""

    score: float
    answerable: bool
    declined: bool


def grade(answer: str, given: str, format: str) -> Graded:
    """`answer` is the right one; `format`: Int, Float, Str, List or None (not answerable)."""
    return Graded(score_answer(answer, given, format), not declines(answer), declines(given))


def declines(answer: str) -> bool:
    return clean(answer) == NOT_ANSWERABLE.lower()


def score_answer(answer: str, given: str, format: str) -> float:
    """1 for the right answer, 0 for a wrong one, between them for a string that is nearly right."""
    if format == "Int":
        return float(_number(answer) is not None and _number(answer) == _whole(given))
    if format == "Float":
        return float(_near(_number(answer), _number(given)))
    if format == "List":
        return _score_list(_elements(answer), _elements(given))
    return _score_string(clean(answer), clean(given))


def clean(text: str) -> str:
    """Small letters, without what stands in brackets, without quotes, $ and %."""
    bare = _QUOTES.sub("", _BRACKETS.sub("", text.lower())).strip()
    return " ".join(bare.strip("$%.").split())


def anls(one: str, other: str) -> float:
    """1 − Levenshtein distance over the longer length (Biten et al. 2019); 0 up to 0.5."""
    longer = max(len(one), len(other))
    value = 1 - distance(one, other) / longer if longer else 1.0
    return value if value > MIN_ANLS else 0.0


def distance(one: str, other: str) -> int:
    """Letters to be put in, taken out or changed (Levenshtein 1966)."""
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, start=1):
        above, row[0] = row[0], at
        for column, against in enumerate(other, start=1):
            changed = above + (letter != against)
            above = row[column]
            row[column] = min(changed, above + 1, row[column - 1] + 1)
    return row[-1]


def f1(graded: Sequence[Graded]) -> float:
    """Harmonic mean of the mean score over the questions that can be answered (recall) and of their
    scores over all that were not declined (precision); 0 where there is nothing to divide by."""
    able = [each for each in graded if each.answerable]
    given = [each for each in graded if not each.declined]
    # Of S / A and S / G the harmonic mean is 2 S / (A + G).
    both = len(able) + len(given)
    return 2 * sum(each.score for each in able) / both if both else 0.0


def _score_string(answer: str, given: str) -> float:
    if _EXACT.search(answer) or _is_number(answer):
        return float(answer == given)
    return anls(answer, given)


def _score_list(answer: Sequence[str], given: Sequence[str]) -> float:
    if not answer or len(answer) != len(given):
        return 0.0
    return min(_score_string(*pair) for pair in zip(sorted(answer), sorted(given), strict=True))


def _elements(text: str) -> list[str]:
    """Of a list as Python or JSON writes it; anything else is a list of one."""
    try:
        read = ast.literal_eval(text.strip()) if text.strip().startswith("[") else [text]
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        read = text.strip(" []").split(",")
    return [clean(str(each)) for each in read]


def _is_number(text: str) -> bool:
    return _number(text) is not None


def _number(text: str) -> float | None:
    """None for what is more than a number."""
    bare = clean(text).replace(",", "")
    return float(bare) if _NUMBER.fullmatch(bare) else None


def _whole(text: str) -> float | None:
    number = _number(text)
    return None if number is None else float(math.trunc(number))


def _near(answer: float | None, given: float | None) -> bool:
    if answer is None or given is None:
        return False
    meant = (answer / 100, answer, answer * 100)
    return any(math.isclose(each, given, rel_tol=TOLERANCE) for each in meant)


# --- from what was said to what is meant ---

_COUNTED = re.compile(
    r"\bhow (?:many|much)\b|\b(?:number|percentage|percent|proportion|ratio|sum|total)\b"
    r"|\b(?:which|what) year\b",
    re.IGNORECASE,
)
_CITED = re.compile(r"\s*[\[(][^\])]*[\])]\s*$")


def short_answer(question: str, said: str) -> str:
    """What an answer that quotes comes to, by rules alone: the first number of the first line
    quoted where a number is asked for, else that line without marks and source."""
    lines = [line[2:] for line in said.splitlines() if line.startswith("- ")]
    line = _QUOTES.sub("", _CITED.sub("", lines[0])).strip() if lines else said.strip()
    found = _NUMBER.search(line) if _COUNTED.search(question) else None
    return found[0] if found else line
