"""Further rounds that a model decides on: where they lead, and what the trace tells of them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from memory_index import MemoryIndex, NamesOf, Spec
from test_paper import QUESTION, make_index

from brit.config import RetrievalConfig
from brit.encoders.hashing import HashingEncoder
from brit.errors import MalformedReply, ModelError
from brit.retrieval import retrieve
from brit.types import Retrieval, RoundChoice

MAKER = "Who made the Velo pump, and where was he born?"
BLANK = [0.0] * 128


class Decider:
    """Replies in turn, a name for its place in the list; remembers what it was asked."""

    name = "decider"

    def __init__(self, *replies: tuple[str, str] | ModelError | None) -> None:
        self.replies = list(replies)
        self.asked: list[tuple[str, list[str], list[str]]] = []

    def decide(self, question: str, found: Sequence[str], names: Sequence[str]) -> RoundChoice:
        self.asked.append((question, list(found), list(names)))
        reply = self.replies.pop(0)
        if isinstance(reply, ModelError):
            raise reply
        if reply is None:
            return RoundChoice("It is all there.")
        name, query = reply
        places = (names.index(name),) if name else ()
        return RoundChoice("The birthplace is missing.", places, query, {"prompt_tokens": 9})


@pytest.fixture(scope="module")
def index() -> MemoryIndex:
    spec = Spec(
        triplets=[
            ("Velo pump", "made by", "Aldo Orso", "pump"),
            ("Molo Audace", "stands in", "Trieste", "life"),
            ("garden", "has", "pond", "garden"),
        ],
        images={
            "portrait": ("The mechanic in his workshop", 2, BLANK),
            "pump": ("Figure 1: Velo pump", 1, BLANK),
            "cut": ("Figure 2: Velo pump, cut", 1, BLANK),
        },
        links=[
            ("pump", "Velo pump", "CA", 1.0),
            ("pump", "Molo Audace", "LP", 1.0),
            ("portrait", "Trieste", "CA", 1.0),
        ],
        passages={
            "pump": ("The Velo pump was made by Aldo Orso and moves nine litres.", 1),
            "pumps": ("Every Velo pump is tested, made and packed by hand.", 1),
            "makers": ("Who made a pump, and where, is written on the pump.", 1),
            "where": ("Where a Velo pump was made is told by its number.", 1),
            "life": ("Aldo Orso grew up beside the harbour of Trieste.", 2),
            "garden": ("The garden has a pond and forty lemon trees.", 3),
        },
    )
    return MemoryIndex(spec, HashingEncoder())


def ask(index: MemoryIndex, decider: Decider | None, **settings: object) -> Retrieval:
    config = RetrievalConfig(**{"max_rounds": 3, **settings})
    names = NamesOf("Velo pump", "Aldo Orso", "Falke")
    question = MAKER if config.preset == "default" else QUESTION
    return retrieve(index, question, extractor=names, config=config, decider=decider)


def test_one_round_asks_nobody(index) -> None:
    decider = Decider()
    found = ask(index, decider, max_rounds=1)
    assert decider.asked == []
    assert found.trace.decisions == ()
    assert "decide" not in found.timings_ms


def test_a_further_query_finds_what_the_question_does_not_name(index, monkeypatch) -> None:
    monkeypatch.setattr("brit.retrieval.search.MAX_PASSAGES", 3)
    alone = ask(index, None, max_rounds=1)
    assert "life" not in [passage.id for passage in alone.passages]
    decider = Decider(("", "Where did Aldo Orso grow up?"), None)
    found = ask(index, decider)
    assert [passage.id for passage in found.passages][:2] == [alone.passages[0].id, "life"]
    first, last = found.trace.decisions
    assert (first.round, first.by, first.query) == (2, "decider", "Where did Aldo Orso grow up?")
    assert (first.reason, first.usage) == ("The birthplace is missing.", {"prompt_tokens": 9})
    assert (last.round, last.went_on, last.reason) == (3, False, "It is all there.")
    assert found.trace.rounds == 2
    # After the round the model is told what the further query found.
    assert any("harbour of Trieste" in line for line in decider.asked[1][1])
    assert found.timings_ms["decide"] >= 0


def test_a_name_is_gone_on_from_to_its_picture_and_text(index) -> None:
    decider = Decider(("Molo Audace", ""), None)
    found = ask(index, decider, threshold=0.99)
    question, told, names = decider.asked[0]
    assert question == MAKER
    assert any(line.startswith("text: The Velo pump was made by") for line in told)
    assert any(line.startswith("picture: ") for line in told)
    assert "Velo pump" not in names  # it is in the sub-graph already
    assert found.trace.decisions[0].nodes == ("Molo Audace",)
    assert found.passages[1].id == "life"
    assert "Molo Audace" in {prize.label for prize in found.trace.node_prizes}
    portrait = next(image for image in found.images if image.id == "portrait")
    assert (portrait.reason, portrait.via) == ("text-to-image", "Trieste")


def test_a_model_that_fails_is_asked_once_and_the_scores_decide(index) -> None:
    decider = Decider(MalformedReply("That was no JSON."))
    found, by_score = ask(index, decider), ask(index, None)
    assert len(decider.asked) == 1
    assert found.trace.decisions == by_score.trace.decisions
    assert [each.by for each in found.trace.decisions] == [""] * len(found.trace.decisions)
    (note,) = set(found.trace.fallbacks) - set(by_score.trace.fallbacks)
    assert note == "«decider» did not decide on round 2, the scores did: That was no JSON."
    assert (found.passages, found.images) == (by_score.passages, by_score.images)


def test_rounds_end_at_their_number(index) -> None:
    decider = Decider(*[("", f"Aldo Orso {at}") for at in range(9)])
    assert ask(index, decider, max_rounds=4).trace.rounds == 4
    assert len(decider.asked) == 3


LINKS = [("i4", "y", "SI", 0.5), ("i4", "e", "SI", 0.4), ("i4", "d", "SI", 0.4),
         ("i1", "e", "SI", 0.1), ("i2", "d", "SI", 0.1)]  # fmt: skip


def paper(decider: Decider | None, **settings: object) -> Retrieval:
    return ask(make_index(links=LINKS), decider, **{
        "preset": "paper", "links": ("SI",), "threshold": 0.75, "k": 2, "top_images": 1,
        **settings,
    })  # fmt: skip


def test_the_paper_preset_goes_on_from_the_name_that_was_chosen() -> None:
    # i4 leads to y, e and d. By score e (0.70) comes first and leads to i1; d (0.05) is below the
    # least similar prized node (y, 0.20), but the model wants it: i2.
    by_score = paper(None, max_rounds=2)
    assert [image.id for image in by_score.images] == ["i4", "i1"]
    assert [(each.by, each.nodes) for each in by_score.trace.decisions] == [("", ("e",))]
    decider = Decider(("d", ""))
    found = paper(decider, max_rounds=2)
    assert decider.asked[0][2] == ["e", "d"]
    assert [(image.id, image.via) for image in found.images] == [("i4", "y"), ("i2", "d")]
    assert found.trace.hops[-1].round == 2


def test_the_paper_preset_searches_for_a_further_query() -> None:
    # Of the question's own components only the one of a passes 0.85 (by a, 0.90). «Adler» is z
    # itself, whose picture is i5.
    index = make_index(links=[("i3", "c", "CA", 1.0), ("i5", "z", "CA", 1.0)], z=-1.0, Adler=-1.0)
    names = NamesOf("Falke", "Adler")
    config = RetrievalConfig(
        preset="paper", links=("CA",), threshold=0.85, top_images=0, max_rounds=2
    )
    decider = Decider(("", "Adler"))
    found = retrieve(index, QUESTION, extractor=names, config=config, decider=decider)
    assert [image.id for image in found.images] == ["i3", "i5"]
    assert found.entities == ("Falke",)
    assert found.trace.decisions[0].query == "Adler"
    assert "z" in {node.label for node in found.trace.nodes}
