"""What people correct in a graph: seen everywhere, undone, kept when documents are read again."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pymupdf
import pytest

from brit.config import RetrievalConfig, Settings
from brit.errors import InputError, UnknownName
from brit.pipeline import ingest, read_again
from brit.pipeline.ask import open_collection, retrieve
from brit.pipeline.benchmark_material import read_material
from brit.pipeline.collection import ReadGraph, read_graph
from brit.pipeline.corrections import (
    confirm_link,
    fix_caption,
    forms_of,
    mark_furniture,
    merge_names,
    move_link,
    reject_link,
    split_name,
    undo_correction,
    undo_last,
)
from brit.pipeline.explore import open_explorer
from brit.pipeline.review import open_review
from brit.storage import Workspace
from brit.storage.export import graph_data
from brit.storage.provenance import link_evidence, mention_places
from brit.storage.schema import MIGRATIONS
from brit.types import LINK_KINDS, CollectionGraph
from tests.pipeline.conftest import TestModels, picture

TEXTS = (
    "The Zorvex Motor Works (ZMW) build pumps. Engineers praise the Zorvex Motor Works.",
    "ZMW moved to Kestrel Harbour in 2021. The Quillon valve opens the Kestrel Harbour gate.",
)
CAPTIONS = (
    "Figure 1. The Zorvex Motor Works seen from Kestrel Harbour.",
    "Figure 2. The Quillon valve on its stand.",
)


def write_report(path: Path) -> Path:
    with pymupdf.open() as document:
        for number, (text, caption) in enumerate(zip(TEXTS, CAPTIONS, strict=True)):
            page = document.new_page(width=595, height=842)
            page.insert_text((72, 100), f"Chapter {number + 1}", fontsize=22)
            page.insert_textbox((72, 120, 520, 200), text, fontsize=11)
            page.insert_image((72, 220, 372, 445), stream=picture(number + 30))
            page.insert_text((72, 465), caption)
        document.save(path)
    return path


@pytest.fixture(scope="module")
def read_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with one document in it, read once."""
    home = tmp_path_factory.mktemp("read")
    workspace = Workspace.open(home / "workspace")
    models = TestModels(Settings(workspace=workspace.folder))
    ingest(workspace, [write_report(home / "report.pdf")], "c", models=models)
    workspace.read.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    workspace.close()
    return workspace.folder


@pytest.fixture
def workspace(read_once: Path, tmp_path: Path) -> Iterator[Workspace]:
    shutil.copytree(read_once, tmp_path / "workspace")
    opened = Workspace.open(tmp_path / "workspace")
    yield opened
    opened.close()


@pytest.fixture
def target(workspace: Workspace) -> str:
    return workspace.documents.stamp("c").id


def node(workspace: Workspace, target: str, label: str) -> str:
    return next(each.id for each in workspace.graph.nodes(target) if each.label == label)


def image(workspace: Workspace, target: str, page: int) -> str:
    return next(each.id for each in workspace.content.images(target) if each.page == page)


def ties(graph: CollectionGraph) -> dict[tuple[str, str, str], float]:
    """(image, label, kind) → score."""
    rows = zip(graph.link_image, graph.link_node, graph.link_kind, graph.link_score, strict=True)
    return {
        (graph.image_ids[one], graph.node_labels[other], LINK_KINDS[kind]): round(float(score), 4)
        for one, other, kind, score in rows
    }


def links_in_file(workspace: Workspace, target: str) -> dict[tuple[str, str, str], float]:
    data = graph_data(workspace, target)
    labels = {row["id"]: row["label"] for row in data["nodes"]}
    return {(row["image"], labels[row["node"]], row["kind"]): round(row["score"], 4)
            for row in data["links"]}  # fmt: skip


def content(read: ReadGraph) -> dict[str, object]:
    """All of a graph by ids, in its order."""
    graph = read.graph
    return {
        "nodes": list(zip(graph.node_ids, graph.node_labels, graph.node_kinds, strict=True)),
        "edges": [(graph.edge_ids[at], graph.node_ids[graph.edge_source[at]],
                   graph.node_ids[graph.edge_target[at]]) for at in range(len(graph.edge_ids))],
        "links": ties(graph),
        "images": graph.image_ids,
        "mentions": list(zip(graph.mention_node.tolist(), graph.mention_document, strict=True)),
        "component": graph.component.tolist(),
    }  # fmt: skip


# --- links ---


