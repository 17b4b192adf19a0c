"""Texts cut into claims: by sentence and clause, and by a model over real HTTP."""

import json

import pytest

from brit.errors import MalformedReply
from brit.types import NamedObject
from brit.verification.claims import ask_claims, cut_claims, read_claim
from tests.verification.conftest import connect, name_phrases

ANSWER = (
    "The documents say:\n\n- “The Nimbus 40 weighs 12.5 kg.” [1]\n- “Dr. Brandt built it.” [2][3]\n"
    "Is that enough? It holds 3 l of water, and it runs on 230 V [1]. Picture 2 shows the pump."
)


def cut(text, of_picture=False):
    return cut_claims(text, name_phrases, of_picture=of_picture)


def test_sentences_and_clauses_without_markers_quotes_and_headings():
    claims = cut(ANSWER)
    assert [claim.text for claim in claims] == [
        "The Nimbus 40 weighs 12.5 kg.",
        "Dr. Brandt built it.",
        "It holds 3 l of water",
        "it runs on 230 V.",
        "Picture 2 shows the pump.",
    ]
    assert [ANSWER[claim.start : claim.end] for claim in claims[2:4]] == [
        "It holds 3 l of water, and it runs on 230 V [1]."
    ] * 2
    assert claims[0].aspects == ("fact",)
    assert claims[4].aspects == ("object", "fact")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  \n",
        "Not found in these documents.",
        "Why?",
        "The documents say:",
        "[1]",
        "…",
        "- Picture: (pump.pdf, page 3) [4]",
    ],
)
def test_what_states_nothing_is_no_claim(text):
    assert cut(text) == []


def test_the_source_of_a_quoted_caption_is_no_claim():
    (claim,) = cut("- Bild: „Das offene Ventil der Pumpe“ (pump.pdf, Seite 3) [4]")
    assert claim.text == "Das offene Ventil der Pumpe"


@pytest.mark.parametrize(
    ("line", "claim"),
    [
        ("- “Battery: 850 CCA” (a_data sheet.pdf, page 1)", "Battery: 850 CCA"),
        ("- “Die Batterie hat 850 A.” (Wiki)", "Die Batterie hat 850 A."),
        ("- Radius 3 m; Capacity: 640 kg (loads.pdf, page 3)", "Radius 3 m; Capacity: 640 kg"),
        ("- The raft carries 3,040 lb (1 380 kg).", "The raft carries 3,040 lb (1 380 kg)."),
    ],
)
def test_where_a_quotation_is_from_is_no_claim(line, claim):
    assert "; ".join(each.text for each in cut(line)) == claim


@pytest.mark.parametrize(
    ("text", "aspects", "objects", "quotes"),
    [
        ("There are two black cats.", ("object", "attribute"), [("cats", 2, "black")], ()),
        ("The umbrella is green.", ("object", "attribute"), [("umbrella", None, "green")], ()),
        ("There is no dog.", ("object",), [("dog", 0, "")], ()),
        ("The sign reads 'Hello World'.", ("scene-text",), [], ("Hello World",)),
        ("The label says “230 V”.", ("scene-text",), [], ("230 V",)),
        ("The boy is running.", ("object", "attribute"), [("boy", None, "")], ()),
    ],
)
def test_aspects_of_claims_about_a_picture(text, aspects, objects, quotes):
    claim = read_claim(text, name_phrases, of_picture=True)
    assert claim.aspects == aspects
    assert [(o.name, o.count, o.colour) for o in claim.objects] == objects
    assert claim.quotes == quotes


def test_a_model_cuts_by_schema(serve):
    item = {"sentence": 2, "claim": "The Nimbus 40 holds 3 l.", "aspects": ["fact"], "quotes": [],
            "objects": [{"name": "tank", "count": 1, "colour": "Red"}]}  # fmt: skip
    lost = {**item, "sentence": 9, "claim": "It names no sentence of the text."}
    server = serve(replies=[json.dumps({"claims": [item, lost]})])
    text = "It weighs 12 kg. It holds 3 l."
    (claim,) = ask_claims(text, connect(server), "image-to-text")
    assert text[claim.start : claim.end] == "It holds 3 l."
    assert claim.objects == (NamedObject("tank", 1, "red"),)
    assert server.requests[0]["response_format"]["type"] == "json_schema"
    assert "1. It weighs 12 kg.\n2. It holds 3 l." in server.requests[0]["messages"][-1]["content"]


def test_a_model_that_cuts_nothing_is_an_error(serve):
    with pytest.raises(MalformedReply, match="no claims"):
        ask_claims("It weighs 12 kg.", connect(serve(replies=['{"claims": []}'])), "image-to-text")
    server = serve()
    assert ask_claims("The documents say:", connect(server), "image-to-text") == []
    assert server.requests == []
