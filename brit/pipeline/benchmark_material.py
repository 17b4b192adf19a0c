"""What the workspace keeps of a collection → the material benchmark questions are made of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from brit.evaluation.benchmark.material import Fact, Material
from brit.storage import Workspace
from brit.storage.corrected import CorrectedGraph
from brit.types import Document, Edge, Link, Node


def read_material(workspace: Workspace, collection: str) -> list[Material]:
    """Every document of the collection (its name) that can be asked. Raises UnknownName."""
    id = workspace.documents.collection(collection).id
    with workspace.snapshot():
        graph = CorrectedGraph(workspace, id)
        nodes = {node.id: node for node in graph.nodes()}
        facts = _facts(graph.edges(), nodes)
        links = graph.links()
        confirmed = _labels((link for link in links if link.reviewed), nodes)
        captioned = _labels((link for link in links if link.kind == "CA"), nodes)
        return [
            _material(workspace, document, facts.get(document.id, ()), confirmed, captioned)
            for document in workspace.documents.documents(id)
            if document.ready and not document.refused
        ]


def _labels(links: Iterable[Link], nodes: Mapping[str, Node]) -> dict[str, list[str]]:
    """Image → the names it is linked to."""
    found: dict[str, list[str]] = defaultdict(list)
    for link in links:
        found[link.image].append(nodes[link.node].label)
    return found


def _facts(edges: Iterable[tuple[Edge, str]], nodes: Mapping[str, Node]) -> dict[str, list[Fact]]:
    """By document."""
    found: dict[str, list[Fact]] = defaultdict(list)
    for edge, document in edges:
        source, target = nodes[edge.source], nodes[edge.target]
        found[document].append(
            Fact(source.label, edge.relation, target.label, edge.sentence, edge.block)
        )
    return found


def _material(
    workspace: Workspace,
    document: Document,
    facts: Sequence[Fact],
    confirmed: Mapping[str, Sequence[str]],
    captioned: Mapping[str, Sequence[str]],
) -> Material:
    """What a person confirmed of an image stands for it alone, whatever else its caption names."""
    images = workspace.content.document_images(document.id)
    return Material(
        id=document.id,
        name=document.name,
        images=tuple(each for each in images if each.file and not each.furniture),
        blocks=tuple(workspace.content.blocks(document.id)),
        facts=tuple(facts),
        captioned={
            each.id: list(dict.fromkeys(confirmed.get(each.id) or captioned.get(each.id, ())))
            for each in images
        },
        confirmed=frozenset(each.id for each in images if each.id in confirmed),
    )
