"""A collection's graph as a file: GraphML (Gephi, networkx), JSON, CSV (a folder of tables)."""

from __future__ import annotations

import csv
import json
import re
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from brit.errors import InputError
from brit.storage.corrected import CorrectedGraph
from brit.storage.workspace import Workspace

Format = Literal["graphml", "json", "csv"]
# What XML 1.0 cannot hold (https://www.w3.org/TR/xml/#charsets).
NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
COLUMNS = {
    "nodes": ("id", "label", "kind", "aliases", "documents"),
    "edges": ("source", "target", "relation", "document", "page"),
    "links": ("image", "node", "kind", "score"),
    "images": ("id", "document", "page", "bbox", "caption", "caption_bbox", "furniture"),
}
# A spreadsheet takes a cell that starts so for a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True)
class Extract:
    """A part of a graph, by ids; links by image, node and kind."""

    nodes: frozenset[str]
    edges: frozenset[str]
    links: frozenset[tuple[str, str, str]]
    images: frozenset[str]


def export_graph(
    workspace: Workspace,
    collection: str,
    format: Format,
    output: Path,
    extract: Extract | None = None,
) -> list[Path]:
    """Write nodes, edges, links and images of a collection, or of an extract of it, to `output`;
    → the files written.

    CSV writes four tables beside each other: NAME-nodes.csv, -edges.csv, -links.csv, -images.csv.
    Raises InputError where the file cannot be written; nothing half-written stays.
    """
    data = graph_data(workspace, collection, extract)
    written = [output]
    try:
        if output.exists() and not output.is_file():
            raise InputError(f"“{output}” is a folder or a device. Name a file.")
        if format == "csv":
            written = [output.with_name(f"{output.stem}-{name}.csv") for name in data]
            for path, (name, rows) in zip(written, data.items(), strict=True):
                _place(path, partial(_write_csv, COLUMNS[name], rows))
        elif format == "json":
            text = json.dumps(data, ensure_ascii=False)
            _place(output, lambda file: file.write_text(text, encoding="utf-8"))
        else:
            _place(output, lambda file: _write_graphml(file, data))
    except OSError as error:
        raise InputError(
            f"“{output}” cannot be written ({error.strerror}). Name a file in a folder of yours."
        ) from error
    return written


def graph_data(
    workspace: Workspace, collection: str, extract: Extract | None = None
) -> dict[str, list[dict[str, Any]]]:
    """Nodes, edges, links and images as plain rows (command-line contract)."""
    with workspace.snapshot():
        return _read_graph(workspace, collection, extract)


def _read_graph(
    workspace: Workspace, collection: str, extract: Extract | None
) -> dict[str, list[dict[str, Any]]]:
    store = CorrectedGraph(workspace, collection)
    names = {each.id: each.name for each in workspace.documents.documents(collection)}
    mentioned: dict[str, list[str]] = {}
    for node, document in store.mention_pairs():
        mentioned.setdefault(node, []).append(names[document])
    pages = workspace.content.block_pages(collection)
    return {
        "nodes": [
            {"id": node.id, "label": node.label, "kind": node.kind, "aliases": list(node.aliases),
             "documents": sorted(mentioned.get(node.id, ()))}
            for node in store.nodes()
            if extract is None or node.id in extract.nodes
        ],
        "edges": [
            {"source": edge.source, "target": edge.target, "relation": edge.relation,
             "document": names[document], "page": pages.get(edge.block)}
            for edge, document in store.edges()
            if extract is None or edge.id in extract.edges
        ],
        "links": [
            {"image": link.image, "node": link.node, "kind": link.kind, "score": link.score,
             "reviewed": link.reviewed}
            for link in store.links()
            if extract is None or (link.image, link.node, link.kind) in extract.links
        ],
        "images": [
            {"id": image.id, "document": names[image.document], "page": image.page,
             "bbox": image.bbox, "caption": image.caption, "caption_bbox": image.caption_bbox,
             "furniture": image.furniture}
            for image in workspace.content.images(collection)
            if extract is None or image.id in extract.images
        ],
    }  # fmt: skip


def _place(path: Path, fill: Callable[[Path], object]) -> None:
    # Not `tempfile`: what it makes only its owner can read.
    temporary = path.parent / f".brit-{uuid.uuid4().hex}"
    try:
        fill(temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _write_csv(columns: Sequence[str], rows: Sequence[dict[str, Any]], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(columns)
        writer.writerows([_cell(row[column]) for column in columns] for row in rows)


def _cell(value: Any) -> Any:
    if isinstance(value, list | tuple):
        value = " | ".join(map(str, value))
    if isinstance(value, str) and value.startswith(FORMULA):
        return "'" + value
    return "" if value is None else value


def _write_graphml(path: Path, data: dict[str, list[dict[str, Any]]]) -> None:
    import networkx

    graph = networkx.MultiDiGraph()
    for node in data["nodes"]:
        graph.add_node(node["id"], **_attributes(node, ("label", "kind", "aliases", "documents")))
    for image in data["images"]:
        attributes = _attributes(image, ("document", "page", "caption", "furniture"))
        graph.add_node(image["id"], kind="image", label=attributes["caption"], **attributes)
    # Keys become the ids of edges, and Gephi takes one id for one edge.
    for number, edge in enumerate(data["edges"]):
        attributes = _attributes(edge, ("relation", "document", "page"))
        graph.add_edge(edge["source"], edge["target"], key=f"e{number}", **attributes)
    for number, link in enumerate(data["links"]):
        graph.add_edge(
            link["image"], link["node"], key=f"l{number}", relation=link["kind"],
            score=link["score"],
        )  # fmt: skip
    networkx.write_graphml(graph, path)


def _attributes(row: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    cells = {name: row[name] for name in names}
    joined = {
        name: " | ".join(value) if isinstance(value, list) else value
        for name, value in cells.items()
    }
    return {
        name: NOT_XML.sub("", value) if isinstance(value, str) else value
        for name, value in joined.items()
        if value is not None
    }
