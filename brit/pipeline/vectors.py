"""Vectors of what a collection holds: those that are missing are made, those there are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from PIL import Image as PillowImage

from brit.models import ImageTextEncoder, TextEncoder
from brit.storage import Workspace
from brit.storage.content import image_text
from brit.types import FloatArray, Image

TEXT_BATCH = 64
IMAGE_BATCH = 8
Advance = Callable[[int], None]


def ignore(_: int) -> None:
    """For callers that do not watch."""


def ensure_text_vectors(
    workspace: Workspace,
    encoder: TextEncoder,
    kind: str,
    texts: Mapping[str, str],
    *,
    advance: Advance = ignore,
) -> None:
    """Embed and keep what of `texts` (key → text) has no vector of this encoder yet.

    `advance` is told after every batch how many more have their vector; it may raise Cancelled.
    """
    missing = workspace.graph.missing_vectors(encoder.name, kind, list(texts))
    advance(len(texts) - len(missing))
    for start in range(0, len(missing), TEXT_BATCH):
        keys = missing[start : start + TEXT_BATCH]
        vectors = encoder.encode_texts([texts[key] for key in keys])
        workspace.graph.put_vectors(encoder.name, kind, keys, vectors)
        advance(len(keys))


def ensure_image_vectors(
    workspace: Workspace,
    encoder: ImageTextEncoder,
    images: Iterable[Image],
    *,
    advance: Advance = ignore,
) -> None:
    """The same for pictures; identical pixels once. Vectors are kept by the pixels' id."""
    hints = {image.file: image.text for image in images if image.file}
    missing = workspace.graph.missing_vectors(encoder.name, "image", list(hints))
    advance(len(hints) - len(missing))
    for start in range(0, len(missing), IMAGE_BATCH):
        files = missing[start : start + IMAGE_BATCH]
        vectors = encode_pictures(workspace, encoder, files, [hints[file] for file in files])
        workspace.graph.put_vectors(encoder.name, "image", files, vectors)
        advance(len(files))


def encode_pictures(
    workspace: Workspace, encoder: ImageTextEncoder, files: Sequence[str], hints: Sequence[str]
) -> FloatArray:
    """Stored pictures, with the text read in each → float32 (n, dim)."""
    return encoder.encode_images([open_picture(workspace, file) for file in files], hints)


def open_picture(workspace: Workspace, file: str) -> PillowImage.Image:
    """A stored picture as RGB; on white where it is see-through."""
    with PillowImage.open(workspace.images.path(file)) as picture:
        if picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info:
            layered = picture.convert("RGBA")
            ground = PillowImage.new("RGBA", layered.size, "white")
            return PillowImage.alpha_composite(ground, layered).convert("RGB")
        return picture.convert("RGB")


def image_vectors(
    workspace: Workspace, encoder: ImageTextEncoder, images: Sequence[Image]
) -> tuple[list[str], FloatArray]:
    """Image ids that have a vector, and the vectors (n, dim)."""
    files, vectors = workspace.graph.vectors(
        encoder.name, "image", [image.file for image in images if image.file], encoder.dim
    )
    position = {file: index for index, file in enumerate(files)}
    known = [image for image in images if image.file in position]
    rows = np.array([position[image.file] for image in known], dtype=np.intp)
    return [image.id for image in known], vectors[rows]


def node_texts(labels: Mapping[str, str]) -> dict[str, str]:
    """Node id → what is embedded for it: the label, or nothing for a bare number.

    Numbers mean nothing to an encoder (they are found word for word), and the tables of a report
    hold thousands; no text gives a vector of zeros.
    """
    return {
        id: label if any(sign.isalpha() for sign in label) else "" for id, label in labels.items()
    }


def caption_texts(images: Iterable[Image]) -> dict[str, str]:
    """Image id → what is known of it in words; pictures of which nothing is known left out."""
    texts = {image.id: image_text(image) for image in images}
    return {id: text for id, text in texts.items() if text}
