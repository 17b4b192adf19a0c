"""What is chosen of an answered question, for as long as the visit lasts, and in the address.

The address names turn and mark, so that a link leads others to the same path.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from brit.storage.chats import Turn
from brit.ui.lit import Lit, Paths
from brit.ui.path_words import PathStep

_PARAM = "path"
WHOLE = -1
"""The step that is none: the path is shown as a whole."""


def turn_named() -> str:
    """The turn the address names; anything may stand there."""
    return str(st.query_params.get(_PARAM, "")).partition("~")[0]


def chosen(turn: Turn, paths: Paths) -> Lit | None:
    """What is lit up now; None also for what the address made up."""
    key = f"lit-{turn.id}"
    if key not in st.session_state:
        named, _, mark = str(st.query_params.get(_PARAM, "")).partition("~")
        st.session_state[key] = mark if named == turn.id else ""
    return paths.light(st.session_state[key])


def choose(turn: Turn, mark: str) -> None:
    """Light up what leads to a mark, nothing for "". What is lit up already is to be opened."""
    if mark and st.session_state.get(f"lit-{turn.id}") == mark:
        want_page(turn)
        return
    st.session_state[f"lit-{turn.id}"] = mark
    _at(turn, WHOLE, 0)
    if mark:
        st.query_params[_PARAM] = f"{turn.id}~{mark}"
    else:
        st.query_params.pop(_PARAM, None)


def step_at(turn: Turn, steps: tuple[PathStep, ...]) -> int:
    """The number of the step that is looked at, `WHOLE` for none."""
    at = st.session_state.get(f"step-{turn.id}", WHOLE)
    return at if isinstance(at, int) and WHOLE <= at < len(steps) else WHOLE


def go_to_step(turn: Turn, at: Any, keys: list[str], steps: tuple[PathStep, ...]) -> None:
    """Look at a step, and at its place in a document if it has one; `keys` are of the evidence."""
    if not isinstance(at, int) or not 0 <= at < len(steps):
        return
    key = steps[at].evidence
    _at(turn, at, keys.index(key) if key in keys else shown_at(turn, len(keys)))


def _at(turn: Turn, step: int, place: int) -> None:
    st.session_state[f"step-{turn.id}"] = step
    st.session_state[f"place-{turn.id}"] = place


def shown_at(turn: Turn, count: int) -> int:
    """Which of `count` places is shown beneath the answer."""
    return min(int(st.session_state.get(f"place-{turn.id}", 0)), max(count - 1, 0))


def show_place(turn: Turn, at: int) -> None:
    st.session_state[f"place-{turn.id}"] = at


def want_page(turn: Turn) -> None:
    """The dialog with the whole page is opened at the end of this run."""
    st.session_state[f"page-{turn.id}"] = True


def page_wanted(turn: Turn) -> bool:
    """Once."""
    return bool(st.session_state.pop(f"page-{turn.id}", False))
