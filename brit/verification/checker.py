"""The deterministic checker: every aspect of a claim beside the evidence, without a model.

It compares and measures; no text it reads can give it an order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from brit.types import Aspect, Check, Claim, Finding, Mode, SentenceVerdict, Support, Verdict
from brit.verification.facts import check_fact
from brit.verification.quantities import quantities
from brit.verification.sights import (
    WORST,
    Kinds,
    check_attributes,
    check_objects,
    check_scene_text,
)
from brit.verification.statements import TEXTUAL

DETERMINISTIC = "deterministic"
NOTHING = "There was nothing to hold it against."
NO_PICTURE = "No picture was looked at."
UNSEEN = "Whether it looks like the real one, only a model that sees pictures can judge."


def check_claim(
    claim: Claim,
    findings: Sequence[Finding],
    looked: Kinds,
    mode: Mode = "image-to-text",
    *,
    seeing: bool = True,
) -> Verdict:
    """The verdict of the checks. `looked`: the kinds of evidence that were looked for; `seeing`:
    whether there was a picture to look at."""
    checks = tuple(
        _check(aspect, claim, findings, looked, mode, seeing) for aspect in claim.aspects
    )
    if combine(checks) == "unverifiable" and mode == "image-to-text" and _counts(claim, findings):
        checks += (check_fact(claim, findings),)
    support = combine(checks)
    deciding = [each for each in checks if each.support == support] or list(checks)
    return Verdict(
        claim=claim,
        support=support,
        reason=" ".join(dict.fromkeys(each.reason for each in deciding)),
        evidence=tuple(dict.fromkeys(i for each in deciding for i in each.evidence)),
        checked=support,
        checks=checks,
    )


def _counts(claim: Claim, findings: Sequence[Finding]) -> bool:
    """Whether a claim about things to be seen has numbers that text may confirm or deny."""
    read = any(each.kind in TEXTUAL for each in findings)
    return read and "fact" not in claim.aspects and bool(quantities(claim.text))


def _check(
    aspect: Aspect,
    claim: Claim,
    findings: Sequence[Finding],
    looked: Kinds,
    mode: Mode,
    seeing: bool,
) -> Check:
    if not seeing and aspect in ("object", "attribute"):
        return Check(aspect, "unverifiable", NO_PICTURE)
    if aspect == "object":
        return check_objects(claim, findings, looked)
    if aspect == "attribute":
        return check_attributes(claim, findings)
    if aspect == "scene-text":
        return check_scene_text(claim, findings, looked)
    if not looked and not findings:
        return Check("fact", "unverifiable", NOTHING)
    fact = check_fact(claim, findings)
    if mode == "image-to-text":
        return fact
    # There the question is whether what was drawn looks like the real thing.
    return replace(fact, support="unverifiable", reason=UNSEEN if seeing else NO_PICTURE)


def combine(checks: Sequence[Check]) -> Support:
    """One contradiction is enough. Text that says all of a claim supports it even where the picture
    could not be looked at; letters read in the picture need no text beside them; otherwise every
    aspect must be supported."""
    supports = {each.aspect: each.support for each in checks}
    if "contradicted" in supports.values():
        return "contradicted"
    if supports.get("fact") == "supported":
        return "supported"
    if supports.get("scene-text") == "supported":
        supports.pop("fact", None)
    return "supported" if set(supports.values()) == {"supported"} else "unverifiable"


def judge_sentences(text: str, verdicts: Sequence[Verdict]) -> tuple[SentenceVerdict, ...]:
    """Each sentence with the worst of its claims' verdicts, in the order of the text."""
    by_place: dict[tuple[int, int], list[int]] = {}
    for position, verdict in enumerate(verdicts):
        by_place.setdefault((verdict.claim.start, verdict.claim.end), []).append(position)
    return tuple(
        SentenceVerdict(
            start,
            end,
            text[start:end],
            min((verdicts[i].support for i in held), key=WORST.index),
            tuple(held),
        )
        for (start, end), held in sorted(by_place.items())
    )
