"""A collection saved in one file is the same collection wherever it is added."""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path

import pytest

from brit.config import RetrievalConfig, Settings
from brit.errors import Cancelled
from brit.pipeline import ingest, read_again, retrieve
from brit.pipeline.corrections import fix_caption, merge_names, reject_link
from brit.storage import Workspace
from brit.storage.backup import save_backup
from brit.storage.export import graph_data
from brit.types import Document, Progress
from tests.pipeline.conftest import TestModels, write_brochure
from tests.storage.test_backup import put_database, repack

QUESTION = "How many valves does the Zorvex pump have?"


@pytest.fixture
def saved(workspace: Workspace, models: TestModels, brochure: Path, tmp_path: Path) -> Path:
    """Collection "pumps" of a workspace that holds another one, and a chat, as well."""
    ingest(workspace, [brochure], "pumps", models=models)
    other = write_brochure(tmp_path / "secret.pdf", "Quillamore")
    ingest(workspace, [other], "secrets", models=models)
    pumps = workspace.documents.collection("pumps")
    workspace.chats.create(pumps.id, "Grimbolt")
    workspace.settings.keep_retrieval(pumps.id, RetrievalConfig(k=7))
    save_backup(workspace, tmp_path / "pumps.brit", collection=pumps.id)
    return tmp_path / "pumps.brit"


@pytest.fixture
def elsewhere(tmp_path: Path) -> Workspace:
    return Workspace.open(tmp_path / "elsewhere")


def found(workspace: Workspace, models: TestModels, collection: str) -> list[object]:
    """What a question finds, without ids."""
    result = retrieve(workspace, QUESTION, collection, models=models)
    return [
        [(each.document, each.page, each.text, near(each.score)) for each in result.passages],
        [(each.caption, each.link, each.bbox, near(each.score)) for each in result.images],
        [(each.subject, each.relation, each.object, near(each.score)) for each in result.triplets],
        [(each.document, each.page, near(each.score)) for each in result.pages],
    ]


def near(score: float) -> float:
    return round(score, 9)


def graph(workspace: Workspace, collection: str) -> list[list[object]]:
    """Nodes, edges and links by name."""
    data = graph_data(workspace, workspace.documents.collection(collection).id)
    labels = {node["id"]: node["label"] for node in data["nodes"]}
    captions = {image["id"]: image["caption"] for image in data["images"]}
    return [
        sorted((node["label"], node["kind"], node["aliases"]) for node in data["nodes"]),
        sorted((labels[e["source"]], e["relation"], labels[e["target"]]) for e in data["edges"]),
        sorted((captions[x["image"]], labels[x["node"]], x["kind"], x["score"])
               for x in data["links"]),
    ]  # fmt: skip


def test_what_was_saved_answers_elsewhere_as_it_did(
    saved: Path, workspace: Workspace, models: TestModels, elsewhere: Workspace, brochure: Path
) -> None:
    there = TestModels(Settings(workspace=elsewhere.folder))
    (document,) = ingest(elsewhere, [saved], "Pumps of others", models=there).documents
    assert (document.name, document.status, document.figures) == ("zorvex.pdf", "whole", 3)
    assert there.reader.calls == 0  # text in pictures came along
    assert graph(elsewhere, "Pumps of others") == graph(workspace, "pumps")
    # How rare a word is, is counted over a whole workspace.
    workspace.documents.delete_collection(workspace.documents.collection("secrets").id)
    before = found(workspace, models, "pumps")
    assert all(before)
    assert found(elsewhere, there, "Pumps of others") == before
    own = elsewhere.settings.retrieval(document.collection)
    assert own == RetrievalConfig(k=7)
    for image in elsewhere.content.images(document.collection):
        assert elsewhere.images.path(image.file).is_file()
    assert elsewhere.documents.source_path(document.id).read_bytes() == brochure.read_bytes()

    stamp = elsewhere.documents.stamp("Pumps of others")
    for again in (saved, brochure):  # the file it was made of is the same document
        ingest(elsewhere, [again], "Pumps of others", models=there)
    assert elsewhere.documents.stamp("Pumps of others") == stamp


def test_what_people_corrected_comes_along(
    workspace: Workspace, models: TestModels, elsewhere: Workspace, brochure: Path, tmp_path: Path
) -> None:
    (document,) = ingest(workspace, [brochure], "pumps", models=models).documents
    id = document.collection
    first, second, _ = workspace.content.document_images(document.id)
    links = workspace.graph.links(id)
    node = next(link.node for link in links if link.image == first.id)
    reject_link(workspace, id, first.id, node, "CA")
    fix_caption(workspace, id, second.id, "The Zorvex pump as it leaves the yard")
    label = next(each.label for each in workspace.graph.nodes(id) if each.id == node)
    other = next(each for each in workspace.graph.nodes(id) if "Tromsø" in each.label)
    merge_names(workspace, id, other.id, node)
    expected = corrected(workspace, "pumps")
    assert (label, "rejected") in {(each[1], each[3]) for each in expected[1]}
    save_backup(workspace, tmp_path / "a.brit", collection=id)
    there = TestModels(Settings(workspace=elsewhere.folder))
    for _ in range(2):
        (copy,) = ingest(elsewhere, [tmp_path / "a.brit"], "c", models=there).documents
        assert corrected(elsewhere, "c") == expected
    assert elsewhere.corrections.counts(copy.collection) == (3, 3)
    # They hold for a new reading, too: the images' ids are those that reading gives.
    read_again(elsewhere, copy.id, [1, 2], models=there)
    assert corrected(elsewhere, "c")[1:] == expected[1:]


