"""What a call costs: asked before it is made, counted when it is over."""

from __future__ import annotations

import json
from typing import Any, Protocol

from brit.models import Message

BYTES_PER_TOKEN = 3  # an upper estimate for any script: one Chinese character each
IMAGE_TOKENS = 1500  # a picture of 1,024 pixels a side costs about 800 to 1,500, by the server


class Meter(Protocol):
    """Stands before every request to a server."""

    def check(self) -> None:
        """Raises BudgetSpent where no further call may be made."""
        ...

    def record(self, prompt_tokens: int, completion_tokens: int, *, estimated: bool) -> None:
        """One call is over; `estimated` where the server did not say what it cost."""
        ...


def estimate_tokens(text: str) -> int:
    """An upper estimate of the tokens of a text."""
    return len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN + 1


def estimate_prompt(messages: list[Message], schema: dict[str, Any] | None = None) -> int:
    """An upper estimate of the tokens of a request, its schema and pictures included."""
    tokens = estimate_tokens(json.dumps(schema)) if schema else 0
    for message in messages:
        content = message["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        for part in parts:
            is_text = part["type"] == "text"
            tokens += estimate_tokens(part["text"]) if is_text else IMAGE_TOKENS
    return tokens
