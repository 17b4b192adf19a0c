"""The misbehaving server of tests/lmm, and what it takes to verify without weights."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from brit.config import ModelConfig
from brit.lmm import open_language_model
from brit.models import LanguageModel
from tests.lmm.server import ChatServer


@pytest.fixture
def serve() -> Iterator[Any]:
    """serve(**behaviour) → a running ChatServer, stopped after the test."""
    running: list[ChatServer] = []

    def start(**behaviour: Any) -> ChatServer:
        server = ChatServer(**behaviour)
        running.append(server.__enter__())
        return server

    yield start
    for server in running:
        server.__exit__()


def connect(server: ChatServer, **changes: Any) -> LanguageModel:
    config = {"model": "tester", "base_url": server.url, "api_key": server.key, "timeout": 5.0}
    model = open_language_model(ModelConfig(**(config | changes)))
    assert model
    return model


def name_phrases(text: str) -> list[str]:
    """Stands in for the parser: what follows «a», «the» or a number, up to the next small word."""
    ends = r"(?=\s+(?:is|are|reads?|says?|on|in|to|of|beside|and|lies?|stands?|weighs)\b|[.,]|$)"
    found = re.finditer(rf"(?:\b(?:an?|the)\s|\b(?=(?:two|three|no)\s))(.+?){ends}", text, re.I)
    return [each[1] for each in found]
