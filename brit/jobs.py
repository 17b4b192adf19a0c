"""Long work outside the page: one worker process a workspace, its queue in the database.

`LocalJobRunner` (the app's side) queues, cancels, resumes, and starts the worker where none is
alive. `work` (the worker's side) claims jobs one by one. The worker holds the reading end of a pipe
from the app: when the app goes, however it goes, the pipe closes, the worker puts its job back and
ends; the next worker goes on from there. Passwords of encrypted documents go through the same pipe,
a JSON line each ({"job", "password"}): they are held in the memory of the two processes, never in
the database, a file or a command line.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brit import journal
from brit.documents.archive import sweep_rooms
from brit.errors import BritError, Cancelled, InputError
from brit.storage import Workspace
from brit.storage.jobs import Job, JobState
from brit.types import OnProgress, Progress

if TYPE_CHECKING:
    from brit.pipeline import Models

POLL_SECONDS = 0.5
BEAT_SECONDS = 3.0
TELL_SECONDS = 0.3
GRACE_SECONDS = 5.0
MOST_LOGGED = 1_000_000
"""Bytes of what libraries print in the worker; beyond, the next worker begins anew."""


class LocalJobRunner:
    """Implements `JobRunner` with one local worker process."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._worker: subprocess.Popen[bytes] | None = None
        self._passwords: dict[int, str] = {}
        self._lock = threading.Lock()

    def submit(self, kind: str, payload: dict[str, Any], password: str | None = None) -> int:
        """Queue a job and see it started.

        "ingest": paths, collection, and estimate where it is to end with a message that says what
        a language model would cost, and to go on when resumed, and replaces, ids of documents
        that go when the new ones are there, or copies, the id of the collection that is saved to
        the path first; "read-again": document, pages, name, collection;
        "fetch-models": name; "benchmark": collection, action and what it needs (see
        `brit.pipeline.benchmark_files`).

        `password` opens the encrypted documents among the paths. A job that ended lists in
        `payload["locked"]` the files that need one, or another one: `resume` takes it.
        """
        if kind not in WORK:
            raise InputError(f"There is no job “{kind}”. Jobs: {', '.join(WORK)}.")
        # Inside one transaction: the worker finds the password before it can see the job.
        with self._workspace.write():
            job = self._workspace.jobs.add(kind, str(payload.get("collection", "")), payload)
            self._hand_over(job, password)
        self.ensure_worker()
        return job

    def cancel(self, job: int) -> None:
        """It ends at its next page; what was finished stays."""
        self._workspace.jobs.request_cancel(job)

    def resume(self, job: int, password: str | None = None) -> None:
        """A job that ended goes on where it stopped, with the password of what it left locked."""
        with self._workspace.write():
            self._workspace.jobs.requeue(job)
            self._hand_over(job, password)
        self.ensure_worker()

    def ensure_worker(self) -> None:
        """Start the worker where work waits and none is alive, and let old uploads go."""
        self._workspace.jobs.sweep_uploads()
        with self._lock:
            running = self._worker is not None and self._worker.poll() is None
            waiting = self._workspace.jobs.jobs(active=True)
            if running or not waiting or self._workspace.jobs.worker_alive():
                return
            command = [sys.executable, "-m", "brit", "worker"]
            log = self._workspace.folder / "worker.log"
            anew = log.exists() and log.stat().st_size > MOST_LOGGED
            with log.open("wb" if anew else "ab") as output:
                self._worker = subprocess.Popen(
                    [*command, "--workspace", str(self._workspace.folder)],
                    stdin=subprocess.PIPE,
                    stdout=output,
                    stderr=output,
                    start_new_session=True,
                )
            active = {job.id for job in waiting}
            self._passwords = {j: p for j, p in self._passwords.items() if j in active}
            self._send(self._passwords)

    def _hand_over(self, job: int, password: str | None) -> None:
        """Keep a password for the workers to come and give it to the one at work."""
        if password:
            with self._lock:
                self._passwords[job] = password
                self._send({job: password})

    def _send(self, passwords: Mapping[int, str]) -> None:
        if self._worker is None or self._worker.stdin is None or self._worker.poll() is not None:
            return
        for job, password in passwords.items():
            line = json.dumps({"job": job, "password": password}).encode("ascii") + b"\n"
            # A worker that has just ended is replaced, and its successor is told.
            with suppress(BrokenPipeError):
                os.write(self._worker.stdin.fileno(), line)

    def close(self) -> None:
        """Let the worker go; its job waits for the next one. One that does not go in time, on a
        busy machine, is ended: all it did is kept."""
        with self._lock:
            if self._worker is not None and self._worker.stdin is not None:
                self._worker.stdin.close()
                try:
                    self._worker.wait(timeout=2 * GRACE_SECONDS)
                except subprocess.TimeoutExpired:
                    self._worker.kill()
                    self._worker.wait()


