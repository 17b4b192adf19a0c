"""Calls that somebody may end: before they are made, while they wait, and while they run."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

T = TypeVar("T")
LOOK_SECONDS = 0.3

_check: ContextVar[Callable[[], None] | None] = ContextVar("check", default=None)


@contextmanager
def interruptible(check: Callable[[], None]) -> Iterator[None]:
    """Calls inside, on this thread, end when `check` raises; what it raises is passed on."""
    token = _check.set(check)
    try:
        yield
    finally:
        _check.reset(token)


def is_interruptible() -> bool:
    return _check.get() is not None


def look() -> None:
    """Raises what ends the calls."""
    if check := _check.get():
        check()


def sleep(seconds: float) -> None:
    """Wait, unless ended meanwhile."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        look()
        time.sleep(min(left, LOOK_SECONDS))


def run(work: Coroutine[Any, Any, T]) -> T:
    """The result of some work; ended meanwhile, it is cancelled and its connection closed."""
    return asyncio.run(watch(work))


async def watch(work: Coroutine[Any, Any, T]) -> T:
    """As `run`, inside a loop."""
    task = asyncio.ensure_future(work)
    try:
        while not task.done():  # a reply that is there is kept
            look()
            await asyncio.wait({task}, timeout=LOOK_SECONDS)
    except BaseException:
        task.cancel()
        await asyncio.wait({task})
        raise
    return task.result()
