"""The workspace: what goes in comes out, twice is once, deleting leaves no trace."""

from __future__ import annotations

import csv
import json
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest

from brit.config import RetrievalConfig
from brit.errors import InputError, UnknownName, WorkspaceError
from brit.storage import Workspace, graph
from brit.storage.export import export_graph
from brit.storage.schema import MIGRATIONS
from brit.types import (
    Answer,
    DocumentHead,
    Edge,
    Image,
    ImageBlock,
    Link,
    Mention,
    Node,
    Page,
    Passage,
    Progress,
    Retrieval,
    RetrievalTrace,
    TableBlock,
    TextBlock,
)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.open(tmp_path / "ws")


def add_document(workspace: Workspace, collection: str, id: str, label: str) -> None:
    """A document with one page, passage, picture, edge and link; `label` names its node."""
    file = workspace.images.put(b"pixels of " + id.encode())
    head = DocumentHead(f"{id}.pdf", f"{id}.pdf", "pdf", 1)
    workspace.documents.put_document(id, collection, "", head)
    blocks = (TextBlock(f"{label} is red.", "paragraph"), ImageBlock(file, (0, 0, 9, 9)))
    workspace.content.put_page(id, Page(1, 100, 200, blocks))
    workspace.content.put_passages(
        [Passage(f"p-{id}", id, 1, (1, 2, 3, 4), "", f"{label} is red.", ())]
    )
    workspace.content.put_images(
        [Image(f"i-{id}", id, file, 1, (0, 0, 9, 9), caption=f"The {label}")]
    )
    nodes = [
        Node(f"n-{label}", label.lower(), label, "PRODUCT"),
        Node("n-red", "red", "red", "TERM"),
    ]
    workspace.graph.put_nodes(collection, nodes)
    workspace.graph.put_document_graph(
        id,
        mentions=[Mention(f"n-{label}", "b", label), Mention("n-red", f"b-{id}", "red")],
        edges=[Edge(f"e-{id}", f"n-{label}", "n-red", "is", "b", f"{label} is red.")],
        links=[Link(f"i-{id}", f"n-{label}", "CA", 1.0, "caption")],
    )
    workspace.graph.put_vectors("enc", "node", [f"n-{label}"], np.ones((1, 4), np.float32))
    workspace.graph.put_vectors("enc", "passage", [f"p-{id}"], np.ones((1, 4), np.float32))


