"""Named entity anonymisation (§4.3): questions about a thing by a name nobody has heard before.

The phrase of an image-image question that gives its image away is replaced by an imaginary name;
one sentence says that the name means what the phrase says, and is to be put into a copy of the
document beside the image.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from brit.evaluation.benchmark.records import BenchmarkQuestion
from brit.types import stable_id

ONSETS = ("b", "br", "d", "dr", "f", "g", "gr", "k", "kl", "l", "m", "n", "p", "r", "s", "st", "t",
          "tr", "v", "z")  # fmt: skip
VOWELS = ("a", "e", "i", "o", "u")
CODAS = ("l", "m", "n", "r", "s", "x", "")
SYLLABLES = 3
TRIES = 1000
Naming = tuple[BenchmarkQuestion, str, str]
"""A question with a phrase, the imaginary name, and the sentence that relates the two."""
NO_PHRASE = "the phrase does not stand in the question once"


@dataclass(frozen=True)
class Named:
    """Pairs of questions, without and with the name; `sentences` by image id; dropped questions by
    reason."""

    questions: tuple[BenchmarkQuestion, ...]
    sentences: dict[str, str]
    rejected: dict[str, int]


def invent_names(known: Collection[str], seed: int) -> Iterator[str]:
    """Different names that are no word of `known` (in small letters) and not part of one, nor hold
    one of five letters or more. Endless, unless a thousand in a row were known."""
    generator, given = random.Random(seed), set[str]()
    joined = "\n".join(known)
    missed = 0
    while missed < TRIES:
        name = "".join(
            generator.choice(ONSETS) + generator.choice(VOWELS) + generator.choice(CODAS)
            for _ in range(SYLLABLES)
        )
        if name in given or not _is_new(name, known, joined):
            missed += 1
            continue
        given.add(name)
        missed = 0
        yield name.capitalize()


def is_new(name: str, known: Collection[str]) -> bool:
    """Whether a name (in small letters) is none of these words, see `invent_names`."""
    return _is_new(name, known, "\n".join(known))


def _is_new(name: str, known: Collection[str], joined: str) -> bool:
    return name not in joined and not any(part in known for part in _parts(name))


def _parts(name: str) -> Iterator[str]:
    for start in range(len(name)):
        for end in range(start + 5, len(name) + 1):
            yield name[start:end]


def make_pairs(questions: Sequence[BenchmarkQuestion], known: Collection[str], seed: int) -> Named:
    """A pair with an invented name for every question that can have one."""
    names = invent_names(known, seed)
    return pair_up(
        (each, name, f"{name} is the {each.phrase}.")
        for each, name in zip(questions, names, strict=False)
    )


def pair_up(namings: Iterable[Naming]) -> Named:
    """A pair for every question whose phrase stands in it once; one name an image."""
    rejected = Counter[str]()
    pairs: list[BenchmarkQuestion] = []
    sentences: dict[str, str] = {}
    for each, name, sentence in namings:
        if each.image in sentences:
            rejected["its image has a name already"] += 1
        elif asked := _rename(each, name):
            sentences[each.image] = sentence
            without = replace(each, pair=each.id)
            pairs += [without, replace(
                without, id=stable_id(each.id, name), question=asked, named=True,
                facts=(sentence,),
            )]  # fmt: skip
        else:
            rejected[NO_PHRASE] += 1
    return Named(tuple(pairs), sentences, dict(rejected))


def _rename(question: BenchmarkQuestion, name: str) -> str:
    """The question by the name; "" where the phrase does not stand in it once."""
    if not question.phrase:
        return ""
    phrase = re.compile(rf"(?:\b(?:the|an?)\s+)?{re.escape(question.phrase)}", re.IGNORECASE)
    asked, count = phrase.subn(lambda _: name, question.question)
    return asked if count == 1 else ""
