"""A language model for tests: it says what it was told to say, and remembers what it was asked."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Generator, Iterator
from copy import deepcopy
from typing import Any

from brit.errors import BritError, MalformedReply
from brit.models import Message
from brit.types import Completion

Reply = str | dict[str, Any] | BritError
ScriptedReply = Reply | list[str | BritError]


class ScriptedModel:
    """Enqueue replies, then look at `calls`.

    A reply is a text, a dictionary (sent as JSON), an error to raise, or a list of the pieces of a
    stream, an error among them where it is to break. Without a reply left it raises LookupError.
    """

    def __init__(self, *replies: ScriptedReply, image_limit: int | None = None) -> None:
        self.name = "scripted"
        self.image_limit = image_limit
        self.prompt_limit: int | None = None
        self.calls: list[list[Message]] = []
        self.closed = 0
        self.usage = {"prompt_tokens": 0, "completion_tokens": 0}
        self._replies: deque[ScriptedReply] = deque(replies)

    @property
    def accepts_images(self) -> bool:
        return self.image_limit != 0

    def enqueue(self, *replies: ScriptedReply) -> None:
        self._replies.extend(replies)

    def complete(self, messages: list[Message], schema: dict[str, Any] | None = None) -> Completion:
        text = "".join(self._pieces(messages))
        if schema is None:
            return Completion(text)
        try:
            return Completion(text, json.loads(text))
        except ValueError as error:
            raise MalformedReply("The script holds no JSON here.") from error

    def stream(self, messages: list[Message]) -> Generator[str, None, None]:
        try:
            yield from self._pieces(messages)
        finally:
            self.closed += 1

    def _pieces(self, messages: list[Message]) -> Iterator[str]:
        self.calls.append(deepcopy(messages))
        self.usage = {key: count + 1 for key, count in self.usage.items()}
        if not self._replies:
            raise LookupError("the script has no reply left")
        reply = self._replies.popleft()
        for piece in reply if isinstance(reply, list) else [reply]:
            if isinstance(piece, BritError):
                raise piece
            yield piece if isinstance(piece, str) else json.dumps(piece)
