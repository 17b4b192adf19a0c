"""Any server that speaks OpenAI's Chat Completions: OpenAI, Gemini's compatible endpoint, Ollama,
vLLM, llama.cpp, LM Studio.

Servers differ in what they refuse. What one refuses is remembered, and the request is sent again
without it: pictures beyond a limit, JSON schema → JSON object → plain text, parameters.
Pictures travel as data URLs, since servers that run locally fetch nothing.
"""

from __future__ import annotations

import base64
import io
import re
import threading
import time
import weakref
from collections.abc import Generator, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from brit.config import ModelConfig
from brit.errors import BritError, MalformedReply, ModelError
from brit.lmm import interrupt
from brit.lmm.abilities import (
    Abilities,
    Memory,
    ask_for_schema,
    drop_images,
    recall_abilities,
    remember_abilities,
    reply_format,
)
from brit.lmm.apart import StreamApart, ask_apart
from brit.lmm.context import read_context
from brit.lmm.failures import Failure, address_of, describe, explain, parameters
from brit.lmm.halves import ends_halfway, whole
from brit.lmm.metering import Meter, estimate_prompt, estimate_tokens
from brit.models import Message
from brit.types import Completion

if TYPE_CHECKING:
    from openai import OpenAI
    from openai.types import CompletionUsage
    from openai.types.chat import ChatCompletion, ChatCompletionChunk

CONNECT_SECONDS = 5.0
FIRST_PAUSE = 0.5
TOKEN_CHARACTERS = 16
"""More than the tokens of a reply have on average: a longer one comes of no limit at all."""
_THOUGHTS = re.compile(r"^\s*<think>.*?</think>\s*", re.DOTALL)
_PROBE_SCHEMA = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}},
    "required": ["ok"],
    "additionalProperties": False,
}


