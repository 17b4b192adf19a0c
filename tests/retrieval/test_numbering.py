"""Pages by the numbers printed on them."""

from __future__ import annotations

from memory_index import DictEncoder, MemoryIndex, NamesOf, Spec

from brit.retrieval.numbering import find_offset, referred_pages
from brit.retrieval.places import read_places
from brit.retrieval.query import read_question

FEET = [(page, f"Version 1.3 | May 2016 | {page - 3}") for page in range(4, 10)]


def pages_named(question: str, lines: list[tuple[int, str]], last: int = 9) -> dict[int, float]:
    passages = {f"p{page}": ("text", page) for page in range(1, last + 1)}
    index = MemoryIndex(Spec(passages=passages, running_lines=lines), DictEncoder({}, 2))
    query = read_question(index, question, NamesOf(), ())
    found = referred_pages(index, query, read_places(index), ["doc"])
    return {page: share for (_, page), share in found.items()}


def test_numbers_that_run_with_the_pages() -> None:
    assert find_offset(FEET) == -3
    # Page 1 of the file is page 6981 of the volume.
    assert find_offset([(page, str(6980 + page)) for page in range(1, 5)]) == 6980


def test_other_numbers_are_none() -> None:
    assert find_offset([]) == 0
    assert find_offset([(page, "Annual report 2019") for page in range(1, 9)]) == 0
    assert find_offset([(1, "2"), (2, "3")]) == 0  # two pages agree: too few
    assert find_offset([(page, f"3.{page} of 1,{page}") for page in range(1, 9)]) == 0


def test_the_printed_number_first_then_the_place_in_the_file() -> None:
    assert pages_named("What stands on page 2?", FEET) == {5: 1.0, 2: 0.5}
    assert pages_named("What stands on page 2?", []) == {2: 1.0}
    # Page 8 would be the 11th of 9.
    assert pages_named("What stands on page 8?", FEET) == {8: 1.0}


def test_first_and_last_are_places_in_the_file() -> None:
    assert pages_named("Who is on the cover?", FEET) == {1: 1.0}
    assert pages_named("What is on the last page?", FEET) == {9: 1.0}


def test_a_page_that_is_not_there() -> None:
    assert pages_named("What stands on page 70?", FEET) == {}
