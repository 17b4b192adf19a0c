"""Passwords of encrypted documents: asked for wherever one is shown, and kept nowhere."""

from __future__ import annotations

import os
import uuid
from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from brit.storage.jobs import ACTIVE, UPLOADS, Job
from brit.types import Document
from brit.ui import state
from brit.ui.safe import escape_markdown
from brit.ui.state import Place, shown_errors
from brit.ui.wording import t


def locked_in(place: Place, job: Job) -> list[Document]:
    """Documents of the collection that a job could not open for want of a password."""
    if place.collection is None:
        return []
    named = {*job.payload.get("locked", []), *_names(job)}
    documents = place.workspace.documents.documents(place.collection.id)
    return [each for each in documents if each.status == "password" and each.name in named]


def left_locked(place: Place, job: Job) -> list[str]:
    """Files a job left locked and nobody has opened since."""
    locked: list[str] = job.payload.get("locked", [])
    if not locked or place.collection is None:
        return locked
    documents = place.workspace.documents.documents(place.collection.id)
    opened = {each.name for each in documents if not each.refused}
    return [name for name in locked if name not in opened]


def _names(job: Job) -> dict[str, str]:
    """Paths of a job by the name of their file."""
    return {Path(path).name: path for path in map(str, job.payload.get("paths", []))}


def unlock_form(place: Place, document: Document, where: str) -> None:
    """A field for the password of a document; `where` on the page, which may show it twice.

    Where its file is no longer at hand, what to do is said instead.
    """
    job = _job_of(place, document)
    if job is None:
        st.caption(f":material/lock: {t('unlock.gone', name=escape_markdown(document.name, 60))}")
        return
    label = t("unlock.password_of", name=escape_markdown(document.name, 60))
    password = password_form(f"{where}-{document.id}", label)
    if password:
        with shown_errors():
            _open(place, job, document, password)
            st.rerun()


def password_form(key: str, label: str) -> str:
    """→ the password just sent, or ""; the form is emptied as it is sent."""
    with (
        st.form(f"unlock-{key}", border=False, clear_on_submit=True),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        password = st.text_input(
            label, type="password", help=t("jobs.password_hint"), autocomplete="off", width=320
        )
        sent = st.form_submit_button(t("jobs.unlock"), icon=":material/lock_open:")
    return password if sent else ""


def _job_of(place: Place, document: Document) -> Job | None:
    """The newest job that still has the file of a document."""
    assert place.collection is not None, "a document is in a collection"
    jobs: Sequence[Job] = place.workspace.jobs.jobs(place.collection.name)
    of_files = (job for job in jobs if job.kind == "ingest")
    return next((job for job in of_files if _has(job, document.name)), None)


def _has(job: Job, name: str) -> bool:
    path = _names(job).get(name)
    if path is not None:
        return os.path.exists(path)
    return job.state not in ACTIVE and name in job.payload.get("locked", [])  # within an archive


def _open(place: Place, job: Job, document: Document, password: str) -> None:
    """Resume the job that ended for want of it; beside one that has other things to do, the file
    is read by a job of its own, whose copy goes with it."""
    if job.state not in ACTIVE and document.name in job.payload.get("locked", []):
        state.runner().resume(job.id, password=password)
        return
    path = _own_copy(place.workspace.folder / UPLOADS, Path(_names(job)[document.name]))
    payload = {"paths": [str(path)], "collection": job.payload["collection"]}
    state.runner().submit("ingest", payload, password=password)


def _own_copy(uploads: Path, path: Path) -> Path:
    if path.parent.parent != uploads:
        return path
    copy = uploads / uuid.uuid4().hex / path.name
    copy.parent.mkdir(parents=True)
    os.link(path, copy)
    return copy
