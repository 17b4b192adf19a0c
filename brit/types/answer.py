"""Answers with their citations (§3.3), replies of models, and progress."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from brit.types.basics import BBox


@dataclass(frozen=True)
class Citation:
    """`marker` is the number shown in the answer; `index` the position in `Retrieval.passages` or
    `Retrieval.images`."""

    marker: int
    kind: Literal["passage", "image"]
    document: str
    page: int | None
    bbox: BBox | None
    index: int = 0


@dataclass(frozen=True)
class Answer:
    """`model` is the model's name, or "extractive"; `notes` are said on the page (what fell back,
    what was left out, that no model is configured)."""

    text: str
    citations: tuple[Citation, ...]
    model: str
    usage: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Completion:
    """A language model's reply; `data` is the parsed JSON where a schema was asked for."""

    text: str
    data: Any = None
    usage: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class ModelUsage:
    """What calls of a model in one role cost in tokens; of `estimated` of them the server did not
    say, and the tokens are an upper estimate."""

    role: str
    model: str
    calls: int = 1
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: int = 0

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True)
class Progress:
    """`done` of `total` units of `stage`; `detail` names the thing in hand."""

    stage: str
    done: int
    total: int
    detail: str = ""


OnProgress = Callable[[Progress], None]
OnPart = Callable[[int, int], None]
"""Told how many parts of how many are done; may raise Cancelled."""
Cancelled = Callable[[], bool]


def no_progress(_: Progress) -> None:
    """For callers that do not watch."""


def no_part(_done: int, _total: int) -> None:
    """For callers that do not watch."""