class OpenAICompatible:
    """A LanguageModel behind an HTTP server; made without touching the network.

    Replies 408, 409, 429 and 5xx are waited out, at most `retries` times and at most `longest_wait`
    seconds each, as Retry-After says or with a doubling pause. `memory` keeps what the server
    refuses beyond this process; `meter` may forbid a call, and is told what each one cost.
    """

    def __init__(
        self,
        config: ModelConfig,
        *,
        retries: int = 3,
        longest_wait: float = 20.0,
        memory: Memory | None = None,
        meter: Meter | None = None,
    ) -> None:
        self._config = config
        self._retries = retries
        self._longest_wait = longest_wait
        self._memory = memory
        self._meter = meter
        self._abilities = recall_abilities(config, memory)
        self._usage = {"prompt_tokens": 0, "completion_tokens": 0}
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"OpenAICompatible({self.name!r}, {address_of(self._config)!r})"

    @property
    def name(self) -> str:
        return self._config.model

    @property
    def image_limit(self) -> int | None:
        return self._abilities.image_limit

    @property
    def accepts_images(self) -> bool:
        """True until the endpoint has refused a picture."""
        return self.image_limit != 0

    @property
    def prompt_limit(self) -> int | None:
        if self._context is None and not self._abilities.asked_context:
            self._ask_context()
        return self._context and self._context - self._reply_limit

    @property
    def _context(self) -> int | None:
        """What the settings say goes before what the server says."""
        return self._config.context or self._abilities.context

    @property
    def _reply_limit(self) -> int:
        """Tokens for a reply, at most a quarter of the context."""
        longest = self._config.max_tokens
        return min(longest, self._context // 4) if self._context else longest

    @property
    def usage(self) -> dict[str, int]:
        with self._lock:
            return dict(self._usage)

    def complete(self, messages: list[Message], schema: dict[str, Any] | None = None) -> Completion:
        """One reply. Malformed JSON is repaired, then asked for once more, then a ModelError."""
        if schema is None:
            return self._reply(messages)[0]
        for asked in (messages, ask_for_schema(messages, schema)):
            reply, truncated = self._reply(asked, schema)
            with suppress(ValueError):
                return replace(reply, data=_parse_json(reply.text, schema, truncated))
        raise MalformedReply(
            f"«{self.name}» did not reply in the form asked for, twice. Choose another model."
        )

    def stream(self, messages: list[Message]) -> Generator[str, None, None]:
        """The pieces of one reply. Closing the generator closes the connection.

        A reply that ends early raises ModelError after its last piece.
        """
        with self._send(messages, None, stream=True) as chunks:
            finish, told = yield from self._pieces(chunks, messages)
            kind = chunks.response.headers.get("content-type", "")
        if not told and not finish and "event-stream" not in kind:
            raise self._no_chat_model()
        if finish not in ("stop", "tool_calls", "content_filter"):
            raise self._cut_off(finish, told)
        if not told:
            raise ModelError(f"«{self.name}» answered nothing. Ask again, or choose another model.")

    def test_connection(self) -> str:
        """One line for Settings: what the endpoint can do, and how fast. Asked anew, whatever is
        remembered. Raises ModelError."""
        self._abilities = Abilities()
        started = time.perf_counter()
        self._begin([{"role": "user", "content": "Reply with the word: ready"}])
        seconds = time.perf_counter() - started
        self._begin([_probe_image()])
        try:
            ask = 'Reply with this JSON: {"ok": true}'
            self.complete([{"role": "user", "content": ask}], _PROBE_SCHEMA)
            form = {"schema": "JSON schema", "object": "JSON", "text": "JSON by prompt only"}
            json_mode = form[self._abilities.json_mode]
        except MalformedReply:
            json_mode = "no JSON"
        known = self.prompt_limit
        remember_abilities(self._abilities, self._config, self._memory)
        room = f", {self._context:,} tokens" if known else ""
        pictures = "pictures" if self.accepts_images else "no pictures (captions stand in)"
        return (
            f"{self.name} at {address_of(self._config)} answers in {seconds:.1f} s: "
            f"text, {pictures}, {json_mode}{room}."
        )

    def _begin(self, messages: list[Message]) -> None:
        """Wait for the first piece of a reply and end it: small models may go on for minutes."""
        with closing(self.stream(messages)) as pieces:
            next(pieces, "")

    def _ask_context(self) -> None:
        """Look for the context's length in the server's list of models, once."""
        import openai

        abilities = self._abilities
        try:
            listed = self._client.with_options(timeout=CONNECT_SECONDS).models.list()
            models = [model.model_dump() for model in listed.data]
            abilities.context = read_context(models, self.name)
        except (openai.APIConnectionError, openai.InternalServerError):
            return  # what is asked next will say so
        except (openai.APIError, AttributeError, ValueError, TypeError):
            abilities.context = None  # a server without such a list
        abilities.asked_context = True
        remember_abilities(abilities, self._config, self._memory)

    @property
    def _client_options(self) -> dict[str, Any]:
        import httpx2

        timeout = httpx2.Timeout(self._config.timeout, connect=CONNECT_SECONDS)
        return {**parameters(self._config), "timeout": timeout, "max_retries": 0}

    @cached_property
    def _client(self) -> OpenAI:
        import openai

        client = openai.OpenAI(**self._client_options)
        # Connections are kept open for the next call; they end with this object at the latest.
        weakref.finalize(self, client.close)
        return client

    def _reply(
        self, messages: list[Message], schema: dict[str, Any] | None = None
    ) -> tuple[Completion, bool]:
        """The reply, and whether it was cut off at the limit of tokens."""
        reply: ChatCompletion = self._send(messages, schema)
        choices = getattr(reply, "choices", None)  # a web page's HTML arrives as str
        if not choices:
            raise self._no_chat_model()
        said = whole(choices[0].message.content or "")
        spent = self._count(reply.usage, messages, schema, said)
        completion = Completion(_THOUGHTS.sub("", said), usage=spent)
        return completion, choices[0].finish_reason == "length"

    def _pieces(
        self, chunks: Iterator[ChatCompletionChunk], messages: list[Message]
    ) -> Generator[str, None, tuple[str, bool]]:
        """Yields the text of the chunks, returns why it ended, "" if no reason was given, and
        whether there was any text.

        What comes first is held back while it may be, or is, a reasoning model's thoughts. Some
        servers tell their usage again in every chunk: the last one counts.
        """
        import openai

        finish, held, said, begun, told = "", "", "", False, False
        usage: CompletionUsage | None = None
        try:
            with suppress(openai.OpenAIError, ValueError):
                for chunk in chunks:
                    usage = chunk.usage or usage
                    for choice in chunk.choices[:1]:
                        finish = choice.finish_reason or finish
                        said += choice.delta.content or ""
                        held += choice.delta.content or ""
                        begun = begun or not _may_be_thoughts(held)
                        ready = begun and not ends_halfway(held)
                        if ready and (text := whole(_THOUGHTS.sub("", held))):
                            yield text
                            held, told = "", told or not text.isspace()
                    if len(said) > TOKEN_CHARACTERS * self._reply_limit:
                        finish = "length"
                        break
        finally:  # also when it breaks off or is stopped: it was paid for
            self._count(usage, messages, None, said)
        return finish, told

    def _send(
        self, messages: list[Message], schema: dict[str, Any] | None, stream: bool = False
    ) -> Any:
        """The `openai` package's reply; its errors never leave here, they may hold the key."""
        pauses = 0
        while True:
            interrupt.look()
            if self._meter:
                self._meter.check()
            request = self._request(messages, schema, stream)
            outcome = self._attempt(request)
            if not isinstance(outcome, Failure):
                return outcome
            known = replace(self._abilities)
            again = self._abilities.learn(outcome, request)
            if known != self._abilities:
                remember_abilities(self._abilities, self._config, self._memory)
            if again:
                continue
            pause = self._pause(outcome, pauses)
            if pause is None:
                raise explain(outcome, self._config)
            interrupt.sleep(pause)
            pauses += 1

    def _attempt(self, request: dict[str, Any]) -> Any:
        """The reply, or a Failure."""
        import openai

        try:
            return self._ask(request)
        except openai.APIError as error:
            return describe(error)
        except ValueError as error:  # a body that says it is JSON and is not
            return Failure(502, type(error).__name__)
        except BritError:  # ended: what was read of it may have to be paid for
            self._count(None, request["messages"], None, "")
            raise

    def _ask(self, request: dict[str, Any]) -> Any:
        """On a connection of its own where somebody may end the call."""
        if not interrupt.is_interruptible():
            return self._client.chat.completions.create(**request)
        ask = StreamApart if request.get("stream") else ask_apart
        return ask(self._client_options, request)

    def _pause(self, failure: Failure, pauses: int) -> float | None:
        """Seconds to wait before the request is sent again; None to give up."""
        pause = failure.retry_after
        if pause is None:
            pause = FIRST_PAUSE * 2**pauses
        hopeless = not failure.passing or pauses >= self._retries or pause > self._longest_wait
        return None if hopeless else pause

    def _request(
        self, messages: list[Message], schema: dict[str, Any] | None, stream: bool
    ) -> dict[str, Any]:
        can = self._abilities
        if schema and can.json_mode != "schema":
            messages = ask_for_schema(messages, schema)
        request = {
            "model": self._config.model,
            "messages": drop_images(messages, can.image_limit),
            can.length_name: self._reply_limit,
        }
        if can.temperature:
            request["temperature"] = self._config.temperature
        if schema:
            request |= reply_format(can.json_mode, schema)
        if stream:
            request["stream"] = True
            request |= {"stream_options": {"include_usage": True}} if can.stream_usage else {}
        return request

    def _cut_off(self, finish: str, told: bool) -> ModelError:
        if finish == "length":
            limit = self._reply_limit
            return ModelError(f"The answer ends here: «{self.name}» reached its {limit} tokens.")
        return ModelError(
            f"The connection to the model server at {address_of(self._config)} broke "
            + (
                "while it was answering. The text up to there is kept; ask again for the rest."
                if told
                else "before it answered. Ask again."
            )
        )

    def _no_chat_model(self) -> ModelError:
        return ModelError(
            f"What stands at {address_of(self._config)} is no chat model. Check the address in "
            "Settings; it mostly ends in /v1."
        )

    def _count(
        self,
        usage: CompletionUsage | None,
        messages: list[Message],
        schema: dict[str, Any] | None,
        said: str,
    ) -> dict[str, int]:
        """Tokens of a call as the server counts them, or an upper estimate where it does not."""
        if estimated := usage is None:
            sent = drop_images(messages, self.image_limit)
            asked, told = estimate_prompt(sent, schema), estimate_tokens(said)
        else:
            asked, told = usage.prompt_tokens or 0, usage.completion_tokens or 0
        spent = {"prompt_tokens": asked, "completion_tokens": told}
        spent |= {"estimated_calls": 1} if estimated else {}
        with self._lock:
            for kind, tokens in spent.items():
                self._usage[kind] = self._usage.get(kind, 0) + tokens
        if self._meter:
            self._meter.record(asked, told, estimated=estimated)
        return spent


def _may_be_thoughts(start: str) -> bool:
    """Whether a reply that starts so has only thoughts in it so far, or may turn out to."""
    start = start.lstrip()
    return "</think>" not in start and start.startswith("<think>"[: len(start)])


def _parse_json(text: str, schema: dict[str, Any], truncated: bool) -> Any:
    """Repaired and checked data; of a truncated text the items that are whole. Else ValueError."""
    import json_repair

    mode: Literal["salvage", "standard"] = "salvage" if truncated else "standard"
    try:
        return json_repair.loads(text, schema=schema, schema_repair_mode=mode)
    except RecursionError as error:
        raise ValueError("it nests too deep") from error


def _probe_image() -> Message:
    """A question about a picture of 64 × 64 red pixels."""
    from PIL import Image

    file = io.BytesIO()
    Image.new("RGB", (64, 64), "red").save(file, "PNG")
    url = "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()
    text = {"type": "text", "text": "Which colour is this? One word."}
    return {"role": "user", "content": [text, {"type": "image_url", "image_url": {"url": url}}]}
