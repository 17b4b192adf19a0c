"""Checks that run while the page is read: in a thread, one at a time, outliving the visit."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait

from brit.storage import Workspace

Work = Callable[[], None]


class Checks:
    """What was started by key. Work that failed keeps its error until it is forgotten."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._works: dict[str, Future[None]] = {}
        self._lock = threading.Lock()
        self._turn = threading.Lock()

    def start(self, key: str, work: Work) -> None:
        """Begin, unless it has begun."""
        with self._lock:
            if key in self._works:
                return
            future = self._works[key] = Future()
        threading.Thread(target=self._fulfil, args=(future, work), daemon=True).start()

    def runs(self, key: str) -> bool:
        future = self._works.get(key)
        return future is not None and not future.done()

    def wait(self, key: str, seconds: float) -> None:
        """Until it ends, so many seconds at most."""
        if future := self._works.get(key):
            wait((future,), seconds)

    def settle(self, key: str) -> None:
        """Forget what ended well: the result is in the workspace. Raises what it failed with."""
        future = self._works.get(key)
        if future is not None and future.done():
            future.result()
            self.forget(key)

    def forget(self, key: str) -> None:
        with self._lock:
            self._works.pop(key, None)

    def _fulfil(self, future: Future[None], work: Work) -> None:
        try:
            with self._turn:
                work()
        except BaseException as error:  # raised again where it is waited for
            future.set_exception(error)
        else:
            future.set_result(None)
        finally:
            self._workspace.close()
