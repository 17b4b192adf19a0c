"""The judge over real HTTP: what it is sent, and which of its replies count."""

import json

import pytest

from brit.errors import ModelError
from brit.prompts import read_family
from brit.types import Claim, Finding, NamedObject
from brit.verification.checker import check_claim
from brit.verification.judge import build_messages, judge_claims, read_rulings
from brit.verification.tools import ColourTool
from brit.verification.verify import Sights, verify_text
from tests.lmm.server import count_characters, count_images
from tests.verification.conftest import connect, name_phrases

PIXEL = "data:image/png;base64,iVBORw0KGgo="
FINDINGS = (
    Finding("object", "boat", (0.1, 0.2, 0.3, 0.45678), 0, score=0.9),
    Finding("scene-text", "LIND", (0.5, 0.5, 0.6, 0.6), 0, score=0.9),
    Finding("passage", "The Marenka has sailed since 1996."),
    Finding("caption", "The pier of Lind"),
    Finding("colour", "red", None, 0, score=0.2),
)
CLAIMS = (
    Claim("There are two boats.", aspects=("object",), objects=(NamedObject("boat", 2),)),
    Claim("The Marenka has sailed since 1996.", aspects=("fact",)),
    Claim("Quokkas live on Rottnest.", aspects=("fact",)),
)
VERDICTS = [check_claim(claim, FINDINGS, {"object", "scene-text"}) for claim in CLAIMS]


def reply(*labels):
    rows = ({f"claim{n}": label, "reason": f"r{n}"} for n, label in enumerate(labels, start=1))
    return json.dumps(list(rows))


YES, NO = "non-hallucination", "hallucination"


@pytest.mark.parametrize(
    "text",
    [
        reply(NO, YES),
        f"```json\n{reply(NO, YES)}\n```",
        f"Here it is: {reply(NO, YES)} I hope that helps.",
        reply(NO, YES)[:-1],
        f'{{"verdicts": {reply(NO, YES)}}}',
        '{"claim1": "hallucination", "claim2": "non-hallucination"}',
        "[{'claim1': 'Hallucination'}, {'claim2': 'no hallucination'}]",
        '[{"claim2": "non-hallucination"}, {"claim1": "hallucination"}]',
    ],
)
def test_replies_that_can_be_read(text):
    assert [label for label, _ in read_rulings(text, 2)] == [NO, YES]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "All claims are fine.",
        reply(NO),
        reply(NO, YES, YES),
        reply(NO, "maybe"),
        '[{"claim1": "hallucination"}, {"claim1": "non-hallucination"}]',
        '[{"claim0": "hallucination"}, {"claim1": "hallucination"}]',
        '[["claim1", "hallucination"]]',
        '[{"claim1": {"hallucination": 1}}, {"claim2": "hallucination"}]',
        "[" * 500,
        "[" * 100_000,
    ],
)
def test_replies_that_cannot(text):
    with pytest.raises(ValueError, match=r"claim|verdict|nest"):
        read_rulings(text, 2)


def test_three_blocks_boxes_and_claims_in_order():
    messages = build_messages(VERDICTS, FINDINGS, "image-to-text", [PIXEL])
    assert [each["role"] for each in messages] == [
        "system", "user", "assistant", "user", "assistant", "user"
    ]  # fmt: skip
    text = messages[-1]["content"][0]["text"]
    assert "Object detection:\nboat [0.100, 0.200, 0.300, 0.457]\n\nScene text:" in text
    assert "Scene text:\n«LIND» [0.500, 0.500, 0.600, 0.600]\n\nExternal" in text
    assert "1. «The Marenka has sailed since 1996.»\n2. «The pier of Lind»\n\nClaims:" in text
    assert "claim1: There are two boats.\nclaim2: The Marenka" in text
    assert messages[-1]["content"][-1] == {"type": "image_url", "image_url": {"url": PIXEL}}
    json.loads(messages[2]["content"])
    json.loads(messages[4]["content"])


def test_the_family_has_the_keys_of_its_seed():
    assert {mode: list(texts) for mode, texts in read_family("verification").items()} == {
        mode: ["system", "user", "example1", "example2"]
        for mode in ("image-to-text", "text-to-image")
    }


def test_whether_a_drawing_resembles_is_not_compared_by_words():
    (fact,) = check_claim(CLAIMS[1], FINDINGS, (), "text-to-image").checks
    assert (fact.support, fact.evidence) == ("unverifiable", (2,))
    assert "only a model that sees" in fact.reason


@pytest.mark.parametrize("mode", ["image-to-text", "text-to-image"])
def test_empty_blocks_say_none_information(mode):
    messages = build_messages([check_claim(claim, (), ()) for claim in CLAIMS], (), mode)
    assert messages[-1]["content"].count("none information") == 3
    # Examples are replies the reader accepts.
    for asked, answered in ((messages[1], messages[2]), (messages[3], messages[4])):
        assert read_rulings(answered["content"], asked["content"].count("\nclaim"))