def test_a_rejected_link_is_nowhere_and_comes_back_when_that_is_undone(
    workspace: Workspace, target: str
) -> None:
    harbour, first = node(workspace, target, "Kestrel Harbour"), image(workspace, target, 1)
    before = read_graph(workspace, target)
    assert (first, "Kestrel Harbour", "CA") in ties(before.graph)
    number = reject_link(workspace, target, first, harbour, "CA")
    after = read_graph(workspace, target, before)
    gone = {key for key in ties(before.graph) if key[:2] == (first, "Kestrel Harbour")}
    assert ties(before.graph).keys() - ties(after.graph).keys() == gone
    assert ties(after.graph) == links_in_file(workspace, target)
    undo_correction(workspace, target, number)
    assert content(read_graph(workspace, target, after)) == content(before)
    assert [each.undone for each in workspace.corrections.entries(target)] == [True]


def test_a_confirmed_link_is_certain_and_says_so(workspace: Workspace, target: str) -> None:
    works, first = node(workspace, target, "Zorvex Motor Works"), image(workspace, target, 1)
    confirm_link(workspace, target, first, works, "CA")
    read = read_graph(workspace, target)
    scores = {key[2]: score for key, score in ties(read.graph).items()
              if key[:2] == (first, "Zorvex Motor Works")}  # fmt: skip
    assert set(scores.values()) == {1.0}
    assert "CA" in scores
    rows = graph_data(workspace, target)["links"]
    said = {row["reviewed"] for row in rows if (row["image"], row["node"]) == (first, works)}
    assert said == {"confirmed"}
    assert {row["reviewed"] for row in rows} == {"confirmed", None}
    assert ties(read.graph) == links_in_file(workspace, target)
    reason = link_evidence(workspace, first, works, "CA", read.patch)
    assert reason == f"in the caption “{CAPTIONS[0]}”; a person confirmed it"


def test_a_moved_link_leads_from_the_other_node(workspace: Workspace, target: str) -> None:
    harbour, valve = (
        node(workspace, target, name) for name in ("Kestrel Harbour", "Quillon valve")
    )
    first = image(workspace, target, 1)
    move_link(workspace, target, first, harbour, valve, "CA")
    found = ties(read_graph(workspace, target).graph)
    assert found[first, "Quillon valve", "CA"] == 1.0
    assert not [key for key in found if key[:2] == (first, "Kestrel Harbour")]
    assert found == links_in_file(workspace, target)
    with pytest.raises(InputError, match="choose another"):
        move_link(workspace, target, first, valve, valve, "CA")


def test_what_was_said_last_holds(workspace: Workspace, target: str) -> None:
    harbour, first = node(workspace, target, "Kestrel Harbour"), image(workspace, target, 1)
    reject_link(workspace, target, first, harbour, "CA")
    confirm_link(workspace, target, first, harbour, "CA")
    assert ties(read_graph(workspace, target).graph)[first, "Kestrel Harbour", "CA"] == 1.0
    undone = undo_last(workspace, target)
    assert undone is not None
    assert undone.kind == "confirm"
    assert (first, "Kestrel Harbour", "CA") not in ties(read_graph(workspace, target).graph)
    undo_last(workspace, target)
    assert undo_last(workspace, target) is None


def test_the_trace_tells_what_a_person_said(workspace: Workspace, target: str) -> None:
    models = TestModels(Settings(workspace=workspace.folder))
    works, harbour = (
        node(workspace, target, name) for name in ("Zorvex Motor Works", "Kestrel Harbour")
    )
    first = image(workspace, target, 1)
    confirm_link(workspace, target, first, works, "CA")
    reject_link(workspace, target, first, harbour, "CA")
    for preset in ("default", "paper"):
        found = retrieve(
            workspace, "Where are the Zorvex Motor Works?", "c", models=models,
            config=RetrievalConfig(preset=preset),  # type: ignore[arg-type]
            ask_model=False,
        )  # fmt: skip
        hops = {(hop.node, hop.reviewed): hop for hop in found.trace.hops if hop.image == first}
        assert "a person confirmed the link" in hops[works, "confirmed"].reason
        rejected = hops[harbour, "rejected"]
        assert not rejected.kept
        assert rejected.reason == "a person rejected the link from «Kestrel Harbour»"
        assert (harbour, None) not in hops


# --- names ---


