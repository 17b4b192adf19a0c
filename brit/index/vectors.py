"""Nearest neighbours by inner product, behind the `VectorIndex` protocol.

Exact up to `EXACT` vectors. More of them are sorted into cells (FAISS IVF, half precision); a
search looks into as many cells as a measurement on these very vectors asked for. What came since
stands beside the cells and is searched exactly, until it is `EXACT` vectors itself.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from brit.errors import EncoderMismatch, WorkspaceError
from brit.types import BoolArray, FloatArray, positions

EXACT = 50_000
BATCH = 16_384
OUTGROWN = 4  # the cells are made anew when they hold so many times what they were made for
ROUNDS = 10  # of k-means
PER_CELL = 64  # vectors a cell's centre is found with
PROBES, SUMMED = 128, 4  # searches the recall is measured by
NEAREST = 10
RECALL = 0.99
THREADS = 4


class FaissIndex:
    """String ids outside, rows inside: first those in `_cells`, then those in `_flat`.

    `recall` is the share of the ten nearest that a search finds, measured when the cells were made;
    1 where there are none. `saved` vectors are in its file. Searching from several threads at once
    is safe; adding and removing are not: `copy` first.
    """

    def __init__(self, encoder: str, dim: int) -> None:
        self.encoder = encoder
        self.dim = dim
        self.recall = 1.0
        self.made_for = 0
        self.saved = 0
        self._written: Any = None
        self._cells: Any = None
        self._flat: Any = _faiss().IndexFlatIP(dim)
        self._ids: list[str] = []
        self._position: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._position)

    def __contains__(self, id: str) -> bool:
        return id in self._position

    def lacking(self, ids: Iterable[str]) -> list[str]:
        """Those of `ids` that are not here."""
        known = self._position
        return [id for id in ids if id not in known]

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(self._position)

    @property
    def _in_cells(self) -> int:
        return 0 if self._cells is None else int(self._cells.ntotal)

    def copy(self) -> FaissIndex:
        """One that may grow while this one is searched; they share the cells."""
        other = FaissIndex(self.encoder, self.dim)
        other.recall, other.made_for, other.saved = self.recall, self.made_for, self.saved
        other._cells, other._written = self._cells, self._written
        other._flat = _faiss().clone_index(self._flat)
        other._ids, other._position = self._ids.copy(), self._position.copy()
        return other

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
        last = positions(ids)
        self.remove(last)
        self._position |= {id: len(self._ids) + at for at, id in enumerate(last)}
        self._ids += last
        self._flat.add(rows[list(last.values())] if len(last) < len(ids) else rows)

    def remove(self, ids: Iterable[str]) -> None:
        """Find `ids` no more; unknown ones are ignored. Their room is freed when the index is
        built anew."""
        for id in ids:
            at = self._position.pop(id, None)
            if at is not None:
                self._ids[at] = ""

    def settle(self) -> bool:
        """Sort vectors into cells where too many stand outside; → whether that was so."""
        outside = len(self._ids) - self._in_cells
        if outside <= EXACT:
            return False
        faiss, total = _faiss(), len(self._ids)
        if self._cells is None or total > OUTGROWN * self.made_for:
            self._cells, self.made_for = self._make_cells(), total
        else:
            self._cells = faiss.clone_index(self._cells)  # another index may hold the old ones
            self._fill(self._cells, range(self._in_cells, total))
        self._flat = faiss.IndexFlatIP(self.dim)
        return True

    def search(
        self, queries: FloatArray, k: int, allowed: Sequence[str] | None = None
    ) -> list[list[tuple[str, float]]]:
        """For each row of `queries` (q, dim) at most k (id, inner product), best first.

        With `allowed` only these ids, all of them compared; unknown ones among them are ignored.
        Rows that are no numbers (NaN) match nothing.
        """
        rows = np.ascontiguousarray(queries, dtype=np.float32).reshape(-1, self.dim)
        chosen = self._chosen(allowed)
        k = min(k, len(self._position))
        if k < 1 or not len(rows) or (chosen is not None and not chosen.any()):
            return [[] for _ in rows]
        scores, found = self._nearest(rows, k, chosen, whole=allowed is not None)
        return [
            [(self._ids[at], score) for at, score in zip(ats, line, strict=True) if at >= 0]
            for ats, line in zip(found.tolist(), scores.tolist(), strict=True)
        ]

    def vectors(self, ids: Sequence[str]) -> FloatArray:
        """→ float32 (n, dim) of the given ids; KeyError for an unknown one."""
        return self._rows(np.array([self._position[id] for id in ids], np.int64))

    def save(self, path: Path) -> None:
        """Write the vectors to `path`, those in cells and all else that is known beside it.

        Raises WorkspaceError where the folder cannot be written.
        """
        beside = {
            "encoder": self.encoder, "dim": self.dim, "recall": self.recall,
            "made_for": self.made_for, "in_cells": self._in_cells, "ids": self._ids,
        }  # fmt: skip
        temporary = path.with_name(f"{path.name}.{os.getpid()}.new")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            for index, target in ((self._cells, _cells(path)), (self._flat, path)):
                if index is not None and index is not self._written:
                    _faiss().write_index(index, str(temporary))
                    os.replace(temporary, target)
            temporary.write_text(json.dumps(beside, ensure_ascii=False), encoding="utf-8")
            os.replace(temporary, _beside(path))
        except (OSError, RuntimeError) as error:
            raise WorkspaceError(
                f"The vector file {path.name} cannot be written: free space or the folder."
            ) from error
        self.saved, self._written = len(self._ids), self._cells

    @classmethod
    def load(cls, path: Path, encoder: str, dim: int) -> FaissIndex:
        """Read what `save` wrote.

        Raises EncoderMismatch when another encoder made it, WorkspaceError when it is damaged or
        missing (it can always be rebuilt from the workspace's database).
        """
        index = cls(encoder, dim)
        try:
            known = json.loads(_beside(path).read_text(encoding="utf-8"))
            made_by, index._ids = (known["encoder"], known["dim"]), list(known["ids"])
            index.recall, index.made_for = float(known["recall"]), int(known["made_for"])
            index._flat = _faiss().read_index(str(path))
            if known["in_cells"]:
                index._cells = _faiss().read_index(str(_cells(path)))
        except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
            raise WorkspaceError(
                f"The vector file {path.name} cannot be read: rebuild the index of this collection."
            ) from error
        if made_by != (encoder, dim):
            raise EncoderMismatch(
                f"The vectors in {path.name} were made by {made_by[0]}, not by {encoder}: "
                "embed the collection again, or go back to that encoder."
            )
        held = index._in_cells + index._flat.ntotal
        if (known["in_cells"], held, index._flat.d) != (index._in_cells, len(index._ids), dim):
            raise WorkspaceError(
                f"The vector file {path.name} is incomplete: rebuild the index of this collection."
            )
        index.saved, index._written = held, index._cells
        index._position = positions(index._ids)
        index._position.pop("", None)
        return index

    def _chosen(self, allowed: Sequence[str] | None) -> BoolArray | None:
        """Which rows may be found; None: all of them."""
        if allowed is None and len(self._position) == len(self._ids):
            return None
        chosen = np.zeros(len(self._ids), dtype=bool)
        rows = self._position.values() if allowed is None else map(self._at, allowed)
        places = np.fromiter(rows, np.int64)
        chosen[places[places >= 0]] = True
        return chosen

    def _at(self, id: str) -> int:
        return self._position.get(id, -1)

    def _nearest(
        self, queries: FloatArray, k: int, chosen: BoolArray | None, *, whole: bool
    ) -> tuple[Any, Any]:
        """→ scores and rows (q, k), best first; row −1 where there are no more."""
        faiss, inside = _faiss(), self._in_cells
        if self._cells is None:
            return self._search_flat(queries, k, chosen)
        looked = self._cells.nlist if whole else self._cells.nprobe
        cells = faiss.SearchParametersIVF(
            sel=None if chosen is None else _selector(chosen[:inside]), nprobe=looked
        )
        scores, found = self._cells.search(queries, k, params=cells)
        if self._flat.ntotal:
            plain = (
                None if chosen is None else faiss.SearchParameters(sel=_selector(chosen[inside:]))
            )
            more, beside = self._flat.search(queries, k, params=plain)
            scores = np.concatenate([scores, more], axis=1)
            found = np.concatenate([found, np.where(beside < 0, -1, beside + inside)], axis=1)
            best = np.argsort(np.where(found < 0, np.inf, -scores), axis=1, kind="stable")[:, :k]
            scores = np.take_along_axis(scores, best, axis=1)
            found = np.take_along_axis(found, best, axis=1)
        return scores, found

    def _search_flat(
        self, queries: FloatArray, k: int, chosen: BoolArray | None
    ) -> tuple[Any, Any]:
        sel = None if chosen is None else _selector(chosen)
        scores, found = self._flat.search(queries, k, params=_faiss().SearchParameters(sel=sel))
        return scores, found

    def _rows(self, rows: Any) -> FloatArray:
        """→ float32 (n, dim) of the given rows."""
        gathered = np.zeros((len(rows), self.dim), np.float32)
        inside = rows < self._in_cells
        if inside.any():
            gathered[inside] = self._cells.reconstruct_batch(rows[inside])
        if not inside.all():
            flat = _faiss().rev_swig_ptr(self._flat.get_xb(), self._flat.ntotal * self.dim)
            gathered[~inside] = flat.reshape(-1, self.dim)[rows[~inside] - self._in_cells]
        return gathered

    def _make_cells(self) -> Any:
        """All vectors in about 2 √n cells, and the number of cells to look into for `RECALL`."""
        faiss, total = _faiss(), len(self._ids)
        count = int(2 * total**0.5)
        cells = faiss.index_factory(self.dim, f"IVF{count},SQfp16", faiss.METRIC_INNER_PRODUCT)
        cells.by_residual = False
        cells.cp.niter = ROUNDS
        cells.train(self._rows(np.linspace(0, total - 1, min(PER_CELL * count, total)).astype(int)))
        cells.set_direct_map_type(faiss.DirectMap.Array)
        self._fill(cells, range(total))
        self.recall = _tune(cells, self._probes())
        return cells

    def _probes(self) -> FloatArray:
        """Questions stand between the names they hold, and are harder to place than names are:
        sums of four vectors each. With the cells so chosen, searches by 225 real questions found
        0.99 of the ten nearest of 13,980 real names, and of 3,159 passages."""
        random = np.random.default_rng(0)
        some = random.integers(0, len(self._ids), SUMMED * PROBES)
        sums: FloatArray = self._rows(some).reshape(PROBES, SUMMED, self.dim).sum(axis=1)
        return sums

    def _fill(self, cells: Any, rows: range) -> None:
        for start in range(rows.start, rows.stop, BATCH):
            cells.add(self._rows(np.arange(start, min(start + BATCH, rows.stop))))


def _tune(cells: Any, queries: FloatArray) -> float:
    """Set the fewest cells a search looks into to find `RECALL` of the nearest; → the recall."""
    faiss, best = _faiss(), 0.0
    everything = faiss.SearchParametersIVF(nprobe=cells.nlist)
    nearest = cells.search(queries, NEAREST, params=everything)[1]
    cells.nprobe = 4
    while best < RECALL and cells.nprobe < cells.nlist:
        cells.nprobe = min(2 * cells.nprobe, cells.nlist)
        found = cells.search(queries, NEAREST)[1]
        hits = [len(np.intersect1d(*pair)) for pair in zip(nearest, found, strict=True)]
        best = sum(hits) / nearest.size
    return best


def _selector(chosen: BoolArray) -> Any:
    return _faiss().IDSelectorBitmap(np.packbits(chosen, bitorder="little"))


@cache
def _faiss() -> Any:
    """FAISS, kept from taking every core of a large machine for one question."""
    import faiss

    faiss.omp_set_num_threads(min(THREADS, faiss.omp_get_max_threads()))
    return faiss


def _beside(path: Path) -> Path:
    return path.with_name(path.name + ".json")


def _cells(path: Path) -> Path:
    return path.with_name(path.name + ".cells")
