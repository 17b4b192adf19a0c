"""Running and failed jobs: how far, how long still, cancel, resume, and what failed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from brit.storage.jobs import LAST_STAGE, UPLOADS, Job
from brit.ui import state
from brit.ui.safe import escape_markdown
from brit.ui.state import Place, refreshed
from brit.ui.unlock import left_locked, locked_in, password_form, unlock_form
from brit.ui.wording import dotted, number, t, t_or, whole_seconds

POLL_SECONDS = 1.0
_DISMISSED = "dismissed-jobs"
_MOST_LINES = 8


def active_jobs(place: Place, kind: str) -> list[Job]:
    """Jobs of a kind that run or wait; of this collection, where there is one."""
    return [j for j in place.workspace.jobs.jobs(active=True) if j.kind == kind and _here(j, place)]


def reading(place: Place) -> bool:
    """Is somebody at work on documents of this collection?"""
    return bool(active_jobs(place, "ingest") or active_jobs(place, "read-again"))


def _here(job: Job, place: Place) -> bool:
    """Jobs that belong to no collection, as fetching weights, are shown in each."""
    return not _name(job) or not place.collection or _name(job) == place.collection.name


def _name(job: Job) -> str:
    return str(job.payload.get("collection", ""))


def jobs_panel(place: Place, kind: str = "ingest", *, failures: int = 1) -> None:
    """Watches its jobs while any is active, and draws the page anew when the last one ends.

    Of jobs that ended badly the newest `failures` are named, until resumed or dismissed.
    """
    active = bool(active_jobs(place, kind))
    if active or failed_jobs(place, kind, failures):
        every = POLL_SECONDS if active else None
        st.fragment(_panel, run_every=every)(place, kind, failures, active)


def _panel(place: Place, kind: str, failures: int, was_active: bool) -> None:
    active = active_jobs(place, kind)
    if active:  # a worker that was killed is replaced while somebody watches
        state.runner().ensure_worker()
    # Text in pictures is read last: questions can be asked while that goes on.
    changed = (was_active and not active) or (not place.ready and refreshed(place).ready)
    if changed and not state.dialog_is_open():  # which a new page would close
        st.rerun()
    with st.container(key=f"jobs-{kind}", gap="small"):
        for job in reversed(active):
            _active_job(place, job)
        for job in failed_jobs(place, kind, failures):
            _failed_job(place, job)


def failed_jobs(place: Place, kind: str, most: int = 1) -> Sequence[Job]:
    """The newest that failed, were cancelled, or are done but for some files or a word."""
    dismissed = place.workspace.settings.get(_DISMISSED, [])
    jobs = [
        job
        for job in place.workspace.jobs.jobs()
        if job.kind == kind
        and (job.state in ("failed", "cancelled") or (job.state == "done" and job.message))
        and job.id not in dismissed
        and _here(job, place)
    ]
    return jobs[:most]


def is_estimated(job: Job) -> bool:
    """Has it said what a language model would cost, and waits for somebody to agree?"""
    return job.state == "done" and bool(job.payload.get("estimated"))


def stage_words(job: Job) -> str:
    """«Reading pages · 28 of 108 · about 40 s left»."""
    if job.state == "queued":
        return t("jobs.queued")
    if job.state == "interrupted":
        return t("jobs.interrupted")
    name = t_or(f"stage.{job.stage}", job.stage.capitalize()) if job.stage else t("jobs.starting")
    left = job.seconds_left
    last = job.kind == "fetch-models" or job.stage == LAST_STAGE  # nothing follows it
    words = "jobs.left_last" if last else "jobs.left"
    remaining = t(words, time=whole_seconds(left)) if left and left > 1 else ""
    return dotted(escape_markdown(name), _counted(job), remaining)


def _counted(job: Job) -> str:
    """Weights are counted in bytes, all else in pieces."""
    unit, words = (1_000_000, "jobs.megabytes") if job.kind == "fetch-models" else (1, "jobs.of")
    if not job.total:
        return ""
    return t(words, done=number(job.done // unit), total=number(job.total // unit))


def job_title(job: Job) -> str:
    """What a job works on: its file, or the number of files."""
    if job.kind == "read-again":
        return escape_markdown(str(job.payload.get("name", "")), 60)
    if job.kind != "ingest":
        return t(f"jobs.{job.kind}")
    paths = [str(path) for path in job.payload.get("paths", [])]
    names = [path.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1] for path in paths]
    if len(names) == 1:
        return escape_markdown(names[0], 60)
    return t("jobs.files", n=len(names))


def _active_job(place: Place, job: Job) -> None:
    several = len(job.payload.get("paths", [])) > 1
    with st.container(border=True, key=f"job-{job.id}", gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center"):
            named = several and not job.detail.lstrip().startswith("(")
            now = escape_markdown(job.detail, 90) if named else ""
            st.markdown(f"**{job_title(job)}** :gray[:small[{now}]]", width="stretch")
            # By a callback, which is called even where the page is drawn anew for other reasons.
            st.button(
                t("jobs.cancel"), icon=":material/close:", type="tertiary", key=f"cancel-{job.id}",
                on_click=state.runner().cancel, args=(job.id,), disabled=job.cancelling,
            )  # fmt: skip
        done = min(job.done / job.total, 1.0) if job.total else 0.0
        st.progress(done, text=t("jobs.cancelling") if job.cancelling else stage_words(job))
        _unlock(place, job)


def _failed_job(place: Place, job: Job) -> None:
    lines = [escape_markdown(line, 400) for line in _told(job).splitlines()]
    with st.container(border=True, gap="xsmall"):
        _failure(job, lines[0] if len(lines) == 1 else "")
        if len(lines) > 1:
            _each(job, lines)
        _unlock(place, job)
        _choices(place, job)


def _each(job: Job, lines: list[str]) -> None:
    """What became of several files, a line each."""
    with st.container(key=f"failures-{job.id}", gap=None):
        st.markdown("\n".join(f"- :gray[{line}]" for line in lines[:_MOST_LINES]))
        if len(lines) > _MOST_LINES:
            st.caption(t("steps.more", n=len(lines) - _MOST_LINES))


def _failure(job: Job, message: str) -> None:
    icon = ":gray[:material/block:]" if job.state == "cancelled" else ":orange[:material/error:]"
    icon = ":gray[:material/lock:]" if job.payload.get("locked") else icon
    icon = ":blue[:material/payments:]" if is_estimated(job) else icon
    with st.container(key=f"failed-{job.id}"):
        told = message or ("" if job.message else t(f"jobs.{job.state}"))
        st.markdown(f"{icon} **{job_title(job)}** :gray[{told}]", width="stretch")


def _choices(place: Place, job: Job) -> None:
    """At the left, away from where a click on “Cancel” may still be on its way."""
    estimated = is_estimated(job)
    uploads = [path for path in map(Path, job.payload.get("paths", [])) if UPLOADS in path.parts]
    there = all(path.exists() for path in uploads)
    if uploads and job.state != "done":
        st.caption(t("jobs.kept" if there else "jobs.gone"))
    with st.container(horizontal=True, key=f"choices-{job.id}"):
        if (
            there
            and (estimated or job.state != "done")
            and st.button(
                t("jobs.go_on" if estimated else "jobs.resume"),
                icon=":material/play_arrow:",
                type="tertiary",
                key=f"resume-{job.id}",
            )
        ):
            state.runner().resume(job.id)
            st.rerun()
        if st.button(
            t("jobs.dismiss"), icon=":material/close:", type="tertiary", key=f"dismiss-{job.id}"
        ):
            settings = place.workspace.settings
            settings.set(_DISMISSED, [*settings.get(_DISMISSED, []), job.id])
            place.workspace.jobs.drop_uploads(job.id)
            st.rerun()


def _told(job: Job) -> str:
    """The message, without the name of the file where that is the title already."""
    paths = job.payload.get("paths", [])
    return job.message.removeprefix(f"{Path(paths[0]).name}: ") if len(paths) == 1 else job.message


def _unlock(place: Place, job: Job) -> None:
    """Asks for the passwords of what a job could not open: at once where it left several."""
    if job.state == "done":
        locked = left_locked(place, job)
        if not locked:
            return
        if password := password_form(str(job.id), t("jobs.password", n=len(locked))):
            state.runner().resume(job.id, password=password)
            st.rerun()
        return
    for document in locked_in(place, job):
        unlock_form(place, document, f"job-{job.id}")
