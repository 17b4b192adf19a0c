"""Pieces of a reply that the page can stop waiting for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future
from contextvars import copy_context
from queue import Empty, SimpleQueue

LOOK_SECONDS = 0.3


def relay(pieces: Iterator[str], on_end: Callable[[], None]) -> Generator[str, None, None]:
    """The pieces as they come, and "" as long as none does: Streamlit ends a script only where it
    draws, and a model may take minutes to begin.

    They are read in a thread, which calls `on_end`. Closing this lets it go on until the next
    piece and no further. Raises what the pieces raise.
    """
    arrived: SimpleQueue[str] = SimpleQueue()
    ended: Future[None] = Future()
    left = threading.Event()

    def read() -> None:
        try:
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
                yield ""
        ended.result()
    finally:
        left.set()