def work(workspace: Workspace, models: Models, *, idle_seconds: float = 60.0) -> bool:
    """Be the one worker until the app goes or nothing was to do for `idle_seconds`.

    → False where another worker is alive.
    """
    token = uuid.uuid4().hex
    stopping = threading.Event()
    if not workspace.jobs.take_over(os.getpid(), token):
        return False
    if threading.current_thread() is threading.main_thread():
        # Asked to end, it puts its job back at the next page.
        signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    sweep_rooms()
    pipe = AppPipe()
    threading.Thread(target=_watch_app, args=(pipe, stopping), daemon=True).start()
    threading.Thread(target=_beat, args=(workspace, token, stopping), daemon=True).start()
    last = time.monotonic()
    try:
        while not stopping.is_set() and time.monotonic() - last < idle_seconds:
            if job := workspace.jobs.claim():
                _run(workspace, models, job, pipe.password(job.id), stopping)
                last = time.monotonic()
            else:
                stopping.wait(POLL_SECONDS)
    finally:
        workspace.jobs.release(token)
    return True


class AppPipe:
    """The reading end of the pipe from the app, standard input: passwords by job."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rest = b""
        self._passwords: dict[int, str] = {}

    def password(self, job: int) -> str | None:
        """The password that came with a job, if any; it was sent before the job could be seen."""
        self.drain()
        return self._passwords.get(job)

    def drain(self) -> bool:
        """Take in what is there; → False once the app has closed its end."""
        with self._lock:
            while select.select([0], [], [], 0)[0]:
                data = os.read(0, 65536)
                if not data:
                    return False
                *lines, self._rest = (self._rest + data).split(b"\n")
                for line in lines:
                    told = json.loads(line)
                    self._passwords[told["job"]] = told["password"]
        return True


def _watch_app(pipe: AppPipe, stopping: threading.Event) -> None:
    """The pipe from the app closes when the app ends; work in hand gets a moment to stop."""
    while pipe.drain():
        select.select([0], [], [])
    stopping.set()
    time.sleep(GRACE_SECONDS)
    os._exit(0)


def _beat(workspace: Workspace, token: str, stopping: threading.Event) -> None:
    while not stopping.wait(BEAT_SECONDS):
        if not workspace.jobs.beat(token):
            stopping.set()


@dataclass(frozen=True)
class Task:
    """A claimed job and what its work needs."""

    workspace: Workspace
    models: Models
    job: Job
    password: str | None
    on_progress: OnProgress
    cancelled: Callable[[], bool]

    @property
    def payload(self) -> dict[str, Any]:
        return self.job.payload

    @property
    def watched(self) -> dict[str, Any]:
        """How the pipeline's long calls tell and are ended."""
        return {"on_progress": self.on_progress, "cancelled": self.cancelled}

    @property
    def paths(self) -> list[Path]:
        return [Path(path) for path in self.payload["paths"]]