def test_merged_names_are_one_node_with_edges_mentions_and_links(
    workspace: Workspace, target: str
) -> None:
    models = TestModels(Settings(workspace=workspace.folder))
    index = open_collection(workspace, "c", models, RetrievalConfig())
    before = read_graph(workspace, target)
    valve, harbour = (
        node(workspace, target, name) for name in ("Quillon valve", "Kestrel Harbour")
    )
    number = merge_names(workspace, target, valve, harbour)
    with pytest.raises(InputError, match="one name already"):
        merge_names(workspace, target, harbour, valve)
    read = read_graph(workspace, target, before)
    assert valve not in read.graph.node_ids
    second = image(workspace, target, 2)
    assert (second, "Kestrel Harbour", "CA") in ties(read.graph)
    assert ties(read.graph) == links_in_file(workspace, target)
    data = graph_data(workspace, target)
    row = next(row for row in data["nodes"] if row["id"] == harbour)
    assert "Quillon valve" in row["aliases"]
    assert not [row for row in data["edges"] if valve in (row["source"], row["target"])]
    assert len(data["edges"]) == len(read.graph.edge_ids)
    places = {place.block for place in mention_places(workspace, harbour, read.patch)}
    assert {place.block for place in mention_places(workspace, valve, before.patch)} <= places
    # Both names find it, in questions and on the Graph page.
    grown = open_collection(workspace, "c", models, RetrievalConfig())
    assert set(grown.nodes.ids) == set(grown.graph.node_ids) == set(index.nodes.ids) - {valve}
    found = retrieve(workspace, "What is the Quillon valve?", "c", models=models, ask_model=False)
    assert harbour in {match.node for match in found.trace.matches}
    explorer = open_explorer(workspace, "c")
    assert [explorer.ties.graph.node_ids[hit.node] for hit in explorer.search("Quillon v", 5)] == [
        harbour
    ]
    undo_correction(workspace, target, number)
    assert content(read_graph(workspace, target, read)) == content(before)
    again = open_collection(workspace, "c", models, RetrievalConfig())
    assert set(again.nodes.ids) == set(index.nodes.ids)


def test_a_form_that_leaves_takes_what_was_written_so(workspace: Workspace, target: str) -> None:
    before = read_graph(workspace, target)
    works = node(workspace, target, "Zorvex Motor Works")
    forms = {form.text: form.count for form in forms_of(workspace, target, works)}
    assert "ZMW" in forms
    with pytest.raises(InputError, match="named after"):
        split_name(workspace, target, works, "Zorvex Motor Works")
    with pytest.raises(UnknownName, match="any more"):
        split_name(workspace, target, works, "Nobody")
    number = split_name(workspace, target, works, "ZMW")
    read = read_graph(workspace, target, before)
    graph = read.graph
    new = graph.node_ids[graph.node_labels.index("ZMW")]
    first, second = (image(workspace, target, page) for page in (1, 2))
    found = ties(graph)
    assert (second, "ZMW", "LP") in found  # it stands on page 2 under this form alone
    assert (second, "Zorvex Motor Works", "LP") not in found
    assert (first, "Zorvex Motor Works", "CA") in found
    assert (first, "ZMW", "CA") not in found
    assert found == links_in_file(workspace, target)
    told = [(row["label"], row["aliases"]) for row in graph_data(workspace, target)["nodes"]]
    assert ("ZMW", []) in told
    assert [form.text for form in forms_of(workspace, target, new)] == ["ZMW"]
    assert sum(place.surfaces == ("ZMW",) for place in
               mention_places(workspace, new, read.patch)) == forms["ZMW"]  # fmt: skip
    models = TestModels(Settings(workspace=workspace.folder))
    found_by = retrieve(workspace, "Where is ZMW now?", "c", models=models, ask_model=False)
    assert new in {match.node for match in found_by.trace.matches}
    undo_correction(workspace, target, number)
    assert content(read_graph(workspace, target, read)) == content(before)


def test_splitting_a_merged_name_takes_it_out_again(workspace: Workspace, target: str) -> None:
    before = read_graph(workspace, target)
    valve, harbour = (
        node(workspace, target, name) for name in ("Quillon valve", "Kestrel Harbour")
    )
    number = merge_names(workspace, target, valve, harbour)
    assert split_name(workspace, target, harbour, "Quillon valve") == number
    assert content(read_graph(workspace, target)) == content(before)


# --- pictures ---


