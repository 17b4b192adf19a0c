"""A text and a picture: what is checked, and the button that does it."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from brit import pipeline
from brit.types import Mode, Retrieval, Verification
from brit.ui import state
from brit.ui.limits import take_question
from brit.ui.state import Place, shown_errors
from brit.ui.verify_marks import is_strict, strict_switch
from brit.ui.verify_picker import pick_picture
from brit.ui.verify_result import show_result
from brit.ui.wording import t

_MODES: tuple[Mode, ...] = ("image-to-text", "text-to-image")
_RESULT = "verify-result"
MOST_CHARACTERS = 6000


@dataclass(frozen=True)
class Result:
    """A check with what it was made on: the page shows both after a way over other pages."""

    verification: Verification
    picture: bytes | None
    retrieval: Retrieval | None
    collection: str


def check_tab(place: Place) -> None:
    """Material on the left, verdicts on the right."""
    left, right = st.columns([10, 12], gap="large")
    with left, st.container(key="verify-form"):
        mode = _mode()
        picture = pick_picture(place, "verify")
        text = st.text_area(
            t(f"verify.text_{mode}"), height=130, max_chars=MOST_CHARACTERS, key="verify-text",
            placeholder=t(f"verify.example_{mode}"), persist_state="session",
        )  # fmt: skip
        known = _knowledge(place)
        strict_switch(place.workspace, "verify-strict")
        asked = st.button(
            t("verify.check"), type="primary", icon=":material/fact_check:", key="verify-check",
            disabled=picture is None and not known,
        )  # fmt: skip
        if picture is None and not known:
            why = "nothing_to_check_against" if place.ready else "nothing_yet"
            st.caption(t(f"verify.{why}"))
    with right, shown_errors():
        if asked and not text.strip():
            st.info(t("verify.no_text"), icon=":material/info:")
        elif asked:
            take_question()
            slot = st.empty()
            with slot, st.spinner(t("verify.checking")):
                _check(place, text, picture, mode, known)
            slot.empty()
        _shown(place)


def _mode() -> Mode:
    chosen = st.segmented_control(
        t("verify.mode"), _MODES, default=_MODES[0], required=True, key="verify-mode",
        format_func=lambda each: t(f"verify.{each}"), persist_state="session",
    )  # fmt: skip
    return chosen or _MODES[0]


def _knowledge(place: Place) -> bool:
    if not place.ready or place.collection is None:
        return False
    return st.toggle(
        t("verify.knowledge", name=place.collection.name), True, key="verify-knowledge",
        help=t("verify.knowledge_help"), persist_state="session",
    )  # fmt: skip


def _check(place: Place, text: str, picture: bytes | None, mode: Mode, known: bool) -> None:
    models = state.models()
    retrieval = None
    if known and place.collection is not None:
        retrieval = pipeline.retrieve(place.workspace, text, place.collection.name, models=models)
    verification = pipeline.verify_picture(
        text, picture, models=models, mode=mode, retrieval=retrieval,
        strict=is_strict(place.workspace),
    )  # fmt: skip
    collection = place.collection.id if place.collection else ""
    st.session_state[_RESULT] = Result(verification, picture, retrieval, collection)


def _shown(place: Place) -> None:
    result: Result | None = st.session_state.get(_RESULT)
    here = place.collection.id if place.collection else ""
    if result is None or result.collection != here:
        with st.container(key="verify-empty"):
            st.markdown(f":gray[:material/fact_check: {t('verify.empty')}]")
        return
    show_result(place, result.verification, result.picture, result.retrieval)