def _run(
    workspace: Workspace,
    models: Models,
    job: Job,
    password: str | None,
    stopping: threading.Event,
) -> None:
    def cancelled() -> bool:
        return stopping.is_set() or workspace.jobs.cancel_requested(job.id)

    tell = _Throttled(lambda progress: workspace.jobs.progress(job.id, progress))
    task = Task(workspace, models, job, password, tell, cancelled)
    journal.name_visitors(lambda: str(job.payload.get("who", "")))
    try:
        with journal.request(), journal.timed("job", stage=job.kind, job=job.id), tell.logged():
            message = WORK[job.kind](task)
    except Cancelled as error:
        state: JobState = "interrupted" if stopping.is_set() else "cancelled"
        workspace.jobs.finish(job.id, state, str(error))
    except BritError as error:
        workspace.jobs.finish(job.id, "failed", str(error))
    except Exception as error:
        told = workspace.jobs.finish(
            job.id,
            "failed",
            f"Something unforeseen went wrong ({type(error).__name__}). Resume to try again; "
            "logs/worker.jsonl in the workspace folder says more.",
        )
        if told:  # a new one begins with nothing of what may be wrong in this one
            raise SystemExit(1) from error
    else:
        workspace.jobs.finish(job.id, "done", message)


class _Throttled:
    """Passes progress on at most every `TELL_SECONDS`, but each new stage at once, and takes the
    time of each."""

    def __init__(self, pass_on: Callable[[Progress], None]) -> None:
        self._pass_on = pass_on
        self._last = 0.0
        self._stage = ""
        self._entered = 0.0
        self._seconds: dict[str, float] = {}

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if progress.stage != self._stage:
            self._leave(now)
            self._stage, self._last = progress.stage, 0.0
        if now - self._last >= TELL_SECONDS:
            self._last = now
            self._pass_on(progress)

    def _leave(self, now: float) -> None:
        if self._stage:
            spent = self._seconds.get(self._stage, 0.0)
            self._seconds[self._stage] = spent + now - self._entered
        self._entered = now

    @contextmanager
    def logged(self) -> Iterator[None]:
        """A line of the log for each stage of what is done inside; an error belongs to the last."""
        outcome = "ok"
        try:
            yield
        except BaseException as error:
            outcome = journal.outcome_of(error)
            raise
        finally:
            self._leave(time.monotonic())
            for stage, seconds in self._seconds.items():
                ended = outcome if stage == self._stage else "ok"
                journal.tell("stage", stage=stage, seconds=round(seconds, 3), outcome=ended)


def _ingest(task: Task) -> str:
    from brit.pipeline import ingest, save_copy

    if task.payload.get("estimate"):
        return _estimate(task)
    workspace, id = task.workspace, task.job.id
    if copied := task.payload.get("copies"):
        save_copy(workspace, copied, task.paths[0], **task.watched)
    report = ingest(
        workspace,
        task.paths,
        task.payload["collection"],
        models=task.models,
        password=task.password,
        replaces=task.payload.get("replaces", ()),
        **task.watched,
    )
    locked = [each.name for each in report.failures if each.status == "password"]
    workspace.jobs.set_payload(id, {"locked": locked, "estimated": False})
    if not locked:
        workspace.jobs.drop_uploads(id)
    return "\n".join(f"{each.name}: {each.reason}" for each in report.failures)


def _estimate(task: Task) -> str:
    """Read the files and say what going on would cost; the job that is resumed goes on."""
    from brit.pipeline.estimate import estimate_ingestion

    found = estimate_ingestion(
        task.workspace,
        task.paths,
        task.payload["collection"],
        models=task.models,
        password=task.password,
        **task.watched,
    )
    task.workspace.jobs.set_payload(task.job.id, {"estimate": False, "estimated": True})
    return found.in_words()


def _read_again(task: Task) -> str:
    from brit.pipeline import read_again

    document, pages = task.payload["document"], task.payload["pages"]
    read_again(task.workspace, document, pages, models=task.models, **task.watched)
    return ""


def _fetch_models(task: Task) -> str:
    from brit.encoders.fetch import fetch_weights

    named = task.models.settings.encoders.weights_folder
    folder = Path(named or task.workspace.folder / "weights")
    fetch_weights(task.payload["name"], folder, **task.watched)
    return ""


def _benchmark(task: Task) -> str:
    from brit.pipeline.benchmark_files import work_for_page

    work_for_page(task.workspace, task.payload, models=task.models, **task.watched)
    task.workspace.jobs.drop_uploads(task.job.id)
    return ""


WORK: dict[str, Callable[[Task], str]] = {
    "ingest": _ingest,
    "read-again": _read_again,
    "fetch-models": _fetch_models,
    "benchmark": _benchmark,
}
