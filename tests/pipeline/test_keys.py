"""A key stands in no file, log, message or output, though the server repeats it in its errors."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from brit.cli import main
from brit.config import Settings
from brit.jobs import LocalJobRunner
from brit.storage import Workspace
from brit.storage.calls import CallStore
from brit.storage.jobs import Job
from tests.lmm.server import ChatServer
from tests.pipeline.conftest import TestModels

RIGHT = "sk-right-9876543210abcdef"
WRONG = "sk-wrong-0123456789fedcba"


def finished(workspace: Workspace, id: int, seconds: float = 120) -> Job:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        job = next(each for each in workspace.jobs.jobs() if each.id == id)
        if job.state in ("done", "failed"):
            return job
        time.sleep(0.1)
    raise AssertionError(f"still {job}")


def models(settings: Settings, calls: CallStore | None = None) -> TestModels:
    made = TestModels(settings)
    made._calls = calls
    return made


def test_keys_stand_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    note = tmp_path / "note.md"
    note.write_text("# Zorvex\n\nThe Zorvex pump moves water in Tromsø.")
    workspace = Workspace.open(tmp_path / "ws")
    monkeypatch.setattr("brit.pipeline.Models", models)
    monkeypatch.setattr("brit.pipeline.doctor.Models", models)
    place = ["--workspace", str(workspace.folder)]
    collection = ["--collection", "c", *place]
    with ChatServer(replies=['{"triplets": []}'], key=RIGHT, failing=1, json_mode="text") as at:
        monkeypatch.setenv("BRIT_MODEL", at.model)
        monkeypatch.setenv("BRIT_BASE_URL", at.url)
        monkeypatch.setenv("BRIT_API_KEY", WRONG)
        runner = LocalJobRunner(workspace)
        job = finished(
            workspace, runner.submit("ingest", {"paths": [str(note)], "collection": "c"})
        )
        runner.close()
        assert job.state == "failed"
        assert main(["doctor", "--json", *place]) == 1
        monkeypatch.setenv("BRIT_API_KEY", RIGHT)
        assert main(["ingest", str(note), "--json", *collection]) == 0
        assert main(["ask", "What does the Zorvex pump move?", "--json", *collection]) == 0
        assert main(["documents", "--json", *collection]) == 0
        assert main(["doctor", "--json", *place]) == 0
        monkeypatch.setenv("BRIT_API_KEY", WRONG)
        assert main(["ask", "Where is the Zorvex pump?", *collection]) == 1
        keys = {headers["authorization"] for headers in at.headers}
    assert keys == {f"Bearer {RIGHT}", f"Bearer {WRONG}"}
    output, complaints = capfd.readouterr()
    assert '"model": "tester"' in output
    assert all("refused the key" in told for told in (job.message, output, complaints))
    workspace.read.execute("PRAGMA wal_checkpoint(FULL)")
    files = {path.name: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert {"worker.log", "brit.sqlite"} <= set(files)
    for secret in (RIGHT, WRONG):
        assert secret not in output + complaints + job.message
        assert not [name for name, content in files.items() if secret.encode() in content]
