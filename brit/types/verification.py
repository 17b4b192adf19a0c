"""Claims of a text, the evidence that speaks to them, and what was made of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from brit.types.basics import BBox

Mode = Literal["image-to-text", "text-to-image"]
Aspect = Literal["object", "attribute", "scene-text", "fact"]
ASPECTS: tuple[Aspect, ...] = ("object", "attribute", "scene-text", "fact")
Support = Literal["supported", "contradicted", "unverifiable"]
Label = Literal["hallucination", "non-hallucination"]
LABELS: tuple[Label, ...] = ("hallucination", "non-hallucination")
FindingKind = Literal["object", "scene-text", "colour", "passage", "triplet", "caption", "search"]


@dataclass(frozen=True)
class NamedObject:
    """A thing a claim says a picture shows. `count` is the number said, None where none is («a
    dog», «dogs»), 0 for «no dog»; `colour` is one of the basic colour words, or ""."""

    name: str
    count: int | None = None
    colour: str = ""


@dataclass(frozen=True)
class Claim:
    """One statement. `start` and `end` are the characters of the sentence it was cut from.

    `objects` and `quotes` (text said to stand in the picture) are what the tools look for;
    `subject` is what a pronoun at its beginning stands for, as the text calls it, or "".
    """

    text: str
    start: int = 0
    end: int = 0
    aspects: tuple[Aspect, ...] = ("fact",)
    objects: tuple[NamedObject, ...] = ()
    quotes: tuple[str, ...] = ()
    subject: str = ""


@dataclass(frozen=True)
class Finding:
    """One piece of evidence.

    `box` is in fractions of the picture's sides; `picture` the position among the pictures given;
    `source` the id of passage, edge or image, or a web address. Of a colour, `text` is its name,
    `subject` the object it was measured on ("" for the whole picture) and `score` its share.
    """

    kind: FindingKind
    text: str
    box: BBox | None = None
    picture: int | None = None
    source: str = ""
    document: str = ""
    page: int | None = None
    score: float | None = None
    subject: str = ""


@dataclass(frozen=True)
class ToolReport:
    """What one tool contributed; `note` says why it could not look, "" if it could."""

    tool: str
    findings: int = 0
    note: str = ""


@dataclass(frozen=True)
class Check:
    """One aspect of a claim beside the evidence; `evidence` are positions in the findings."""

    aspect: Aspect
    support: Support
    reason: str
    evidence: tuple[int, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """`support` is the judge's word where a model judged, else that of the checks.

    `checks` are always those of the deterministic checker, which no text can talk to; `checked` is
    what they come to.
    """

    claim: Claim
    support: Support
    reason: str
    evidence: tuple[int, ...]
    checked: Support
    checks: tuple[Check, ...] = ()
    judged: bool = False

    def label(self, strict: bool = False) -> Label:
        """No conflict is no hallucination; strictly, what nothing speaks for is one."""
        if self.support == "contradicted" or (strict and self.support == "unverifiable"):
            return "hallucination"
        return "non-hallucination"


@dataclass(frozen=True)
class SentenceVerdict:
    """The worst verdict of a sentence's claims; `verdicts` are positions in the verification."""

    start: int
    end: int
    text: str
    support: Support
    verdicts: tuple[int, ...]


@dataclass(frozen=True)
class Verification:
    """`judge` is the model's name, or "deterministic"; `notes` are said on the page."""

    text: str
    mode: Mode
    sentences: tuple[SentenceVerdict, ...]
    verdicts: tuple[Verdict, ...]
    findings: tuple[Finding, ...]
    tools: tuple[ToolReport, ...]
    judge: str
    strict: bool = False
    notes: tuple[str, ...] = ()
    usage: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Grade:
    """A score from 1 to 5, None where no reply held one (`problem` then says so)."""

    score: int | None
    feedback: str
    attempts: int
    problem: str = ""
