"""The client against a real HTTP server that misbehaves as named servers do."""

import json
import logging
import socket
import time
import traceback
from contextlib import nullcontext

import pytest
from chat_server import count_images

from brit.config import ModelConfig
from brit.errors import Cancelled, MalformedReply, ModelError, ModelUnreachable, TooLong
from brit.lmm import OpenAICompatible, open_language_model
from brit.lmm.abilities import Abilities
from brit.lmm.failures import Failure
from brit.lmm.interrupt import interruptible

PIXEL = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9"
    "awAAAABJRU5ErkJggg=="
)
SCHEMA = {
    "type": "object",
    "properties": {"names": {"type": "array", "items": {"type": "string"}}},
    "required": ["names"],
    "additionalProperties": False,
}


class Remembered(dict):
    """What stands behind `Memory` in a workspace."""

    def set(self, key, value):
        self[key] = json.dumps(value)

    def get(self, key, default=None):
        return json.loads(self[key]) if key in self else default


def connect(server, **changes):
    config = {"model": "tester", "base_url": server.url, "api_key": server.key, "timeout": 5.0}
    return OpenAICompatible(ModelConfig(**(config | changes)))


def ask(text="How heavy is it?", images=0):
    if not images:
        return [{"role": "user", "content": text}]
    picture = {"type": "image_url", "image_url": {"url": PIXEL}}
    return [{"role": "user", "content": [{"type": "text", "text": text}, *[picture] * images]}]


def test_replies_and_counts_tokens(serve):
    server = serve()
    model = connect(server)
    reply = model.complete(ask())
    assert reply.text == "It weighs 12 kg [1]."
    assert reply.usage == {"prompt_tokens": 11, "completion_tokens": 7}
    assert "".join(model.stream(ask())) == "It weighs 12 kg [1]."
    assert model.usage == {"prompt_tokens": 22, "completion_tokens": 14}
    assert server.requests[0]["temperature"] == 0
    assert server.requests[0]["max_tokens"] == 1024


def test_thoughts_of_a_reasoning_model_are_no_part_of_its_reply(serve):
    model = connect(serve(replies=["<think>Perhaps {12} ?</think>\n\nTwelve, < 20 <b> kg."]))
    assert model.complete(ask()).text == "Twelve, < 20 <b> kg."
    assert list(model.stream(ask())) == ["Twelve,", " <", " 20", " <b>", " kg."]


def test_a_sign_cut_in_halves_arrives_whole(serve):
    model = connect(serve(replies=["Yes \ud83d\ude00", "No \ud83d?", "No \ud83d!"]))
    assert list(model.stream(ask())) == ["Yes", " 😀"]
    assert list(model.stream(ask())) == ["No", " \ufffd?"]
    assert model.complete(ask()).text == "No \ufffd!"


@pytest.mark.parametrize(
    ("status", "said", "limit"),
    [
        (500, "image input is not supported by this server", 0),
        (400, "this model does not support image input (ref: 1)", 0),
        (400, "unknown variant `image_url`, expected `text`", 0),
        (400, "Invalid content type. image_url is only supported by certain models.", 0),
        (404, "No endpoints found that support image input", 0),
        (400, "messages[1].content must be a string", 0),
        (500, "unsupported content[].type", 0),
        (400, "At most 2 image(s) may be provided in one request.", 2),
        (400, "This model's maximum context length is 4096 tokens; images are not supported", None),
        (401, "image input is not supported", None),
        (400, "Your request was refused by our safety system", None),
    ],
)
def test_refusals_of_pictures_in_the_words_of_many_servers(status, said, limit):
    abilities = Abilities()
    learnt = abilities.learn(Failure(status, said), {"messages": ask(images=3)})
    assert (learnt, abilities.image_limit) == (limit is not None, limit)


def test_refused_pictures_are_dropped_and_remembered(serve):
    server = serve(images="refused")
    model = connect(server)
    assert model.accepts_images
    assert model.complete(ask(images=2)).text == "It weighs 12 kg [1]."
    assert not model.accepts_images
    model.complete(ask(images=2))
    assert [count_images(request) for request in server.requests] == [2, 0, 0]
    assert server.requests[-1]["messages"][0]["content"].startswith("How heavy is it?\n(this pict")


def test_a_limit_of_one_picture_is_learnt(serve):
    server = serve(images="one")
    model = connect(server)
    "".join(model.stream(ask(images=3)))
    assert model.image_limit == 1
    assert model.accepts_images
    assert [count_images(request) for request in server.requests] == [3, 1]


