"""A question that came with a file, or before any: kept until what it is about has been read."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from brit.storage.jobs import Job
from brit.ui.jobs_panel import POLL_SECONDS, active_jobs, failed_jobs, is_estimated
from brit.ui.safe import escape_markdown
from brit.ui.state import Place, dialog_is_open, refreshed
from brit.ui.wording import t

_KEY = "waiting-question"
_SHOWN = 240


@dataclass(frozen=True)
class Waiting:
    """`job` reads the files that came with the question; None where it came alone."""

    question: str
    collection: str | None
    job: int | None


def hold(question: str, collection: str | None, job: int | None = None) -> None:
    """Keep a question; a newer one takes its place."""
    st.session_state[_KEY] = Waiting(question, collection, job)


def is_due(place: Place) -> bool:
    """Is a question waiting that can be asked now?"""
    waiting = _waiting(place)
    if waiting is None or not place.ready:
        return False
    if waiting.job is None:
        return not any(job.unread for job in active_jobs(place, "ingest"))
    job = _job(place, waiting)
    stopped = job and (job.state in ("cancelled", "failed") or job.payload.get("locked"))
    return not stopped and not (job and (job.unread or is_estimated(job)))


def _job(place: Place, waiting: Waiting) -> Job | None:
    return next((job for job in place.workspace.jobs.jobs() if job.id == waiting.job), None)


def take_due(place: Place) -> str | None:
    """The waiting question, if its time has come; it waits no longer."""
    if not is_due(place):
        return None
    waiting: Waiting = st.session_state.pop(_KEY)
    return waiting.question


def show_waiting(place: Place) -> None:
    """Says which question waits, and draws the page anew when its time has come.

    It can be asked at once, where there is something to ask, or dropped.
    """
    if waiting := _waiting(place):
        every = POLL_SECONDS if active_jobs(place, "ingest") else None
        st.fragment(_row, run_every=every)(place, waiting)


def _row(place: Place, waiting: Waiting) -> None:
    if is_due(refreshed(place)) and not dialog_is_open():
        st.rerun()
    with st.container(
        key="waiting-question-row", border=True, horizontal=True, vertical_alignment="center"
    ):
        question = escape_markdown(waiting.question, _SHOWN)
        told = t(f"waiting.{_state(place, waiting)}")
        st.markdown(f":gray[:material/hourglass_empty: {told}] {question}", width="stretch")
        if place.ready and st.button(
            t("waiting.now"), icon=":material/play_arrow:", type="tertiary", key="waiting-now"
        ):
            st.session_state.pop(_KEY)
            st.session_state["ask"] = waiting.question
            st.rerun()
        if st.button(
            t("waiting.forget"), icon=":material/close:", type="tertiary", key="waiting-forget"
        ):
            st.session_state.pop(_KEY)
            st.rerun()


def _state(place: Place, waiting: Waiting) -> str:
    if active_jobs(place, "ingest"):
        return "reading"
    if any(map(is_estimated, failed_jobs(place, "ingest"))):
        return "estimated"
    return "stopped" if waiting.job else "empty"


def _waiting(place: Place) -> Waiting | None:
    """What waits in this collection, or began before there was one."""
    waiting: Waiting | None = st.session_state.get(_KEY)
    here = place.collection.id if place.collection else None
    return waiting if waiting and waiting.collection in (None, here) else None
