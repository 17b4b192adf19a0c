"""Running and ended jobs: how far, how long still, cancel, resume, and what failed."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from brit.storage.jobs import Job
from brit.ui import state
from brit.ui.safe import escape_markdown
from brit.ui.state import Place
from brit.ui.wording import dotted, number, seconds, t, t_or

_POLL_SECONDS = 1.0
_ENDED = 5


def active_jobs(place: Place, kind: str) -> list[Job]:
    """Jobs of a kind that run or wait; of this collection, where there is one."""
    collection = place.collection.name if place.collection and kind == "ingest" else None
    jobs = place.workspace.jobs.jobs(active=True)
    return [j for j in jobs if j.kind == kind and collection in (None, j.collection, _name(j))]


def _name(job: Job) -> str:
    return str(job.payload.get("collection", ""))


def jobs_panel(place: Place, kind: str = "ingest", *, ended: bool = False) -> None:
    """Watches its jobs while any is active, and draws the page anew when the last one ends."""
    active = active_jobs(place, kind)
    every = _POLL_SECONDS if active else None
    st.fragment(_panel, run_every=every)(place, kind, ended, bool(active))


def _panel(place: Place, kind: str, ended: bool, was_active: bool) -> None:
    active = active_jobs(place, kind)
    if was_active and not active:
        st.rerun()
    with st.container(key=f"jobs-{kind}", gap="small"):
        for job in reversed(active):
            _active_job(job)
        for job in _ended_jobs(place, kind, ended):
            _ended_job(job)


def _ended_jobs(place: Place, kind: str, everything: bool) -> Sequence[Job]:
    """What ended badly, until it is resumed or dismissed; on request the good ones too."""
    jobs = [
        job
        for job in place.workspace.jobs.jobs()
        if job.kind == kind
        and job.state in ("done", "failed", "cancelled")
        and f"dismissed-{job.id}" not in st.session_state
        and (place.collection is None or kind != "ingest" or _name(job) == place.collection.name)
    ]
    newest = jobs[: _ENDED if everything else 1]
    return [job for job in newest if everything or job.state != "done" or job.message]


def stage_words(job: Job) -> str:
    """«Reading pages · 28 of 108 · about 40 s left»."""
    if job.state == "queued":
        return t("jobs.queued")
    if job.state == "interrupted":
        return t("jobs.interrupted")
    name = t_or(f"stage.{job.stage}", job.stage.capitalize()) if job.stage else t("jobs.starting")
    left = job.seconds_left
    remaining = t("jobs.left", time=seconds(max(round(left), 1))) if left and left > 1 else ""
    return dotted(escape_markdown(name), _counted(job), remaining)


def _counted(job: Job) -> str:
    """Weights are counted in bytes, all else in pieces."""
    unit, words = (1_000_000, "jobs.megabytes") if job.kind == "fetch-models" else (1, "jobs.of")
    if not job.total:
        return ""
    return t(words, done=number(job.done // unit), total=number(job.total // unit))


def job_title(job: Job) -> str:
    """What a job works on: its file, or the number of files."""
    if job.kind != "ingest":
        return t(f"jobs.{job.kind}")
    paths = [str(path) for path in job.payload.get("paths", [])]
    names = [path.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1] for path in paths]
    if len(names) == 1:
        return escape_markdown(names[0], 60)
    return t("jobs.files", n=len(names))


def _active_job(job: Job) -> None:
    with st.container(border=True, key=f"job-{job.id}"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{job_title(job)}**", width="stretch")
            if st.button(
                t("jobs.cancel"), icon=":material/close:", type="tertiary", key=f"cancel-{job.id}"
            ):
                state.runner().cancel(job.id)
                st.rerun(scope="fragment")
        done = min(job.done / job.total, 1.0) if job.total else 0.0
        st.progress(done, text=stage_words(job))
        if job.detail:
            st.caption(escape_markdown(job.detail, 90))


def _ended_job(job: Job) -> None:
    icon = {"done": ":green[:material/check_circle:]", "failed": ":orange[:material/error:]"}.get(
        job.state, ":gray[:material/block:]"
    )
    with st.container(horizontal=True, vertical_alignment="center", key=f"ended-{job.id}"):
        message = escape_markdown(job.message, 300) or t(f"jobs.{job.state}")
        st.markdown(f"{icon} **{job_title(job)}** :gray[{message}]", width="stretch")
        if job.state != "done" and st.button(
            t("jobs.resume"), icon=":material/play_arrow:", type="tertiary", key=f"resume-{job.id}"
        ):
            state.runner().resume(job.id)
            st.rerun()
        if st.button(
            t("jobs.dismiss"), icon=":material/close:", type="tertiary", key=f"dismiss-{job.id}"
        ):
            st.session_state[f"dismissed-{job.id}"] = True
            st.rerun()
