"""What «it» stands for: the subject of the statement before."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from brit.types import Claim
from brit.verification.wording import is_function, words

_PRONOUN = re.compile(r"(?:it|its|he|his|she|they|their|es|er|sie|sein|seine)\b", re.IGNORECASE)


def with_subjects(
    claims: Sequence[Claim], name_phrases: Callable[[str], list[str]]
) -> Iterator[Claim]:
    """The claims of one text, in order; those that begin with a pronoun get the last subject."""
    last = ""
    for claim in claims:
        if _PRONOUN.match(claim.text):
            yield replace(claim, subject=last)
        else:
            last = _subject(claim.text, name_phrases)
            yield claim


def stated(claim: Claim) -> str:
    """«It weighs 8 kg» of the Ossimar → «The Ossimar weighs 8 kg»."""
    if not claim.subject:
        return claim.text
    return f"The {claim.subject}{_PRONOUN.sub('', claim.text, count=1)}"


def _subject(text: str, name_phrases: Callable[[str], list[str]]) -> str:
    """The phrase that the text begins with, as written there; "" if it begins with none."""
    folded = text.casefold()
    if len(folded) != len(text):
        return ""
    placed = [(folded.find(each.casefold()), len(each)) for each in name_phrases(text)]
    found = [(start, -length) for start, length in placed if start >= 0]
    if not found:
        return ""
    start, length = min(found)
    leads = all(is_function(word) for word in words(text[:start]))
    return text[start : start - length] if leads else ""