@pytest.mark.parametrize(
    ("mode", "formats"),
    [
        ("schema", ["json_schema"]),
        ("object", ["json_schema", "json_object"]),
        ("text", ["json_schema", "json_object", None]),
    ],
)
def test_json_is_asked_for_as_the_endpoint_allows(serve, mode, formats):
    server = serve(json_mode=mode, replies=['{"names": ["Oda"]}'])
    model = connect(server)
    assert model.complete(ask(), SCHEMA).data == {"names": ["Oda"]}
    asked = [request.get("response_format", {}).get("type") for request in server.requests]
    assert asked == formats
    model.complete(ask(), SCHEMA)
    assert server.requests[-1].get("response_format", {}).get("type") == formats[-1]
    told = "JSON Schema" in server.requests[-1]["messages"][-1]["content"]
    assert told == (mode != "schema")


@pytest.mark.parametrize(
    "reply",
    [
        '```json\n{"names": ["Oda"]}\n```',
        'Sure! {"names": ["Oda"]} Anything else?',
        '{"names": ["Oda",]}',
        "{'names': ['Oda'",
        '<think>{"names": []}</think>{"names": ["Oda"]}',
    ],
)
def test_malformed_json_is_repaired_without_a_second_call(serve, reply):
    server = serve(replies=[reply])
    assert connect(server).complete(ask(), SCHEMA).data == {"names": ["Oda"]}
    assert len(server.requests) == 1


def test_an_unusable_reply_is_asked_for_once_more(serve):
    server = serve(replies=['{"people": "Oda"}', '{"names": ["Oda"]}'])
    assert connect(server).complete(ask(), SCHEMA).data == {"names": ["Oda"]}
    assert len(server.requests) == 2


@pytest.mark.parametrize("reply", ["I would rather not.", '{"names": ' + "[" * 100_000])
def test_two_unusable_replies_are_an_error(serve, reply):
    server = serve(replies=[reply])
    with pytest.raises(MalformedReply, match="«tester» did not reply in the form asked for"):
        connect(server).complete(ask(), SCHEMA)
    assert len(server.requests) == 2


def test_a_reply_cut_at_the_limit_keeps_its_whole_items(serve):
    schema = {
        **SCHEMA,
        "properties": {
            "names": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
                    "required": ["a", "b"],
                },
            }
        },
    }
    server = serve(replies=['{"names": [{"a": "1", "b": "2"}, {"a": "3'], truncated=True)
    assert connect(server).complete(ask(), schema).data == {"names": [{"a": "1", "b": "2"}]}


def test_429_waits_as_retry_after_says(serve):
    server = serve(busy=1, retry_after="0.3")
    assert connect(server).complete(ask()).text
    assert 0.3 <= server.times[1] - server.times[0] < 2


def test_500_is_tried_again(serve):
    server = serve(failing=1)
    assert connect(server).complete(ask()).text
    assert len(server.requests) == 2


def test_a_server_that_is_loading_its_model_is_waited_for_and_asked_again_for_its_context(serve):
    server = serve(loading=2, listed=[{"id": "tester", "max_model_len": 8192}])
    model = connect(server)
    assert model.prompt_limit is None
    assert model.complete(ask()).text
    assert model.prompt_limit == 7168
    server.loading = 9
    with pytest.raises(ModelError, match=r"is still loading its model\. Try again in a minute\."):
        connect(server).complete(ask())


@pytest.mark.parametrize(
    ("wait", "when"), [("3600", "in 60 minutes"), ("1e9", "another day"), ("inf", "another day")]
)
def test_a_wait_too_long_is_told_at_once(serve, wait, when):
    server = serve(busy=9, retry_after=wait)
    started = time.monotonic()
    with pytest.raises(ModelError, match=rf"asked too often \(429\). Try again {when}\."):
        connect(server).complete(ask())
    assert time.monotonic() - started < 2
    assert len(server.requests) == 1


def test_retries_are_bounded(serve):
    server = serve(busy=99, retry_after="0")
    with pytest.raises(ModelError, match="Try again"):
        connect(server).complete(ask())
    assert len(server.requests) == 4


def test_parameters_a_model_does_not_know_are_left_out(serve):
    server = serve(new_parameters=True)
    model = connect(server)
    assert model.complete(ask()).text
    model.complete(ask())
    assert server.requests[-1]["max_completion_tokens"] == 1024
    assert not {"max_tokens", "temperature"} & set(server.requests[-1])
    assert len(server.requests) == 4


