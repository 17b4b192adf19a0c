"""The paper's encoder: CLIP through open_clip, from weights that are already on this machine."""

from __future__ import annotations

import logging
import pickle
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from PIL.Image import Image as Picture

from brit.encoders.vectors import encode_filled, load_torch, on_white, unit_rows
from brit.encoders.weights import find_weights
from brit.errors import ModelError
from brit.models import Role
from brit.types import FloatArray

BATCH = 16


class OpenClipEncoder:
    """A CLIP model by name ("ViT-B-32/laion2b_s34b_b79k") or by a folder with weights and config.

    `folder` is where fetched weights are kept. The weights are found when the encoder is made
    (raises WeightsMissing, UnknownName, ModelError) and loaded at first use, as tensors only.
    Texts are cut at 77 tokens, about 55 words: give it names and captions rather than passages.
    `same_entity` is the paper's threshold (§5.3), not calibrated for each set of weights.
    """

    same_entity = 0.75

    def __init__(self, name: str, folder: Path | None = None) -> None:
        self._weights = find_weights(name, folder)
        self._lock = threading.Lock()
        self.name = self._weights.name
        self.dim = int(self._weights.config["embed_dim"])

    def encode_texts(self, texts: Sequence[str], role: Role = "passage") -> FloatArray:
        """→ float32 (n, dim), unit rows, zeros for empty texts."""
        del role
        return encode_filled(texts, self.dim, lambda filled: self._in_batches(filled, self._texts))

    def encode_images(self, images: Sequence[Picture], hints: Sequence[str] = ()) -> FloatArray:
        """→ float32 (n, dim), unit rows. `hints` are ignored: CLIP looks at the pixels."""
        del hints
        return unit_rows(self._in_batches(images, self._images))

    def _in_batches(
        self, items: Sequence[Any], encode: Callable[[Sequence[Any]], FloatArray]
    ) -> FloatArray:
        load_torch()
        import torch

        rows = [np.zeros((0, self.dim), dtype=np.float32)]
        with self._lock, torch.inference_mode():
            rows += [encode(items[at : at + BATCH]) for at in range(0, len(items), BATCH)]
        return np.concatenate(rows)

    def _texts(self, texts: Sequence[str]) -> FloatArray:
        model, _, tokenizer = self._loaded
        return np.asarray(model.encode_text(tokenizer(texts)).float().numpy())

    def _images(self, images: Sequence[Picture]) -> FloatArray:
        import torch

        model, preprocess, _ = self._loaded
        pixels = torch.stack([preprocess(on_white(image)) for image in images])
        return np.asarray(model.encode_image(pixels).float().numpy())

    @cached_property
    def _loaded(self) -> tuple[Any, Any, Any]:
        """(model, preprocessing, tokenizer). Raises ModelError."""
        load_torch()
        import open_clip
        from safetensors import SafetensorError

        weights = self._weights
        try:
            with untouched_logging():
                model, _, preprocess = open_clip.create_model_and_transforms(
                    weights.source,
                    pretrained=weights.file,
                    weights_only=True,
                    pretrained_text=False,
                    **weights.preprocessing,
                )
                tokenizer = open_clip.get_tokenizer(weights.source)
        except (
            *(OSError, RuntimeError, ValueError, TypeError, KeyError),
            *(pickle.UnpicklingError, SafetensorError),
        ) as error:
            raise ModelError(
                f"The weights of {self.name} cannot be loaded; fetch them again, or see whether "
                "weights and configuration belong together."
            ) from error
        return model.eval(), preprocess, tokenizer


@contextmanager
def untouched_logging() -> Iterator[None]:
    """open_clip logs through the root logger, which then sets up a handler for the whole process
    where there is none."""
    root, silent = logging.getLogger(), logging.NullHandler()
    root.addHandler(silent)
    try:
        yield
    finally:
        root.removeHandler(silent)
