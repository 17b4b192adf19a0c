"""Imaginary names, and the pairs of questions made with them."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from brit.errors import InputError
from brit.evaluation.benchmark.by_hand import (
    KNOWN_NAME,
    NO_DOCUMENT,
    NO_IMAGE,
    HandPair,
    name_by_hand,
    read_pairs,
)
from brit.evaluation.benchmark.naming import NO_PHRASE, invent_names, make_pairs
from brit.evaluation.benchmark.records import BenchmarkQuestion
from tests.evaluation.benchmark_makers import material

QUESTION = BenchmarkQuestion(
    id="a", doc="d.pdf", type="image-image", source="picture", made_by="embedded", image="i",
    image_hash="h", question="Which colour has the ferry with two masts?", answer="red",
    phrase="ferry with two masts", image_name="a.png",
)  # fmt: skip


def test_names_are_new_and_a_seed_repeats() -> None:
    first = list(islice(invent_names(set(), 7), 200))
    assert len(set(first)) == 200
    assert first == list(islice(invent_names(set(), 7), 200))
    known = {first[0].lower(), f"x{first[1].lower()}x", first[2].lower()[1:6]}
    rest = list(islice(invent_names(known, 7), 197))
    assert not {*first[:3]} & {*rest}
    assert set(rest) <= {*first, *rest}


def test_a_pair_differs_by_the_name_alone_and_the_sentence_relates_it() -> None:
    named = make_pairs([QUESTION], set(), 0)
    without, with_name = named.questions
    assert without.question == QUESTION.question
    assert (without.pair, with_name.pair, without.named, with_name.named) == ("a", "a", False, True)
    name = with_name.question.removeprefix("Which colour has ").removesuffix("?")
    assert "ferry" not in with_name.question
    assert named.sentences == {"i": f"{name} is the ferry with two masts."}
    assert without.id != with_name.id


def test_what_has_no_phrase_or_a_named_image_is_dropped_and_counted() -> None:
    gone = replace(QUESTION, id="b", image="j", phrase="no such words")
    none = replace(QUESTION, id="c", image="k", phrase="")
    twice = replace(QUESTION, id="d", image="l", phrase="e")
    again = replace(QUESTION, id="e")
    named = make_pairs([QUESTION, gone, none, twice, again], set(), 0)
    assert len(named.questions) == 2
    assert named.rejected == {NO_PHRASE: 3, "its image has a name already": 1}


PAIR = HandPair(
    "ferries.pdf", 1, (0, 0, 90, 100), "What floats behind the wooden jetty?", "wooden jetty",
    "Dremorvus", "Dremorvus is the wooden jetty.",
)  # fmt: skip
THE_PAIRS = Path(__file__).parents[2] / "benchmarks" / "named_pairs.jsonl"


def test_pairs_made_by_hand_find_their_picture_by_its_place() -> None:
    small = replace(PAIR, bbox=(0, 0, 50, 50))  # a quarter of the picture: IoU 0.25
    others = (
        replace(PAIR, doc="gone.pdf"), replace(PAIR, page=2), small,
        replace(PAIR, name="Ferryland", sentence="Ferryland is the wooden jetty."),
        replace(PAIR, question="What floats?"),
    )  # fmt: skip
    one = replace(material(), images=material().images[:1])
    named = name_by_hand([PAIR, *others], [one], {"ferry"})
    without, with_name = named.questions
    assert without.question == PAIR.question
    assert with_name.question == "What floats behind Dremorvus?"
    assert {each.image for each in named.questions} == {"a"}
    assert {each.made_by for each in named.questions} == {"hand"}
    assert named.sentences == {"a": PAIR.sentence}
    assert named.rejected == {
        NO_DOCUMENT: 1, NO_IMAGE: 2, KNOWN_NAME: 1, "its image has a name already": 1,
    }  # fmt: skip


def test_our_own_pairs_are_whole_and_their_names_differ() -> None:
    pairs = read_pairs(THE_PAIRS)
    assert len(pairs) >= 20
    assert len({each.name for each in pairs}) == len(pairs)
    for each in pairs:
        assert each.question.count(each.phrase) == 1
        assert each.name not in each.question


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"page": 0}, "page"),
        ({"sentence": "It is a name."}, "name and the phrase"),
        ({"x": 1}, "x"),
    ],
)
def test_a_line_that_is_no_pair_is_named(
    tmp_path: Path, changes: dict[str, object], said: str
) -> None:
    path = tmp_path / "pairs.jsonl"
    whole = {**PAIR.__dict__, **changes}
    whole = {key: value for key, value in whole.items() if not key.startswith("__")}
    path.write_text("\n" + json.dumps(whole))
    with pytest.raises(InputError, match=rf"Line 2 .*{said}"):
        read_pairs(path)
