"""What a disk does to a workspace, and what `repair` makes of it."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from brit.errors import WorkspaceError
from brit.storage import Workspace
from brit.storage.repair import find_faults, find_torn_pages, repair
from brit.types import DocumentHead, Page, Passage, TextBlock
from tests.storage.test_backup import dump, workspace  # noqa: F401 - a fixture
from tests.storage.test_workspace import count

PAGE = 4096
MANY = 300


@pytest.fixture
def long(workspace: Workspace) -> Workspace:  # noqa: F811
    """Beside the two documents one of many pages, so that tables fill many pages of the file."""
    collection = workspace.documents.collection("one").id
    file = workspace.originals.put(b"long", ".pdf")
    head = DocumentHead("long.pdf", "long.pdf", "pdf", MANY)
    with workspace.write():
        workspace.documents.put_document("long", collection, file, head)
        for number in range(1, MANY + 1):
            text = f"Sentence {number} of the long document. " * 8
            workspace.content.put_page("long", Page(number, 9, 9, (TextBlock(text, "paragraph"),)))
            workspace.content.put_passages(
                [Passage(f"l{number}", "long", number, None, "", text, ())]
            )
        for id in ("d1", "d2", "long"):
            workspace.documents.set_status(id, "whole", "", ready=True)
    return workspace


def leaves(damaged: Workspace, table: str) -> list[int]:
    """The numbers of the pages that hold a table's rows, by SQLite's file format: in a table tree
    (§1.6) an interior page is of type 5, and holds the numbers of its children."""
    (root,) = damaged.read.execute(
        "SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)
    ).fetchone()
    damaged.read.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = (damaged.folder / "brit.sqlite").read_bytes()
    page = content[(root - 1) * PAGE : root * PAGE]
    assert page[0] == 5
    cells = [int.from_bytes(page[12 + 2 * n : 14 + 2 * n])
             for n in range(int.from_bytes(page[3:5]))]  # fmt: skip
    last = int.from_bytes(page[8:12])
    return [*(int.from_bytes(page[cell : cell + 4]) for cell in cells), last]


def tear(damaged: Workspace, *pages: int) -> None:
    damaged.close()
    with (damaged.folder / "brit.sqlite").open("r+b") as stream:
        for page in pages:
            stream.seek((page - 1) * PAGE)
            stream.write(b"\xaa" * PAGE)


def test_a_sound_workspace_has_no_faults(long: Workspace) -> None:
    assert find_faults(long) == find_torn_pages(long) == []
    before = dump(long)
    done = repair(long)
    assert (done.repaired, done.lost) == ([], [])
    assert dump(long) == before
    assert long.read.execute("PRAGMA journal_mode").fetchone()[0] == "wal"


def test_of_a_torn_page_all_else_is_saved(long: Workspace) -> None:
    """The rows of three torn leaves are lost, and the document they were of is to be read again;
    the others are as before."""
    pages = leaves(long, "blocks")
    assert len(pages) > 9
    tear(long, pages[2], pages[5], pages[-3])
    assert find_torn_pages(long)
    assert ["doctor --repair" in each for each in find_faults(long)] == [True]
    done = repair(long)
    assert find_faults(long) == []
    copy = long.documents.source_path("long")
    assert done.lost == [f"Part of “long.pdf” was lost: add it again (a copy of it is {copy})."]
    assert copy.read_bytes() == b"long"
    document = long.documents.document("long")
    assert (document.status, document.ready) == ("partial", False)
    assert "add the file again" in document.reason
    assert long.content.pages_done("long") == set()
    for id in ("d1", "d2"):
        assert [block.document for block in long.content.blocks(id)] == [id, id]
        assert long.documents.is_ready(id)
    collection = long.documents.collection("one").id
    assert long.graph.lexical(collection, "passage", "zorvex", 5)[0][0] == "p-d1"
    assert long.graph.lexical(collection, "passage", "sentence", 5) == []
    (kept,) = long.folder.glob("brit-damaged-*.sqlite")
    assert kept.name in done.repaired[0]
    assert kept.read_bytes()[(pages[2] - 1) * PAGE :][:PAGE] == b"\xaa" * PAGE


@pytest.mark.parametrize("table", ["passage_words_data", "passage_trigrams_data"])
def test_a_damaged_search_loses_nothing(long: Workspace, table: str) -> None:
    before = dump(long)
    tear(long, *leaves(long, table)[1:4])
    done = repair(long)
    assert done.lost == []
    assert dump(long) == before
    assert find_faults(long) == []


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM passage_words WHERE rowid = 1",
        "INSERT INTO node_trigrams (rowid, text) VALUES (999, 'ghost')",
        "UPDATE passage_words_data SET block = x'00' WHERE id > 1000",
        "DROP TABLE image_words_docsize",
    ],
)
def test_a_search_out_of_step_is_filled_anew(long: Workspace, statement: str) -> None:
    collection = long.documents.collection("one").id
    before = dump(long)
    with sqlite3.connect(long.folder / "brit.sqlite") as db:
        db.execute(statement)
    db.close()
    assert len(find_faults(long)) == 1
    assert repair(long).lost == []
    assert find_faults(long) == []
    assert dump(long) == before
    assert long.graph.lexical(collection, "passage", "zorvex", 5)[0][0] == "p-d1"


def test_lost_documents_leave_their_originals(long: Workspace) -> None:
    """Documents whose rows are gone: what was theirs goes, their files can be added again."""
    with long.write() as db:
        (root,) = db.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'documents'"
        ).fetchone()
    long.read.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    tear(long, root)
    done = repair(long)
    assert find_faults(long) == []
    assert count(long, "documents") == count(long, "blocks") == count(long, "passages") == 0
    assert {p.read_bytes() for p in (long.folder / "rescued").iterdir()} == {b"%PDF", b"long"}
    assert sum("its original is" in each for each in done.lost) == 2


def test_a_lost_collection_comes_back_under_another_name(long: Workspace) -> None:
    (root,) = long.read.execute(
        "SELECT rootpage FROM sqlite_master WHERE name = 'collections'"
    ).fetchone()
    id = long.documents.collection("one").id
    long.read.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    tear(long, root)
    assert repair(long).lost == ["1 rows of the table «collections» could not be read."]
    (collection,) = long.documents.collections()
    assert (collection.id, collection.name) == (id, f"Recovered {id[:6]}")
    assert collection.documents == 3


def test_rows_without_an_owner_go(long: Workspace) -> None:
    with sqlite3.connect(long.folder / "brit.sqlite") as db:
        db.execute("DELETE FROM nodes WHERE id = 'n-Zorvex'")
        db.execute("INSERT INTO model_usage VALUES (1, 'answer', 'm', 'gone', 7, 8, 0, 0)")
    db.close()
    assert "rows whose owner is missing" in find_faults(long)[0]
    done = repair(long)
    assert [each.split("”")[0] for each in done.lost] == ["Part of “d1.pdf"]
    assert find_faults(long) == []
    assert {link.node for link in long.graph.links(long.documents.collection("one").id)} == {
        "n-Kalmin"
    }
    assert [usage.prompt_tokens for usage in long.calls.spent()] == [7]


def test_what_nobody_names_is_told_and_only_then_removed(long: Workspace) -> None:
    kept = long.images.path(long.images.put(b"pixels of d1"))
    picture = long.images.path(long.images.put(b"nobody's"))
    original = long.originals.path(long.originals.put(b"nobody's", ".pdf"))
    room = long.images.folder / ".new-dead"
    waiting = long.folder / "uploads" / "a" / "x.pdf"
    forgotten = long.folder / "uploads" / "b" / "y.pdf"
    for path in (room / "half", waiting, forgotten):
        path.parent.mkdir(parents=True)
        path.write_bytes(b"x")
    long.jobs.add("ingest", "one", {"paths": [str(waiting)]})
    (sentence,) = find_faults(long)
    assert sentence.startswith("Left over, needed by no document or job: 4 (")
    assert picture.exists()
    (told,) = repair(long).repaired
    assert told.startswith("Removed what nothing needed: 4 (")
    assert not any(p.exists() for p in (picture, original, room, forgotten.parent))
    assert kept.exists()
    assert waiting.exists()
    assert find_faults(long) == []


def test_while_a_document_is_read_no_picture_is_an_orphan(long: Workspace, tmp_path: Path) -> None:
    (tmp_path / "n.pdf").write_bytes(b"new")
    with long.originals.bring_in(tmp_path / "n.pdf"):
        long.images.put(b"row to come")
        assert find_faults(long) == []
    assert len(find_faults(long)) == 1


def test_missing_files_are_told_by_document(long: Workspace) -> None:
    long.images.path(long.images.put(b"pixels of d1")).unlink()
    long.documents.source_path("long").unlink()
    pictures, originals = find_faults(long)
    assert pictures.startswith("Missing pictures: 1 of “d1.pdf”")
    assert originals.startswith("Missing originals: of “long.pdf”")
    (lost,) = repair(long).lost
    assert lost.startswith("“d1.pdf” lacked pictures (1): add it again")
    assert not long.documents.is_ready("d1")
    assert long.documents.is_ready("d2")
    assert len(find_faults(long)) == 1


def test_index_files_are_made_again(long: Workspace) -> None:
    folder = long.folder / "indexes" / "x"
    folder.mkdir(parents=True)
    (folder / "graph.npz").write_bytes(b"torn")
    assert repair(long).repaired[0].startswith("The index files were removed")
    assert not folder.parent.exists()


def test_a_dead_worker_is_forgotten(long: Workspace) -> None:
    job = long.jobs.add("ingest", "one", {})
    assert long.jobs.take_over(os.getpid(), "t")
    long.jobs.claim()
    assert find_faults(long) == []
    with long.write() as db:
        db.execute("UPDATE worker SET heartbeat = heartbeat - 60")
    assert [each[:14] for each in find_faults(long)] == ["A worker ended"]
    assert len(repair(long).repaired) == 1
    assert find_faults(long) == []
    assert [(each.id, each.state) for each in long.jobs.jobs()] == [(job, "interrupted")]


def test_nothing_is_repaired_while_others_are_in_it(
    long: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("brit.storage.repair.ALONE_SECONDS", 0)
    other = Workspace.open(long.folder)
    other.documents.collections()
    stray = long.images.path(long.images.put(b"on its way"))
    with pytest.raises(WorkspaceError, match="stop the app"):
        repair(long)
    assert stray.exists()
    other.close()
    repair(long)
    assert not stray.exists()
