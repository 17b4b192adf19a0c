"""Vectors that only comparisons need: kept in files, made when they are missing.

They lie in the collection's folder of index files, so that they go when a document goes.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from brit.pipeline.collection import OpenCollection
from brit.types import FloatArray, OnProgress, Progress, stable_id

BATCH = 8
SAVED_EVERY = 60.0  # seconds
Make = Callable[[Sequence[int]], FloatArray]


def kept_vectors(
    index: OpenCollection,
    what: str,
    encoder: str,
    keys: Sequence[str],
    make: Make,
    on_progress: OnProgress,
) -> FloatArray:
    """Rows (n, width) for `keys`; `make` is given positions in `keys` and encodes what is missing.

    What was made is written once a minute: an interrupted run goes on there.
    """
    home = index.workspace.folder / "indexes" / index.collection.id
    path = home / re.sub(r"[^\w.+-]", "_", f"{what}-{encoder}-{stable_id(encoder)}.npz")
    known = _read(path)
    missing = [at for at, key in enumerate(keys) if key not in known]
    saved = time.monotonic()
    for start in range(0, len(missing), BATCH):
        on_progress(Progress(f"{what} by {encoder}", start, len(missing)))
        ats = missing[start : start + BATCH]
        known.update(zip((keys[at] for at in ats), make(ats), strict=True))
        if time.monotonic() - saved > SAVED_EVERY or ats[-1] == missing[-1]:
            _write(path, known)
            saved = time.monotonic()
    return np.stack([known[key] for key in keys]) if keys else np.zeros((0, 1), np.float32)


def _read(path: Path) -> dict[str, FloatArray]:
    try:
        with np.load(path, allow_pickle=False) as kept:
            return dict(zip(kept["keys"].tolist(), kept["vectors"], strict=True))
    except (OSError, ValueError, KeyError):
        return {}  # not there yet, or damaged: it is made again


def _write(path: Path, known: dict[str, FloatArray]) -> None:
    """Aside and renamed, so that a crash leaves no half file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    written = path.with_name(f"{path.stem}-{id(known):x}.npz")
    np.savez(written, keys=np.array(list(known)), vectors=np.stack(list(known.values())))
    written.replace(path)
