"""Makes the misbehaving server of server.py known to the tests of this folder."""

import importlib.util
import sys
from pathlib import Path

import pytest

_spec = importlib.util.spec_from_file_location("chat_server", Path(__file__).with_name("server.py"))
assert _spec
assert _spec.loader
_module = importlib.util.module_from_spec(_spec)
sys.modules["chat_server"] = _module
_spec.loader.exec_module(_module)


@pytest.fixture
def serve():
    """serve(**behaviour) → a running ChatServer, stopped after the test."""
    running = []

    def start(**behaviour):
        server = _module.ChatServer(**behaviour)
        running.append(server.__enter__())
        return server

    yield start
    for server in running:
        server.__exit__()