def test_slow_first_byte(serve):
    with pytest.raises(ModelUnreachable, match=r"did not answer within 0\.2 seconds"):
        list(connect(serve(slow=0.5), timeout=0.2).stream(ask()))


@pytest.mark.parametrize("silently", [False, True])
def test_a_broken_stream_gives_its_text_and_says_so(serve, silently):
    model = connect(serve(breaks_after=3, silently=silently))
    pieces = []
    with pytest.raises(ModelError, match="broke while it was answering"):
        pieces.extend(model.stream(ask()))
    assert "".join(pieces) == "It weighs 12"


@pytest.mark.parametrize(
    ("behaviour", "sentence"),
    [
        ({"web_page": True}, "is no chat model. Check the address"),
        ({"garbage": True}, "is no chat model. Check the address"),
        ({"replies": [""]}, "«tester» answered nothing"),
        ({"breaks_after": 0}, "broke before it answered. Ask again."),
        ({"replies": ["<think>hm</think> 9"], "breaks_after": 1}, "broke before it answered"),
    ],
)
@pytest.mark.parametrize("interrupted", [False, True])
def test_what_never_began_is_not_said_to_have_been_kept(serve, behaviour, sentence, interrupted):
    model = connect(serve(**behaviour))
    way = interruptible(lambda: None) if interrupted else nullcontext()
    with way, pytest.raises(ModelError) as raised:
        list(model.stream(ask()))
    assert sentence in str(raised.value)


def test_a_stream_cut_at_the_limit_of_tokens_says_so(serve):
    with pytest.raises(ModelError, match="reached its 1024 tokens"):
        list(connect(serve(truncated=True)).stream(ask()))


def test_a_server_that_knows_no_limit_is_cut_off(serve):
    server = serve(endless=True)
    pieces = []
    with pytest.raises(ModelError, match="reached its 8 tokens"):
        pieces.extend(connect(server, max_tokens=8).stream(ask()))
    assert 128 < len("".join(pieces)) < 160
    assert server.disconnected.wait(3)


def test_closing_the_stream_closes_the_connection(serve):
    server = serve(endless=True)
    stream = connect(server).stream(ask())
    assert next(stream) == "It"
    stream.close()
    assert server.disconnected.wait(3)


def test_a_call_in_hand_ends_when_it_is_no_longer_wanted(serve):
    server = serve(slow=20)
    model = connect(server, timeout=30)
    started = time.monotonic()

    def check():
        if time.monotonic() - started > 0.5:
            raise Cancelled("Cancelled.")

    with interruptible(check), pytest.raises(Cancelled):
        model.complete(ask())
    assert time.monotonic() - started < 3
    assert server.disconnected.wait(3)
    assert model.usage["estimated_calls"] == 1


@pytest.mark.parametrize("behaviour", [{"slow": 20}, {"endless": True}])
def test_a_stream_ends_before_its_first_piece_and_between_two(serve, behaviour):
    server = serve(**behaviour)
    model, started = connect(server, timeout=30), time.monotonic()

    def check():
        if time.monotonic() - started > 0.5:
            raise Cancelled("Cancelled.")

    with interruptible(check), pytest.raises(Cancelled):
        list(model.stream(ask()))
    assert time.monotonic() - started < 3
    assert server.disconnected.wait(3)
    assert model.usage["estimated_calls"] == 1


@pytest.mark.parametrize("silently", [False, True])
def test_a_stream_that_may_be_ended_breaks_like_others(serve, silently):
    pieces = []
    with interruptible(lambda: None), pytest.raises(ModelError, match="broke while it was"):
        pieces.extend(connect(serve(breaks_after=3, silently=silently)).stream(ask()))
    assert "".join(pieces) == "It weighs 12"


def test_a_wait_before_the_next_try_ends_too(serve):
    server = serve(busy=9, retry_after="19")
    started = time.monotonic()

    def check():
        if server.requests:
            raise Cancelled("Cancelled.")

    with interruptible(check), pytest.raises(Cancelled):
        connect(server).complete(ask())
    assert time.monotonic() - started < 3
    assert len(server.requests) == 1


