"""One collection opened for retrieval: graph arrays, vector indexes and lexical search.

Graph and vectors are kept in files beside the database and can always be made again from it.
Opening reads them and adds what documents have brought since; only when a document went or changed
they are made anew, since files hold words of it.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from brit.errors import BritError, WorkspaceError
from brit.index import (
    FaissIndex,
    build_collection_graph,
    extend_graph,
    load_graph,
    patch_graph,
    save_graph,
)
from brit.models import ImageTextEncoder, LexicalKind, TextEncoder
from brit.pipeline.vectors import (
    caption_texts,
    ensure_image_vectors,
    ensure_text_vectors,
    image_vectors,
    node_texts,
)
from brit.retrieval import keep_places
from brit.storage import Workspace
from brit.storage.corrected import correct_hits
from brit.storage.ledger import Stamp
from brit.types import (
    CollectionGraph,
    Edge,
    FloatArray,
    Image,
    Passage,
    Patch,
    StoredBlock,
)

KEPT = 20_000  # passages, images and edges in memory
DOCUMENTS_AT_ONCE = 500
VECTORS_AT_ONCE = 16_384
CORRECTED = 1_000  # so many vectors are left out one by one, more are better read anew
UNSAVED, UNSAVED_SHARE = 2_000, 16  # so many rows, or one in so many, are left to the next opening
Vectors = tuple[list[str], FloatArray]


@dataclass(frozen=True, eq=False)
class ReadGraph:
    """A graph as people corrected it and as it was `read`, the version of each document in it, and
    how large it is in its file."""

    graph: CollectionGraph
    read: CollectionGraph
    versions: dict[str, int]
    patch: Patch = field(default_factory=Patch)
    saved: int = 0

    def fits(self, wanted: dict[str, int]) -> bool:
        """Whether all its documents are still what they were."""
        return all(wanted.get(id) == version for id, version in self.versions.items())


def read_graph(workspace: Workspace, collection: str, known: ReadGraph | None = None) -> ReadGraph:
    """The graph of a collection as it is now, from `known` or the file as far as they go."""
    with workspace.snapshot():
        wanted = workspace.documents.versions(collection)
        path = _home(workspace, collection) / "graph.npz"
        if known is None or not known.fits(wanted):
            known = _graph_in_file(path)
        if not known.fits(wanted):
            shutil.rmtree(path.parent, ignore_errors=True)
            known = _no_graph()
        patch = workspace.corrections.patch(collection)
        graph, new = known.read, [id for id in wanted if id not in known.versions]
        for start in range(0, len(new), DOCUMENTS_AT_ONCE):
            rows = workspace.graph.rows(new[start : start + DOCUMENTS_AT_ONCE])
            graph = extend_graph(
                graph, rows.nodes, rows.edges, rows.links, rows.images, rows.mentions
            )
    size, saved = len(graph.node_ids) + len(graph.edge_ids), known.saved
    if _due(size, saved):
        # The files only save time: another process may have made room for a newer version.
        with suppress(WorkspaceError):
            save_graph(path, graph, wanted)
        saved = size
    if graph is known.read and patch == known.patch:
        return ReadGraph(known.graph, graph, wanted, patch, saved)
    return ReadGraph(patch_graph(graph, patch), graph, wanted, patch, saved)


def _graph_in_file(path: Path) -> ReadGraph:
    try:
        graph, versions = load_graph(path)
    except WorkspaceError:
        return _no_graph()
    return ReadGraph(graph, graph, versions, saved=len(graph.node_ids) + len(graph.edge_ids))


def _no_graph() -> ReadGraph:
    nothing = build_collection_graph([], [], [], [], [])
    return ReadGraph(nothing, nothing, {})


def _due(size: int, saved: int) -> bool:
    """Whether so much came since the file was written that it is worth writing again."""
    return size - saved > (max(UNSAVED, saved // UNSAVED_SHARE) if saved else 0)


def _home(workspace: Workspace, collection: str) -> Path:
    return workspace.folder / "indexes" / collection


class OpenCollection:
    """Implements `GraphIndex`. Never changed once open: a new version is opened anew, from the one
    before where there is one."""

    nodes: FaissIndex
    relations: FaissIndex
    passages: FaissIndex
    captions: FaissIndex
    images: FaissIndex

    def __init__(
        self,
        workspace: Workspace,
        stamp: Stamp,
        text_encoder: TextEncoder,
        image_encoder: ImageTextEncoder,
        previous: OpenCollection | None = None,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        """`check` may raise to end what takes long; what was made until then is kept."""
        self.workspace = workspace
        self.text_encoder = text_encoder
        self.image_encoder = image_encoder
        self._check = check
        with workspace.snapshot():
            self.collection = workspace.documents.stamp_of(stamp.id)
            id = self.collection.id
            self.documents = workspace.documents.names(id)
            self._pictures = workspace.documents.pictures_version(id)
            self._read: ReadGraph = read_graph(workspace, id, previous._read if previous else None)
            self._passage_ids = workspace.content.passage_ids(id)
        self.graph = self._read.graph
        self._passage = lru_cache(KEPT)(workspace.content.passage)
        self._image = lru_cache(KEPT)(workspace.content.image)
        self._edge = lru_cache(KEPT)(workspace.graph.edge)
        names = f"{text_encoder.name}+{image_encoder.name}"
        self._folder = _home(workspace, id) / re.sub(r"[^\w.+-]", "_", names)
        if previous is not None and not previous._read.fits(self._read.versions):
            previous = None
        if previous is not None:
            keep_places(previous.graph, self.graph)
        self._open_indexes(previous)
        if not workspace.documents.has_collection(id):  # deleted meanwhile: its words go with it
            shutil.rmtree(_home(workspace, id), ignore_errors=True)

    def _open_indexes(self, previous: OpenCollection | None) -> None:
        graph, seen = self.graph, self._pictures
        told = previous if previous is not None and previous._pictures == seen else None
        before = (
            (previous.nodes, previous.relations, previous.passages) if previous else (None,) * 3
        )
        seen_before = (told.captions, told.images) if told else (None,) * 2
        of_texts, of_pictures = self.text_encoder, self.image_encoder
        self.nodes = self._index("node", of_texts, graph.node_ids, self._node_vectors, before[0])
        self.relations = self._index(
            "relation", of_texts, graph.relations, self._relation_vectors, before[1]
        )
        self.passages = self._index(
            "passage", of_texts, self._passage_ids, self._passage_vectors, before[2]
        )
        # Text read in pictures changes their vectors: the files are named by when that was.
        self.captions = self._index(
            f"caption-{seen}", of_texts, graph.image_ids, self._caption_vectors, seen_before[0]
        )
        self.images = self._index(
            f"image-{seen}", of_pictures, graph.image_ids, self._image_vectors, seen_before[1]
        )

    def _index(
        self,
        kind: str,
        encoder: TextEncoder,
        wanted: Sequence[str],
        read: Callable[[Sequence[str]], Vectors],
        before: FaissIndex | None,
    ) -> FaissIndex:
        """The vectors of `wanted`: those of `before` or the file, and what they lack."""
        self._check()
        path = self._folder / f"{kind}.faiss"
        index = before if before is not None else _index_in_file(path, encoder)
        missing = index.lacking(wanted)
        if (more := len(index) - (len(wanted) - len(missing))) > CORRECTED:
            index, missing = FaissIndex(encoder.name, encoder.dim), list(wanted)
        if not missing and more <= 0:
            return index
        index = index.copy()
        if more > 0:  # it holds what is no longer there
            index.remove(set(index.ids).difference(wanted))
        for start in range(0, len(missing), VECTORS_AT_ONCE):
            self._check()
            index.add(*read(missing[start : start + VECTORS_AT_ONCE]))
        if index.settle() or _due(len(index), index.saved):
            with suppress(WorkspaceError):
                index.save(path)
            _drop_older(path)
        return index

    def _node_vectors(self, ids: Sequence[str]) -> Vectors:
        labels = {id: self.graph.node_labels[self.graph.node_at[id]] for id in ids}
        return self._text_vectors("node", node_texts(labels))

    def _relation_vectors(self, texts: Sequence[str]) -> Vectors:
        return self._text_vectors("relation", {text: text for text in texts})

    def _passage_vectors(self, ids: Sequence[str]) -> Vectors:
        return self._text_vectors("passage", {id: self._passage(id).text for id in ids})

    def _caption_vectors(self, ids: Sequence[str]) -> Vectors:
        return self._text_vectors("caption", caption_texts(map(self._image, ids)))

    def _image_vectors(self, ids: Sequence[str]) -> Vectors:
        images = [self._image(id) for id in ids]
        ensure_image_vectors(self.workspace, self.image_encoder, images)
        return image_vectors(self.workspace, self.image_encoder, images)

    def _text_vectors(self, kind: str, texts: dict[str, str]) -> Vectors:
        encoder = self.text_encoder
        ensure_text_vectors(self.workspace, encoder, kind, texts)
        return self.workspace.graph.vectors(encoder.name, kind, list(texts), encoder.dim)

    def lexical(
        self, kind: LexicalKind, query: str, k: int, documents: Sequence[str] | None = None
    ) -> list[tuple[str, float]]:
        found = self.workspace.graph.lexical(self.collection.id, kind, query, k, documents)
        if kind != "node" or not self._read.patch.nodes:
            return found
        return correct_hits(found, query, self._read.patch)[:k]

    def passage(self, id: str) -> Passage:
        return self._passage(id)

    def passage_ids(self, documents: Sequence[str] | None = None) -> list[str]:
        if documents is None:
            return self._passage_ids
        return self.workspace.content.passage_ids(self.collection.id, documents)

    def image(self, id: str) -> Image:
        return self._image(id)

    def running_lines(self, document: str) -> list[tuple[int, str]]:
        return self.workspace.content.running_lines(document)

    def edge(self, id: str) -> Edge:
        return self._edge(id)

    def block(self, id: str) -> StoredBlock:
        return self.workspace.content.block(id)

    def image_path(self, image: Image) -> str:
        return str(self.workspace.images.path(image.file)) if image.file else ""


def _index_in_file(path: Path, encoder: TextEncoder) -> FaissIndex:
    try:
        return FaissIndex.load(path, encoder.name, encoder.dim)
    except BritError:
        return FaissIndex(encoder.name, encoder.dim)


def _drop_older(path: Path) -> None:
    """The files of the same kind from before more text was read in pictures go."""
    kind, _, seen = path.stem.partition("-")
    if seen:
        for file in path.parent.glob(f"{kind}-*"):
            if not file.name.startswith(path.name):
                file.unlink(missing_ok=True)
