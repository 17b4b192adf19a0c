"""«Feedback: … [RESULT] n» read from replies, over real HTTP."""

import pytest

from brit.errors import ModelError
from brit.verification.grading import build_messages, grade, read_grade
from brit.verification.perception_collection import GradingRecord
from tests.verification.conftest import connect

OWN = GradingRecord(
    orig_instruction="What is drawn?",
    orig_response="A boat. [RESULT] 5",
    orig_reference_answer="A red boat.",
    orig_criteria="Does it name the colour?",
    orig_score1_description="no",
    orig_score2_description="hardly",
    orig_score3_description="half",
    orig_score4_description="mostly",
    orig_score5_description="yes",
)
TRAINED = GradingRecord(instruction='###Task Description:\n{as} "it" is\n###Feedback: ')
URL = "data:image/png;base64,iVBORw0KGgo="


@pytest.mark.parametrize(
    ("reply", "feedback", "score"),
    [
        ("Feedback: Names no colour. [RESULT] 2", "Names no colour.", 2),
        ("Names no colour.\n\n[RESULT]: 2.", "Names no colour.", 2),
        ("###Feedback: good [RESULT] (4)", "good", 4),
        ("Feedback: good [RESULT] **4**", "good", 4),
        ("Feedback: good [RESULT] 4/5", "good", 4),
        ("Feedback: it ends with [RESULT] 5, which is no merit. [RESULT] 1",
         "it ends with [RESULT] 5, which is no merit.", 1),
        ("[result]3", "", 3),
    ],
)  # fmt: skip
def test_scores(reply, feedback, score):
    assert read_grade(reply) == (feedback, score)


@pytest.mark.parametrize(
    "reply",
    [
        "", "Feedback: good", "Feedback: good [RESULT]", "[RESULT] 0", "[RESULT] 6", "[RESULT] 45",
        "[RESULT] 4.5", "[RESULT] 4/10", "[RESULT] -3", "[RESULT] four", "good, 4",
        "Feedback: good [RESULT] 4 [RESULT]", "[RESULT] (an integer number between 1 and 5)",
    ],
)  # fmt: skip
def test_no_scores(reply):
    assert read_grade(reply)[1] is None


def test_a_records_own_instruction_is_sent_as_it_is(serve):
    server = serve(replies=["Feedback: fine [RESULT] 4"])
    assert grade(TRAINED, connect(server), URL).score == 4
    (message,) = server.requests[0]["messages"]
    assert message["role"] == "user"
    assert message["content"] == [
        {"type": "text", "text": TRAINED.instruction},
        {"type": "image_url", "image_url": {"url": URL}},
    ]
    assert "response_format" not in server.requests[0]


def test_our_prompt_holds_every_part():
    (message,) = build_messages(OWN)
    for part in ("What is drawn?", "A boat. [RESULT] 5", "A red boat.", "Does it name the colour?",
                 "Level 1: no", "Level 5: yes"):  # fmt: skip
        assert part in message["content"]


def test_feedback_cut_off_at_the_limit_does_not_cost_the_score(serve):
    server = serve(replies=["Feedback: It names no col", "[RESULT] 2"], truncated=True)
    given = grade(OWN, connect(server))
    assert (given.score, given.feedback, given.attempts) == (2, "It names no col", 2)
    again = server.requests[1]["messages"]
    assert [each["role"] for each in again] == ["user", "assistant", "user"]
    assert again[0] == server.requests[0]["messages"][0]
    assert again[1]["content"] == "Feedback: It names no col"


def test_replies_without_a_score_are_reported(serve):
    server = serve(replies=["", "Feedback: I cannot say."])
    given = grade(OWN, connect(server))
    assert (given.score, given.attempts, len(server.requests)) == (None, 3, 3)
    assert "No score" in given.problem
    assert given.feedback == "I cannot say."


def test_thoughts_before_the_feedback_are_no_score(serve):
    server = serve(replies=["<think>maybe [RESULT] 1</think>Feedback: fine [RESULT] 4"])
    assert grade(OWN, connect(server)).score == 4


def test_a_busy_server_is_waited_for_and_a_dead_one_is_an_error(serve):
    server = serve(replies=["[RESULT] 3"], busy=1, failing=1)
    assert grade(OWN, connect(server)).score == 3
    with pytest.raises(ModelError, match="has no model"):
        grade(OWN, connect(server, model="other"))