def test_a_caption_put_right_reaches_words_vectors_and_links(
    workspace: Workspace, target: str
) -> None:
    models = TestModels(Settings(workspace=workspace.folder))
    second, config = image(workspace, target, 2), RetrievalConfig()
    index = open_collection(workspace, "c", models, config)
    before, vectors = content(read_graph(workspace, target)), index.captions.vectors([second])
    number = fix_caption(workspace, target, second, "Kestrel Harbour\n seen at night")
    assert workspace.content.image(second).caption == "Kestrel Harbour seen at night"
    grown = open_collection(workspace, "c", models, config)
    assert [id for id, _ in grown.lexical("image", "night", 5)] == [second]
    assert not (grown.captions.vectors([second]) == vectors).all()
    found = ties(grown.graph)
    assert (second, "Kestrel Harbour", "CA") in found
    assert (second, "Quillon valve", "CA") not in found
    assert found == links_in_file(workspace, target)
    undo_correction(workspace, target, number)
    assert content(read_graph(workspace, target)) == before
    back = open_collection(workspace, "c", models, config)
    assert (back.captions.vectors([second]) == vectors).all()
    assert back.lexical("image", "night", 5) == []


def test_page_decoration_is_neither_linked_nor_found(workspace: Workspace, target: str) -> None:
    models = TestModels(Settings(workspace=workspace.folder))
    first, config = image(workspace, target, 1), RetrievalConfig()
    before = open_collection(workspace, "c", models, config)
    number = mark_furniture(workspace, target, first)
    found = retrieve(
        workspace, "Zorvex Motor Works from Kestrel Harbour", "c", models=models, ask_model=False
    )
    assert first not in {each.id for each in found.images}
    after = open_collection(workspace, "c", models, config)
    assert set(after.images.ids) == set(before.images.ids) - {first}
    assert ties(after.graph) == links_in_file(workspace, target)
    assert workspace.documents.documents(target)[0].figures == 1
    undo_correction(workspace, target, number)
    assert set(open_collection(workspace, "c", models, config).images.ids) == set(before.images.ids)


# --- what outlives what ---


def test_corrections_are_kept_when_the_document_is_read_again(
    workspace: Workspace, target: str
) -> None:
    models = TestModels(Settings(workspace=workspace.folder))
    works, harbour, valve = (
        node(workspace, target, name)
        for name in ("Zorvex Motor Works", "Kestrel Harbour", "Quillon valve")
    )
    first, second = (image(workspace, target, page) for page in (1, 2))
    reject_link(workspace, target, first, harbour, "CA")
    split_name(workspace, target, works, "ZMW")
    merge_names(workspace, target, valve, harbour)
    caption = fix_caption(workspace, target, second, "The stand in Kestrel Harbour")
    document = workspace.documents.documents(target)[0].id
    read_again(workspace, document, [1, 2], models=models)
    assert workspace.corrections.counts(target) == (4, 4)
    graph = read_graph(workspace, target).graph
    assert "ZMW" in graph.node_labels
    assert "Quillon valve" not in graph.node_labels
    found = ties(graph)
    assert not [key for key in found if key[:2] == (first, "Kestrel Harbour")]
    assert (second, "ZMW", "LP") in found
    assert (second, "Kestrel Harbour", "CA") in found
    assert found == links_in_file(workspace, target)
    assert workspace.content.image(second).caption == "The stand in Kestrel Harbour"
    undo_correction(workspace, target, caption)
    assert workspace.content.image(second).caption == CAPTIONS[1]
    while undo_last(workspace, target):
        pass
    graph = read_graph(workspace, target).graph
    assert "ZMW" not in graph.node_labels
    assert {(first, "Kestrel Harbour", "CA"), (second, "Quillon valve", "CA")} <= ties(graph).keys()


def test_a_document_takes_its_corrections_along(workspace: Workspace, target: str) -> None:
    works, harbour, valve = (
        node(workspace, target, name)
        for name in ("Zorvex Motor Works", "Kestrel Harbour", "Quillon valve")
    )
    first = image(workspace, target, 1)
    confirm_link(workspace, target, first, harbour, "CA")
    fix_caption(workspace, target, first, "A secret caption")
    merge_names(workspace, target, valve, harbour)
    split_name(workspace, target, works, "ZMW")
    open_collection(
        workspace, "c", TestModels(Settings(workspace=workspace.folder)), RetrievalConfig()
    )
    workspace.documents.delete(workspace.documents.documents(target)[0].id)
    assert workspace.corrections.entries(target) == []
    (left,) = workspace.read.execute("SELECT count(*) FROM vectors").fetchone()
    assert left == 0
    with pytest.raises(UnknownName, match="no longer there"):
        confirm_link(workspace, target, first, harbour, "CA")
    with pytest.raises(UnknownName, match="no longer there"):
        mark_furniture(workspace, target, first)
    with pytest.raises(UnknownName, match="no longer there"):
        undo_correction(workspace, target, 1)


