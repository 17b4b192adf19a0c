"""The memory of this process and its readers, watched while something runs."""

from __future__ import annotations

import threading

import psutil


class Peak:
    """The most that the child processes took together, and with `own` this one too, in a thread."""

    def __init__(self, *, own: bool) -> None:
        self.megabytes, self._own, self._stop = 0.0, own, threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._stop.wait(0.05):
            self.megabytes = max(self.megabytes, megabytes(own=self._own))

    def stop(self) -> float:
        self._stop.set()
        self._thread.join()
        return self.megabytes


def megabytes(*, own: bool) -> float:
    this = psutil.Process()
    total = 0.0
    for process in (*([this] if own else []), *this.children()):
        try:
            total += process.memory_info().rss / 1e6
        except psutil.NoSuchProcess:
            continue
    return total
