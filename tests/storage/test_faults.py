"""A full disk, a folder that takes nothing, a clock that jumps, two apps, what went meanwhile."""

from __future__ import annotations

import errno
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from brit.errors import UnknownName, WorkspaceError
from brit.storage import Workspace
from brit.storage.jobs import STALE_SECONDS


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    opened = Workspace.open(tmp_path / "w")
    yield opened
    opened.close()


def test_a_full_disk_is_one_sentence_and_nothing_is_half_written(workspace: Workspace) -> None:
    collection = workspace.documents.create_collection("c").id
    chat = workspace.chats.create(collection, "t").id
    (pages,) = workspace.read.execute("PRAGMA page_count").fetchone()
    workspace.read.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(WorkspaceError, match="free some space"):
        workspace.chats.add_turn(chat, "?" * 1_000_000)
    assert workspace.chats.turns(chat) == []
    assert not workspace.read.in_transaction
    workspace.read.execute("PRAGMA max_page_count = 1000000")
    workspace.chats.add_turn(chat, "?" * 1_000_000)
    assert len(workspace.chats.turns(chat)) == 1


def test_a_database_that_takes_nothing_is_one_sentence(workspace: Workspace) -> None:
    workspace.read.execute("PRAGMA query_only = ON")
    with pytest.raises(WorkspaceError, match="cannot be written"):
        workspace.documents.create_collection("c")


def test_a_picture_for_which_there_is_no_room_is_not_there_at_all(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, data: bytes) -> int:
        with path.open("wb") as stream:
            stream.write(data[:2])
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", full)
        with pytest.raises(WorkspaceError, match="No space left on device"):
            workspace.images.put(b"picture")
    assert not [path for path in workspace.images.folder.rglob("*") if path.is_file()]
    assert workspace.images.path(workspace.images.put(b"picture")).read_bytes() == b"picture"


@pytest.mark.parametrize("jump", [-86_400.0, -60.0, 60.0, 86_400.0])
def test_after_the_clock_has_jumped_a_dead_worker_is_replaced_and_a_live_one_stays(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, jump: float
) -> None:
    assert workspace.jobs.take_over(1, "old")
    now = time.time() + jump
    monkeypatch.setattr(time, "time", lambda: now)
    assert workspace.jobs.beat("old")
    assert workspace.jobs.worker_alive()
    assert not workspace.jobs.take_over(2, "new")
    now += STALE_SECONDS + jump
    assert not workspace.jobs.worker_alive()
    assert workspace.jobs.take_over(2, "new")
    assert not workspace.jobs.beat("old")


def test_two_apps_on_one_workspace_have_one_worker_and_lose_no_job(workspace: Workspace) -> None:
    other = Workspace.open(workspace.folder)
    jobs = {w.jobs.add("ingest", "c", {"paths": []}) for w in (workspace, other)}
    assert workspace.jobs.take_over(1, "one")
    assert not other.jobs.take_over(2, "two")
    claimed = workspace.jobs.claim(), other.jobs.claim()
    assert {job.id for job in claimed if job} == jobs
    assert other.jobs.claim() is None
    other.close()


def test_jobs_of_whoever_was_served_longest_ago_go_first(workspace: Workspace) -> None:
    def add(who: str) -> int:
        return workspace.jobs.add("ingest", "c", {"paths": [], "who": who})

    ann = [add("ann") for _ in range(3)]
    bob = [add("bob"), add("bob")]
    claimed = []
    while job := workspace.jobs.claim():
        claimed.append(job.id)
        time.sleep(0.002)
    assert claimed == [ann[0], bob[0], ann[1], bob[1], ann[2]]


def test_a_question_to_a_chat_that_is_gone_is_one_sentence(workspace: Workspace) -> None:
    collection = workspace.documents.create_collection("c").id
    chat = workspace.chats.create(collection, "t").id
    workspace.chats.delete(chat)
    with pytest.raises(UnknownName, match="chat is no longer there"):
        workspace.chats.add_turn(chat, "?")
    workspace.documents.delete_collection(collection)
    with pytest.raises(UnknownName, match="collection is no longer there"):
        workspace.chats.create(collection, "t")


def test_an_error_of_ours_inside_a_transaction_stays_what_it_is(workspace: Workspace) -> None:
    with pytest.raises(sqlite3.IntegrityError), workspace.write() as db:
        db.execute("INSERT INTO chats VALUES ('a', 'nowhere', 't', 0, 0)")
    assert not workspace.read.in_transaction
