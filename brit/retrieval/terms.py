"""Texts as terms: words by their first letters, without those that only put a question."""

from __future__ import annotations

import re

from brit.retrieval.stopwords import STOP_WORDS

STEM = 6  # letters by which words count as the same: «measured», «measures»
_UNSPACED = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_RUN = re.compile(f"[{_UNSPACED}]+")
_TERMS = re.compile(rf"[{_UNSPACED}]+|[^\W_{_UNSPACED}]+")


def terms(text: str) -> list[str]:
    """The terms of a text in its order; of scripts without spaces, each two neighbouring signs."""
    words = _TERMS.findall(text.casefold())
    if not _RUN.search(text):  # most texts, and 50 pages are read for each question
        return [word[:STEM] for word in words if word not in STOP_WORDS]
    found: list[str] = []
    for word in words:
        if _RUN.match(word):
            found += [word[at : at + 2] for at in range(max(len(word) - 1, 1))]
        elif word not in STOP_WORDS:
            found.append(word[:STEM])
    return found
