"""What an endpoint can do, learnt from what it refuses.

The messages recognised are those of llama.cpp («image input is not supported», HTTP 500; issue
13566), vLLM («At most 1 image(s) may be provided in one request», 400; issue 13397), Ollama («this
model does not support image input», 400; issue 17398), and OpenAI's («Unsupported parameter:
'max_tokens' …», «'temperature' does not support 0 …», 400).
"""

from __future__ import annotations

import json
import re
import time
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, Protocol

from brit.config import ModelConfig
from brit.lmm.context import told_context
from brit.lmm.failures import Failure, address_of
from brit.models import Message
from brit.types import stable_id

JsonMode = Literal["schema", "object", "text"]

_NO_IMAGES = re.compile(
    r"(?:image|vision|multimodal|mmproj).*(?:not supported|not support|unsupported|missing|expected"
    r"|not available|invalid|cannot|only text)"
    r"|(?:not support|unsupported|unknown|missing|only|invalid|no endpoints).*"
    r"(?:image|vision|multimodal|mmproj)|content\S*type|content must be a string",
    re.I | re.S,
)
_IMAGE_LIMIT = re.compile(r"(?:at most|maximum of|up to|limit\D{0,20})\s*(\d+)\s*image", re.I)
_NO_FORMAT = re.compile(r"response_format|json_schema|json_object|grammar|structured output", re.I)
_HIDDEN_IMAGE = {"type": "text", "text": "(this picture cannot be shown to you)"}


DAYS_REMEMBERED = 7
"""A server may be restarted with other abilities: after so long it is asked anew."""


class Memory(Protocol):
    """Where what was learnt outlives the process: JSON values by key."""

    def get(self, key: str, default: Any = None) -> Any: ...

    def set(self, key: str, value: Any) -> None: ...


@dataclass
class Abilities:
    """`image_limit`: pictures a request may hold, None while no limit is known, 0 for none.

    `context`: tokens of a request and its reply together, None while unknown; `asked_context` once
    the server's list of models was looked at for it.
    """

    image_limit: int | None = None
    json_mode: JsonMode = "schema"
    length_name: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True
    stream_usage: bool = True
    context: int | None = None
    asked_context: bool = False

    def learn(self, failure: Failure, request: dict[str, Any]) -> bool:
        """Takes a refusal to heart; True if the request is worth sending again, changed.

        Every lesson narrows what is sent, so asking again after each ends.
        """
        if failure.too_long:
            return self._learn_context(failure.text, request)
        if failure.status in (None, 401, 403, 429):
            return False
        return (
            self._learn_images(failure.text, request["messages"])
            or self._learn_parameters(failure.text, request)
            or self._learn_format(failure, request)
        )

    def _learn_context(self, text: str, request: dict[str, Any]) -> bool:
        """Worth sending again where more than a quarter of it was left free for the reply."""
        size, known = told_context(text), self.context
        if size is None or (known and known <= size):
            return False
        self.context = size
        return bool(request.get(self.length_name, 0) > size // 4)

    def _learn_images(self, text: str, messages: list[Message]) -> bool:
        sent = count_images(messages)
        if not sent:
            return False
        if limit := _IMAGE_LIMIT.search(text):
            self.image_limit = min(int(limit[1]), sent - 1)
            return True
        if _NO_IMAGES.search(text):
            self.image_limit = 0
            return True
        return False

    def _learn_parameters(self, text: str, request: dict[str, Any]) -> bool:
        if "max_completion_tokens" in text and "max_tokens" in request:
            self.length_name = "max_completion_tokens"
        elif "temperature" in text and "temperature" in request:
            self.temperature = False
        elif "stream_options" in text and "stream_options" in request:
            self.stream_usage = False
        else:
            return False
        return True

    def _learn_format(self, failure: Failure, request: dict[str, Any]) -> bool:
        """A 400 or 422 without a reason is laid at the reply format too: it is asked for first."""
        if "response_format" not in request:
            return False
        if failure.status not in (400, 422) and not _NO_FORMAT.search(failure.text):
            return False
        self.json_mode = "object" if self.json_mode == "schema" else "text"
        return True


def recall_abilities(config: ModelConfig, memory: Memory | None) -> Abilities:
    """What was learnt of this model at this address in the last days, else what to begin with."""
    kept = None if memory is None else memory.get(_key(config))
    if not isinstance(kept, dict) or time.time() - kept["learnt"] > DAYS_REMEMBERED * 86_400:
        return Abilities()
    known = {field.name for field in fields(Abilities)}
    return Abilities(**{name: value for name, value in kept.items() if name in known})


def remember_abilities(abilities: Abilities, config: ModelConfig, memory: Memory | None) -> None:
    """Keep what was learnt, by address and model; never the key, nor a password in the address."""
    if memory is not None:
        memory.set(_key(config), {**asdict(abilities), "learnt": time.time()})


def _key(config: ModelConfig) -> str:
    return f"abilities:{stable_id('abilities', address_of(config), config.model)}"


def count_images(messages: list[Message]) -> int:
    return sum(part["type"] == "image_url" for message in messages for part in _parts(message))


def _parts(message: Message) -> list[dict[str, Any]]:
    content = message["content"]
    return content if isinstance(content, list) else []


def drop_images(messages: list[Message], limit: int | None) -> list[Message]:
    """The messages with their first `limit` pictures; a message without any becomes plain text,
    which is all that some text-only servers take."""
    left = count_images(messages) if limit is None else limit
    kept = []
    for message in messages:
        parts = []
        for part in _parts(message):
            is_image = part["type"] == "image_url"
            parts.append(_HIDDEN_IMAGE if is_image and left <= 0 else part)
            left -= is_image
        if parts and not any(part["type"] == "image_url" for part in parts):
            message = {**message, "content": "\n".join(part["text"] for part in parts)}
        elif parts:
            message = {**message, "content": parts}
        kept.append(message)
    return kept


def ask_for_schema(messages: list[Message], schema: dict[str, Any]) -> list[Message]:
    """The messages with the schema told in words, for endpoints that do not enforce it."""
    told = f"Reply with one JSON object and nothing else. Its JSON Schema:\n{json.dumps(schema)}"
    return [*messages, {"role": "user", "content": told}]


def reply_format(mode: JsonMode, schema: dict[str, Any]) -> dict[str, Any]:
    """The `response_format` of a request; empty in text mode."""
    if mode == "schema":
        shape = {"name": "reply", "strict": True, "schema": schema}
        return {"response_format": {"type": "json_schema", "json_schema": shape}}
    return {"response_format": {"type": "json_object"}} if mode == "object" else {}
