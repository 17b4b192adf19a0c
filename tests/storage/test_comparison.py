"""Two documents side by side, counted by hand."""

from __future__ import annotations

from pathlib import Path

from brit.storage import Workspace
from brit.storage.comparison import NameCount, compare
from brit.types import DocumentHead, Image, Mention, Node

SAID = {"a": {"Zorvex": 2, "Valve": 1, "Kalmin": 1}, "b": {"Zorvex": 3, "Valve": 4, "Lamp": 1},
        "c": {"Valve": 1}}  # fmt: skip


def test_shared_and_lacking_names_and_pictures(tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path)
    collection = workspace.documents.create_collection("c").id
    labels = {label for said in SAID.values() for label in said}
    workspace.graph.put_nodes(
        collection, [Node(label, label.lower(), label, "PRODUCT", ()) for label in labels]
    )
    for id, said in SAID.items():
        workspace.documents.put_document(id, collection, "", DocumentHead(id, id, "pdf", 1))
        mentions = [Mention(label, f"{id}{number}", label)
                    for label, count in said.items() for number in range(count)]  # fmt: skip
        workspace.graph.put_document_graph(id, mentions=mentions, edges=[], links=[])
        workspace.content.put_images([
            Image(f"i{id}", id, "same.png", 1, None), Image(f"j{id}", id, f"{id}.png", 1, None),
        ])  # fmt: skip
    found = compare(workspace, "a", "b")
    assert found.shared == (  # two documents speak of Zorvex, three of the valve
        NameCount("Zorvex", "Zorvex", "PRODUCT", 2, 3, 2),
        NameCount("Valve", "Valve", "PRODUCT", 1, 4, 3),
    )
    assert found.only_one == (NameCount("Kalmin", "Kalmin", "PRODUCT", 1, 0, 1),)
    assert found.only_other == (NameCount("Lamp", "Lamp", "PRODUCT", 0, 1, 1),)
    assert found.pictures == ("same.png",)
