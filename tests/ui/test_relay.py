"""Waiting for a reply without being bound to it."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from brit.errors import ModelError
from brit.ui.relay import relay


def test_pieces_come_in_their_order_and_the_thread_cleans_up() -> None:
    ended = threading.Event()
    assert "".join(relay(iter(["It ", "", "weighs ", "9 kg."]), ended.set, "")) == "It weighs 9 kg."
    assert ended.wait(5)


def test_what_breaks_the_reply_is_raised_after_what_came() -> None:
    def broken() -> Iterator[str]:
        yield "It weighs"
        raise ModelError("The connection broke off.")

    came: list[str] = []
    with pytest.raises(ModelError, match="broke off"):
        came.extend(relay(broken(), lambda: None, ""))
    assert "".join(came) == "It weighs"


def test_a_model_that_does_not_begin_can_be_left() -> None:
    begin, ended, asked = threading.Event(), threading.Event(), list[str]()

    def slow() -> Iterator[str]:
        begin.wait(10)
        for piece in ("late", "later"):
            asked.append(piece)
            yield piece

    pieces = relay(slow(), ended.set, "")
    assert next(pieces) == ""
    pieces.close()
    assert not ended.is_set()  # nobody waited for it
    begin.set()
    assert ended.wait(5)
    assert asked == ["late"]
