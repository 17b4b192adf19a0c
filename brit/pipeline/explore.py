"""A collection opened to be walked through by hand; no model and no vector is needed for it."""

from __future__ import annotations

import hashlib
import io
import tempfile
import threading
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from brit.exploring import (
    Admitted,
    GraphFilter,
    Hit,
    NameIndex,
    Ties,
    View,
    admit,
    join_ties,
    place_marks,
)
from brit.exploring.layout import Pairs, Points
from brit.exploring.views import importance
from brit.pipeline.collection import ReadGraph, read_graph
from brit.storage import Workspace
from brit.storage.corrected import correct_hits
from brit.storage.export import Extract, Format, export_graph
from brit.storage.ledger import Stamp
from brit.storage.provenance import node_names
from brit.types import LINK_KINDS

KEPT_OPEN = 2
WORTH_KEEPING = 400
"""Marks from which on places are kept in a file: fewer are placed in the blink of an eye."""
_MOST_FILES = 40
_LAYOUT = 1
_open: dict[tuple[str, str], Explorer] = {}
_lock = threading.Lock()


@dataclass(frozen=True, eq=False)
class Explorer:
    """A version of a collection: its marks and ties, its names, and document id → name."""

    workspace: Workspace
    collection: Stamp
    read: ReadGraph
    ties: Ties
    names: NameIndex
    documents: dict[str, str]

    def search(self, query: str, most: int) -> list[Hit]:
        """By name or alias, best first; by stems of words where no name holds the query."""
        if hits := self.names.find(query, most):
            return hits
        found = correct_hits(
            self.workspace.graph.lexical(self.collection.id, "node", query, most),
            query,
            self.read.patch,
        )
        at = self.ties.graph.node_at
        return [Hit(at[id]) for id, _ in found if id in at]

    def place(self, view: View, sizes: Points, aspect: float) -> Points:
        """→ (k, 2) where the marks of a view stand; places of large views are kept in files."""
        at = np.full(self.ties.marks, -1, np.int64)
        at[view.marks] = np.arange(len(view.marks))
        pairs = np.stack([at[self.ties.one[view.ties]], at[self.ties.other[view.ties]]], axis=1)
        if len(view.marks) < WORTH_KEEPING:
            return place_marks(pairs, sizes, aspect)
        return self._kept(pairs, sizes, aspect)

    def _kept(self, pairs: Pairs, sizes: Points, aspect: float) -> Points:
        # In the folder of the graph's files: they go with it when a document goes.
        folder = self.workspace.folder / "indexes" / self.collection.id / "layouts"
        content = hashlib.sha256(pairs.tobytes() + sizes.tobytes())
        content.update(f"{_LAYOUT} {aspect}".encode())
        path = folder / f"{content.hexdigest()[:16]}.npy"
        with suppress(OSError, ValueError, EOFError):
            known: Points = np.load(path, allow_pickle=False).astype(np.float64)
            if known.shape == sizes.shape:
                return known
        points = place_marks(pairs, sizes, aspect)
        with suppress(OSError):  # the file only saves time
            folder.mkdir(parents=True, exist_ok=True)
            for old in sorted(folder.glob("*.npy"), key=_written)[:-_MOST_FILES]:
                old.unlink(missing_ok=True)
            np.save(path, points.astype(np.float32))
        return points


def _written(path: Path) -> float:
    return path.stat().st_mtime


def open_explorer(workspace: Workspace, name: str) -> Explorer:
    """The collection as it is now, kept open until its content changes. Raises UnknownName."""
    stamp = workspace.documents.stamp(name)
    key = (str(workspace.folder), stamp.id)
    with _lock:
        found = _open.get(key)
        if found is None or found.collection != stamp:
            found = _opened(workspace, stamp, found.read if found else None)
            _open.pop(key, None)
            _open[key] = found
            while len(_open) > KEPT_OPEN:
                _open.pop(next(iter(_open)))
    return found


def graph_of_open(workspace: Workspace, collection: str) -> ReadGraph | None:
    """The graph of a collection that is open already, perhaps of an older version."""
    found = _open.get((str(workspace.folder), collection))
    return found.read if found else None


def _opened(workspace: Workspace, stamp: Stamp, known: ReadGraph | None) -> Explorer:
    with workspace.snapshot():
        read = read_graph(workspace, stamp.id, known)
        names = node_names(workspace, stamp.id, read.patch)
        documents = workspace.documents.names(stamp.id)
    graph = read.graph
    ties = join_ties(graph)
    # A node's name may be missing where another process deleted its document this moment.
    known_as = [
        names.get(id, (label,)) for id, label in zip(graph.node_ids, graph.node_labels, strict=True)
    ]
    weights = importance(ties, admit(ties, GraphFilter()))
    return Explorer(workspace, stamp, read, ties, NameIndex(known_as, weights.tolist()), documents)


def extract_of(ties: Ties, admitted: Admitted) -> Extract:
    """The ids of what passes a filter, for an export."""
    graph, passing = ties.graph, np.flatnonzero(admitted.ties)
    edges, links = passing[passing < ties.edges], passing[passing >= ties.edges] - ties.edges
    marks = np.flatnonzero(admitted.marks)
    return Extract(
        nodes=frozenset(graph.node_ids[i] for i in marks[marks < ties.nodes]),
        edges=frozenset(graph.edge_ids[i] for i in edges),
        links=frozenset(
            (
                graph.image_ids[graph.link_image[i]],
                graph.node_ids[graph.link_node[i]],
                LINK_KINDS[graph.link_kind[i]],
            )
            for i in links
        ),
        images=frozenset(graph.image_ids[i - ties.nodes] for i in marks[marks >= ties.nodes]),
    )


def export_bytes(
    workspace: Workspace, collection: str, format: Format, extract: Extract | None = None
) -> bytes:
    """The graph of a collection (its id), or an extract of it, as one file; CSV as a ZIP of its
    four tables."""
    with tempfile.TemporaryDirectory(prefix="brit-export-") as folder:
        target = Path(folder) / f"graph.{format}"
        written = export_graph(workspace, collection, format, target, extract)
        return written[0].read_bytes() if len(written) == 1 else _zipped(written)


def _zipped(paths: Sequence[Path]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in paths:
            archive.write(path, path.name)
    return stream.getvalue()
