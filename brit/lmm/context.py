"""How many tokens a request and its reply may hold together: told by a server's list of models, or
by the refusal of a request that was too long.

The list says so at llama.cpp (`meta.n_ctx`), vLLM (`max_model_len`), OpenRouter (`context_length`)
and Groq (`context_window`); not at OpenAI, Gemini, LM Studio and Ollama, which cuts off silently.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

_NAMES = ("n_ctx", "max_model_len", "context_length", "context_window")
# «exceeds the available context size (4096 tokens)» (llama.cpp), «maximum context length is 4096
# tokens» (OpenAI, vLLM), «with context length of only 4096 tokens» (LM Studio), «the maximum number
# of tokens allowed (1048576)» (Gemini).
_TOLD = re.compile(
    r"(?:n_ctx\W{1,4}|context (?:size|length|window)[^\d.]{0,30}|tokens allowed \()(\d{2,9})\b",
    re.IGNORECASE,
)


def read_context(models: Sequence[Mapping[str, Any]], name: str) -> int | None:
    """Of the model of that name in the list, or of the only one there is."""
    named = [model for model in models if model.get("id") == name]
    for model in named or models if len(models) == 1 or named else ():
        for source in (model.get("meta"), model):
            if isinstance(source, Mapping) and (size := _first(source)):
                return size
    return None


def _first(source: Mapping[str, Any]) -> int | None:
    sizes = (source.get(name) for name in _NAMES)
    return next((size for size in sizes if isinstance(size, int) and size > 1), None)


def told_context(refusal: str) -> int | None:
    """The size that a refusal names."""
    found = _TOLD.search(refusal)
    return int(found[1]) if found else None
