"""Work done side by side, its results in order."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from queue import SimpleQueue
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")
POLL_SECONDS = 0.05


def in_order(
    lanes: Sequence[Callable[[T], R]],
    items: Iterable[T],
    check: Callable[[], None],
    stop: threading.Event,
) -> Iterator[R]:
    """The results of `items` in their order, each worked out by whichever lane is free.

    One lane works in this thread, and only when a result is asked for. Of more, each has a thread,
    and they work ahead by a few items. `check` is called in this thread all the while and may
    raise; then, and where nobody wants the rest, `stop` is set, at which lanes should end early.
    """
    if len(lanes) == 1:
        for item in items:
            check()
            yield lanes[0](item)
        return
    free: SimpleQueue[Callable[[T], R]] = SimpleQueue()
    for lane in lanes:
        free.put(lane)

    def work(item: T) -> R:
        lane = free.get()
        try:
            return lane(item)
        finally:
            free.put(lane)

    waiting: deque[Future[R]] = deque()
    pool = ThreadPoolExecutor(len(lanes))
    try:
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) >= 2 * len(lanes):
                yield _result(waiting.popleft(), check)
        while waiting:
            yield _result(waiting.popleft(), check)
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)


def _result(future: Future[R], check: Callable[[], None]) -> R:
    while True:
        check()
        if wait([future], POLL_SECONDS).done:
            return future.result()
