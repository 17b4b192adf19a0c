"""Follow-up questions: rewritten by a model over real HTTP, or completed from the question before.
Nothing here is about how well the words fit: invented dialogues were measured once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from brit.config import ModelConfig
from brit.lmm import OpenAICompatible
from brit.pipeline import ingest, retrieve
from brit.pipeline.follow_up import follow_up
from brit.storage import Workspace
from brit.storage.chats import Turn
from brit.types import Answer, Extraction, FollowUp, Retrieval, RetrievalTrace, StoredBlock
from brit.ui.steps import describe_steps
from tests.lmm.server import ChatServer
from tests.pipeline.conftest import TestModels

NAMES = ("Zorvex pump", "Corvid", "Norway", "Oda Brandt", "display", "price", "Pumpe Zorvex",
         "woman")  # fmt: skip


class Names:
    """Finds the names it knows, in the order they stand."""

    name = "names"

    def extract(self, _: Sequence[StoredBlock], _on_part: object = None) -> Extraction:
        return Extraction((), ())

    def extract_entities(self, text: str) -> list[str]:
        return sorted((name for name in NAMES if name in text), key=text.index)


def asked(question: str, meant: FollowUp | None = None, answer: str = "") -> Turn:
    searched = meant.query if meant else question
    retrieval = Retrieval(
        question, "default", "hashing", tuple(Names().extract_entities(searched)), False, (), (),
        (), (), 0, {}, RetrievalTrace(follow_up=meant),
    )  # fmt: skip
    return Turn("t", question, retrieval, Answer(answer, (), "extractive") if answer else None, 0.0)


@pytest.mark.parametrize(
    ("before", "question", "query"),
    [
        ("What is the Zorvex pump?", "and how heavy is it?", "and how heavy is it? (Zorvex pump)"),
        ("What is the Zorvex pump?", "How heavy?", "How heavy? (Zorvex pump)"),
        ("What is the Zorvex pump?", "Does it have a display?", "Does it have a display?"
         " (Zorvex pump)"),
        ("What is the Zorvex pump?", "Does the blue one float?", "Does the blue one float?"
         " (Zorvex pump)"),
        ("Was ist die Pumpe Zorvex?", "Wie schwer ist sie?", "Wie schwer ist sie? (Pumpe Zorvex)"),
        ("How heavy is the Zorvex pump?", "And the Corvid?", "And the Corvid? (heavy)"),
        ("How heavy is the Zorvex pump?", "And the price?", "And the price? (Zorvex pump, heavy)"),
    ],
)  # fmt: skip
def test_without_a_model_the_words_it_leans_on_are_added(
    before: str, question: str, query: str
) -> None:
    meant = follow_up(question, [asked(before)], Names(), None)
    assert meant is not None
    assert (meant.query, meant.model) == (query, "")


@pytest.mark.parametrize(
    "question",
    [
        "What does the Corvid cost?",
        "Is the Corvid sold where it was built?",
        "What is the price?",
        "One display of the Corvid is lit. Whose is dark?",
        "What did the woman with glasses do before she founded Norway?",
        "",
    ],
)
def test_a_question_that_names_what_it_is_about_stays(question: str) -> None:
    assert follow_up(question, [asked("What is the Zorvex pump?")], Names(), None) is None


def test_the_first_question_of_a_chat_stays() -> None:
    assert follow_up("How heavy is it?", [], Names(), None) is None
    unanswered = Turn("t", "What is the Zorvex pump?", None, None, 0.0)
    assert follow_up("How heavy is it?", [unanswered], Names(), None) is None


def test_the_topic_stays_over_several_follow_ups() -> None:
    turns = [asked("What is the Zorvex pump?")]
    second = follow_up("Who sells it in Norway?", turns, Names(), None)
    turns.append(asked("Who sells it in Norway?", second))
    third = follow_up("How long is its cable?", turns, Names(), None)
    assert third is not None
    assert third.added == ("Zorvex pump",)


def test_a_model_rewrites_it_from_the_chat() -> None:
    said = json.dumps({"question": "How heavy is the Zorvex pump?"})
    turn = asked("What is the Zorvex pump?", answer="A pump [1].")
    with ChatServer(replies=[said]) as server:
        model = OpenAICompatible(ModelConfig("tester", server.url, server.key))
        meant = follow_up("and how heavy is it?", [turn], Names(), model)
        (request,) = server.requests
    assert meant == FollowUp(
        "How heavy is the Zorvex pump?",
        "tester",
        usage={"prompt_tokens": 11, "completion_tokens": 7},
    )
    told = request["messages"][-1]["content"]
    assert "Q: What is the Zorvex pump?\nA: A pump.\n" in told
    assert told.endswith("Last question: and how heavy is it?")


def test_a_model_that_fails_is_told_of_and_words_are_added() -> None:
    with ChatServer(key="sk-right-0123456789") as server:
        wrong = OpenAICompatible(ModelConfig("tester", server.url, "sk-wrong-0123456789"))
        turn = asked("What is the Zorvex pump?")
        meant = follow_up("and how heavy is it?", [turn], Names(), wrong)
    assert meant is not None
    assert (meant.query, meant.model) == ("and how heavy is it? (Zorvex pump)", "")
    assert "refused the key" in meant.note
    assert "sk-wrong" not in meant.note


def test_what_was_searched_for_stands_in_trace_and_steps(
    workspace: Workspace, models: TestModels, brochure: Path
) -> None:
    ingest(workspace, [brochure], "c", models=models)
    first = retrieve(workspace, "What does the Zorvex pump move?", "c", models=models)
    turn = Turn("t", first.question, first, None, 0.0)
    assert first.trace.follow_up is None
    found = retrieve(workspace, "Who built it?", "c", models=models, before=[turn])
    assert (found.question, found.searched) == ("Who built it?", "Who built it? (Zorvex)")
    assert "Zorvex" in found.entities
    step = describe_steps(found)[0]
    assert step.summary == r"“Who built it? \(Zorvex\)”"
    assert step.lines == ("added from the question before: Zorvex",)
    kept = replace(found.trace, follow_up=FollowUp("Who built it?", "tester"))
    (line,) = describe_steps(replace(found, trace=kept))[0].lines
    assert line == "searched for as it stands"