def test_a_call_that_may_be_ended_is_a_call_like_others(serve):
    server = serve(failing=1, images="refused", replies=['{"names": ["Oda"]}'])
    model = connect(server)
    with interruptible(lambda: None):
        assert model.complete(ask(images=1), SCHEMA).data == {"names": ["Oda"]}
        with pytest.raises(ModelError, match="refused the key"):
            connect(server, api_key="other").complete(ask())
        assert "".join(model.stream(ask())) == '{"names": ["Oda"]}'


def test_wrong_key(serve):
    with pytest.raises(ModelError, match="refused the key"):
        connect(serve(), api_key="sk-wrong-0123456789").complete(ask())


def test_unknown_model(serve):
    with pytest.raises(ModelError, match="has no model «nobody»"):
        connect(serve(), model="nobody").complete(ask())


def test_an_address_without_a_chat_model(serve):
    server = serve()
    with pytest.raises(ModelError, match="mostly ends in /v1"):
        connect(server, base_url=server.url.removesuffix("/v1")).complete(ask())
    with pytest.raises(ModelError, match="is no chat model"):
        connect(serve(web_page=True)).complete(ask())


def test_a_body_that_is_no_json(serve):
    model = OpenAICompatible(
        ModelConfig(model="tester", base_url=serve(garbage=True).url, api_key="sk"), retries=0
    )
    with pytest.raises(ModelError, match="failed"):
        model.complete(ask())


def test_too_long_a_context_is_told_at_once(serve):
    server = serve(context=500)
    with pytest.raises(TooLong, match="too long for «tester»"):
        connect(server).complete(ask("word " * 500))
    # Once more with less left free for the reply, since the refusal named the size.
    assert [request["max_tokens"] for request in server.requests] == [1024, 125]


def test_a_reply_leaves_room_for_what_is_asked(serve):
    server = serve(context=500)
    model = connect(server)
    for _ in range(2):
        assert model.complete(ask("word " * 200)).text
    assert [request["max_tokens"] for request in server.requests] == [1024, 125, 125]
    assert model.prompt_limit == 375


@pytest.mark.parametrize(
    ("listed", "limit"),
    [
        # llama.cpp, vLLM, OpenRouter, Groq; OpenAI and Ollama do not say
        ([{"id": "other.gguf", "meta": {"n_ctx": 4096, "n_ctx_train": 32768}}], 3072),
        ([{"id": "a", "max_model_len": 16}, {"id": "tester", "max_model_len": 8192}], 7168),
        ([{"id": "tester", "context_length": 128_000}], 126_976),
        ([{"id": "tester", "context_window": 2048}], 1536),
        ([{"id": "tester", "owned_by": "library"}], None),
        ([{"id": "a", "max_model_len": 16}, {"id": "b", "max_model_len": 32}], None),
        ([{"id": "tester", "meta": None, "max_model_len": "many"}], None),
        ([], None),
        (None, None),
    ],
)
def test_the_context_is_asked_for_once_and_remembered(serve, listed, limit):
    server = serve(listed=listed)
    config = ModelConfig(model="tester", base_url=server.url, api_key=server.key)
    memory = Remembered()
    for _ in range(2):
        model = OpenAICompatible(config, memory=memory)
        assert [model.prompt_limit, model.prompt_limit] == [limit, limit]
    assert server.lists_read == 1
    assert server.requests == []
    assert server.key not in str(memory)


def test_the_context_that_is_set_goes_before_the_one_told(serve):
    server = serve(listed=[{"id": "tester", "max_model_len": 8192}])
    model = connect(server, context=2000)
    assert model.prompt_limit == 1500
    model.complete(ask())
    assert server.requests[0]["max_tokens"] == 500
    assert server.lists_read == 0


@pytest.mark.parametrize(
    ("refusal", "size"),
    [
        ("request (5012 tokens) exceeds the available context size (4096 tokens), try increasing"
         " it {'n_prompt_tokens': 5012, 'n_ctx': 4096}", 4096),
        ("This model's maximum context length is 8192 tokens. However, you requested 9000", 8192),
        ("Trying to keep the first 5000 tokens when context the overflows. However, the model is "
         "loaded with context length of only 4096 tokens", 4096),
        ("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
         1_048_576),
        ("Your input exceeds the context window of this model. Please adjust your input", None),
    ],
)  # fmt: skip
def test_refusals_of_long_requests_in_the_words_of_many_servers(refusal, size):
    abilities = Abilities()
    failure = Failure(400, refusal)
    assert failure.too_long
    assert not failure.passing
    assert not abilities.learn(failure, {"messages": ask(), "max_tokens": 1024})
    assert abilities.context == size


