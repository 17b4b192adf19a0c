"""Files on their way in: what is read is what is kept, and a crash leaves nothing behind."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from brit.errors import DocumentError
from brit.storage.files import FileStore

KILLED = """
import os, sys
from pathlib import Path
from brit.storage.files import FileStore
store = FileStore(Path(sys.argv[1]))
with store.bring_in(Path(sys.argv[2])):
    store.put_under("ab.pdf", lambda target: (target.write_bytes(b"half"), os.kill(os.getpid(), 9)))
"""


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def test_a_copy_is_read_and_kept_under_the_hash_of_what_was_copied(tmp_path: Path) -> None:
    source, store = tmp_path / "Plan.PDF", FileStore(tmp_path / "store")
    source.write_bytes(b"first")
    with store.bring_in(source) as (copy, id):
        source.write_bytes(b"second, of another length")
        assert (copy.name, copy.read_bytes()) == ("Plan.PDF", b"first")
        store.keep(copy, id)
    assert id == hashlib.sha256(b"first").hexdigest()[:32] + ".pdf"
    assert store.path(id).read_bytes() == b"first"
    assert store.path(id).stat().st_mode & 0o777 == 0o600
    assert names(store.folder) == [id]


def test_a_copy_that_was_not_kept_goes(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "store")
    (tmp_path / "a.txt").write_bytes(b"a")
    with pytest.raises(RuntimeError), store.bring_in(tmp_path / "a.txt"):
        raise RuntimeError
    assert list(store.folder.iterdir()) == []


def test_what_a_killed_process_left_goes_with_the_next_file(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "store")
    (tmp_path / "a.txt").write_bytes(b"a")
    with store.bring_in(tmp_path / "a.txt") as (copy, _):
        command = [sys.executable, "-c", KILLED, str(store.folder), str(tmp_path / "a.txt")]
        assert subprocess.run(command, check=False).returncode == -9
        assert len(names(store.folder)) == 3
        id = store.put(b"whole")
        assert copy.read_bytes() == b"a"
    assert names(store.folder) == [id]


def test_where_links_cannot_be_made_the_bytes_are_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "link", refuse)
    store = FileStore(tmp_path / "store")
    (tmp_path / "a.txt").write_bytes(b"a")
    with store.bring_in(tmp_path / "a.txt") as (copy, id):
        store.keep(copy, id)
    assert store.path(id).read_bytes() == b"a"


def test_a_file_that_cannot_be_read_is_a_fault_of_that_file(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "store")
    with pytest.raises(DocumentError, match="cannot be read"), store.bring_in(tmp_path / "gone"):
        pass
    assert list(store.folder.iterdir()) == []


def test_a_file_that_grows_while_it_is_copied_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, store = tmp_path / "a.txt", FileStore(tmp_path / "store")
    source.write_bytes(b"one")
    size = os.fstat

    def grow(handle: int) -> os.stat_result:
        before = size(handle)
        with source.open("ab") as stream:
            stream.write(b"more")
        return before

    monkeypatch.setattr(os, "fstat", grow)
    with pytest.raises(DocumentError, match="changed while"), store.bring_in(source):
        pass
