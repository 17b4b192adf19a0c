"""The worker: a process of its own that ingests, tells, can be cancelled, and outlives nothing."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pymupdf
import pytest

from brit.errors import InputError
from brit.jobs import WORK, LocalJobRunner, Task
from brit.pipeline import ingest
from brit.storage import Workspace
from brit.storage.jobs import Job
from brit.types import Page
from tests.pipeline.conftest import TestModels, write_brochure


@pytest.fixture
def runner(workspace: Workspace) -> Iterator[LocalJobRunner]:
    runner = LocalJobRunner(workspace)
    yield runner
    runner.close()


def wait_for(workspace: Workspace, done: Callable[[Job], bool], seconds: float = 120) -> Job:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        job = workspace.jobs.jobs()[0]
        if done(job):
            return job
        time.sleep(0.05)
    raise AssertionError(f"still {job} after {seconds} s: {_log(workspace)}")


def _log(workspace: Workspace) -> str:
    log = workspace.folder / "worker.log"
    return log.read_text() if log.exists() else "no log"


def ended(job: Job) -> bool:
    return job.state in ("done", "failed", "cancelled")


def test_a_job_ingests_in_a_process_of_its_own(
    workspace: Workspace, runner: LocalJobRunner, brochure: Path
) -> None:
    runner.submit("ingest", {"paths": [str(brochure)], "collection": "c"})
    job = wait_for(workspace, ended)
    assert (job.state, job.message) == ("done", ""), _log(workspace)
    assert workspace.documents.collection("c").documents == 1


def test_pages_are_read_again_by_a_job(
    workspace: Workspace, models: TestModels, brochure: Path
) -> None:
    ingest(workspace, [brochure], "c", models=models)
    (document,) = workspace.documents.documents(workspace.documents.collection("c").id)
    workspace.content.put_page(document.id, Page(1, 595.0, 842.0, failure="It hung."))
    payload = {"document": document.id, "pages": [1], "name": document.name, "collection": "c"}
    workspace.jobs.add("read-again", "c", payload)
    job = workspace.jobs.claim()
    assert job is not None
    WORK[job.kind](Task(workspace, models, job, None, lambda _: None, lambda: False))
    assert workspace.content.pages(document.id)[0].failure == ""
    (again,) = workspace.documents.documents(document.collection)
    assert again == replace(document, seconds=again.seconds)


def test_a_killed_worker_loses_at_most_the_page_in_hand(
    workspace: Workspace, runner: LocalJobRunner, tmp_path: Path
) -> None:
    path = write_brochure(tmp_path / "long.pdf", pages=12)
    runner.submit("ingest", {"paths": [str(path)], "collection": "c"})
    wait_for(workspace, lambda job: job.stage == "reading" and job.done >= 2)
    pid = workspace.read.execute("SELECT pid FROM worker").fetchone()["pid"]
    os.kill(pid, signal.SIGKILL)
    document = workspace.documents.documents(workspace.documents.collection("c").id)[0]
    kept = workspace.content.pages_done(document.id)
    assert len(kept) >= 2
    workspace.read.execute("UPDATE worker SET heartbeat = 0")
    again = LocalJobRunner(workspace)
    again.ensure_worker()
    assert wait_for(workspace, ended).state == "done"
    assert workspace.content.pages_done(document.id) == set(range(1, 13))
    again.close()


def test_a_job_can_be_cancelled_and_resumed(
    workspace: Workspace, runner: LocalJobRunner, tmp_path: Path
) -> None:
    path = write_brochure(tmp_path / "long.pdf", pages=12)
    id = runner.submit("ingest", {"paths": [str(path)], "collection": "c"})
    wait_for(workspace, lambda job: job.stage == "reading" and job.done >= 1)
    runner.cancel(id)
    assert wait_for(workspace, ended).state == "cancelled"
    runner.resume(id)
    assert wait_for(workspace, ended).state == "done"


def test_the_worker_goes_when_the_app_goes(
    workspace: Workspace, runner: LocalJobRunner, tmp_path: Path
) -> None:
    path = write_brochure(tmp_path / "long.pdf", pages=12)
    runner.submit("ingest", {"paths": [str(path)], "collection": "c"})
    wait_for(workspace, lambda job: job.stage == "reading" and job.done >= 1)
    runner.close()
    assert workspace.jobs.jobs()[0].state == "interrupted"
    assert not workspace.jobs.worker_alive()


def test_a_failure_says_what_to_do(workspace: Workspace, runner: LocalJobRunner) -> None:
    runner.submit("ingest", {"paths": ["/nowhere"], "collection": "c"})
    job = wait_for(workspace, ended)
    assert job.state == "failed"
    assert job.message == "There is no file or folder “/nowhere”. Check the path."
    with pytest.raises(InputError, match="no job “dance”"):
        runner.submit("dance", {})


def test_a_password_reaches_the_worker_and_is_kept_nowhere(
    workspace: Workspace, runner: LocalJobRunner, brochure: Path, tmp_path: Path
) -> None:
    secret = "s3cret-Zq9ä"
    locked = tmp_path / "locked.pdf"
    with pymupdf.open(brochure) as document:
        document.save(locked, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw=secret, owner_pw="o")
    id = runner.submit("ingest", {"paths": [str(locked)], "collection": "c"})
    job = wait_for(workspace, ended)
    assert job.payload["locked"] == ["locked.pdf"]
    assert "give its password" in job.message
    # The worker is alive now: the password goes to it, not to a new one.
    runner.resume(id, password=secret)
    job = wait_for(workspace, lambda job: ended(job) and job.payload["locked"] == [])
    assert (job.state, job.message) == ("done", ""), _log(workspace)
    assert workspace.documents.collection("c").documents == 1
    for path in workspace.folder.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert secret.encode() not in content
            assert b"s3cret-Zq9" not in content
