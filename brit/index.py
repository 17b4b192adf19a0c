"""Vectors and flat arrays: what retrieval searches.

`FlatIndex` stands behind the `VectorIndex` protocol: exact inner products by FAISS, string ids
outside, row positions inside. `build_collection_graph` turns plain rows, as a database gives them,
into the arrays of a `CollectionGraph`; it reads nothing and keeps nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from brit.errors import EncoderMismatch, WorkspaceError
from brit.types import LINK_KINDS, CollectionGraph, FloatArray, IntArray, LinkKind

NodeRow = tuple[str, str, str]  # id, label, kind
EdgeRow = tuple[str, str, str, str, str]  # id, source node, target node, relation, document
LinkRow = tuple[str, str, LinkKind, float]  # image, node, kind, score
ImageRow = tuple[str, str]  # id, document
MentionRow = tuple[str, str]  # node, document


class FlatIndex:
    """Exact nearest neighbours by inner product (FAISS IndexFlatIP); unit rows give cosines.

    Searching from several threads at once is safe; adding and removing are not.
    """

    def __init__(self, encoder: str, dim: int) -> None:
        self.encoder = encoder
        self.dim = dim
        self._vectors: Any = _faiss().IndexFlatIP(dim)
        self._ids: list[str] = []
        self._position: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(self._ids)

    def add(self, ids: Sequence[str], vectors: FloatArray) -> None:
        """Store `vectors` (n, dim) under `ids`; an id already known gets its new vector.

        Raises EncoderMismatch when the rows are not as wide as the index.
        """
        if not len(ids):
            return
        rows = np.ascontiguousarray(vectors, dtype=np.float32).reshape(len(ids), -1)
        if rows.shape[1] != self.dim:
            raise EncoderMismatch(
                f"The index of {self.encoder} holds vectors of {self.dim} numbers, not "
                f"{rows.shape[1]}: embed the collection again with the encoder now chosen."
            )
        last = {id: row for row, id in enumerate(ids)}
        self.remove(last.keys() & self._position.keys())
        for id in last:
            self._position[id] = len(self._ids)
            self._ids.append(id)
        self._vectors.add(rows[list(last.values())])

    def remove(self, ids: Iterable[str]) -> None:
        """Forget `ids`; unknown ones are ignored. The order of the others stays."""
        gone = {self._position[id] for id in ids if id in self._position}
        if not gone:
            return
        self._vectors.remove_ids(_faiss().IDSelectorBatch(np.fromiter(gone, np.int64, len(gone))))
        self._ids = [id for row, id in enumerate(self._ids) if row not in gone]
        self._position = {id: row for row, id in enumerate(self._ids)}

    def search(
        self, queries: FloatArray, k: int, allowed: Sequence[str] | None = None
    ) -> list[list[tuple[str, float]]]:
        """For each row of `queries` (q, dim) at most k (id, inner product), best first.

        With `allowed` only these ids; unknown ones among them are ignored. Rows that are no
        numbers (NaN) match nothing.
        """
        rows = np.ascontiguousarray(queries, dtype=np.float32).reshape(-1, self.dim)
        bitmap = None if allowed is None else self._bitmap(allowed)
        k = min(k, len(self._ids))
        if k < 1 or not len(rows) or (bitmap is not None and not bitmap.any()):
            return [[] for _ in rows]
        parameters = None
        if bitmap is not None:
            selector = _faiss().IDSelectorBitmap(bitmap)
            parameters = _faiss().SearchParameters(sel=selector)
        scores, found = self._vectors.search(rows, k, params=parameters)
        return [
            [(self._ids[at], score) for at, score in zip(ats, line, strict=True) if at >= 0]
            for ats, line in zip(found.tolist(), scores.tolist(), strict=True)
        ]

    def vectors(self, ids: Sequence[str]) -> FloatArray:
        """→ float32 (n, dim) of the given ids; KeyError for an unknown one."""
        if not ids:
            return np.zeros((0, self.dim), np.float32)
        rows = [self._position[id] for id in ids]
        stored = _faiss().rev_swig_ptr(self._vectors.get_xb(), len(self._ids) * self.dim)
        gathered: FloatArray = stored.reshape(-1, self.dim)[rows]
        return gathered

    def save(self, path: Path) -> None:
        """Write the vectors to `path` and encoder, dimension and ids beside it (`.json`).

        Raises WorkspaceError where the folder cannot be written.
        """
        sidecar = {"encoder": self.encoder, "dim": self.dim, "ids": self._ids}
        temporary = path.with_name(f"{path.name}.{os.getpid()}.new")
        try:
            _faiss().write_index(self._vectors, str(temporary))
            os.replace(temporary, path)
            temporary.write_text(json.dumps(sidecar, ensure_ascii=False), encoding="utf-8")
            os.replace(temporary, _sidecar(path))
        except (OSError, RuntimeError) as error:
            raise WorkspaceError(
                f"The vector file {path.name} cannot be written: free space or the folder."
            ) from error

    @classmethod
    def load(cls, path: Path, encoder: str, dim: int) -> FlatIndex:
        """Read what `save` wrote.

        Raises EncoderMismatch when another encoder made it, WorkspaceError when it is damaged or
        missing (it can always be rebuilt from the workspace's database).
        """
        try:
            sidecar = json.loads(_sidecar(path).read_text(encoding="utf-8"))
            made_by, ids = (sidecar["encoder"], sidecar["dim"]), [str(id) for id in sidecar["ids"]]
            stored = _faiss().read_index(str(path))
        except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
            raise WorkspaceError(
                f"The vector file {path.name} cannot be read: rebuild the index of this collection."
            ) from error
        if made_by != (encoder, dim):
            raise EncoderMismatch(
                f"The vectors in {path.name} were made by {made_by[0]}, not by {encoder}: "
                "embed the collection again, or go back to that encoder."
            )
        if (stored.ntotal, stored.d) != (len(ids), dim):
            raise WorkspaceError(
                f"The vector file {path.name} is incomplete: rebuild the index of this collection."
            )
        index = cls(encoder, dim)
        index._vectors, index._ids = stored, ids
        index._position = {id: row for row, id in enumerate(ids)}
        return index

    def _bitmap(self, allowed: Sequence[str]) -> Any:
        chosen = np.zeros(len(self._ids), dtype=bool)
        known = (self._position.get(id, -1) for id in allowed)
        rows = np.fromiter(known, np.int64, len(allowed))
        chosen[rows[rows >= 0]] = True
        return np.packbits(chosen, bitorder="little")


def _faiss() -> Any:
    import faiss

    return faiss


def _sidecar(path: Path) -> Path:
    return path.with_name(path.name + ".json")


def build_collection_graph(
    nodes: Iterable[NodeRow],
    edges: Iterable[EdgeRow],
    links: Iterable[LinkRow],
    images: Iterable[ImageRow],
    mentions: Iterable[MentionRow],
) -> CollectionGraph:
    """Rows → the flat arrays of a collection's graph; components are found here.

    Links of images that are not among `images` (furniture) are left out; an edge, link or mention
    of an unknown node raises KeyError.
    """
    node_rows, edge_rows, image_rows = list(nodes), list(edges), list(images)
    node_at = {row[0]: at for at, row in enumerate(node_rows)}
    image_at = {row[0]: at for at, row in enumerate(image_rows)}
    link_rows = [row for row in links if row[0] in image_at]
    mention_rows = list(dict.fromkeys(mentions))
    relation_at = _numbering(row[3] for row in edge_rows)
    document_at = _numbering(
        [
            *(row[4] for row in edge_rows),
            *(row[1] for row in image_rows),
            *(row[1] for row in mention_rows),
        ]
    )
    source = _integers(node_at[row[1]] for row in edge_rows)
    target = _integers(node_at[row[2]] for row in edge_rows)
    return CollectionGraph(
        node_ids=[row[0] for row in node_rows],
        node_labels=[row[1] for row in node_rows],
        node_kinds=[row[2] for row in node_rows],
        edge_ids=[row[0] for row in edge_rows],
        edge_source=source,
        edge_target=target,
        edge_relation=_integers(relation_at[row[3]] for row in edge_rows),
        relations=list(relation_at),
        component=number_components(len(node_rows), source, target),
        image_ids=[row[0] for row in image_rows],
        link_image=_integers(image_at[row[0]] for row in link_rows),
        link_node=_integers(node_at[row[1]] for row in link_rows),
        link_kind=_integers(LINK_KINDS.index(row[2]) for row in link_rows),
        link_score=np.array([row[3] for row in link_rows], dtype=np.float32),
        documents=list(document_at),
        edge_document=_integers(document_at[row[4]] for row in edge_rows),
        image_document=_integers(document_at[row[1]] for row in image_rows),
        mention_node=_integers(node_at[row[0]] for row in mention_rows),
        mention_document=_integers(document_at[row[1]] for row in mention_rows),
    )


def number_components(count: int, source: IntArray, target: IntArray) -> IntArray:
    """→ int32 (count,): the component of each node, 0 the largest; equal sizes by first node."""
    if count == 0:
        return np.zeros(0, np.int32)
    ones = np.ones(len(source), dtype=np.int8)
    matrix = coo_array((ones, (source, target)), shape=(count, count))
    _, labels = connected_components(matrix, directed=False)
    _, first, sizes = np.unique(labels, return_index=True, return_counts=True)
    rank = np.empty(len(sizes), dtype=np.int32)
    rank[np.lexsort((first, -sizes))] = np.arange(len(sizes), dtype=np.int32)
    numbered: IntArray = rank[labels]
    return numbered


def _numbering(texts: Iterable[str]) -> dict[str, int]:
    return {text: at for at, text in enumerate(dict.fromkeys(texts))}


def _integers(values: Iterable[int]) -> IntArray:
    return np.fromiter(values, dtype=np.int32)