def count(workspace: Workspace, table: str) -> int:
    return int(workspace.read.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def test_blocks_come_back_equal(workspace: Workspace) -> None:
    collection = workspace.documents.create_collection("one")
    blocks = (
        TextBlock("Überschrift 图", "heading", (1, 2, 3, 4), level=2),
        ImageBlock("ab.png", (0.5, 0, 1, 1), caption="A", caption_bbox=(0, 0, 1, 1)),
        TableBlock(("a", "b"), (("1", "2"),), None, "Table 1"),
    )
    page = Page(1, 595.0, 842.0, blocks, rotation=90, seconds=0.5)
    workspace.documents.put_document("d", collection.id, "", DocumentHead("d", "d", "pdf", 1))
    workspace.content.put_page("d", page)
    workspace.content.put_page("d", page)
    assert workspace.content.read_pages("d") == [page]
    assert [stored.block for stored in workspace.content.blocks("d")] == list(blocks)
    assert workspace.content.pages_done("d") == {1}
    assert workspace.content.pages("d")[0].figures == 1


def test_deleting_leaves_no_trace(workspace: Workspace) -> None:
    collection = workspace.documents.create_collection("one")
    add_document(workspace, collection.id, "d1", "Zorvex")
    add_document(workspace, collection.id, "d2", "Kalmin")
    assert workspace.graph.lexical(collection.id, "passage", "zorvex", 5)[0][0] == "p-d1"
    assert workspace.read.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    indexes = workspace.folder / "indexes" / collection.id
    indexes.mkdir(parents=True)
    workspace.documents.delete("d1")
    assert not indexes.exists()
    assert workspace.graph.lexical(collection.id, "passage", "zorvex", 5) == []
    assert workspace.graph.lexical(collection.id, "node", "zorvex", 5) == []
    assert {node.label for node in workspace.graph.nodes(collection.id)} == {"Kalmin", "red"}
    workspace.documents.delete("d2")
    left = {t: count(workspace, t) for t in (
        "documents", "pages", "blocks", "passages", "images", "nodes", "mentions", "edges",
        "links", "vectors", "passage_words", "image_trigrams", "node_words")}  # fmt: skip
    assert not any(left.values()), left
    assert not [path for path in (workspace.folder / "images").rglob("*") if path.is_file()]


def test_what_holds_a_rare_word_is_scored_the_same_without_the_common_ones(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    collection = workspace.documents.create_collection("c")
    workspace.documents.put_document("d", collection.id, "", DocumentHead("a", "a", "pdf", 1))
    texts = ["pump valve", "pump", "pump water", "water pump zorvex", "zorvex hall", "pump hall"]
    workspace.content.put_passages(
        [Passage(f"p{at}", "d", 1, None, "", text, ()) for at, text in enumerate(texts)]
    )

    def ask() -> dict[str, float]:
        return dict(workspace.graph.lexical(collection.id, "passage", "zorvex pump valve", 9))

    every = ask()
    assert every.keys() == {"p0", "p1", "p2", "p3", "p4", "p5"}
    monkeypatch.setattr(graph, "MOST_SCORED", 3)  # valve is in 1, zorvex in 2, pump in 5
    assert ask() == pytest.approx({id: every[id] for id in ("p0", "p3", "p4")})
    monkeypatch.setattr(graph, "MOST_SCORED", 0)  # the rarest word always counts
    assert ask() == pytest.approx({"p0": every["p0"]})


def test_lexical_search_finds_inside_chinese_sentences_and_codes(workspace: Workspace) -> None:
    collection = workspace.documents.create_collection("one")
    workspace.documents.put_document("d", collection.id, "", DocumentHead("d", "d", "pdf", 1))
    texts = {
        "zh": "该化学反应需要催化剂才能进行",
        "code": "The pump CX57C-R2 runs.",
        "en": "Pumps run.",
    }
    workspace.content.put_passages(
        [Passage(key, "d", 1, None, "", text, ()) for key, text in texts.items()]
    )

    def find(query: str) -> list[str]:
        return [id for id, _ in workspace.graph.lexical(collection.id, "passage", query, 5)]

    assert find("催化剂是什么") == ["zh"]
    assert find("X57C") == ["code"]
    assert set(find("running pump")) == {"code", "en"}
    assert find('") OR text:*') == []


def test_collections_have_unique_sensible_names(workspace: Workspace) -> None:
    first = workspace.documents.create_collection("  Coffee   manuals ")
    assert workspace.documents.create_collection("Coffee manuals").id == first.id
    workspace.documents.create_collection("Other")
    with pytest.raises(InputError, match="already"):
        workspace.documents.rename_collection(first.id, "Other")
    with pytest.raises(InputError, match="1 to 120"):
        workspace.documents.create_collection(" ")
    with pytest.raises(UnknownName, match=r"no collection “Tea”.*“Coffee manuals”, “Other”"):
        workspace.documents.collection("Tea")


def test_chats_survive_a_reopening(workspace: Workspace) -> None:
    collection = workspace.documents.create_collection("one")
    chat = workspace.chats.create(collection.id, "First")
    turn = workspace.chats.add_turn(chat.id, "Why?")
    trace = RetrievalTrace(parameters={"k": 5}, entities=("a",))
    retrieval = Retrieval(
        "Why?", "default", "enc", ("a",), False, (), (), (), (), 0, {"total": 1.5}, trace
    )
    workspace.chats.save_turn(turn.id, retrieval=retrieval)
    workspace.chats.save_turn(turn.id, answer=Answer("So [1].", (), "extractive"))
    again = Workspace.open(workspace.folder)
    kept = again.chats.turns(chat.id)[0]
    assert kept.retrieval == retrieval
    assert kept.answer == Answer("So [1].", (), "extractive")
    again.documents.delete_collection(collection.id)
    with pytest.raises(UnknownName):
        again.chats.chat(chat.id)


def test_a_failed_change_changes_nothing(workspace: Workspace) -> None:
    def fail_half_way() -> None:
        with workspace.write() as db:
            db.execute("INSERT INTO settings VALUES ('a', '1')")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_half_way()
    assert workspace.settings.get("a") is None


def test_one_worker_claims_each_job_once(workspace: Workspace) -> None:
    ids = [workspace.jobs.add("ingest", "one", {"n": n}) for n in range(20)]
    claimed: list[int] = []

    def claim() -> None:
        while job := workspace.jobs.claim():
            claimed.append(job.id)
        workspace.close()

    threads = [threading.Thread(target=claim) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(claimed) == ids
    assert workspace.jobs.take_over(1, "a")
    assert not workspace.jobs.take_over(2, "b")
    assert {job.state for job in workspace.jobs.jobs()} == {"interrupted"}
    assert workspace.jobs.beat("a")
    assert not workspace.jobs.beat("b")


def test_jobs_tell_how_far_they_are_and_can_be_cancelled(workspace: Workspace) -> None:
    id = workspace.jobs.add("ingest", "one", {})
    assert workspace.jobs.claim() is not None
    workspace.jobs.progress(id, Progress("reading", 5, 10, "a.pdf"))
    job = workspace.jobs.jobs(active=True)[0]
    assert (job.stage, job.done, job.total, job.detail) == ("reading", 5, 10, "a.pdf")
    assert job.seconds_left is not None
    workspace.jobs.request_cancel(id)
    assert workspace.jobs.cancel_requested(id)
    workspace.jobs.finish(id, "cancelled", "")
    workspace.jobs.requeue(id)
    assert workspace.jobs.jobs()[0].state == "queued"
    assert not workspace.jobs.cancel_requested(id)


def test_a_folder_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(WorkspaceError, match="Name another folder"):
        Workspace.open(tmp_path / "file" / "ws")
    newer = Workspace.open(tmp_path / "newer")
    newer.read.execute("PRAGMA user_version = 99")
    newer.close()
    with pytest.raises(WorkspaceError, match="newer BRIT"):
        Workspace.open(newer.folder)


def test_a_workspace_that_lacks_a_column_is_none(tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path / "ws")
    workspace.read.execute("ALTER TABLE documents RENAME COLUMN seconds TO minutes")
    workspace.close()
    with pytest.raises(WorkspaceError, match="another program, or damaged"):
        Workspace.open(tmp_path / "ws")


@pytest.mark.parametrize("version", range(1, len(MIGRATIONS)))
def test_a_file_of_every_version_is_brought_up_to_date(tmp_path: Path, version: int) -> None:
    with sqlite3.connect(tmp_path / "brit.sqlite") as db:
        db.executescript(";".join(MIGRATIONS[:version]))
        db.execute(f"PRAGMA user_version = {version}")
    db.close()
    workspace = Workspace.open(tmp_path)
    assert workspace.read.execute("PRAGMA user_version").fetchone()[0] == len(MIGRATIONS)
    workspace.close()


@pytest.mark.parametrize("version", [-1, 0, 1, len(MIGRATIONS), 99])
def test_a_database_of_another_program_is_left_as_it_is(tmp_path: Path, version: int) -> None:
    file = tmp_path / "brit.sqlite"
    with sqlite3.connect(file) as db:
        db.execute("CREATE TABLE collections (title TEXT)")
        db.execute(f"PRAGMA user_version = {version}")
    db.close()
    before = file.read_bytes()
    for _ in range(2):
        with pytest.raises(WorkspaceError, match="database of another program"):
            Workspace.open(tmp_path)
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["brit.sqlite"]


def test_a_new_folder_may_be_opened_by_many_at_once(tmp_path: Path) -> None:
    faults: list[Exception] = []
    start = threading.Barrier(8)

    def open_it() -> None:
        start.wait()
        try:
            Workspace.open(tmp_path / "ws").close()
        except WorkspaceError as error:
            faults.append(error)

    threads = [threading.Thread(target=open_it) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults


def test_a_snapshot_does_not_see_what_others_write(workspace: Workspace) -> None:
    other = Workspace(workspace.folder)
    with workspace.snapshot():
        assert workspace.settings.get("a") is None
        other.settings.set("a", 1)
        assert workspace.settings.get("a") is None
    assert workspace.settings.get("a") == 1


def test_collections_are_found_by_the_name_they_were_given(workspace: Workspace) -> None:
    made = workspace.documents.create_collection(" Pumps\n and  valves ")
    assert made.name == "Pumps and valves"
    assert workspace.documents.collection(" Pumps\n and  valves ").id == made.id
    with pytest.raises(InputError, match="control"):
        workspace.documents.create_collection("a\x1bb")


def test_a_document_that_was_not_finished_says_so(workspace: Workspace) -> None:
    id = workspace.documents.create_collection("one").id
    head = DocumentHead("a.pdf", "a.pdf", "pdf", 1)
    workspace.documents.put_document("d", id, "", head)
    assert "add the file again" in workspace.documents.document("d").reason
    workspace.documents.set_status("d", "whole", "", ready=True)
    assert workspace.documents.document("d").reason == ""


def test_exports_hold_hostile_names_and_none(workspace: Workspace, tmp_path: Path) -> None:
    id = workspace.documents.create_collection("one").id
    export_graph(workspace, id, "csv", tmp_path / "none.csv")
    assert (tmp_path / "none-links.csv").read_text() == "image,node,kind,score\n"
    labels = ['=HYPERLINK("x")', "a\x00\x0b\ufffeb", "<node>&\n", "@x", "٪"]
    nodes = [Node(str(at), label, label, "TERM") for at, label in enumerate(labels)]
    workspace.graph.put_nodes(id, nodes)
    for format in ("csv", "graphml", "json"):
        export_graph(workspace, id, format, tmp_path / f"g.{format}")
    with (tmp_path / "g-nodes.csv").open(encoding="utf-8", newline="") as stream:
        cells = [row["label"] for row in csv.DictReader(stream)]
    assert cells == ['\'=HYPERLINK("x")', "a\x00\x0b\ufffeb", "<node>&\n", "'@x", "٪"]
    read = networkx.read_graphml(tmp_path / "g.graphml").nodes
    assert [read[str(at)]["label"] for at in range(3)] == ['=HYPERLINK("x")', "ab", "<node>&\n"]
    assert [
        row["label"] for row in json.loads((tmp_path / "g.json").read_text())["nodes"]
    ] == labels
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".brit-")]


def test_a_collections_own_setting_is_kept_and_goes_with_it(workspace: Workspace) -> None:
    first, second = (workspace.documents.create_collection(name).id for name in ("a", "b"))
    own = RetrievalConfig(links=("CA",), threshold=0.4, k=7)
    workspace.settings.keep_retrieval(first, own)
    assert workspace.settings.retrieval(first) == own
    assert workspace.settings.retrieval(second) == RetrievalConfig()
    workspace.documents.delete_collection(first)
    assert workspace.read.execute("SELECT count(*) FROM settings").fetchone()[0] == 0


def test_jobs_follow_their_collection_when_it_is_renamed(workspace: Workspace) -> None:
    id = workspace.documents.create_collection("old").id
    job = workspace.jobs.add("ingest", "old", {"paths": ["a.pdf"], "collection": "old"})
    other = workspace.jobs.add("ingest", "else", {"paths": [], "collection": "else"})
    workspace.documents.rename_collection(id, "new")
    workspace.jobs.set_payload(job, {"locked": ["a.pdf"]})
    kept = {each.id: (each.collection, each.payload) for each in workspace.jobs.jobs()}
    payload = {"paths": ["a.pdf"], "collection": "new", "locked": ["a.pdf"]}
    assert kept[job] == ("new", payload)
    assert kept[other][0] == "else"


def test_uploads_go_with_their_job_and_nothing_else_does(
    workspace: Workspace, tmp_path: Path
) -> None:
    upload = workspace.folder / "uploads" / "ab12" / "a.pdf"
    mine = tmp_path / "mine" / "a.pdf"
    for path in (upload, mine):
        path.parent.mkdir(parents=True)
        path.write_bytes(b"x")
    paths = [str(upload), str(mine)]
    workspace.jobs.drop_uploads(workspace.jobs.add("ingest", "c", {"paths": paths}))
    assert mine.exists()
    assert not upload.parent.exists()


@pytest.mark.parametrize(
    ("state", "hours", "kept"),
    [("cancelled", 25, False), ("failed", 25, False), ("cancelled", 23, True), ("done", 25, True)],
)
def test_uploads_of_what_was_cancelled_are_kept_for_a_day(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, state: Any, hours: int, kept: bool
) -> None:
    upload = workspace.folder / "uploads" / "ab12" / "a.pdf"
    upload.parent.mkdir(parents=True)
    upload.write_bytes(b"x")
    job = workspace.jobs.add("ingest", "c", {"paths": [str(upload)]})
    workspace.jobs.finish(job, state, "")
    now = time.time()
    monkeypatch.setattr("brit.storage.jobs.time.time", lambda: now + hours * 3600)
    workspace.jobs.sweep_uploads()
    assert upload.exists() is kept
