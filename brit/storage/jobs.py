"""Jobs and the one worker that runs them, as rows that outlive both."""

from __future__ import annotations

import json
import shutil
import sqlite3
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from brit.journal import visitor
from brit.types import Progress

if TYPE_CHECKING:
    from brit.storage.workspace import Workspace

JobState = Literal["queued", "running", "done", "failed", "cancelled", "interrupted"]
ACTIVE: tuple[JobState, ...] = ("queued", "running", "interrupted")
STALE_SECONDS = 15.0
UPLOADS = "uploads"
"""Folder of a workspace for files on their way in, each in a folder of its own."""
KEEP_SECONDS = 86_400.0
"""So long the uploads of a job that failed or was cancelled are kept, for it to be resumed."""
LAST_STAGE = "reading pictures"
"""Of an ingestion: all documents can be asked about, text in their pictures is still being read."""


@dataclass(frozen=True)
class Job:
    """`done` of `total` units of `stage`; `message` is the sentence for the user at the end, and
    `cancelling` that somebody asked for it before."""

    id: int
    kind: str
    collection: str
    payload: dict[str, Any]
    state: JobState
    stage: str
    done: int
    total: int
    detail: str
    message: str
    created: float
    started: float | None
    finished: float | None
    stage_started: float | None
    cancelling: bool = False

    @property
    def unread(self) -> tuple[str, ...]:
        """Names of the files an ingestion has still to make askable; none once it has ended."""
        if self.state not in ACTIVE or self.stage == LAST_STAGE:
            return ()
        paths = [str(path) for path in self.payload.get("paths", [])]
        return tuple(path.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1] for path in paths)

    @property
    def seconds_left(self) -> float | None:
        """Of the stage in hand, from its pace so far; None while there is nothing to go by."""
        if self.state != "running" or not self.done or self.stage_started is None:
            return None
        return (time.time() - self.stage_started) / self.done * max(self.total - self.done, 0)


def _job(row: sqlite3.Row) -> Job:
    fields = {key: row[key] for key in row.keys() if key not in ("payload", "cancel")}  # noqa: SIM118
    return Job(payload=json.loads(row["payload"]), cancelling=bool(row["cancel"]), **fields)


