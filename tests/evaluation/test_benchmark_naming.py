"""Imaginary names, and the pairs of questions made with them."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from brit.evaluation.benchmark.naming import NO_PHRASE, invent_names, make_pairs
from brit.evaluation.benchmark.records import BenchmarkQuestion

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
