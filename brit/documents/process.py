"""The parent's end of the sandbox: start it, ask it, limit it, replace it."""

from __future__ import annotations

import atexit
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from brit.errors import Cancelled, DocumentError, PasswordNeeded

START_SECONDS = 60.0
START_MEGABYTES = 1500
POLL_SECONDS = 0.05
_ROOT = str(Path(__file__).resolve().parents[2])


class PageLimit(DocumentError):
    """A request went beyond its time or memory, or took the process down; the process is gone."""


class PageCrash(PageLimit):
    """The process went away in the middle of a request."""


class SandboxProcess:
    """One sandbox. Not to be shared by threads at the same time: see `borrow`."""

    def __init__(self) -> None:
        paths = [_ROOT, *filter(None, [os.environ.get("PYTHONPATH")])]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "brit.documents.sandbox"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        )
        self._replies: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()
        self._ready: set[str] = set()

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def ask(
        self,
        request: dict[str, Any],
        *,
        seconds: float,
        megabytes: int,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> dict[str, Any]:
        """The reply to a request.

        Raises DocumentError with the sandbox's own sentence, PageLimit when the request took more
        than `seconds` or `megabytes` on top of the process at rest, Cancelled.
        """
        kind = request["do"]
        try:
            if kind not in self._ready:
                # What is loaded for the first time is neither the page's time nor its memory.
                self._exchange({"do": "load", "for": kind}, START_SECONDS, START_MEGABYTES)
                self._ready.add(kind)
            reply = self._exchange(request, seconds, megabytes, cancelled)
        except BaseException:
            # A reply that comes later would be taken for that of the next request.
            self.close()
            raise
        if "error" in reply:
            fault = PasswordNeeded if reply["kind"] == "password" else DocumentError
            raise fault(reply["error"])
        return reply

    def close(self) -> None:
        """End the process and free its pipes."""
        self._process.kill()
        self._process.wait()
        self._thread.join()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def _exchange(
        self,
        request: dict[str, Any],
        seconds: float,
        megabytes: int,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> dict[str, Any]:
        self._send({**request, "seconds": seconds})
        return self._await(seconds, megabytes, cancelled)

    def _send(self, request: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request).encode("ascii") + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise PageLimit("The reader stopped; add the document again.") from error

    def _await(
        self, seconds: float, megabytes: int, cancelled: Callable[[], bool]
    ) -> dict[str, Any]:
        deadline, rest = time.monotonic() + seconds, self._megabytes()
        while True:
            try:
                line = self._replies.get(timeout=POLL_SECONDS)
            except queue.Empty:
                self._check(deadline, rest, seconds, megabytes, cancelled)
                continue
            if not line:
                raise PageCrash("The page crashed its reader.")
            return _reply(line)

    def _check(
        self,
        deadline: float,
        rest: float,
        seconds: float,
        megabytes: int,
        cancelled: Callable[[], bool],
    ) -> None:
        if cancelled():
            raise Cancelled("Reading was cancelled.")
        if time.monotonic() > deadline:
            raise PageLimit(f"The page took longer than {seconds:g} seconds.")
        if self._megabytes() - rest > megabytes:
            raise PageLimit(f"The page needs more than {megabytes} MB of memory.")

    def _megabytes(self) -> float:
        try:
            return float(psutil.Process(self._process.pid).memory_info().rss) / 1e6
        except psutil.NoSuchProcess:
            return 0.0

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._replies.put(line)
        self._replies.put(b"")


def _reply(line: bytes) -> dict[str, Any]:
    """A page may have taken its reader over: what it says is looked at as what anybody says."""
    try:
        reply = json.loads(line)
    except (ValueError, RecursionError):
        reply = None
    if not isinstance(reply, dict) or ("error" in reply and "kind" not in reply):
        raise PageCrash("The page's reader gave an answer that makes no sense.")
    return reply


def close_idle() -> None:
    """End the sandboxes that are kept warm."""
    with _lock:
        while _idle:
            _idle.pop().close()


_idle: list[SandboxProcess] = []
_lock = threading.Lock()
atexit.register(close_idle)


def acquire() -> SandboxProcess:
    """A sandbox of one's own: a warm one if one is idle."""
    with _lock:
        while _idle:
            process = _idle.pop()
            if process.alive:
                return process
    return SandboxProcess()


def release(process: SandboxProcess, keep: int = 1) -> None:
    """Give a sandbox back; as many as `keep` are kept warm."""
    with _lock:
        if process.alive and len(_idle) < keep:
            _idle.append(process)
            return
    process.close()


@contextmanager
def borrow() -> Iterator[SandboxProcess]:
    """A sandbox for the length of a with statement."""
    process = acquire()
    try:
        yield process
    finally:
        release(process)
