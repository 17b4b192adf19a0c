"""What happened, for those who run BRIT: a log of work by request and stage, and of each change.

Both are lines of JSON in the workspace. `logs/<process>.jsonl` turns at `LARGEST` bytes and holds
times, outcomes, ids and names of error classes: never a message, for that may quote a document, a
question, a file's name or a key. `audit.jsonl` only grows: who changed which thing when.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import time
import traceback
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from brit.errors import BritError, Cancelled

LOGS, AUDIT = "logs", "audit.jsonl"
LARGEST = 5_000_000
MOST_READ = 2_000_000
"""Bytes from the end of a log that are looked at for figures."""
DAY = 86_400.0

Fact = str | int | float
_logger = logging.getLogger("brit")
_request: ContextVar[str] = ContextVar("request", default="")
_visitor: Callable[[], str] = str


# --- the log ---


def open_log(folder: Path, process: str) -> None:
    """From now on what this process logs under «brit» goes to `folder`/logs/`process`.jsonl, and to
    nowhere else."""
    for handler in [each for each in _logger.handlers if isinstance(each, _LogFile)]:
        _logger.removeHandler(handler)
    _logger.addHandler(_LogFile(folder / LOGS / f"{process}.jsonl"))
    _logger.setLevel(logging.INFO)
    _logger.propagate = False


class _LogFile(logging.Handler):
    """Opened for each line: processes may share it, and it may be taken away meanwhile."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._path.parent.mkdir(exist_ok=True)
            append_line(self._path, _facts_of(record), LARGEST)
        except OSError:
            self.handleError(record)  # said on stderr; what was logged goes on


def _facts_of(record: logging.LogRecord) -> dict[str, Any]:
    """Of what other code logs only the constant text is kept: its arguments may be content."""
    told: dict[str, Any] = {
        "when": _moment(record.created),
        "level": record.levelname.lower(),
        "pid": record.process,
        "request": _request.get(),
        "event": str(record.msg),
        **getattr(record, "facts", {}),
    }
    if record.exc_info and record.exc_info[1] is not None:
        told |= _fault(record.exc_info[1])
    return told


def _fault(error: BaseException) -> dict[str, str]:
    """Its class, and the last line of ours it passed through."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if f"{os.sep}brit{os.sep}" in frame.filename]
    at = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else ""
    return {"error": type(error).__name__, "at": at}


@contextmanager
def request() -> Iterator[str]:
    """What is logged inside belongs together; → its id."""
    token = _request.set(uuid.uuid4().hex[:12])
    try:
        yield _request.get()
    finally:
        _request.reset(token)


def tell(event: str, **facts: Fact) -> None:
    """One line of the log. No content of documents, questions, names or keys may be among it."""
    _logger.info(event, extra={"facts": facts})


@contextmanager
def timed(event: str, **facts: Fact) -> Iterator[None]:
    """One line for what is done inside: `seconds`, and its `outcome`: ok, refused (a sentence was
    said), cancelled, stopped (nobody waited any more) or failed."""
    began, outcome, fault = time.perf_counter(), "ok", {}
    try:
        yield
    except BaseException as error:
        outcome, fault = outcome_of(error), _fault(error)
        raise
    finally:
        seconds = round(time.perf_counter() - began, 4)
        tell(event, **facts, seconds=seconds, outcome=outcome, **fault)


def outcome_of(error: BaseException) -> str:
    """What an error makes of what was done."""
    if isinstance(error, Cancelled):
        return "cancelled"
    if isinstance(error, BritError):
        return "refused"
    return "failed" if isinstance(error, Exception) else "stopped"


# --- changes ---


def name_visitors(visitor: Callable[[], str]) -> None:
    """`visitor` says on whose behalf this process, or thread of it, is at work."""
    global _visitor
    _visitor = visitor


def visitor() -> str:
    """On whose behalf something is done now; "" where nobody is known."""
    return _visitor()


def record_changes(folder: Path, changes: Iterable[tuple[str, str]]) -> None:
    """A line of the audit for each change, as («delete document», id). One that cannot be written
    is logged: what was changed stays changed."""
    for what, id in changes:
        line = {"when": _moment(time.time()), "who": visitor(), "what": what, "id": id}
        try:
            append_line(folder / AUDIT, line)
        except OSError:
            _logger.exception("audit line lost")


def append_line(path: Path, line: dict[str, Any], largest: int | None = None) -> None:
    """Add a line whole, whoever else writes; at `largest` bytes the file becomes «name.1» and a new
    one is begun. Raises OSError."""
    data = json.dumps(line, ensure_ascii=True, default=str).encode("ascii") + b"\n"
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        os.write(handle, data)
        if largest and os.fstat(handle).st_size >= largest and _is_at(path, handle):
            path.replace(path.with_name(f"{path.name}.1"))
    finally:
        os.close(handle)


def _is_at(path: Path, handle: int) -> bool:
    with suppress(FileNotFoundError):
        return path.stat().st_ino == os.fstat(handle).st_ino
    return False


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


# --- what the logs say ---


def read_events(*folders: Path) -> list[dict[str, Any]]:
    """The newest lines of the logs of some workspaces, each log in its order; what is no line of a
    log is passed over."""
    paths = [path for folder in dict.fromkeys(folders) for path in (folder / LOGS).glob("*.jsonl")]
    events = []
    for path in sorted(paths):
        for line in _last_lines(path):
            with suppress(ValueError):
                if isinstance(event := json.loads(line), dict):
                    events.append(event)
    return events


def _last_lines(path: Path) -> list[bytes]:
    try:
        with path.open("rb") as stream:
            stream.seek(max(path.stat().st_size - MOST_READ, 0))
            return stream.read(MOST_READ).splitlines()
    except OSError:
        return []


def find_log_faults(folder: Path) -> list[str]:
    """What is wrong with the logs of a workspace, or stands in them that somebody should know."""
    faults = [
        f"{path} cannot be written, so what happens is not logged there: free it."
        for path in (folder / LOGS, *(folder / LOGS).glob("*.jsonl"), folder / AUDIT)
        if path.exists() and not os.access(path, os.W_OK)
    ]
    since = _moment(time.time() - DAY)
    recent = [each for each in read_events(folder) if str(each.get("when", "")) >= since]
    if lost := [each for each in recent if each.get("event") == "audit line lost"]:
        faults.append(
            f"Changes that could not be written to {folder / AUDIT} within a day: {len(lost)}."
        )
    failed = [each for each in recent if each.get("outcome") == "failed"]
    if failed:
        last = failed[-1]
        faults.append(
            f"Work that failed unforeseen within a day: {len(failed)}, last "
            f"{str(last.get('error'))[:60]} at {str(last.get('at'))[:60]} ({folder / LOGS})."
        )
    return faults
