"""Pieces of a reply that the page can stop waiting for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future
from contextvars import copy_context
from queue import Empty, SimpleQueue
from typing import TypeVar

from brit.errors import Cancelled
from brit.lmm.interrupt import interruptible

T = TypeVar("T")
LOOK_SECONDS = 0.3


def relay(pieces: Iterator[T], on_end: Callable[[], None], nothing: T) -> Generator[T, None, None]:
    """The pieces as they come, and `nothing` as long as none does: Streamlit ends a script only
    where it draws, and a model may take minutes to begin.

    They are read in a thread, which calls `on_end`. Closing this ends the request a model is
    working on, and what else it does at the next piece. Raises what the pieces raise.
    """
    arrived: SimpleQueue[T] = SimpleQueue()
    ended: Future[None] = Future()
    left = threading.Event()

    def look() -> None:
        if left.is_set():
            raise Cancelled("Nobody waits for this any more.")

    def read() -> None:
        try:
            with interruptible(look):
                for piece in pieces:
                    arrived.put(piece)
                    if left.is_set():
                        break
        except BaseException as error:  # raised again where the pieces are wanted
            ended.set_exception(error)
        else:
            ended.set_result(None)
        finally:
            on_end()

    threading.Thread(target=copy_context().run, args=(read,), daemon=True).start()
    try:
        while not (ended.done() and arrived.empty()):
            try:
                yield arrived.get(timeout=0 if ended.done() else LOOK_SECONDS)
            except Empty:
                yield nothing
        ended.result()
    finally:
        left.set()
