"""Every reply kept by what was asked, so that asking again costs nothing."""

from __future__ import annotations

import json
from collections.abc import Generator, MutableMapping
from contextlib import closing
from typing import Any

from brit.models import LanguageModel, Message
from brit.types import Completion, stable_id


class CachedModel:
    """A LanguageModel in front of another. Keys are hashes of model, messages (pictures are in
    them, as data URLs) and schema; `parameters` names what else shapes a reply.

    Replies that failed or broke off are not kept.
    """

    def __init__(
        self, model: LanguageModel, store: MutableMapping[str, str], parameters: str = ""
    ) -> None:
        self._model = model
        self._store = store
        self._parameters = parameters

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def image_limit(self) -> int | None:
        return self._model.image_limit

    @property
    def accepts_images(self) -> bool:
        return self._model.accepts_images

    @property
    def prompt_limit(self) -> int | None:
        return self._model.prompt_limit

    @property
    def usage(self) -> dict[str, int]:
        """What was spent; a reply out of the cache spends nothing."""
        return self._model.usage

    def holds(self, messages: list[Message], schema: dict[str, Any] | None = None) -> bool:
        """Whether this would cost nothing."""
        return self._key(messages, schema) in self._store

    def complete(self, messages: list[Message], schema: dict[str, Any] | None = None) -> Completion:
        key = self._key(messages, schema)
        if (kept := self._store.get(key)) is not None:
            return Completion(**json.loads(kept))
        reply = self._model.complete(messages, schema)
        self._store[key] = json.dumps({"text": reply.text, "data": reply.data})
        return reply

    def stream(self, messages: list[Message]) -> Generator[str, None, None]:
        key = self._key(messages, "stream")
        if (kept := self._store.get(key)) is not None:
            yield kept
            return
        pieces = []
        with closing(self._model.stream(messages)) as stream:
            for piece in stream:
                pieces.append(piece)
                yield piece
        self._store[key] = "".join(pieces)

    def _key(self, messages: list[Message], schema: object) -> str:
        asked = json.dumps([messages, schema], sort_keys=True)
        return stable_id("reply", self.name, self._parameters, asked)
