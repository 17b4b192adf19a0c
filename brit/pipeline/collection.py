"""One collection opened for retrieval: graph arrays, vector indexes and lexical search.

The vector files can always be made again from the database; they are kept by collection, encoder
and version of the content, so that opening an unchanged collection only reads.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from brit.errors import BritError, WorkspaceError
from brit.index import FlatIndex, build_collection_graph
from brit.models import ImageTextEncoder, LexicalKind, TextEncoder
from brit.pipeline.vectors import (
    caption_texts,
    ensure_image_vectors,
    ensure_text_vectors,
    image_vectors,
    node_texts,
)
from brit.storage import Workspace
from brit.storage.documents import Collection
from brit.types import (
    CollectionGraph,
    Edge,
    FloatArray,
    Image,
    Passage,
    StoredBlock,
)


class OpenCollection:
    """Implements `GraphIndex`. Never changed once open: a new version is opened anew."""

    def __init__(
        self,
        workspace: Workspace,
        collection: Collection,
        text_encoder: TextEncoder,
        image_encoder: ImageTextEncoder,
    ) -> None:
        self.workspace = workspace
        self.text_encoder = text_encoder
        self.image_encoder = image_encoder
        with workspace.snapshot():
            self.collection = workspace.documents.collection(collection.name)
            self._passages = {p.id: p for p in workspace.content.passages(collection.id)}
            every = workspace.content.images(collection.id)
            self._images = {image.id: image for image in every}
            shown = [image for image in every if not image.furniture]
            self.documents = {
                each.id: each.name for each in workspace.documents.documents(collection.id)
            }
            self.graph = self._read_graph(shown)
        self._folder = self._version_folder()
        self._open_indexes(shown)

    def _read_graph(self, images: Sequence[Image]) -> CollectionGraph:
        graph, id = self.workspace.graph, self.collection.id
        return build_collection_graph(
            [(node.id, node.label, node.kind) for node in graph.nodes(id)],
            [(e.id, e.source, e.target, e.relation, document) for e, document in graph.edges(id)],
            [(link.image, link.node, link.kind, link.score) for link in graph.links(id)],
            [(image.id, image.document) for image in images],
            graph.mention_pairs(id),
        )

    def _open_indexes(self, images: Sequence[Image]) -> None:
        encoder, graph = self.text_encoder, self.graph
        labels = node_texts(dict(zip(graph.node_ids, graph.node_labels, strict=True)))
        passages = {id: passage.text for id, passage in self._passages.items()}
        relations = {text: text for text in graph.relations}

        def texts(kind: str, texts: Mapping[str, str]) -> FlatIndex:
            def make() -> tuple[list[str], FloatArray]:
                ensure_text_vectors(self.workspace, encoder, kind, texts)
                return self.workspace.graph.vectors(encoder.name, kind, list(texts), encoder.dim)

            return self._index(kind, encoder, make)

        def pictures() -> tuple[list[str], FloatArray]:
            ensure_image_vectors(self.workspace, self.image_encoder, images)
            return image_vectors(self.workspace, self.image_encoder, images)

        self.nodes = texts("node", labels)
        self.relations = texts("relation", relations)
        self.passages = texts("passage", passages)
        self.captions = texts("caption", caption_texts(images))
        self.images = self._index("image", self.image_encoder, pictures)

    def _index(
        self, kind: str, encoder: TextEncoder, make: Callable[[], tuple[list[str], FloatArray]]
    ) -> FlatIndex:
        path = self._folder / f"{kind}.faiss"
        try:
            return FlatIndex.load(path, encoder.name, encoder.dim)
        except BritError:
            index = FlatIndex(encoder.name, encoder.dim)
            ids, vectors = make()
            index.add(ids, vectors)
            # The files only save time: another process may have made room for a newer version.
            with suppress(WorkspaceError):
                index.save(path)
            return index

    def _version_folder(self) -> Path:
        """The folder of this version's vector files; those of older versions go."""
        names = f"{self.text_encoder.name}+{self.image_encoder.name}"
        home = self.workspace.folder / "indexes" / self.collection.id
        home = home / re.sub(r"[^\w.+-]", "_", names)
        folder = home / str(self.collection.version)
        folder.mkdir(parents=True, exist_ok=True)
        for old in home.iterdir():
            if old.name.isdigit() and int(old.name) < self.collection.version:
                shutil.rmtree(old, ignore_errors=True)
        return folder

    def lexical(
        self, kind: LexicalKind, query: str, k: int, documents: Sequence[str] | None = None
    ) -> list[tuple[str, float]]:
        return self.workspace.graph.lexical(self.collection.id, kind, query, k, documents)

    def passage(self, id: str) -> Passage:
        return self._passages[id]

    def passage_ids(self, documents: Sequence[str] | None = None) -> list[str]:
        if documents is None:
            return list(self._passages)
        wanted = set(documents)
        return [id for id, passage in self._passages.items() if passage.document in wanted]

    def image(self, id: str) -> Image:
        return self._images[id]

    def edge(self, id: str) -> Edge:
        return self.workspace.graph.edge(id)

    def block(self, id: str) -> StoredBlock:
        return self.workspace.content.block(id)

    def image_path(self, image: Image) -> str:
        return str(self.workspace.images.path(image.file)) if image.file else ""
