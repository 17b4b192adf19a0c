"""Answers over real HTTP: what a person sees when the server misbehaves."""

import io

import pytest
from chat_server import count_images
from PIL import Image

from brit.config import ModelConfig
from brit.errors import ModelUnreachable
from brit.extraction.lmm import LmmExtractor
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