def corrected(workspace: Workspace, collection: str) -> list[list[tuple[object, ...]]]:
    """Nodes, reviewed links and captions as they are shown."""
    id = workspace.documents.collection(collection).id
    data = graph_data(workspace, id)
    labels = {node["id"]: node["label"] for node in data["nodes"]}
    captions = {image["id"]: image["caption"] for image in data["images"]}
    patch = workspace.corrections.patch(id)
    names = {each.id: each.label for each in workspace.graph.nodes(id)}
    images = {each.id: each.caption for each in workspace.content.images(id)}
    return [
        sorted((label,) for label in labels.values()),
        sorted((images[image], names[node], "", review)
               for (image, node), review in patch.reviews.items()),
        sorted((caption,) for caption in captions.values()),
    ]  # fmt: skip


def test_a_copy_stands_by_itself(saved: Path, workspace: Workspace, models: TestModels) -> None:
    workspace.documents.delete_collection(workspace.documents.collection("secrets").id)
    before = found(workspace, models, "pumps")
    (copy,) = ingest(workspace, [saved], "copy", models=models).documents
    workspace.documents.delete_collection(workspace.documents.collection("pumps").id)
    assert found(workspace, models, "copy") == before
    for image in workspace.content.images(copy.collection):
        assert workspace.images.path(image.file).is_file()
    workspace.documents.delete(copy.id)
    assert workspace.content.images(copy.collection) == []
    assert "Zorvex" not in "\n".join(workspace.read.iterdump())


def test_nothing_of_other_collections_nor_of_chats_is_in_the_file(saved: Path) -> None:
    with zipfile.ZipFile(saved) as archive:
        names = archive.namelist()
        content = b"".join(archive.read(name) for name in names)
    assert b"Zorvex" in content
    for secret in (b"Quillamore", b"quillamore", b"secret", b"Grimbolt"):
        assert secret not in content
    assert sum(name.startswith("originals/") for name in names) == 1


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE blocks SET data = '{}'",
        "UPDATE passages SET bbox = '[1, 2]'",
        "UPDATE images SET page = 'x', bbox = 'y'",
        "DELETE FROM nodes",
    ],
)
def test_what_was_not_written_so_by_brit_is_refused(
    statement: str, saved: Path, elsewhere: Workspace, models: TestModels
) -> None:
    repack(saved, lambda entries: put_database(entries, "PRAGMA foreign_keys = OFF", statement))
    (document,) = ingest(elsewhere, [saved], "c", models=models).documents
    assert (document.name, document.status) == ("pumps.brit", "refused")
    assert "have it saved again" in document.reason or "is damaged" in document.reason
    assert elsewhere.read.execute("SELECT count(*) FROM blocks").fetchone()[0] == 0


def test_a_picture_that_is_none_is_refused(
    saved: Path, elsewhere: Workspace, models: TestModels
) -> None:
    page = b"<svg onload=alert(1)>"
    name = hashlib.sha256(page).hexdigest()[:32] + ".png"

    def swap(entries: dict[str, bytes]) -> None:
        manifest = json.loads(entries["manifest.json"])
        entries[f"images/{name}"] = page
        manifest["files"][f"images/{name}"] = [len(page), hashlib.sha256(page).hexdigest()]
        entries["manifest.json"] = json.dumps(manifest).encode()
        put_database(entries, f"UPDATE images SET file = '{name}'")

    repack(saved, swap)
    (document,) = ingest(elsewhere, [saved], "c", models=models).documents
    assert (document.name, document.status) == ("pumps.brit", "refused")
    assert not elsewhere.images.path(name).exists()


def test_a_cancelled_one_goes_on_where_it_stopped(
    saved: Path, workspace: Workspace, models: TestModels, elsewhere: Workspace, tmp_path: Path
) -> None:
    pumps = workspace.documents.collection("pumps")
    ingest(workspace, [write_brochure(tmp_path / "b.pdf", "Kalmin")], "pumps", models=models)
    save_backup(workspace, saved, collection=pumps.id)
    told: list[Progress] = []
    with pytest.raises(Cancelled):
        ingest(
            elsewhere, [saved], "c", models=models, on_progress=told.append,
            cancelled=lambda: any(each.stage == "taking over" and each.done for each in told),
        )  # fmt: skip
    assert [each.ready for each in _documents(elsewhere)] == [True]
    ingest(elsewhere, [saved], "c", models=models)
    assert [each.ready for each in _documents(elsewhere)] == [True, True]
    assert graph(elsewhere, "c") == graph(workspace, "pumps")
    # What was unpacked is gone.
    assert not list(elsewhere.originals.folder.glob(".new-*"))


def _documents(workspace: Workspace) -> list[Document]:
    return workspace.documents.documents(workspace.documents.collection("c").id)


def test_a_file_that_is_no_collection_is_refused(
    elsewhere: Workspace, models: TestModels, tmp_path: Path
) -> None:
    (tmp_path / "a.brit").write_bytes(b"nothing of ours")
    (document,) = ingest(elsewhere, [tmp_path / "a.brit"], "c", models=models).documents
    assert document.status == "refused"
    assert document.reason.startswith("“a.brit” is damaged, or no backup of BRIT")
