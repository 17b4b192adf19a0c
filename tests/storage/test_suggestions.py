"""Questions out of a collection's own captions, names and tables."""

from __future__ import annotations

from pathlib import Path

from brit.storage import Workspace
from brit.storage.suggestions import Suggestion, suggest
from brit.types import DocumentHead, Image, Link, Mention, Node, Page, TableBlock


def put(workspace: Workspace, collection: str, id: str, label: str, kind: str, said: int) -> None:
    documents, content, graph = workspace.documents, workspace.content, workspace.graph
    documents.put_document(id, collection, "", DocumentHead(f"{id}.pdf", f"{id}.pdf", "pdf", 1))
    table = TableBlock(("Service", "Interval after"), (("Oil change", "250 h"),))
    content.put_page(id, Page(1, 100, 100, (table,)))
    content.put_images([Image(f"i-{id}", id, "a.png", 1, None, None, "x")])
    graph.put_nodes(collection, [Node(f"n-{id}", label.lower(), label, kind, ())])
    graph.put_document_graph(
        id,
        mentions=[Mention(f"n-{id}", f"b{number}", label) for number in range(said)],
        edges=[],
        links=[Link(f"i-{id}", f"n-{id}", "CA", 1.0, "")],
    )
    documents.set_status(id, "whole", "", ready=True)


def test_names_in_captions_and_a_cell_of_a_table(tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path)
    collection = workspace.documents.create_collection("c").id
    assert suggest(workspace, collection) == []
    put(workspace, collection, "a", "Zorvex 3", "PRODUCT", 2)
    put(workspace, collection, "b", "Kalmin", "ORG", 5)
    put(workspace, collection, "c", "water", "ORG", 9)  # a word, not a name
    put(workspace, collection, "d", "Valve", "TERM", 9)
    assert suggest(workspace, collection) == [
        Suggestion("picture", "Kalmin"), Suggestion("name", "Zorvex 3"),
        Suggestion("cell", "Interval after", "Oil change"),
    ]  # fmt: skip