class JobStore:
    """The queue. `claim` hands a job to one worker only."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def jobs(self, collection: str | None = None, active: bool = False) -> list[Job]:
        """Newest first; `active` leaves out what has ended."""
        rows = self._workspace.read.execute("SELECT * FROM jobs ORDER BY id DESC")
        return [
            job
            for job in map(_job, rows)
            if collection in (None, job.collection) and (not active or job.state in ACTIVE)
        ]

    def add(self, kind: str, collection: str, payload: dict[str, Any]) -> int:
        """→ its number. Who asked for it is kept with it, where that is known."""
        if who := visitor():
            payload = {**payload, "who": who}
        with self._workspace.write() as db:
            cursor = db.execute(
                "INSERT INTO jobs (kind, collection, payload, state, created) "
                "VALUES (?, ?, ?, 'queued', ?)",
                (kind, collection, json.dumps(payload), time.time()),
            )
            self._workspace.note(f"add job {kind}", id := int(cursor.lastrowid or 0))
        return id

    def claim(self) -> Job | None:
        """A waiting job, now running: of whoever was served longest ago, and of theirs the
        oldest."""
        with self._workspace.write() as db:
            row = db.execute(
                "SELECT j.* FROM jobs j WHERE state IN ('queued', 'interrupted') ORDER BY coalesce("
                "(SELECT max(o.started) FROM jobs o WHERE o.id != j.id AND"
                " json_extract(o.payload, '$.who') IS json_extract(j.payload, '$.who')), 0), id"
                " LIMIT 1"
            ).fetchone()
            if row is None:
                return None
            now = time.time()
            db.execute(
                "UPDATE jobs SET state = 'running', started = coalesce(started, ?), "
                "stage_started = ?, done = 0, total = 0, finished = NULL WHERE id = ?",
                (now, now, row["id"]),
            )
            return _job(db.execute("SELECT * FROM jobs WHERE id = ?", (row["id"],)).fetchone())

    def progress(self, id: int, progress: Progress) -> None:
        with self._workspace.write() as db:
            db.execute(
                "UPDATE jobs SET stage_started = CASE WHEN stage = ? THEN stage_started ELSE ? END,"
                " stage = ?, done = ?, total = ?, detail = ? WHERE id = ?",
                (progress.stage, time.time(), progress.stage, progress.done, progress.total,
                 progress.detail, id),
            )  # fmt: skip

    def finish(self, id: int, state: JobState, message: str) -> bool:
        """→ False where the job went with its collection."""
        with self._workspace.write() as db:
            cursor = db.execute(
                "UPDATE jobs SET state = ?, message = ?, finished = ?, cancel = 0 WHERE id = ?",
                (state, message, time.time(), id),
            )
        return cursor.rowcount == 1

    def request_cancel(self, id: int) -> None:
        """A waiting job ends at once, a running one at its next page."""
        with self._workspace.write() as db:
            db.execute(
                "UPDATE jobs SET state = 'cancelled', finished = ? "
                "WHERE id = ? AND state IN ('queued', 'interrupted')",
                (time.time(), id),
            )
            db.execute("UPDATE jobs SET cancel = 1 WHERE id = ? AND state = 'running'", (id,))
            self._workspace.note("cancel job", id)

    def cancel_requested(self, id: int) -> bool:
        """Or the job went with its collection."""
        row = self._workspace.read.execute("SELECT cancel FROM jobs WHERE id = ?", (id,)).fetchone()
        return row is None or bool(row["cancel"])

    def requeue(self, id: int) -> None:
        with self._workspace.write() as db:
            db.execute(
                "UPDATE jobs SET state = 'queued', message = '', finished = NULL, cancel = 0 "
                "WHERE id = ? AND state IN ('failed', 'cancelled', 'interrupted', 'done')",
                (id,),
            )
            self._workspace.note("resume job", id)

    def set_payload(self, id: int, changes: dict[str, Any]) -> None:
        """Change these entries of the payload; the collection may have been renamed meanwhile."""
        with self._workspace.write() as db:
            db.execute(
                "UPDATE jobs SET payload = json_patch(payload, ?) WHERE id = ?",
                (json.dumps(changes), id),
            )

    def drop_uploads(self, id: int) -> None:
        """Remove the files that were uploaded for a job that will not be resumed: what was read of
        them is kept as originals, and is to go without a trace when its document is deleted."""
        row = self._workspace.read.execute(
            "SELECT payload FROM jobs WHERE id = ?", (id,)
        ).fetchone()
        home = self._workspace.folder / UPLOADS
        for path in json.loads(row["payload"]).get("paths", []) if row else []:
            if Path(path).parent.parent == home:
                shutil.rmtree(Path(path).parent, ignore_errors=True)

    def sweep_uploads(self) -> None:
        """Remove the uploads of jobs that failed or were cancelled `KEEP_SECONDS` ago."""
        if not any((self._workspace.folder / UPLOADS).glob("*")):
            return
        old = time.time() - KEEP_SECONDS
        for job in self.jobs():
            if job.state in ("failed", "cancelled") and (job.finished or old) < old:
                self.drop_uploads(job.id)

    def drop(self, collection: str) -> None:
        """Forget the jobs of a collection (its id) and their uploads; one at work is cancelled."""
        with self._workspace.write() as db:
            of = "WHERE collection = (SELECT name FROM collections WHERE id = ?)"
            for row in db.execute(f"SELECT id FROM jobs {of}", (collection,)).fetchall():
                self.drop_uploads(row["id"])
            db.execute(f"DELETE FROM jobs {of}", (collection,))

    def take_over(self, pid: int, token: str) -> bool:
        """Become the one worker, unless another one is alive; its running jobs wait again."""
        now = time.time()
        with self._workspace.write() as db:
            row = db.execute("SELECT token, heartbeat FROM worker").fetchone()
            if row is not None and row["token"] != token and _is_fresh(row["heartbeat"]):
                return False
            db.execute("INSERT OR REPLACE INTO worker VALUES (1, ?, ?, ?)", (pid, token, now))
            db.execute("UPDATE jobs SET state = 'interrupted' WHERE state = 'running'")
        return True

    def beat(self, token: str) -> bool:
        """Still the one worker?"""
        with self._workspace.write() as db:
            cursor = db.execute(
                "UPDATE worker SET heartbeat = ? WHERE token = ?", (time.time(), token)
            )
        return cursor.rowcount == 1

    def release(self, token: str) -> None:
        """The worker goes: what it was running waits for the next one."""
        with self._workspace.write() as db:
            if db.execute("DELETE FROM worker WHERE token = ?", (token,)).rowcount:
                db.execute("UPDATE jobs SET state = 'interrupted' WHERE state = 'running'")

    def worker_alive(self) -> bool:
        row = self._workspace.read.execute("SELECT heartbeat FROM worker").fetchone()
        return row is not None and _is_fresh(row["heartbeat"])


def _is_fresh(heartbeat: float) -> bool:
    """Also where the clock was set back: one who lives beats by the new time soon, and a sign from
    the future is from before that."""
    return abs(time.time() - heartbeat) < STALE_SECONDS
