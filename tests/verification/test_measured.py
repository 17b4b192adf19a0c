"""Numbers of a text beside labels of a picture; the numbers of a leaflet drawn for this test."""

import pytest
from PIL import Image

from brit.types import (
    Claim,
    Finding,
    Retrieval,
    RetrievalTrace,
    RetrievedPassage,
    RetrievedTriplet,
)
from brit.verification.facts import check_fact, is_related
from brit.verification.layout import blocks
from brit.verification.quantities import quantities
from brit.verification.subjects import stated, with_subjects
from brit.verification.tools import KnowledgeTool
from brit.verification.verify import Sights, verify_text


def line(text, left, top, right, bottom):
    return Finding("scene-text", text, (left, top, right, bottom), 0)


LEAFLET = (
    line("Tarvik", 0.08, 0.10, 0.30, 0.14),
    line("Works at three hundred metres, launched by one person.", 0.08, 0.17, 0.90, 0.19),
    line("300 m", 0.09, 0.83, 0.23, 0.87),
    line("9.4 h", 0.38, 0.83, 0.49, 0.87),
    line("8,7 kg", 0.66, 0.83, 0.80, 0.87),
    line("depth rating", 0.09, 0.88, 0.19, 0.90),
    line("on one charge", 0.38, 0.88, 0.49, 0.90),
    line("ready to dive", 0.66, 0.88, 0.77, 0.90),
)


class Read:
    name = "scene text"
    kinds = frozenset(("scene-text",))

    def __init__(self, lines):
        self.lines = list(lines)

    def look(self, *_asked):
        return self.lines


def check(text, lines, name_phrases):
    """A text about the one picture that these lines are read in."""
    return verify_text(
        text, mode="image-to-text", tools=[Read(lines)], name_phrases=name_phrases,
        sights=Sights([Image.new("RGB", (8, 8))], ids=["leaflet"]),
    )  # fmt: skip


def phrases(text):
    return [text.removeprefix("The ").split()[0]] if text.startswith("The ") else []


def verdict(text, lines=LEAFLET, name_phrases=phrases):
    done = check(text, lines, name_phrases)
    last = done.verdicts[-1]
    return last.support, last.reason, [done.findings[i].text for i in last.evidence]


@pytest.mark.parametrize(
    ("claim", "support", "evidence"),
    [
        ("It weighs 8.7 kg.", "supported", "8,7 kg"),
        ("It weighs 8700 g.", "supported", "8,7 kg"),
        ("It weighs 12 kg.", "contradicted", "8,7 kg"),
        ("It dives to 300 m.", "supported", "300 m"),
        ("It dives to 0.3 km.", "supported", "300 m"),
        ("It dives to 500 m.", "contradicted", "300 m"),
        ("It has a depth rating of 500 m.", "contradicted", "300 m"),
        ("It is launched by 1 person.", "supported", LEAFLET[1].text),
        ("It is launched by two people.", "contradicted", LEAFLET[1].text),
        # Whether it runs, it does not say.
        ("It runs 9.4 hours on one charge.", "unverifiable", "9.4 h"),
        # Nothing there measures these.
        ("It carries a camera of 2 kg.", "unverifiable", None),
        ("It is 2 m long.", "unverifiable", None),
        ("It was built by 14 people.", "unverifiable", None),
        ("The launched works carry 14 people.", "unverifiable", None),
    ],
)
def test_a_claim_beside_labels(claim, support, evidence):
    found, reason, texts = verdict(f"The Tarvik works. {claim}")
    assert (found, reason) == (support, reason)
    assert evidence is None or evidence in texts


def test_a_contradiction_gives_both_values():
    _, reason, texts = verdict("The Tarvik works. It dives to 500 m.")
    assert all(said in reason for said in ("500 m", "300 m depth rating"))
    assert texts == ["300 m", "depth rating"]
    _, reason, _ = verdict("The Tarvik works. It is launched by two people.")
    assert all(said in reason for said in ("two people", "one person"))


