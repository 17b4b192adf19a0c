"""How much one visitor may ask and upload: by the settings, counted in memory."""

from __future__ import annotations

import math
import threading
import time
from collections import deque

import streamlit as st

from brit.errors import InputError
from brit.ui import state
from brit.ui.visitor import visitor
from brit.ui.wording import number, t, whole_seconds

MINUTE, HOUR = 60.0, 3600.0
MOST_VISITORS = 10_000
"""Beyond so many who were here lately, those seen longest ago are forgotten."""


class RateLimit:
    """At most `most` within any `seconds`, for each who asks."""

    def __init__(self, most: int, seconds: float) -> None:
        self.most, self._seconds = most, seconds
        self._times: dict[str, deque[float]] = {}
        self._lock = threading.Lock()

    def take(self, key: str, count: int = 1) -> float:
        """0.0 where that was still free, and is now taken; else the seconds until it is, without
        end where it never will be."""
        with self._lock:
            now = time.monotonic()
            times = self._times.pop(key, deque())
            self._times[key] = times  # the last to be seen
            while len(self._times) > MOST_VISITORS:
                self._times.pop(next(iter(self._times)))
            while times and times[0] <= now - self._seconds:
                times.popleft()
            if count > self.most:
                return math.inf
            over = len(times) + count - self.most
            if over > 0:
                return times[over - 1] + self._seconds - now
            times.extend([now] * count)
            return 0.0


@st.cache_resource(show_spinner=False)
def _limits() -> tuple[RateLimit, RateLimit]:
    chosen = state.settings()
    return (
        RateLimit(chosen.questions_a_minute, MINUTE),
        RateLimit(chosen.uploads_an_hour, HOUR),
    )


def take_question() -> None:
    """Before a question, a check or a grade. Raises InputError, which says when."""
    questions, _ = _limits()
    if wait := questions.take(visitor().key):
        told = {"most": number(questions.most), "left": whole_seconds(wait)}
        raise InputError(t("limits.questions", **told))


def take_uploads(count: int) -> None:
    """Before so many files are kept. Raises InputError, which says when."""
    _, uploads = _limits()
    wait = uploads.take(visitor().key, count)
    if wait == math.inf:
        raise InputError(t("limits.too_many", most=number(uploads.most)))
    if wait:
        told = {"most": number(uploads.most), "left": whole_seconds(wait)}
        raise InputError(t("limits.uploads", **told))
