"""What is lit up on the right of an answer, and how it looks on what Streamlit draws itself."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from brit.ui.graph_view import Light
from brit.ui.lit import Lit
from brit.ui.path_words import PathStep

_MUTED, _ACCENT = 0.35, "#e98a10"


@dataclass(frozen=True)
class Choice:
    """What is lit up, the step of it that is looked at, and what lights up something else: a mark,
    as in `ways`."""

    lit: Lit | None
    now: PathStep | None
    pick: Callable[[str], None]

    @property
    def light(self) -> Light | None:
        if self.lit is None:
            return None
        now, pair = (self.now.mark, self.now.pair) if self.now else ("", frozenset())
        return Light(self.lit.marks, self.lit.pairs, now, pair)


def chip_key(mark: str) -> str:
    """The key of what stands for a mark beneath the answer."""
    return f"chip-{_ascii(mark)}"


def _ascii(mark: str) -> str:
    """A mark in the letters that Streamlit leaves as they are in the class of an element."""
    return re.sub(r"[^A-Za-z0-9-]", "-", mark)


def lit_style(choice: Choice) -> str:
    """Pictures and chips on the path get a frame, the other pictures step back."""
    if choice.lit is None:
        return "<style></style>"
    marks = sorted(choice.lit.marks)
    cards = [f'[class*="st-key-card-"][class*="-image-{_ascii(m[2:])}"]' for m in marks
             if m.startswith("i:")]  # fmt: skip
    chips = [f".st-key-{chip_key(mark)} button" for mark in marks if mark[:2] in ("i:", "p:")]
    # Words stay readable: the picture alone steps back.
    rules = [f'.st-key-evidence-panel [class*="st-key-card-"] img {{ opacity: {_MUTED}; }}']
    rules += [f".st-key-evidence-panel {card} img {{ opacity: 1; }}" for card in cards]
    rules += [f"{card} img {{ border-color: {_ACCENT}; box-shadow: 0 0 0 2px {_ACCENT}; }}"
              for card in cards]  # fmt: skip
    rules += [f"{chip} {{ border-color: {_ACCENT}; box-shadow: 0 0 0 1px {_ACCENT}; }}"
              for chip in chips]  # fmt: skip
    return f"<style>{' '.join(rules)}</style>"
