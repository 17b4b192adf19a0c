"""What the buttons of the review do: one correction each, and a sentence on what came of it."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from brit.errors import BritError
from brit.pipeline.corrections import undo_correction, undo_last
from brit.pipeline.review import ReviewQueue
from brit.types import Correction
from brit.ui.safe import escape_markdown
from brit.ui.wording import t

_LINK = "link"
_SAID = "review-said"
_JOIN = "~"


def looked_at() -> tuple[str, str] | None:
    """The image and the node the address names; they need not be there."""
    image, _, node = str(st.query_params.get(_LINK, ""))[:100].partition(_JOIN)
    return (image, node) if image and node else None


def look_at(image: str, node: str) -> None:
    st.query_params[_LINK] = f"{image}{_JOIN}{node}"


def act(work: Callable[[], object], said: str, following: tuple[str, str] | None = None) -> None:
    """A callback's work: a correction; then the pair `following` it is looked at."""
    try:
        work()
    except BritError as error:
        st.session_state[_SAID] = ("error", escape_markdown(str(error)))
        return
    st.session_state[_SAID] = ("done", said)
    if following is not None:
        st.session_state.pop("review-page", None)
        look_at(*following)


def last_said() -> str:
    """What came of the last correction, once, as Markdown; an error in a box of its own."""
    kind, said = st.session_state.pop(_SAID, ("", ""))
    if kind == "error":
        st.error(said, icon=":material/error:")
        return ""
    return f":green[:material/check:] {said}" if said else ""


def undo_last_button(queue: ReviewQueue) -> None:
    """Undo the latest correction that holds."""
    workspace, collection = queue.workspace, queue.collection.id
    _, active = workspace.corrections.counts(collection)
    st.button(
        t("review.undo"),
        icon=":material/undo:",
        key="review-undo",
        shortcut="u",
        disabled=not active,
        on_click=act,
        args=(lambda: _back_to(undo_last(workspace, collection)), t("review.undone")),
    )


def undo_one(queue: ReviewQueue, number: int) -> None:
    """Undo one of the list."""
    workspace, collection = queue.workspace, queue.collection.id
    act(lambda: _back_to(undo_correction(workspace, collection, number)), t("review.undone"))


def _back_to(undone: Correction | None) -> None:
    """The pair a correction was about is looked at again."""
    if undone is not None and undone.image and undone.node:
        look_at(undone.image, undone.node)