def test_no_server_at_all():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    model = OpenAICompatible(ModelConfig(model="tester", base_url=address))
    with pytest.raises(ModelUnreachable) as caught:
        model.complete(ask())
    assert str(caught.value) == (
        f"The model server at {address} did not answer. "
        "Start it, or set BRIT_BASE_URL to its address."
    )


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"base_url": "localhost:11434/v1"}, "must begin with http"),
        ({"base_url": "http://[::1/v1"}, "must begin with http"),
        ({"base_url": "http://h:99999/v1"}, "must begin with http"),
        ({"base_url": "http:///v1"}, "must begin with http"),
        ({"api_key": "sk-\nhidden"}, "characters that no key has"),
        ({"api_key": "schlüssel"}, "characters that no key has"),
    ],
)
def test_settings_that_cannot_be_right(changes, sentence):
    model = OpenAICompatible(ModelConfig(**({"model": "m", "base_url": "http://h/v1"} | changes)))
    with pytest.raises(ModelError, match=sentence):
        model.complete(ask())


def test_the_key_is_never_told(serve, caplog):
    """In no message, repr, chained exception, traceback or log, though the server repeats it."""
    caplog.set_level(logging.DEBUG)
    server = serve(failing=9)
    key = server.key
    told = []
    for behaviour in ({}, {"api_key": key + "-wrong"}):
        model = OpenAICompatible(
            ModelConfig(model="tester", base_url=server.url, **({"api_key": key} | behaviour)),
            retries=0,
        )
        told += [repr(model), str(vars(model))]
        with pytest.raises(ModelError) as caught:
            model.complete(ask())
        assert caught.value.__context__ is None
        assert caught.value.__cause__ is None
        told += traceback.format_exception(caught.value)
        server.failing = 0
    assert server.headers[0]["authorization"] == f"Bearer {key}"
    assert key not in "".join(told) + caplog.text
    assert "•••" in "".join(told)


def test_user_and_password_in_the_address_are_not_told():
    model = OpenAICompatible(ModelConfig(model="m", base_url="http://me:secret@127.0.0.1:9/v1"))
    with pytest.raises(ModelUnreachable) as caught:
        model.complete(ask())
    assert "secret" not in str(caught.value) + repr(model)


@pytest.mark.parametrize(
    ("behaviour", "told"),
    [
        ({}, "text, pictures, JSON schema."),
        (
            {"images": "refused", "json_mode": "object"},
            "text, no pictures (captions stand in), JSON.",
        ),
        ({"json_mode": "text"}, "text, pictures, JSON by prompt only."),
        ({"replies": ["ready"]}, "text, pictures, no JSON."),
    ],
)
def test_connection_test_says_what_the_endpoint_can_do(serve, behaviour, told):
    server = serve(**({"replies": ["ready", "red", '{"ok": true}']} | behaviour))
    line = connect(server).test_connection()
    assert line.startswith(f"tester at {server.url} answers in 0.")
    assert line.endswith(told)


def test_connection_test_tells_the_context(serve):
    server = serve(replies=['{"ok": true}'], listed=[{"id": "tester", "max_model_len": 8192}])
    assert connect(server).test_connection().endswith("pictures, JSON schema, 8,192 tokens.")


def test_connection_test_raises_the_sentence(serve):
    with pytest.raises(ModelError, match="refused the key"):
        connect(serve(), api_key="other").test_connection()


def test_a_cached_reply_costs_no_call(serve):
    server = serve(replies=['{"names": ["Oda"]}'])
    config = ModelConfig(model="tester", base_url=server.url, api_key=server.key)
    store = {}
    for _ in range(2):
        model = open_language_model(config, store)
        assert model.complete(ask(), SCHEMA).data == {"names": ["Oda"]}
        assert "".join(model.stream(ask())) == '{"names": ["Oda"]}'
    assert len(server.requests) == 2
    assert server.key not in str(store)
    model.complete(ask("Another?"), SCHEMA)
    assert len(server.requests) == 3


def test_a_broken_stream_is_not_cached(serve):
    server = serve(breaks_after=2)
    config = ModelConfig(model="tester", base_url=server.url, api_key=server.key)
    store = {}
    with pytest.raises(ModelError):
        list(open_language_model(config, store).stream(ask()))
    assert store == {}


def test_no_model_is_configured():
    assert open_language_model(ModelConfig()) is None
