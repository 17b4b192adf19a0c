"""What is told of work and changes, and what is kept out of it."""

from __future__ import annotations

import json
import logging
import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from brit import journal
from brit.errors import Cancelled, InputError, UnknownName
from brit.storage import Workspace

SECRET = "what the document says"


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    journal.open_log(tmp_path, "test")
    yield tmp_path
    logger = logging.getLogger("brit")
    logger.handlers.clear()
    logger.propagate = True


def events(folder: Path) -> list[dict[str, Any]]:
    return journal.read_events(folder)


def changes(folder: Path) -> list[tuple[str, str, str]]:
    lines = map(json.loads, (folder / journal.AUDIT).read_text().splitlines())
    return [(line["who"], line["what"], line["id"]) for line in lines]


@pytest.mark.parametrize(
    ("error", "outcome"),
    [(InputError(SECRET), "refused"), (Cancelled(SECRET), "cancelled"),
     (KeyError(SECRET), "failed"), (KeyboardInterrupt(SECRET), "stopped")],
)  # fmt: skip
def test_the_log_holds_the_class_of_an_error_and_nothing_it_says(
    folder: Path, error: BaseException, outcome: str
) -> None:
    with journal.request() as id, pytest.raises(type(error)), journal.timed("job", stage="x"):
        raise error
    (told,) = events(folder)
    assert (told["request"], told["outcome"], told["error"]) == (id, outcome, type(error).__name__)
    assert SECRET not in (folder / "logs" / "test.jsonl").read_text()


def test_of_what_other_modules_log_the_arguments_are_left_out(folder: Path) -> None:
    try:
        raise ValueError(SECRET)
    except ValueError:
        logging.getLogger("brit.pipeline").exception("reading “%s” failed", SECRET)
    (told,) = events(folder)
    assert (told["event"], told["error"]) == ("reading “%s” failed", "ValueError")
    assert SECRET not in (folder / "logs" / "test.jsonl").read_text()


def test_a_log_turns_when_it_is_full_and_no_line_is_torn(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.jsonl"

    def write() -> None:
        for number in range(100):
            journal.append_line(path, {"number": number}, 2000)

    writers = [threading.Thread(target=write) for _ in range(4)]
    [each.start() for each in writers]
    [each.join() for each in writers]
    old = path.with_name("a.jsonl.1")
    lines = [*old.read_text().splitlines(), *path.read_text().splitlines()]
    assert all(set(json.loads(line)) == {"number"} for line in lines)
    assert old.stat().st_size < 2100
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_each_change_leaves_a_line_and_one_that_failed_none(tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path)
    journal.name_visitors(lambda: "ann@firm.example")
    try:
        collection = workspace.documents.create_collection("secret name").id
        workspace.documents.create_collection("secret name")
        chat = workspace.chats.create(collection, "secret title").id
        turn = workspace.chats.add_turn(chat, "secret question").id
        job = workspace.jobs.add("ingest", "secret name", {"paths": ["secret.pdf"]})
        workspace.jobs.request_cancel(job)
        with pytest.raises(UnknownName):
            delete_and_ask(workspace, chat)
        workspace.documents.delete_collection(collection)
    finally:
        journal.name_visitors(str)
    who = "ann@firm.example"
    assert changes(tmp_path) == [
        (who, "create collection", collection), (who, "begin chat", chat), (who, "ask", turn),
        (who, "add job ingest", str(job)), (who, "cancel job", str(job)),
        (who, "delete collection", collection),
    ]  # fmt: skip
    assert "secret" not in (tmp_path / journal.AUDIT).read_text()
    workspace.close()


def delete_and_ask(workspace: Workspace, chat: str) -> None:
    with workspace.write():
        workspace.chats.delete(chat)
        workspace.chats.add_turn(chat, "another question")


def test_a_change_whose_line_cannot_be_written_stays_and_is_told(folder: Path) -> None:
    (folder / journal.AUDIT).mkdir()
    journal.record_changes(folder, [("delete chat", "1")])
    (told,) = events(folder)
    assert (told["event"], told["error"]) == ("audit line lost", "IsADirectoryError")
    assert any("could not be written" in fault for fault in journal.find_log_faults(folder))


def test_what_failed_lately_is_said_by_the_doctor(folder: Path) -> None:
    assert journal.find_log_faults(folder) == []
    with pytest.raises(KeyError), journal.timed("job", stage="ingest"):
        raise KeyError(SECRET)
    (fault,) = journal.find_log_faults(folder)
    assert "KeyError" in fault
    assert SECRET not in fault


@pytest.mark.parametrize(
    "line", [b"\xff\xfe\n", b"[1]\n", b"{\n", b'{"when": 5, "seconds": "x"}\n']
)
def test_a_damaged_log_is_passed_over(folder: Path, line: bytes) -> None:
    (folder / "logs").mkdir()
    (folder / "logs" / "test.jsonl").write_bytes(line)
    journal.tell("job", stage="x")
    assert events(folder)[-1]["event"] == "job"
    assert journal.find_log_faults(folder) == []
    assert os.listdir(folder) == ["logs"]
