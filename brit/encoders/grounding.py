"""GroundingDINO (Liu et al. 2023): finds in a picture what is named, whatever it is.

Weights are looked for on this machine only and loaded at first use; nothing is fetched.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from PIL.Image import Image as Picture

from brit.encoders.vectors import load_torch, on_white
from brit.errors import ModelError, WeightsMissing
from brit.types import BBox

BOX_THRESHOLD = 0.35
TEXT_THRESHOLD = 0.25
"""Both as in the model's own demonstration."""
MOST_NAMES = 12
"""Names a pass: the text of one pass is cut at 256 tokens."""
_CONFIG, _WEIGHTS = "config.json", "model.safetensors"


class GroundingDino:
    """An ObjectDetector. `name` is a hub name or a folder; `folder` is where fetched weights lie.

    Raises WeightsMissing.
    """

    def __init__(self, name: str, folder: Path | None = None) -> None:
        self.name = name
        self._folder = find_detector(name, folder)
        self._lock = threading.Lock()

    def detect(self, image: Picture, names: Sequence[str]) -> list[tuple[str, BBox, float]]:
        """→ (one of `names`, box as fractions of width and height, confidence 0–1), most confident
        first. Raises ModelError for weights that do not load."""
        wanted = [name for name in dict.fromkeys(names) if phrase_of(name)]
        picture = on_white(image)
        found: list[tuple[str, BBox, float]] = []
        for start in range(0, len(wanted), MOST_NAMES):
            found += self._pass(picture, wanted[start : start + MOST_NAMES])
        return sorted(found, key=lambda each: -each[2])

    def _pass(self, picture: Picture, names: Sequence[str]) -> Iterator[tuple[str, BBox, float]]:
        with self._lock:
            model, processor = self._loaded
            import torch

            phrases = {phrase_of(name): name for name in names}
            inputs = processor(
                images=picture, text=" ".join(f"{phrase}." for phrase in phrases),
                return_tensors="pt",
            )  # fmt: skip
            with torch.inference_mode():
                outputs = model(**inputs)
            result = processor.post_process_grounded_object_detection(
                outputs,
                inputs["input_ids"],
                threshold=BOX_THRESHOLD,
                text_threshold=TEXT_THRESHOLD,
            )[0]
        labels = result["text_labels"]
        for label, box, score in zip(labels, result["boxes"], result["scores"], strict=True):
            if name := best_name(label, phrases):
                x0, y0, x1, y1 = box.clamp(0.0, 1.0).tolist()
                yield name, (x0, y0, x1, y1), float(score)

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        """(model, processor). Raises ModelError."""
        load_torch()
        from transformers import AutoModelForZeroShotObjectDetection, AutoProcessor

        try:
            processor = AutoProcessor.from_pretrained(self._folder, local_files_only=True)
            model = AutoModelForZeroShotObjectDetection.from_pretrained(
                self._folder, local_files_only=True, use_safetensors=True
            )
        except (OSError, RuntimeError, ValueError, TypeError, KeyError) as error:
            raise ModelError(
                f"The object detector {self.name} cannot be loaded; fetch its files again."
            ) from error
        return model.eval(), processor


def find_detector(name: str, folder: Path | None = None) -> Path:
    """The folder of the weights: `name` as a folder, what was fetched into `folder`, the hub
    library's cache. Raises WeightsMissing."""
    places = [Path(name)]
    if folder:
        places.append(folder / name.replace("/", "--"))
    for place in places:
        if (place / _CONFIG).is_file() and (place / _WEIGHTS).is_file():
            return place
    if re.fullmatch(r"(?!.*(?:\.\.|--))\w[\w.-]{0,40}\w/\w[\w.-]{0,40}\w", name, re.ASCII):
        from huggingface_hub import try_to_load_from_cache

        kept = [try_to_load_from_cache(name, file) for file in (_CONFIG, _WEIGHTS)]
        if all(isinstance(file, str) for file in kept):
            return Path(str(kept[0])).parent
    raise WeightsMissing(
        f"The weights of the object detector {name} are not on this machine: objects in pictures "
        "were not looked for. Put its files into a folder and name that in BRIT_DETECTOR."
    )


def phrase_of(name: str) -> str:
    """A name as the model was trained on them: small letters, no full stops, which end a phrase."""
    return " ".join(re.sub(r"[^\w\s'-]", " ", name.casefold()).split())


def best_name(label: str, phrases: dict[str, str]) -> str | None:
    """The name whose words a label has most of: labels are the tokens above a threshold, so that
    «traffic light» may come back as «traffic», and «##s» ends words. None for none at all."""
    words = set(label.replace("##", "").split())
    overlap = {phrase: len(words & set(phrase.split())) / len(phrase.split()) for phrase in phrases}
    best = max(overlap, key=lambda phrase: overlap[phrase], default=None)
    return phrases[best] if best is not None and overlap[best] > 0 else None
