"""Documents with all that was made of them, carried into a collection of another workspace.

Ids hold within a collection, so they are made anew; nothing is read, extracted or embedded again.
The workspace they come from may be a file that somebody sent (`open_saved`): what is not as BRIT
would have written it is refused, a document at a time.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from PIL import Image as Pillow

from brit.storage.codec import decode, encode
from brit.storage.content import BLOCK_KINDS
from brit.storage.files import link_or_copy
from brit.storage.restore import unpack_backup
from brit.storage.workspace import Workspace
from brit.types import Edge, Image, Link, Mention, Node, OnProgress, no_progress, stable_id

SAVED = ".brit"
"""How the names of saved collections end."""
MOST_PIXELS = 100_000_000
"""Of a picture that is taken over: BRIT itself cuts far smaller ones."""

Merge = Callable[[Sequence[Node], Iterable[Node]], list[Node]]
_Row = Mapping[str, object]


@contextmanager
def open_saved(source: Path, on_progress: OnProgress = no_progress) -> Iterator[Workspace]:
    """The workspace in a backup, unpacked beside it for as long as the context lives.

    Raises InputError for a file that is damaged, foreign or of a newer BRIT.
    """
    folder = source.parent / "saved"
    folder.mkdir()
    unpack_backup(source, folder, on_progress, source.name)
    workspace = Workspace.open(folder, create=False)
    try:
        yield workspace
    finally:
        workspace.close()


def carry_document(
    source: Workspace, document: str, target: Workspace, collection: str, merge: Merge
) -> str:
    """Take a document over in one transaction; → its id there. One that is there stays as it is.

    `merge` joins the nodes that are known with those that come. Raises ValueError, KeyError or
    sqlite3.Error where the source is not as BRIT writes it.
    """
    row = dict(_rows(source, "documents", "id", document)[0])
    id = _document_id(row, collection)
    if target.documents.exists(id):
        return id
    new = partial(_renamed, id)
    _carry_files(source, document, str(row["file"]), target)
    with target.write() as db:
        _insert(db, "documents", [row | {"id": id, "collection": collection, "version": 0,
                                         "pictures": 0}])  # fmt: skip
        _insert(db, "pages", [row | {"document": id} for row in _of(source, "pages", document)])
        _insert(db, "blocks", [_block(row, id) for row in _of(source, "blocks", document)])
        sections = source.content.sections(document)
        target.content.put_sections(id, [replace(each, id=new(each.id)) for each in sections])
        pairs = _carry_content(source, document, target, id)
        pairs += _carry_graph(source, document, target, id, collection, merge)
        _carry_vectors(source, target, pairs)
        calls = _of(source, "model_calls", document)
        _insert(db, "model_calls", [row | {"document": id} for row in calls])
        target.documents.touch(collection, built=id)
    return id


def carry_corrections(source: Workspace, origin: str, target: Workspace, collection: str) -> None:
    """What people corrected in collection `origin`, for the documents that were taken over; a
    correction that is there already is not made again."""
    nodes = {
        row["id"]: stable_id("node", collection, row["name"])
        for row in _rows(source, "nodes", "collection", origin)
    }
    images, documents = {"": ""}, dict[str, str]()
    for row in _rows(source, "documents", "collection", origin):
        documents[row["id"]] = new = _document_id(dict(row), collection)
        for image in source.content.document_images(row["id"]):
            images[image.id] = _image_id(image, new)
    rows = source.read.execute(
        "SELECT * FROM corrections WHERE collection = ? ORDER BY number", (origin,)
    ).fetchall()
    with target.write() as db:
        for row in rows:
            node = nodes.get(row["node"], "")
            if row["kind"] == "split":
                nodes[row["other"]] = stable_id("node", collection, "split", node, row["value"])
            document = documents[row["document"]] if row["document"] else None
            if document and not target.documents.exists(document):
                continue
            carried = {
                "collection": collection, "document": document, "kind": row["kind"],
                "image": images[row["image"]], "node": node,
                "other": nodes.get(row["other"], ""), "value": row["value"],
                "created": row["created"], "undone": row["undone"],
            }  # fmt: skip
            same = " AND ".join(f"{name} IS ?" for name in carried)
            if not db.execute(
                f"SELECT 1 FROM corrections WHERE {same}", [*carried.values()]
            ).fetchone():
                _insert(db, "corrections", [carried])
        if rows:
            target.documents.touch(collection)


def _document_id(row: _Row, collection: str) -> str:
    """As reading its original gives it."""
    return stable_id("document", collection, row["file"], row["name"])


def _image_id(image: Image, document: str) -> str:
    """As building the document anew gives it; by its old id where that was made another way."""
    keys = (image.file, image.name, image.caption)
    key = next((k for k in keys if k and stable_id("image", image.document, k) == image.id), None)
    return stable_id("image", document, key) if key else _renamed(document, image.id)


def _renamed(document: str, id: str) -> str:
    """The new id of what belongs to one document."""
    return stable_id(id, document) if id else ""


def _rows(source: Workspace, table: str, column: str, value: str) -> list[sqlite3.Row]:
    return source.read.execute(f"SELECT * FROM {table} WHERE {column} = ?", (value,)).fetchall()


def _of(source: Workspace, table: str, document: str) -> list[dict[str, object]]:
    return [dict(row) for row in _rows(source, table, "document", document)]


def _insert(db: sqlite3.Connection, table: str, rows: Sequence[_Row]) -> None:
    for row in rows:
        names, marks = ", ".join(row), ", ".join("?" * len(row))
        db.execute(f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({marks})", [*row.values()])


def _block(row: _Row, document: str) -> dict[str, object]:
    """Read and written anew: what is no block is refused."""
    block = decode(BLOCK_KINDS[str(row["kind"])], str(row["data"]))
    data = encode(replace(block, section=_renamed(document, block.section)))
    return {**row, "id": _renamed(document, str(row["id"])), "document": document, "data": data}


def _carry_files(source: Workspace, document: str, original: str, target: Workspace) -> None:
    """Before the rows that name them, as in reading."""
    if original and (path := source.originals.path(original)).is_file():
        target.originals.keep(path, original)
    for file in source.documents.picture_files(document):
        path = source.images.path(file)
        if path.is_file():
            if not _is_picture(path):
                raise ValueError(f"{file} is no picture")
            target.images.put_under(file, partial(link_or_copy, path))


def _is_picture(path: Path) -> bool:
    try:
        with Pillow.open(path, formats=("PNG", "JPEG", "WEBP")) as picture:
            return picture.width * picture.height <= MOST_PIXELS
    except (OSError, Pillow.DecompressionBombError):
        return False


_Pairs = list[tuple[str, str, str]]
"""Vectors: kind, the key they had and the key they get."""


def _carry_content(source: Workspace, document: str, target: Workspace, id: str) -> _Pairs:
    """Passages and images, and what was read in these."""
    new = partial(_renamed, id)
    passages = [source.content.passage(each) for each in source.content.passage_ids("", [document])]
    target.content.put_passages([
        replace(each, id=new(each.id), document=id, section=new(each.section),
                blocks=tuple(map(new, each.blocks)))
        for each in passages
    ])  # fmt: skip
    images = source.content.document_images(document)
    target.content.put_images([
        replace(each, id=_image_id(each, id), document=id, section=new(each.section),
                block=new(each.block))
        for each in images
    ])  # fmt: skip
    read = "read_caption", "read_furniture"
    as_read = {row["id"]: [row[name] for name in read]
               for row in _rows(source, "images", "document", document)}  # fmt: skip
    files = {each.file for each in images if each.file}
    with target.write() as db:
        db.executemany(
            "UPDATE images SET read_caption = ?, read_furniture = ? WHERE id = ?",
            [(*as_read[each.id], _image_id(each, id)) for each in images],
        )
        for file in sorted(files):
            for table in ("scene_texts", "descriptions"):
                _insert(db, table, [dict(row) for row in _rows(source, table, "file", file)])
    return [
        *(("passage", each.id, new(each.id)) for each in passages),
        *(("caption", each.id, _image_id(each, id)) for each in images),
        *(("image", file, file) for file in files),
    ]


def _carry_graph(
    source: Workspace, document: str, target: Workspace, id: str, collection: str, merge: Merge
) -> _Pairs:
    """Nodes, and the document's mentions, edges and links."""
    new = partial(_renamed, id)
    mentions = source.graph.mentions(document)
    edges = [Edge(**{key: row[key] for key in Edge.__dataclass_fields__})
             for row in _rows(source, "edges", "document", document)]  # fmt: skip
    links = [
        Link(row["image"], row["node"], row["kind"], row["score"], row["evidence"])
        for row in _rows(source, "links", "document", document)
    ]
    images = {each.id: _image_id(each, id) for each in source.content.document_images(document)}
    used = {end for edge in edges for end in (edge.source, edge.target)}
    used |= {each.node for each in mentions} | {each.node for each in links}
    nodes = source.graph.nodes_by_id(sorted(used))
    ids = {node.id: stable_id("node", collection, node.name) for node in nodes}
    known = target.graph.nodes_by_id(sorted(ids.values()))
    arriving = [replace(node, id=ids[node.id]) for node in nodes]
    target.graph.put_nodes(collection, merge(known, arriving))
    target.graph.put_document_graph(
        id,
        mentions=[Mention(ids[each.node], new(each.block), each.surface) for each in mentions],
        edges=[_edge(each, ids, new(each.block)) for each in edges],
        links=[replace(each, image=images[each.image], node=ids[each.node]) for each in links],
    )
    return [
        *(("node", old, renamed) for old, renamed in ids.items()),
        *(("relation", relation, relation) for relation in {each.relation for each in edges}),
    ]


def _edge(edge: Edge, ids: Mapping[str, str], block: str) -> Edge:
    source, target = ids[edge.source], ids[edge.target]
    id = stable_id("edge", source, edge.relation, target, block)
    return replace(edge, id=id, source=source, target=target, block=block)


def _carry_vectors(source: Workspace, target: Workspace, pairs: _Pairs) -> None:
    """Those of every encoder; what has one keeps it."""
    names = {(kind, old): key for kind, old, key in pairs}
    encoders = source.read.execute("SELECT DISTINCT encoder FROM vectors").fetchall()
    with target.write() as db:
        for (encoder,) in encoders:
            rows = source.read.execute(
                "SELECT v.kind, v.key, v.vector FROM json_each(?) p JOIN vectors v ON"
                " v.encoder = ? AND v.kind = p.value ->> 0 AND v.key = p.value ->> 1",
                (json.dumps(list(names)), encoder),
            )
            db.executemany(
                "INSERT OR IGNORE INTO vectors VALUES (?, ?, ?, ?)",
                [(encoder, kind, names[kind, key], vector) for kind, key, vector in rows],
            )
