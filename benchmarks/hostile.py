"""What becomes of files that break readers: `python -m benchmarks.hostile FOLDER`.

Every file of the folder goes through `python -m brit ingest` into one workspace, each in a process
of its own that is given `--limit` seconds. Prints a table: file, outcome, seconds, peak memory of
the process that reads the PDF (MB), reason. Passwords are read from FILE.tsv (file, password).
Exit code 1 where a file hung, crashed the command or ended in none of the four ways.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

OUTCOMES = ("whole", "partial", "password", "refused")
SANDBOX = "brit.documents.sandbox"


@dataclass(frozen=True)
class Row:
    """One file: its outcome, wall seconds, peak megabytes of the reading process, the reason."""

    file: str
    outcome: str
    seconds: float
    megabytes: float
    reason: str


def ingest(path: Path, workspace: Path, password: str | None, limit: float) -> Row:
    """Run the command line on one file, watching the process that reads it."""
    command = [sys.executable, "-m", "brit", "ingest", str(path), "--collection", "hostile"]
    command += ["--workspace", str(workspace), "--json"]
    command += ["--password", password] if password else []
    started, peak = time.monotonic(), 0.0
    with tempfile.TemporaryFile() as output:
        process = psutil.Popen(command, stdout=output, stderr=subprocess.DEVNULL)
        while process.poll() is None:
            peak = max(peak, sandbox_megabytes(process))
            if time.monotonic() - started > limit:
                process.kill()
                process.wait()
                return Row(path.name, "HUNG", limit, peak, f"no end within {limit:g} s")
            time.sleep(0.05)
        output.seek(0)
        outcome, reason = outcome_of(output.read())
    return Row(path.name, outcome, time.monotonic() - started, peak, reason)


def sandbox_megabytes(process: psutil.Process) -> float:
    try:
        readers = [c for c in process.children() if SANDBOX in " ".join(c.cmdline())]
        return max((reader.memory_info().rss / 1e6 for reader in readers), default=0.0)
    except psutil.NoSuchProcess:
        return 0.0


def outcome_of(output: bytes) -> tuple[str, str]:
    """The status and reason of the document, its warnings after it."""
    try:
        document = json.loads(output)["documents"][0]
    except (ValueError, LookupError):
        return "CRASHED", "the command printed no document"
    said = [document["reason"], *document["warnings"]]
    return document["status"], " | ".join(filter(None, said))


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
    parser.add_argument("--limit", type=float, default=900.0, metavar="SECONDS")
    options = parser.parse_args()
    workspace = options.workspace or Path(tempfile.mkdtemp(prefix="hostile-"))
    passwords = read_passwords(options.passwords)
    bad = 0
    print("file\toutcome\tseconds\tMB\treason")
    for path in sorted(options.folder.glob("*.pdf")):
        row = ingest(path, workspace, passwords.get(path.name), options.limit)
        figures = f"{row.seconds:.1f}\t{row.megabytes:.0f}"
        print(f"{row.file}\t{row.outcome}\t{figures}\t{row.reason}", flush=True)
        bad += row.outcome not in OUTCOMES
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
