"""Language models behind the `LanguageModel` protocol."""

from __future__ import annotations

from collections.abc import MutableMapping

from brit.config import ModelConfig
from brit.lmm.cached import CachedModel
from brit.lmm.openai_compatible import OpenAICompatible
from brit.lmm.scripted import ScriptedModel
from brit.models import LanguageModel

__all__ = ["CachedModel", "OpenAICompatible", "ScriptedModel", "open_language_model"]


def open_language_model(
    config: ModelConfig, cache: MutableMapping[str, str] | None = None
) -> LanguageModel | None:
    """The model of a role, None when none is configured. Touches no network.

    With `cache`, a reply once given is not asked for again.
    """
    if not config.configured:
        return None
    model = OpenAICompatible(config)
    if cache is None:
        return model
    parameters = f"{config.base_url} {config.temperature} {config.max_tokens}"
    return CachedModel(model, cache, parameters)