def test_an_older_workspace_is_brought_up_to_date(read_once: Path, tmp_path: Path) -> None:
    """From the version before corrections were kept."""
    folder = tmp_path / "older"
    folder.mkdir()
    with sqlite3.connect(read_once / "brit.sqlite") as new:
        rows = new.execute("SELECT id, name, created FROM collections").fetchall()
    with sqlite3.connect(folder / "brit.sqlite") as old:
        old.executescript(";".join(MIGRATIONS[:6]))
        old.executemany("INSERT INTO collections (id, name, created) VALUES (?, ?, ?)", rows)
        old.execute("PRAGMA user_version = 6")
    opened = Workspace.open(folder)
    assert opened.corrections.entries(opened.documents.stamp("c").id) == []
    assert opened.content.images(rows[0][0]) == []
    opened.close()


# --- the queue and the benchmark ---


def test_what_led_to_pictures_in_answers_comes_first(workspace: Workspace, target: str) -> None:
    models = TestModels(Settings(workspace=workspace.folder))
    queue = open_review(workspace, "c")
    assert queue.reviewed == 0
    assert queue.total == len({key[:2] for key in ties(queue.read.graph)})
    found = retrieve(workspace, "Where does the Quillon valve stand?", "c", models=models,
                     ask_model=False)  # fmt: skip
    chat = workspace.chats.create(target, "t")
    turn = workspace.chats.add_turn(chat.id, found.question)
    workspace.chats.save_turn(turn.id, retrieval=found)
    led = {(hop.image, hop.node) for hop in found.trace.hops
           if hop.kept and hop.kind == "text-to-image" and hop.node}  # fmt: skip
    queue = open_review(workspace, "c")
    pairs = [queue.pair(int(place)) for place in queue.chosen("open")]
    assert {(pair.image, pair.node) for pair in pairs[: len(led)]} == led
    assert {pair.used for pair in pairs[: len(led)]} == {1}
    first = pairs[0]
    confirm_link(workspace, target, first.image, first.node, first.links[0][0])
    other = pairs[1]
    reject_link(workspace, target, other.image, other.node, other.links[0][0])
    queue = open_review(workspace, "c")
    assert (queue.reviewed, queue.total) == (2, len(pairs))
    assert [queue.pair(int(at)).node for at in queue.chosen("confirmed")] == [first.node]
    assert [queue.pair(int(at)).node for at in queue.chosen("rejected")] == [other.node]
    assert queue.place_of(first.image, first.node) is not None
    assert queue.place_of("gone", first.node) is None
    assert len(queue.chosen("open", "CA")) < len(queue.chosen("open"))
    assert len(queue.chosen("all", document="gone")) == 0


def test_confirmed_links_are_gold_and_rejected_ones_never(
    workspace: Workspace, target: str
) -> None:
    works, harbour = (
        node(workspace, target, name) for name in ("Zorvex Motor Works", "Kestrel Harbour")
    )
    first = image(workspace, target, 1)
    (material,) = read_material(workspace, "c")
    assert {"Zorvex Motor Works", "Kestrel Harbour"} <= set(material.captioned[first])
    reject_link(workspace, target, first, harbour, "CA")
    (material,) = read_material(workspace, "c")
    assert "Kestrel Harbour" not in material.captioned[first]
    confirm_link(workspace, target, first, works, "CA")
    (material,) = read_material(workspace, "c")
    assert list(material.captioned[first]) == ["Zorvex Motor Works"]
    assert material.confirmed == {first}


def test_a_second_process_sees_a_correction_at_once(workspace: Workspace, target: str) -> None:
    other = Workspace.open(workspace.folder)
    harbour, first = node(workspace, target, "Kestrel Harbour"), image(workspace, target, 1)
    known = read_graph(other, target)
    reject_link(workspace, target, first, harbour, "CA")
    assert (first, "Kestrel Harbour", "CA") not in ties(read_graph(other, target, known).graph)
    other.close()


def test_hostile_captions_are_kept_as_text(workspace: Workspace, target: str) -> None:
    first = image(workspace, target, 1)
    said = "<img src=x onerror=alert(1)>'); DROP TABLE images; --"
    fix_caption(workspace, target, first, said)
    assert workspace.content.image(first).caption == said
    with pytest.raises(InputError, match="shorten"):
        fix_caption(workspace, target, first, "x" * 10_000)
    assert said in json.dumps(graph_data(workspace, target))
