"""A text → claims → evidence → verdicts, with a judge or without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from brit.errors import MalformedReply, TooLong
from brit.models import EvidenceTool, LanguageModel
from brit.types import Claim, Finding, Mode, ToolReport, Verification
from brit.verification.checker import DETERMINISTIC, check_claim, judge_sentences
from brit.verification.claims import NamePhrases, ask_claims, cut_claims, read_claim
from brit.verification.judge import judge_claims
from brit.verification.subjects import with_subjects
from brit.verification.tools import gather_findings

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

NO_CLAIMS = "The text states nothing that can be checked."
NO_JUDGE = (
    "No judge model is configured: numbers, names, units, colours and text in pictures were "
    "compared with the evidence, nothing was understood."
)


@dataclass(frozen=True)
class Sights:
    """The pictures a text is held against: pixels for the tools, data URLs for the judge, ids."""

    pictures: Sequence[Picture] = ()
    urls: Sequence[str] = ()
    ids: Sequence[str] = ()

    def named(self, finding: Finding) -> Finding:
        """With the id of the picture it was made in as its source."""
        if finding.picture is None:
            return finding
        return replace(finding, source=self.ids[finding.picture])


def verify_text(
    text: str,
    *,
    mode: Mode,
    tools: Sequence[EvidenceTool],
    name_phrases: NamePhrases,
    sights: Sights = Sights(),
    model: LanguageModel | None = None,
    claims: Sequence[str] | None = None,
    of_picture: bool = True,
    missing: Sequence[ToolReport] = (),
    strict: bool = False,
) -> Verification:
    """Verdicts on the claims of a text, or on the claims given.

    `of_picture`: the whole text is about the pictures, else only what says so is. `missing` are
    reports on tools that are not at hand. Without `model`, or where its replies cannot be used, the
    deterministic checker decides. Raises ModelError for what every request would suffer.
    """
    spent = model.usage if model else {}
    cut, notes = _claims(text, claims, model, mode, name_phrases, of_picture)
    found, reports, looked = gather_findings(cut, sights.pictures, tools)
    findings = [sights.named(finding) for finding in found]
    verdicts = [
        check_claim(claim, findings, looked, mode, seeing=bool(sights.pictures)) for claim in cut
    ]
    judge = DETERMINISTIC
    if not cut:
        notes.append(NO_CLAIMS)
    elif model is None:
        notes.append(NO_JUDGE)
    elif verdicts and (findings or sights.urls):
        judge = model.name
        verdicts, said = judge_claims(verdicts, findings, model, mode, urls=sights.urls)
        notes += said
        if sights.urls and not model.accepts_images:
            notes.append(f"«{model.name}» takes no pictures: none was shown to it.")
    return Verification(
        text=text,
        mode=mode,
        sentences=judge_sentences(text, verdicts),
        verdicts=tuple(verdicts),
        findings=tuple(findings),
        tools=(*reports, *missing),
        judge=judge,
        strict=strict,
        notes=tuple(notes),
        usage={kind: n - spent.get(kind, 0) for kind, n in (model.usage if model else {}).items()},
    )


def _claims(
    text: str,
    given: Sequence[str] | None,
    model: LanguageModel | None,
    mode: Mode,
    name_phrases: NamePhrases,
    of_picture: bool,
) -> tuple[list[Claim], list[str]]:
    """The claims, and notes on how they came about."""
    if given is not None:
        told = [read_claim(each, name_phrases, of_picture=of_picture) for each in given]
        return list(with_subjects(told, name_phrases)), []
    notes: list[str] = []
    if model is not None:
        try:
            return ask_claims(text, model, mode), notes
        except (MalformedReply, TooLong) as error:
            notes.append(f"{error} The text was cut into claims by sentence and clause.")
    cut = cut_claims(text, name_phrases, of_picture=of_picture)
    return list(with_subjects(cut, name_phrases)), notes
