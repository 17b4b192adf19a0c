"""Answers over real HTTP: what a person sees when the server misbehaves."""

import io
import re
from dataclasses import replace

import pytest
from chat_server import count_characters, count_images
from PIL import Image

from brit.config import ModelConfig
from brit.errors import ModelUnreachable, TooLong
from brit.extraction.lmm import LmmExtractor, ask_for_triplets
from brit.generation import answer_question
from brit.lmm import open_language_model
from brit.types import (
    Retrieval,
    RetrievalTrace,
    RetrievedImage,
    RetrievedPassage,
    StoredBlock,
    TextBlock,
)


def picture(id):
    return RetrievedImage(
        id, None, "Kilns.pdf", 4, None, "p.png", "The open door", 1.0, "similarity", None, None
    )


RETRIEVAL = Retrieval(
    question="How heavy is it?",
    preset="default",
    encoder="e",
    entities=(),
    low_relevance=False,
    triplets=(),
    images=(picture("a"), picture("b")),
    passages=(RetrievedPassage("Kilns.pdf", 3, None, "It weighs 12 kg.", 1.0),),
    pages=(),
    words=4,
    timings_ms={},
    trace=RetrievalTrace(),
)


def read_image(_):
    file = io.BytesIO()
    Image.new("RGB", (20, 20), "navy").save(file, "PNG")
    return file.getvalue()


def connect(server, cache=None, **changes):
    config = {"model": "tester", "base_url": server.url, "api_key": server.key, "timeout": 5.0}
    return open_language_model(ModelConfig(**(config | changes)), cache)


def ask(model):
    return answer_question("How heavy is it?", RETRIEVAL, model, read_image=read_image)


def test_text_citations_and_usage(serve):
    server = serve(replies=["It weighs 12 kg [1]. See [2][9]."])
    stream = ask(connect(server))
    assert "".join(stream) == "It weighs 12 kg [1]. See [2]."
    answer = stream.answer
    assert [(c.marker, c.kind, c.page) for c in answer.citations] == [
        (1, "passage", 3),
        (2, "image", 4),
    ]
    assert answer.usage == {"prompt_tokens": 11, "completion_tokens": 7}
    assert count_images(server.requests[0]) == 2


@pytest.mark.parametrize(
    ("images", "note"), [("refused", "takes no pictures"), ("one", "takes 1 picture a question")]
)
def test_refused_pictures_are_told_and_not_sent_again(serve, images, note):
    server = serve(images=images)
    model = connect(server)
    for _ in range(2):
        stream = ask(model)
        assert "".join(stream) == "It weighs 12 kg [1]."
        assert note in stream.answer.notes[0]
    sent = [count_images(request) for request in server.requests]
    assert sent == ([2, 0, 0] if images == "refused" else [2, 1, 1])
    assert "The open door" in str(server.requests[-1])


@pytest.mark.parametrize("cache", [None, {}])
def test_stop_closes_the_connection_and_keeps_the_text(serve, cache):
    server = serve(endless=True)
    stream = ask(connect(server, cache))
    for number, _ in enumerate(stream):
        if number == 6:
            stream.close()
    assert server.disconnected.wait(3)
    assert stream.answer.text.startswith("It weighs 12 kg [1].")
    assert [c.marker for c in stream.answer.citations] == [1]
    assert not cache


def test_a_broken_stream_keeps_its_text_and_says_so(serve):
    stream = ask(connect(serve(breaks_after=3)))
    assert "".join(stream) == "It weighs 12"
    assert "broke while it was answering" in stream.answer.notes[-1]


def test_a_context_learnt_from_a_refusal_is_answered_with_less_evidence(serve):
    server = serve(context=2000)
    passages = tuple(
        RetrievedPassage("Kilns.pdf", page, None, "It weighs 12 kg. " + "clay " * 260, 1.0)
        for page in range(1, 10)
    )
    found = replace(RETRIEVAL, passages=passages, images=())
    stream = answer_question("How heavy is it?", found, connect(server), read_image=read_image)
    assert "".join(stream) == "It weighs 12 kg [1]."
    assert [c.page for c in stream.answer.citations] == [1]
    assert re.fullmatch(
        r"Left out, since the model's context is full: \d passages of lower rank\.",
        stream.answer.notes[0],
    )
    # All of it; the same with less left free for the reply; what fits.
    assert len(server.requests) == 3
    assert [request["max_tokens"] for request in server.requests] == [1024, 500, 500]
    sizes = [len(str(request["messages"])) for request in server.requests]
    assert sizes[0] == sizes[1] > sizes[2]


def test_a_context_too_small_for_anything_is_an_error_in_one_sentence(serve):
    server = serve(context=100)
    with pytest.raises(TooLong, match="Give the model a longer context"):
        list(ask(connect(server)))
    assert len(server.requests) == 3


def test_a_chunk_too_long_for_the_context_is_read_in_halves(serve):
    server = serve(replies=['{"triplets": []}'])
    blocks = [
        StoredBlock(f"b{n}", "d", 1, n, TextBlock(f"The valve {n} moves water. " * 8, "paragraph"))
        for n in range(4)
    ]
    rules = count_characters({"messages": ask_for_triplets([("b", "")])}) // 4
    server.context = (rules + 60) * 4 // 3  # a quarter of it is for the reply
    found = LmmExtractor(connect(server), fallback=None).extract(blocks)
    assert found.skipped == 0
    told = [re.findall(r"valve (\d)", str(each["messages"])) for each in server.requests]
    assert ["".join(dict.fromkeys(valves)) for valves in told] == [
        "0123", "0123", "01", "0", "1", "23", "2", "3"
    ]  # fmt: skip


def test_a_slow_server_is_an_error_in_one_sentence(serve):
    with pytest.raises(ModelUnreachable, match="did not answer within"):
        list(ask(connect(serve(slow=0.5), timeout=0.2)))


def test_extraction_over_http_costs_one_call_a_chunk_and_none_the_second_time(serve):
    reply = (
        '```json\n{"triplets": [{"subject": "Nimbus 40", "subject_kind": "PRODUCT", '
        '"relation": "weighs", "object": "12 kg", "object_kind": "QUANTITY"}]}\n```'
    )
    server = serve(replies=[reply], json_mode="text")
    blocks = [StoredBlock("b1", "d", 1, 0, TextBlock("The Nimbus 40 weighs 12 kg.", "paragraph"))]
    cache = {}
    for _ in range(2):
        found = LmmExtractor(connect(server, cache), fallback=None).extract(blocks)
        assert [(t.subject.name, t.object.name, t.block) for t in found.triplets] == [
            ("Nimbus 40", "12 kg", "b1")
        ]
    # schema refused, object refused, text
    assert len(server.requests) == 3
