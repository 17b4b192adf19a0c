"""What becomes of files that break readers: `python -m benchmarks.hostile FOLDER`.

Every file of the folder is added to one workspace as `python -m brit ingest` does, one after the
other, each given `--limit` seconds. Prints a table: file, outcome, seconds, peak memory of the
process that reads the PDF (MB), reason. Passwords are read from FILE.tsv (file, password). Exit
code 1 where a file hung or ended in none of the four ways; a crash ends the run.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.memory import Peak
from brit.config import load_settings
from brit.pipeline import Models, ingest
from brit.storage import Workspace

OUTCOMES = ("whole", "partial", "password", "refused")


@dataclass(frozen=True)
class Row:
    """One file: its outcome, wall seconds, peak megabytes of the reading process, the reason."""

    file: str
    outcome: str
    seconds: float
    megabytes: float
    reason: str


class Hung(BaseException):
    """A file took longer than it may; no `except Exception` on the way out may catch it."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raises Hung inside after so many seconds."""

    def ring(*_: object) -> None:
        raise Hung

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def add(
    path: Path, workspace: Workspace, models: Models, password: str | None, limit: float
) -> Row:
    """One file as the command line adds it."""
    started, peak = time.monotonic(), Peak(own=False)
    outcome, reason = "HUNG", f"no end within {limit:g} s"
    try:
        with limited(limit):
            report = ingest(workspace, [path], "hostile", models=models, password=password)
        (document,) = report.documents
        outcome, reason = document.status, " | ".join([document.reason, *document.warnings])
    except Hung:
        pass
    return Row(path.name, outcome, time.monotonic() - started, peak.stop(), reason.strip(" |"))


def read_passwords(path: Path | None) -> dict[str, str]:
    if path is None:
        return {}
    lines = path.read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t", 1) for line in lines if "\t" in line)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--passwords", type=Path, metavar="FILE.tsv")
    parser.add_argument("--after", default="", metavar="FILE", help="go on after a file's name")
    parser.add_argument("--limit", type=float, default=900.0, metavar="SECONDS")
    options = parser.parse_args()
    folder = options.workspace or Path(tempfile.mkdtemp(prefix="hostile-"))
    workspace = Workspace.open(folder)
    models = Models(replace(load_settings(), workspace=folder), workspace.calls)
    passwords = read_passwords(options.passwords)
    bad = 0
    print("file\toutcome\tseconds\tMB\treason")
    for path in sorted(options.folder.glob("*.pdf")):
        if path.name <= options.after:
            continue
        row = add(path, workspace, models, passwords.get(path.name), options.limit)
        figures = f"{row.seconds:.1f}\t{row.megabytes:.0f}"
        print(f"{row.file}\t{row.outcome}\t{figures}\t{row.reason}", flush=True)
        bad += row.outcome not in OUTCOMES
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
