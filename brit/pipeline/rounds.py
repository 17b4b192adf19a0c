"""A language model that decides on further rounds of a retrieval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from brit.errors import MalformedReply
from brit.models import LanguageModel
from brit.prompts import fill_prompt
from brit.types import RoundChoice

MOST_FOLLOWED = 3
MAX_QUERY, MAX_REASON = 400, 240

ROUND_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "enough": {"type": "boolean"},
        "follow": {"type": "array", "items": {"type": "integer"}},
        "query": {"type": "string"},
        "reason": {"type": "string"},
    },
    "required": ["enough", "follow", "query", "reason"],
    "additionalProperties": False,
}


class ModelDecider:
    """Implements `RoundDecider`. All a reply can do is choose among the names shown and put words
    to search for: no setting, no document is in its reach."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        return self._model.name

    def decide(self, question: str, found: Sequence[str], names: Sequence[str]) -> RoundChoice:
        """Raises ModelError; MalformedReply where more is wanted and nowhere said where."""
        messages = fill_prompt(
            "round",
            question=_line(question),
            found="\n".join(f"- {_line(each)}" for each in found) or "nothing",
            names="\n".join(f"{at}. {_line(name)}" for at, name in enumerate(names, 1)) or "none",
        )
        reply = self._model.complete(messages, ROUND_SCHEMA)
        said = reply.data
        reason = _line(said["reason"])[:MAX_REASON]
        if said["enough"]:
            return RoundChoice(reason, usage=reply.usage)
        known = [at - 1 for at in dict.fromkeys(said["follow"]) if 0 < at <= len(names)]
        query = _line(said["query"])[:MAX_QUERY]
        if not known and not query:
            raise MalformedReply(f"«{self.name}» wants more, and names nothing to look for.")
        return RoundChoice(reason, tuple(known[:MOST_FOLLOWED]), query, reply.usage)


def _line(text: str) -> str:
    return " ".join(text.split())
