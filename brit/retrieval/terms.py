"""Texts as terms: words by their first letters, without those that only put a question."""

from __future__ import annotations

import re

from brit.retrieval.stopwords import STOP_WORDS

STEM = 6  # letters by which words count as the same: «measured», «measures»
_TERMS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|[^\W_\u3040-\u30ff\u3400-\u9fff]+")


def terms(text: str) -> list[str]:
    """The terms of a text in its order; of scripts without spaces, each two neighbouring signs."""
    found: list[str] = []
    for word in _TERMS.findall(text.casefold()):
        if word[0] >= "\u3040":
            found += [word[at : at + 2] for at in range(max(len(word) - 1, 1))]
        elif word not in STOP_WORDS:
            found.append(word[:STEM])
    return found
