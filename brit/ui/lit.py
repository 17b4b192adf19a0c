"""What a click lights up: the sentences of an answer, and the ways that led to what they rest on.

What is chosen is a mark as in `ways`, or "s:…", the number of a sentence. It stands in the address
of the page, which anybody can write, and is checked against what there is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from brit.types import Answer, Retrieval
from brit.ui.evidence import MARKER
from brit.ui.ways import Way, Ways, marks_of, pairs_of, passage_mark
from brit.verification.wording import cut_sentences

_QUOTED = re.compile(r"\s*(?:[-*•]\s+)?(?:\w+:\s*)?[“„«]")
_SHORTEST = 16  # of a triplet's sentence, to be known again in an answer that names its source


@dataclass(frozen=True)
class Sentence:
    """Characters `start` to `end` of the answer, and the numbers it cites."""

    start: int
    end: int
    markers: tuple[int, ...]


@dataclass(frozen=True)
class Lit:
    """`targets` are what the ways lead to, `sentences` the numbers of those that rest on them."""

    chosen: str
    targets: tuple[str, ...]
    ways: tuple[Way, ...]
    sentences: frozenset[int]

    @property
    def marks(self) -> frozenset[str]:
        return marks_of(self.ways)

    @property
    def pairs(self) -> frozenset[frozenset[str]]:
        return pairs_of(self.ways)


def sentences_of(text: str) -> tuple[Sentence, ...]:
    """The sentences of an answer; a line that quotes is one, whatever stands inside the quote."""
    found: list[Sentence] = []
    line_end = 0
    for start, end in cut_sentences(text):
        if start < line_end:
            continue
        if _QUOTED.match(text, start):
            stop = text.find("\n", start)
            line_end = end = len(text[: stop if stop >= 0 else None].rstrip())
        numbers = (
            int(n) for m in MARKER.finditer(text, start, end) for n in re.findall(r"\d+", m[1])
        )
        found.append(Sentence(start, end, tuple(dict.fromkeys(numbers))))
    return tuple(found)


class Paths:
    """What can be lit up in one answered question."""

    def __init__(self, retrieval: Retrieval, answer: Answer | None) -> None:
        self._retrieval = retrieval
        self._answer = answer
        self.ways = Ways(retrieval)
        self.sentences = sentences_of(answer.text) if answer else ()
        self._cited = _cited_marks(retrieval, answer)
        self._rests_on = [self._targets(sentence) for sentence in self.sentences]

    def light(self, chosen: str) -> Lit | None:
        """None for what is not there, or has no way in the trace."""
        kind, _, id = chosen.partition(":")
        if kind == "s":
            known = id.isdecimal() and int(id) < len(self.sentences)
            targets = self._rests_on[int(id)] if known else ()
        elif kind == "n":
            targets = self._through(chosen) or (chosen,)
        else:
            targets = (chosen,)
        ways = {target: self.ways.to(target) for target in targets}
        led = {target: way for target, way in ways.items() if way}
        if not led:
            return None
        lit = frozenset(i for i, on in enumerate(self._rests_on) if led.keys() & set(on))
        return Lit(chosen, tuple(led), tuple(led.values()), lit)

    def mark_of(self, marker: int) -> str:
        """What a number in the answer stands for; "" for none."""
        return self._cited.get(marker, "")

    def _through(self, node: str) -> tuple[str, ...]:
        """What is cited, as far as its way leads through a node."""
        cited = dict.fromkeys(self._cited.values())
        return tuple(mark for mark in cited if node in marks_of([self.ways.to(mark)]))

    def _targets(self, sentence: Sentence) -> tuple[str, ...]:
        cited = [self._cited[n] for n in sentence.markers if n in self._cited]
        return tuple(dict.fromkeys(cited)) or self._quoted(sentence)

    def _quoted(self, sentence: Sentence) -> tuple[str, ...]:
        """A fact is quoted with its source in words and no number: its triplet is known by text."""
        text = self._answer.text[sentence.start : sentence.end] if self._answer else ""
        said = (each for each in self._retrieval.triplets if len(each.text) >= _SHORTEST)
        return tuple(dict.fromkeys(f"e:{each.edge}" for each in said if each.text in text))


def _cited_marks(retrieval: Retrieval, answer: Answer | None) -> dict[int, str]:
    marks: dict[int, str] = {}
    for each in answer.citations if answer else ():
        if each.kind == "image" and each.index < len(retrieval.images):
            marks[each.marker] = f"i:{retrieval.images[each.index].id}"
        elif each.kind == "passage" and each.index < len(retrieval.passages):
            marks[each.marker] = passage_mark(retrieval.passages[each.index], each.index)
    return marks


def evidence_key(mark: str) -> str:
    """The key of the evidence that a mark stands for (see `evidence.py`); "" for a name."""
    kind, _, id = mark.partition(":")
    names = {"i": "image", "p": "passage", "e": "triplet"}
    return f"{names[kind]}:{id}" if kind in names else ""


def mark_of_evidence(key: str) -> str:
    """The other way round."""
    kind, _, id = key.partition(":")
    return f"{kind[0] if kind != 'triplet' else 'e'}:{id}"
