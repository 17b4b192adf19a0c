"""Language models behind the `LanguageModel` protocol."""

from __future__ import annotations

from collections.abc import MutableMapping

from brit.config import ModelConfig
from brit.lmm.abilities import Memory
from brit.lmm.cached import CachedModel
from brit.lmm.metering import Meter
from brit.lmm.openai_compatible import OpenAICompatible
from brit.lmm.scripted import ScriptedModel
from brit.models import LanguageModel

__all__ = ["CachedModel", "OpenAICompatible", "ScriptedModel", "open_language_model"]


def open_language_model(
    config: ModelConfig,
    cache: MutableMapping[str, str] | None = None,
    *,
    memory: Memory | None = None,
    meter: Meter | None = None,
) -> LanguageModel | None:
    """The model of a role, None when none is configured. Touches no network.

    With `cache`, a reply once given is not asked for again; `memory` and `meter` are those of
    `OpenAICompatible`.
    """
    if not config.configured:
        return None
    model = OpenAICompatible(config, memory=memory, meter=meter)
    return model if cache is None else CachedModel(model, cache, cached_by(config))


def cached_by(config: ModelConfig) -> str:
    """What shapes a reply beside model and messages."""
    return f"{config.base_url} {config.temperature} {config.max_tokens}"