@pytest.mark.parametrize("label", ["payload", "lifting capacity", "of 20 kg at most"])
def test_another_mass_is_not_the_weight(label):
    lines = (*LEAFLET[:4], LEAFLET[4], line(label, 0.66, 0.88, 0.77, 0.90))
    assert verdict("The Tarvik works. It weighs 12 kg.", lines)[0] == "unverifiable"


def test_what_is_said_of_another_thing_is_no_contradiction():
    assert verdict("The Nimbus works. It dives to 500 m.")[0] == "unverifiable"
    assert verdict("The battery is new. It weighs 2 kg.")[0] == "unverifiable"


def test_lines_under_one_another_belong_together():
    assert list(blocks(LEAFLET, 0)) == [(0,), (1,), (2, 5), (3, 6), (4, 7)]
    assert list(blocks(LEAFLET, 1)) == []


def test_a_counted_noun_needs_no_detector():
    done = check("It is launched by two people.", LEAFLET, lambda _: ["two people"])
    (only,) = done.verdicts
    assert [each.aspect for each in only.checks] == ["object", "fact"]
    assert only.support == "contradicted"


def test_what_it_stands_for():
    told = [Claim(each) for each in ("The Tarvik dives.", "It weighs 8 kg.", "Its lamp glows.")]
    said = [stated(each) for each in with_subjects(told, phrases)]
    assert said[1:] == ["The Tarvik weighs 8 kg.", "The Tarvik lamp glows."]
    alone = with_subjects(told[1:], phrases)
    assert [stated(each) for each in alone] == [each.text for each in told[1:]]


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [("three hundred metres", 300.0, "length"), ("3 hundred kilograms", 300.0, "mass"),
     ("two people", 2.0, "person"), ("1 person", 1.0, "person")],
)  # fmt: skip
def test_spelled_hundreds_and_people(text, value, kind):
    (found,) = quantities(text)
    assert (found.values, found.kind) == ((value,), kind)


def test_unrelated_knowledge_is_left_out():
    def passage(text, id):
        return RetrievedPassage("lifting.pdf", 3, None, text, 1.0, id)

    kept = (passage("The Tarvik was built in Lind.", "a"),
            passage("Two people launched the raft at dawn.", "b"))  # fmt: skip
    other = (passage("LIFTING CAPACITY 5 m 8.7 kg, weighs 500 m over front", "c"),
             passage("Excavator with people on it", "d"))  # fmt: skip
    retrieval = Retrieval("?", "default", "e", (), False, (), (), kept + other, (), 7, {},
                          RetrievalTrace())  # fmt: skip
    told = ("The Tarvik dives.", "It weighs 8.7 kg.", "It is launched by two people.")
    claims = list(with_subjects([Claim(each) for each in told], phrases))
    related = KnowledgeTool(retrieval, related_only=True).look(claims, ())
    assert [each.source for each in related] == ["a", "b"]
    assert len(KnowledgeTool(retrieval).look(claims, ())) == 4
    assert is_related(claims[0], Finding("passage", "Depth", subject="tarvik.pdf Tarvik"))


def test_a_quoted_sentence_that_only_a_triplet_was_read_from_is_evidence():
    triplet = RetrievedTriplet("Battery", "is", "850 CCA", 1.0, "a.pdf", 1, "Battery: 850 CCA")
    retrieval = Retrieval("?", "default", "e", (), False, (triplet,), (), (), (), 7, {},
                          RetrievalTrace())  # fmt: skip
    found = KnowledgeTool(retrieval).look((), ())
    assert [(each.kind, each.text) for each in found] == [
        ("passage", "Battery: 850 CCA"), ("triplet", "Battery is 850 CCA."),
    ]  # fmt: skip
    assert check_fact(Claim("Battery: 850 CCA"), found).support == "supported"
