"""Words, names and sentences of claims and evidence, in any script that has spaces."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator

STEM = 6
_WORD = re.compile(r"[^\W_]+(?:[.,'’/-][^\W_]+)*%?")
# A citation or a source in brackets after the full stop belongs to what it follows.
_SENTENCE_END = re.compile(
    r"(?<=[.!?…؟])[\"”’»)\]]*\s+(?=[^\sa-z\[(])|(?<=\d\])\s+(?=[^\sa-z\[(])|(?<=[。！？])|\n+"
)
_NO_END = re.compile(
    r"\b(?:Dr|Mrs?|Ms|St|Nos?|Nr|vs|ca|Figs?|Abb|(?:Figure|Fig\.|Abbildung|Abb\.|Table|Tabelle)\s\d+)\.$"
)
_FUNCTION_WORDS = """a an the this that these those it its i he she they them his their her we our
you your of in on at to for from by with about into over under as and or but nor so if than then
there here is are was were be been being has have had do does did will would can could may might
shall should must not no also both which who whom whose what when where how only very just each
every all some any such own same other more most der die das den dem des ein eine einen einem einer
eines er sie es ihr sein seine und oder aber ist sind war waren wird werden wurde wurden hat haben
hatte im am zum zur von vom mit für auf aus bei nach zu als auch nicht kein keine sich dass"""
_FUNCTION = frozenset(_FUNCTION_WORDS.split())
# What a sentence about the search itself is built of: it states nothing of the world.
_SEARCH_WORDS = """documents document say says evidence found find nothing nearest information
provided answer passages passage picture pictures dokumenten dokumente steht gefunden kommt diesen
mention contain contains held holds"""
_ABOUT_SEARCH = frozenset(_SEARCH_WORDS.split())
_AFTER_NAMES = frozenset(("is", "was", "has", "had", "ist", "war", "hat", "hatte"))
_NEGATION = re.compile(r"\b(?:not|never|no|without|nor|neither|kein\w*|nicht|ohne|nie)\b|n['’]t\b")


def one_line(text: str) -> str:
    """Text of a document, picture or model on one line, without control and format characters."""
    kept = (" " if unicodedata.category(c) in ("Cc", "Cf", "Cs") else c for c in text)
    return " ".join("".join(kept).split())


def cut_sentences(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each sentence or line of the text."""
    start = 0
    for stop in _stops(text):
        piece = text[start:stop]
        if stripped := piece.strip(' \t\n"”’»)]'):
            yield start + piece.index(stripped), start + len(piece.rstrip())
        start = stop


def _stops(text: str) -> Iterator[int]:
    """Where sentences end, not after «Dr.» or «Figure 3.»."""
    for found in _SENTENCE_END.finditer(text):
        if not _NO_END.search(text, max(0, found.start() - 20), found.start()):
            yield found.start()
    yield len(text)


def words(text: str) -> list[str]:
    return _WORD.findall(text)


_SINGULAR = {"people": "person", "men": "man", "women": "woman", "children": "child"}


def stem(word: str) -> str:
    """The first six letters: joins most inflections of most languages."""
    lowered = unicodedata.normalize("NFKC", word).casefold()
    lowered = _SINGULAR.get(lowered, lowered)
    return re.sub(r"(?:['’]s|s)$", "", lowered)[:STEM] if len(lowered) > 3 else lowered


def content(text: str) -> set[str]:
    """Stems of the words that carry meaning and no digit: numbers are compared as numbers."""
    return {
        stem(word)
        for word in words(text)
        if word.casefold() not in _FUNCTION and not any(c.isdigit() for c in word)
    }


def names(text: str, known: Collection[str] = ()) -> list[str]:
    """Words that name one thing: capitalised inside a sentence, all capitals, or a code of letters
    and digits. The first word of a sentence counts where it looks like a code, stands before
    another name, a number or «is», or is among `known` (folded)."""
    found = []
    for start, end in cut_sentences(text):
        listed = words(text[start:end])
        for position, word in enumerate(listed):
            capital = word[0].isupper() and len(word) > 1
            if position == 0 and not is_code(word):
                after = listed[1] if len(listed) > 1 else " "
                led = after[0].isupper() or after[0].isdigit() or after in _AFTER_NAMES
                led = led or word.casefold() in known
                capital = capital and led and word.casefold() not in _FUNCTION
            if capital or is_code(word):
                found.append(word)
    return found


def is_code(word: str) -> bool:
    """«CX57C», «AP3012K», «NATO»: letters with digits (a unit stuck to a number is none)."""
    letters, digits = any(c.isalpha() for c in word), any(c.isdigit() for c in word)
    if letters and digits:
        return not word[0].isdigit() and any(c.isupper() for c in word)
    return letters and len(word) > 2 and word.isupper()


def is_function(word: str) -> bool:
    """Whether it only holds a sentence together: «the», «is», «und»."""
    return word.casefold() in _FUNCTION


def is_negated(text: str) -> bool:
    return bool(_NEGATION.search(text.casefold()))


def states_something(sentence: str) -> bool:
    """Whether it is a statement: no heading of a list, no question, not about the search."""
    if sentence.rstrip().endswith((":", "?")):
        return False
    return any(word.casefold() not in _ABOUT_SEARCH | _FUNCTION for word in words(sentence))