def test_verdicts_over_http_and_what_nothing_speaks_to(serve):
    server = serve(replies=[reply(NO, YES, YES)])
    verdicts, notes = judge_claims(VERDICTS, FINDINGS, connect(server), "image-to-text")
    assert [each.support for each in verdicts] == ["contradicted", "supported", "unverifiable"]
    assert [each.label() for each in verdicts] == [NO, YES, YES]
    assert [each.label(strict=True) for each in verdicts] == [NO, YES, NO]
    assert (verdicts[0].reason, verdicts[0].judged, notes) == ("r1", True, [])
    assert verdicts[1].evidence == (2,)


def test_a_malformed_reply_is_shown_what_was_wrong(serve):
    server = serve(replies=["Fine, all of them.", reply(NO, YES), reply(NO, YES, YES)])
    verdicts, notes = judge_claims(VERDICTS, FINDINGS, connect(server), "image-to-text")
    assert [each.judged for each in verdicts] == [True] * 3
    assert notes == []
    assert "no verdict on claim3" in server.requests[2]["messages"][-1]["content"]
    assert server.requests[2]["messages"][-2]["content"] == reply(NO, YES)


def test_replies_that_never_fit_leave_the_checks(serve):
    server = serve(replies=["no"])
    verdicts, notes = judge_claims(VERDICTS, FINDINGS, connect(server), "image-to-text")
    assert verdicts == VERDICTS
    assert len(server.requests) == 3
    assert "checked without it" in notes[0]


def test_many_claims_go_in_batches(serve):
    server = serve(replies=[reply(*[NO] * 8), reply(*[YES] * 2)])
    claims = [f"The Marenka has {n} decks." for n in range(10)]
    done = verify_text("", mode="image-to-text", tools=[], name_phrases=name_phrases,
                       sights=Sights([], [PIXEL], [""]), model=connect(server),
                       claims=claims)  # fmt: skip
    assert [each.support for each in done.verdicts] == ["contradicted"] * 8 + ["supported"] * 2
    assert done.usage == {"prompt_tokens": 22, "completion_tokens": 14}


def test_a_model_that_refuses_pictures_judges_by_the_tools_and_says_so(serve):
    server = serve(replies=[reply(YES)], images="refused")
    done = verify_text("", mode="image-to-text", tools=[ColourTool()], name_phrases=name_phrases,
                       sights=Sights([], [PIXEL], [""]), model=connect(server),
                       claims=["There are two boats."])  # fmt: skip
    assert [count_images(each) for each in server.requests] == [1, 0]
    assert done.verdicts[0].support == "unverifiable"
    assert "takes no pictures" in done.notes[-1]


def test_where_nothing_is_known_nobody_is_asked(serve):
    server = serve()
    done = verify_text("", mode="image-to-text", tools=[], name_phrases=name_phrases,
                       model=connect(server), claims=["The Marenka has two decks."])  # fmt: skip
    assert (server.requests, done.judge) == ([], "deterministic")
    assert done.verdicts[0].support == "unverifiable"


def test_a_wrong_key_is_an_error(serve):
    with pytest.raises(ModelError, match="refused the key"):
        judge_claims(VERDICTS, FINDINGS, connect(serve(), api_key="sk-other"), "image-to-text")


@pytest.mark.parametrize(("context", "told", "pictures"), [(2600, 1, 0), (8192, 0, 1)])
def test_what_the_judge_is_shown_fits_its_context(serve, context, told, pictures):
    server = serve(
        replies=[reply(YES, YES, YES)], listed=[{"id": "tester", "max_model_len": context}]
    )
    findings = [*FINDINGS, *(Finding("passage", f"Line {n} " + "x " * 200) for n in range(12))]
    model = connect(server)
    verdicts, notes = judge_claims(VERDICTS, findings, model, "image-to-text", urls=[PIXEL])
    assert all(each.judged for each in verdicts)
    (request,) = server.requests
    assert count_images(request) == pictures
    assert count_characters(request) // 3 <= model.prompt_limit
    # What bears on the claims comes first.
    assert "1. «The Marenka has sailed since 1996.»" in str(request["messages"][-1])
    assert sum("did not fit into the context of «tester»" in note for note in notes) == told
    assert sum("pictures fitted" in note for note in notes) == told


def test_a_judge_without_room_for_its_rules_leaves_the_checks(serve):
    server = serve(replies=[reply(YES)], context=400)
    verdicts, notes = judge_claims(VERDICTS, FINDINGS, connect(server), "image-to-text")
    assert list(verdicts) == VERDICTS
    assert "too long for «tester»" in notes[-1]
    assert notes[-1].endswith("These claims were checked without it.")
