"""BLIP-2's image–text space, the paper's second baseline, through transformers.

The weights are looked for in folders only, never on a network: the model is as large as four
gigabytes and serves comparisons alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from PIL.Image import Image as Picture

from brit.encoders.vectors import encode_filled, load_torch, on_white
from brit.errors import ModelError, WeightsMissing
from brit.models import Role
from brit.types import FloatArray

REPOSITORY = "Salesforce/blip2-itm-vit-g"
BATCH = 8


class Blip2Encoder:
    """The contrastive half of BLIP-2 (Li et al. 2023, §3.2).

    A picture is what its query tokens saw: its row holds their unit vectors, (n, tokens × dim), and
    its score is that of the token nearest to the text. `folder` holds a model made for image–text
    retrieval with its tokenizer and picture preprocessing, as `save_pretrained` leaves them. It is
    loaded at first use (raises ModelError).
    """

    same_entity = 0.75

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.name = f"blip2-{folder.name}"

    @property
    def dim(self) -> int:
        """Of a text's vector."""
        return int(self._texts_model[0].config.image_text_hidden_size)

    def encode_texts(self, texts: Sequence[str], role: Role = "passage") -> FloatArray:
        """→ float32 (n, dim), unit rows, zeros for empty texts."""
        del role
        return encode_filled(texts, self.dim, lambda filled: _in_batches(filled, self._texts))

    def encode_images(self, images: Sequence[Picture], hints: Sequence[str] = ()) -> FloatArray:
        """→ float32 (n, tokens × dim), each token's vector of length 1. `hints` are ignored."""
        del hints
        if not images:
            return np.zeros((0, self.dim), dtype=np.float32)
        return _in_batches(images, self._images)

    def _texts(self, texts: Sequence[str]) -> Any:
        model, tokenizer = self._texts_model
        most = model.config.qformer_config.max_position_embeddings
        tokens = tokenizer(
            list(texts), padding=True, truncation=True, max_length=most, return_tensors="pt"
        )
        embedded = model(input_ids=tokens["input_ids"], attention_mask=tokens["attention_mask"])
        return embedded.text_embeds[:, 0]

    def _images(self, images: Sequence[Picture]) -> Any:
        model, preprocess = self._images_model
        pixels = preprocess([on_white(image) for image in images], return_tensors="pt")
        return model(pixel_values=pixels["pixel_values"]).image_embeds.flatten(start_dim=1)

    @cached_property
    def _texts_model(self) -> tuple[Any, Any]:
        return self._load("Blip2TextModelWithProjection", "AutoTokenizer")

    @cached_property
    def _images_model(self) -> tuple[Any, Any]:
        return self._load("Blip2VisionModelWithProjection", "AutoImageProcessor")

    def _load(self, name: str, preparation: str) -> tuple[Any, Any]:
        """Half of the model, and what prepares its input."""
        load_torch()
        import transformers

        try:
            with untouched_verbosity():
                model, loading = getattr(transformers, name).from_pretrained(
                    self._folder, local_files_only=True, output_loading_info=True
                )
            prepare = getattr(transformers, preparation).from_pretrained(
                self._folder, local_files_only=True
            )
        except (OSError, ValueError, RuntimeError, KeyError, ImportError) as error:
            raise self._unusable(type(error).__name__) from error
        if loading["missing_keys"] or loading["mismatched_keys"]:
            raise self._unusable("weights are missing")
        return model.float().eval(), prepare

    def _unusable(self, why: str) -> ModelError:
        return ModelError(
            f"The BLIP-2 model in {self._folder} cannot be loaded ({why}): put a complete one for "
            "image–text retrieval there, with its tokenizer, or take it away."
        )


@contextmanager
def untouched_verbosity() -> Iterator[None]:
    """Each half leaves the weights of the other in the file, and transformers lists them all."""
    from transformers.utils import logging

    before = logging.get_verbosity()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(before)


def find_blip2(folder: Path | None) -> Blip2Encoder:
    """The model below its name in `folder`, or in the hub library's cache; else WeightsMissing."""
    from huggingface_hub import try_to_load_from_cache

    put = folder / REPOSITORY.replace("/", "--") if folder else None
    if put and (put / "config.json").is_file():
        return Blip2Encoder(put)
    cached = try_to_load_from_cache(REPOSITORY, "config.json")
    if isinstance(cached, str):
        return Blip2Encoder(Path(cached).parent)
    raise WeightsMissing(
        f"the weights of {REPOSITORY} are not on this machine: put the model's files into "
        f"“{put or 'the weights folder'}”"
    )


def _in_batches(items: Sequence[Any], encode: Callable[[Sequence[Any]], Any]) -> FloatArray:
    import torch

    with torch.inference_mode():
        rows = [encode(items[at : at + BATCH]).numpy() for at in range(0, len(items), BATCH)]
    return np.concatenate(rows).astype(np.float32)
