"""A cheap guess of script and language: enough to know whether the English parser may read a text.

Scripts are counted by Unicode block; languages in Latin letters by their function words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from runpy import run_path
from typing import Literal

from brit.extraction.names import words

Script = Literal["latin", "arabic", "han", "kana", "hangul", "other"]

SAMPLE = 20_000
LATIN_LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl")
LANGUAGE_NAMES = {
    "ar": "Arabic",
    "de": "German",
    "es": "Spanish",
    "fr": "French",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "nl": "Dutch",
    "pt": "Portuguese",
    "zh": "Chinese",
}
WORTH_A_NOTE = 0.05
"""Share of a document's text from which a language is told of."""
WORD = re.compile(r"[^\W\d_]{1,40}")
# Words of English that are as common in another language tell nothing.
SHARED = words("in an a is so was per me he die man on no or do as al use")

_RANGES: tuple[tuple[int, int, Script], ...] = (
    (0x41, 0x24F, "latin"),
    (0x590, 0x8FF, "arabic"),
    (0x3040, 0x30FF, "kana"),
    (0x3400, 0x9FFF, "han"),
    (0xAC00, 0xD7AF, "hangul"),
    (0x1100, 0x11FF, "hangul"),
    (0xF900, 0xFAFF, "han"),
    (0xFB1D, 0xFEFC, "arabic"),
)


@cache
def stop_words(language: str) -> frozenset[str]:
    """spaCy's function words of a language ("en", "de", "ar", …).

    Only the file that lists them is run: importing seven of spaCy's language packages takes 4 s.
    """
    spacy = find_spec("spacy")
    if spacy is None or spacy.origin is None:
        raise ModuleNotFoundError("spaCy is not installed; run the set-up again.")
    path = Path(spacy.origin).parent / "lang" / language / "stop_words.py"
    return frozenset(run_path(str(path))["STOP_WORDS"])


@cache
def script_of(character: str) -> Script:
    code = ord(character)
    for low, high, script in _RANGES:
        if low <= code <= high:
            return script
    return "other"


def guess_script(text: str) -> Script:
    """The script of most letters; kana anywhere among Han means Japanese."""
    counts = Counter(script_of(c) for c in text[:SAMPLE] if c.isalpha())
    if not counts:
        return "latin"
    if counts["kana"] * 10 > counts["han"] and counts["kana"] + counts["han"] > counts["latin"]:
        return "kana"
    return counts.most_common(1)[0][0]


def guess_language(text: str) -> str:
    """ "en", "de", "fr", "es", "it", "pt", "nl", "ar", "zh", "ja", "ko", "xx" (another script), or
    "" for too little evidence."""
    script = guess_script(text)
    if script != "latin":
        return {"arabic": "ar", "han": "zh", "kana": "ja", "hangul": "ko"}.get(script, "xx")
    scores, total = _function_words(text)
    best = max(scores, key=lambda language: scores[language])
    return best if scores[best] >= 2 and scores[best] * 10 >= total else ""


def language_of(text: str, document: str) -> str:
    """The language of a block in a document of language `document` ("" for unknown).

    A block in Latin letters leaves its document's language only for three function words of
    another, and twice as many as of its own.
    """
    if guess_script(text) != "latin":
        return guess_language(text)
    if document not in LATIN_LANGUAGES:
        return guess_language(text) or "en"
    scores, _ = _function_words(text)
    best = max(scores, key=lambda language: scores[language])
    return best if scores[best] >= max(3, 2 * scores[document]) else document


def tell_unparsed(characters: Mapping[str, int]) -> tuple[str, ...]:
    """What to say of the languages of a document (characters of each) that are not English."""
    enough = WORTH_A_NOTE * sum(characters.values())
    return tuple(
        f"{LANGUAGE_NAMES.get(language, 'A language of another script')}: the parser is English; "
        "terms and sentence neighbourhood instead of triplets."
        for language, count in sorted(characters.items())
        if language != "en" and count >= enough > 0
    )


def _function_words(text: str) -> tuple[dict[str, int], int]:
    """Function words a language, and all words."""
    counts = Counter(w for w in WORD.findall(text[:SAMPLE].lower()) if w not in SHARED)
    scores = {
        language: sum(n for word, n in counts.items() if word in stop_words(language))
        for language in LATIN_LANGUAGES
    }
    return scores, counts.total()
