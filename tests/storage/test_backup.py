"""A backup is the workspace as it was at one moment, whole or not there; so is what is restored."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import stat
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from brit.errors import InputError, WorkspaceError
from brit.storage import Workspace
from brit.storage.backup import save_backup
from brit.storage.restore import restore_backup
from brit.storage.schema import MIGRATIONS
from tests.storage.test_workspace import add_document, count

CONTENT = ("documents", "pages", "blocks", "passages", "images", "nodes", "edges", "links",
           "mentions", "vectors", "passage_words", "chats", "turns")  # fmt: skip


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    workspace = Workspace.open(tmp_path / "ws")
    collection = workspace.documents.create_collection("one")
    for id, label in (("d1", "Zorvex"), ("d2", "Kalmin")):
        add_document(workspace, collection.id, id, label)
    with workspace.write() as db:
        file = workspace.originals.put(b"%PDF", ".pdf")
        db.execute("UPDATE documents SET file = ? WHERE id = 'd1'", (file,))
    return workspace


@pytest.fixture
def saved(workspace: Workspace, tmp_path: Path) -> Path:
    save_backup(workspace, tmp_path / "a.brit")
    return tmp_path / "a.brit"


def dump(workspace: Workspace) -> list[list[tuple[object, ...]]]:
    return [sorted(map(tuple, workspace.read.execute(f"SELECT * FROM {t}"))) for t in CONTENT]


def stored(workspace: Workspace) -> dict[str, bytes]:
    folders = (workspace.images.folder, workspace.originals.folder)
    return {p.name: p.read_bytes() for f in folders for p in f.rglob("*") if p.is_file()}


def repack(source: Path, change: Callable[[dict[str, bytes]], None]) -> None:
    """The same ZIP with other entries."""
    with zipfile.ZipFile(source) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    change(entries)
    with zipfile.ZipFile(source, "w") as archive:
        for name, content in entries.items():
            archive.writestr(name, content)


def put_database(entries: dict[str, bytes], *statements: str) -> None:
    """Run statements in the database of a backup and make its manifest fit."""
    db = sqlite3.connect(":memory:")
    db.deserialize(entries["brit.sqlite"].replace(b"\x02\x02", b"\x01\x01", 1))
    for statement in statements:
        db.execute(statement)
    db.commit()
    content = entries["brit.sqlite"] = db.serialize()
    db.close()
    manifest = json.loads(entries["manifest.json"])
    manifest["files"]["brit.sqlite"] = [len(content), hashlib.sha256(content).hexdigest()]
    entries["manifest.json"] = json.dumps(manifest).encode()


def test_what_is_restored_is_what_was_saved(workspace: Workspace, tmp_path: Path) -> None:
    job = workspace.jobs.add("ingest", "one", {"paths": ["/elsewhere/b.pdf"]})
    (workspace.folder / "indexes" / "x").mkdir(parents=True)
    told = save_backup(workspace, tmp_path / "a.brit")
    assert (told.documents, told.pictures, told.missing) == (2, 2, 0)
    assert told.notes == ("“b.pdf” was still being read: add it again after restoring.",)
    assert stat.S_IMODE((tmp_path / "a.brit").stat().st_mode) == 0o600
    with zipfile.ZipFile(tmp_path / "a.brit") as archive:
        assert archive.testzip() is None
        picture = "images/" + workspace.images.put(b"pixels of d1")
        assert archive.read(picture) == b"pixels of d1"
    again = restore_backup(tmp_path / "a.brit", tmp_path / "new" / "ws")
    assert again.bytes == told.bytes
    other = Workspace.open(tmp_path / "new" / "ws", create=False)
    assert dump(other) == dump(workspace)
    assert stored(other) == stored(workspace)
    assert sorted(p.name for p in other.folder.glob("[!b]*")) == ["images", "originals"]
    assert other.jobs.jobs() == []
    assert workspace.jobs.jobs()[0].id == job
    collection = other.documents.collection("one").id
    assert other.graph.lexical(collection, "passage", "zorvex", 5)[0][0] == "p-d1"
    assert [p.name for p in tmp_path.glob(".brit-*")] == []


def test_a_backup_taken_while_others_write_is_of_one_moment(
    workspace: Workspace, tmp_path: Path
) -> None:
    """Each document comes with one passage: a mixture would have more of one than of the other."""
    collection, ended = workspace.documents.collection("one").id, threading.Event()

    def write() -> None:
        number = 0
        while not ended.is_set():
            with workspace.write():
                add_document(workspace, collection, f"w{number}", f"Word{number}")
            number += 1
        workspace.close()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(5):
            save_backup(workspace, tmp_path / f"{number}.brit")
    finally:
        ended.set()
        writer.join()
    sizes = []
    for number in range(5):
        restore_backup(tmp_path / f"{number}.brit", tmp_path / f"r{number}")
        other = Workspace.open(tmp_path / f"r{number}")
        kinds = {count(other, t) for t in ("documents", "passages", "images", "passage_words")}
        assert len(kinds) == 1
        assert len(list(other.images.folder.rglob("*.png"))) in kinds
        sizes += kinds
    assert sizes == sorted(sizes)
    assert count(workspace, "documents") > sizes[0]


def test_what_is_deleted_meanwhile_is_told_and_leaves_nothing_torn(
    workspace: Workspace, tmp_path: Path
) -> None:
    def delete(progress: object) -> None:
        if "files" in str(progress) and workspace.documents.exists("d2"):
            workspace.documents.delete("d2")

    told = save_backup(workspace, tmp_path / "a.brit", delete)
    assert (told.documents, told.pictures, told.missing) == (1, 1, 0)
    assert told.notes == ("“d2.pdf” was deleted meanwhile and is not in the backup.",)
    restore_backup(tmp_path / "a.brit", tmp_path / "new")
    other = Workspace.open(tmp_path / "new")
    assert [d.id for d in other.documents.documents(other.documents.collection("one").id)] == ["d1"]
    assert not other.graph.lexical(other.documents.collection("one").id, "passage", "kalmin", 5)


def test_what_the_workspace_lacks_is_counted(workspace: Workspace, tmp_path: Path) -> None:
    workspace.images.path(workspace.images.put(b"pixels of d1")).unlink()
    workspace.images.path(workspace.images.put(b"pixels of d2")).write_bytes(b"rotten")
    told = save_backup(workspace, tmp_path / "a.brit")
    assert (told.documents, told.pictures, told.missing) == (2, 0, 2)
    assert restore_backup(tmp_path / "a.brit", tmp_path / "new").missing == 2


def test_a_backup_that_is_stopped_leaves_the_one_before(workspace: Workspace, saved: Path) -> None:
    before = saved.read_bytes()

    def stop(progress: object) -> None:
        if "files" in str(progress):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        save_backup(workspace, saved, stop)
    assert saved.read_bytes() == before
    assert sorted(p.name for p in saved.parent.iterdir()) == ["a.brit", "ws"]
    with pytest.raises(KeyboardInterrupt):
        restore_backup(saved, saved.parent / "new", stop)
    assert sorted(p.name for p in saved.parent.iterdir()) == ["a.brit", "ws"]


def test_where_a_backup_may_not_stand(workspace: Workspace, tmp_path: Path) -> None:
    for target, sentence in (
        (workspace.folder / "brit.sqlite", "inside the workspace"),
        (tmp_path, "is a folder"),
        (tmp_path / "none" / "a", "No such file or directory"),
    ):
        with pytest.raises(InputError, match=sentence):
            save_backup(workspace, target)
    assert count(workspace, "documents") == 2


def test_a_damaged_database_is_not_saved(workspace: Workspace, tmp_path: Path) -> None:
    workspace.read.execute("PRAGMA writable_schema = ON")
    workspace.read.execute("UPDATE sqlite_master SET rootpage = 3 WHERE name = 'passages'")
    workspace.close()
    with pytest.raises(WorkspaceError, match="doctor --repair"):
        save_backup(Workspace(workspace.folder), tmp_path / "a.brit")
    assert not (tmp_path / "a.brit").exists()


def test_every_byte_is_checked(saved: Path, tmp_path: Path) -> None:
    """A byte flipped anywhere in what is stored, or a file cut short anywhere, restores nothing."""
    whole = saved.read_bytes()
    with zipfile.ZipFile(saved) as archive:
        starts = [info.header_offset + 30 + len(info.filename) + 25 for info in archive.infolist()]
    for at in starts:
        flipped = bytearray(whole)
        flipped[at] ^= 1
        saved.write_bytes(flipped)
        with pytest.raises(InputError, match="Take another copy"):
            restore_backup(saved, tmp_path / "new")
    for size in (0, 1, len(whole) // 3, len(whole) - 1):
        saved.write_bytes(whole[:size])
        with pytest.raises(InputError, match="Take another copy"):
            restore_backup(saved, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_an_entry_that_lies_outside_the_file_is_damage(saved: Path, tmp_path: Path) -> None:
    """The last field of 4 bytes in an entry of the directory is where its file begins (PKWARE
    APPNOTE §4.3.12): 42 bytes in, of 46 before the name."""
    whole = bytearray(saved.read_bytes())
    at = whole.rindex(b"PK\x01\x02") + 42
    whole[at : at + 4] = b"\xfe\xff\xff\xff"
    saved.write_bytes(whole)
    with pytest.raises(InputError, match="Take another copy"):
        restore_backup(saved, tmp_path / "new")


def test_a_changed_file_does_not_fit_its_hash(saved: Path, tmp_path: Path) -> None:
    def change(entries: dict[str, bytes]) -> None:
        name = next(name for name in entries if name.startswith("originals/"))
        entries[name] = b"%pdf"

    repack(saved, change)
    with pytest.raises(InputError, match="has changed"):
        restore_backup(saved, tmp_path / "new")


@pytest.mark.parametrize(
    "name",
    ["../../evil", "/etc/evil", "images/../../evil", "images/" + "0" * 32 + "/../../evil", "evil",
     "images/" + "0" * 31, "indexes/" + "0" * 32],
)  # fmt: skip
def test_names_lead_nowhere_else(saved: Path, tmp_path: Path, name: str) -> None:
    def change(entries: dict[str, bytes]) -> None:
        manifest = json.loads(entries["manifest.json"])
        manifest["files"][name] = [4, hashlib.sha256(b"evil").hexdigest()]
        entries |= {name: b"evil", "manifest.json": json.dumps(manifest).encode()}

    repack(saved, change)
    with pytest.raises(InputError, match="it names a file"):
        restore_backup(saved, tmp_path / "new")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.brit", "ws"]


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("UPDATE documents SET file = '../../../etc/passwd' WHERE id = 'd1'", "names a file"),
        ("CREATE TRIGGER t AFTER INSERT ON chats BEGIN DELETE FROM documents; END", "triggers"),
        ("PRAGMA user_version = 99", "newer BRIT. Update BRIT"),
        ("DROP TABLE passages", "none of BRIT"),
    ],
)
def test_a_database_from_elsewhere_is_refused(
    saved: Path, tmp_path: Path, statement: str, sentence: str
) -> None:
    repack(saved, lambda entries: put_database(entries, statement))
    with pytest.raises(InputError, match=sentence):
        restore_backup(saved, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_backup_without_a_database_is_none(saved: Path, tmp_path: Path) -> None:
    def change(entries: dict[str, bytes]) -> None:
        manifest = json.loads(entries["manifest.json"])
        del manifest["files"]["brit.sqlite"]
        entries["manifest.json"] = json.dumps(manifest).encode()

    repack(saved, change)
    with pytest.raises(InputError, match="holds no database"):
        restore_backup(saved, tmp_path / "new")


def test_an_older_backup_is_brought_up_to_date(saved: Path, tmp_path: Path) -> None:
    columns = ("read_caption", "read_furniture")
    older = (
        "DROP TABLE corrections",
        *(f"ALTER TABLE images DROP COLUMN {name}" for name in columns),
        f"PRAGMA user_version = {len(MIGRATIONS) - 1}",
    )
    repack(saved, lambda entries: put_database(entries, *older))
    restore_backup(saved, tmp_path / "new")
    other = Workspace.open(tmp_path / "new")
    assert other.read.execute("PRAGMA user_version").fetchone()[0] == len(MIGRATIONS)
    assert count(other, "corrections") == 0
    assert count(other, "documents") == 2


def test_only_a_new_or_empty_folder_takes_a_backup(saved: Path, tmp_path: Path) -> None:
    full = tmp_path / "full"
    full.mkdir()
    (full / "mine.txt").write_text("x")
    for folder in (full, tmp_path / "ws"):
        with pytest.raises(WorkspaceError, match="is not empty"):
            restore_backup(saved, folder)
    assert os.listdir(full) == ["mine.txt"]
    (tmp_path / "empty").mkdir()
    restore_backup(saved, tmp_path / "empty")
    assert count(Workspace.open(tmp_path / "empty"), "documents") == 2


def test_where_it_does_not_fit_nothing_is_restored(
    saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(9, 9, 0))  # type: ignore[attr-defined]
    with pytest.raises(WorkspaceError, match="0 MB are free"):
        restore_backup(saved, tmp_path / "new")
    assert not (tmp_path / "new").exists()
