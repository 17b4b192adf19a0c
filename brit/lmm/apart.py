"""Requests on connections of their own, which close where nobody wants the reply any more."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from brit.lmm import interrupt

if TYPE_CHECKING:
    import ssl

    from openai import AsyncOpenAI
    from openai.types.chat import ChatCompletion, ChatCompletionChunk


def ask_apart(options: dict[str, Any], request: dict[str, Any]) -> ChatCompletion:
    """The reply. `options` are those of `openai.AsyncOpenAI`; raises its errors, and what ends the
    call."""

    async def ask() -> ChatCompletion:
        async with _connect(options) as client:
            reply: ChatCompletion = await client.chat.completions.create(**request)
            return reply

    return interrupt.run(ask())


class StreamApart:
    """A streamed reply, read in steps: between them, and before its first piece, it may be ended.

    Opening and reading raise as `ask_apart`.
    """

    def __init__(self, options: dict[str, Any], request: dict[str, Any]) -> None:
        self._runner, self._client = asyncio.Runner(), _connect(options)
        try:
            create = self._client.chat.completions.create(**request)
            stream = self._runner.run(interrupt.watch(create))
            self.response, self._pieces = stream.response, aiter(stream)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> StreamApart:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[ChatCompletionChunk]:
        while (chunk := self._runner.run(interrupt.watch(self._next()))) is not None:
            yield chunk

    async def _next(self) -> ChatCompletionChunk | None:
        return await anext(self._pieces, None)

    def close(self) -> None:
        """Closes the connection, whatever has come over it."""
        self._runner.run(self._client.close())
        self._runner.close()


def _connect(options: dict[str, Any]) -> AsyncOpenAI:
    import openai

    http = openai.DefaultAsyncHttpxClient(verify=_certificates())
    return openai.AsyncOpenAI(**options, http_client=http)


@cache
def _certificates() -> ssl.SSLContext:
    """Those that servers are known by: reading them takes longer than a connection."""
    import httpx2

    return httpx2.create_ssl_context()
