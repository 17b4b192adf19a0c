"""The evidence behind a verdict, as a row that the evidence dialog walks through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from brit.errors import UnknownName
from brit.types import Answer, Finding, Retrieval, RetrievedImage, RetrievedPassage, Verification
from brit.ui.evidence import Evidence, list_evidence, of_image, of_passage
from brit.ui.safe import one_line
from brit.ui.state import Place
from brit.ui.wording import t


def evidence_behind(
    place: Place,
    retrieval: Retrieval,
    answer: Answer | None,
    verification: Verification,
    verdicts: Sequence[int],
) -> list[Evidence]:
    """What these verdicts rest on, each place once, cited first; boxes of one picture together."""
    known = {each.key: each for each in list_evidence(retrieval, answer)}
    found: dict[str, Evidence] = {}
    for verdict in (verification.verdicts[i] for i in verdicts):
        for finding in (verification.findings[i] for i in verdict.evidence):
            if each := _evidence(place, known, finding):
                before = found.get(each.key, each)
                boxes = dict.fromkeys((*before.boxes, *each.boxes))
                found[each.key] = replace(each, why=verdict.reason, boxes=tuple(boxes))
    return sorted(found.values(), key=lambda each: not each.marker)


def _evidence(place: Place, known: Mapping[str, Evidence], finding: Finding) -> Evidence | None:
    """None for what stands in no document: a search engine's words."""
    if finding.kind in ("passage", "triplet"):
        key = f"{finding.kind}:{finding.source}"
        return known.get(key) or _stored(place, key, finding)
    if not finding.source or finding.kind == "search":
        return None
    key = f"image:{finding.source}"
    shown = known.get(key) or _stored(place, key, finding)
    if shown is None or finding.picture is None:
        return shown
    return replace(
        shown,
        key=f"seen:{finding.source}",
        text=measured(finding) or t("verify.seen", what=one_line(finding.text, 80)),
        boxes=(finding.box,) if finding.box else (),
    )


def measured(finding: Finding) -> str:
    """«12% of the float is yellow»; "" for what is no measured colour."""
    if finding.kind != "colour":
        return ""
    what = one_line(finding.subject, 40)
    return t(
        "verify.colour",
        share=f"{finding.score or 0:.0%}",
        colour=finding.text,
        what=t("verify.thing", name=what) if what else t("verify.whole"),
    )


def _stored(place: Place, key: str, finding: Finding) -> Evidence | None:
    """What a wider search brought up: not in the turn's retrieval, but in the workspace."""
    content = place.workspace.content
    score = finding.score or 0.0
    with suppress(UnknownName):  # deleted since: what it said is still there to read
        if finding.kind == "passage":
            passage = content.passage(finding.source)
            said = RetrievedPassage(finding.document, passage.page, passage.bbox, passage.text,
                                    score, passage.id, document_id=passage.document)  # fmt: skip
            return of_passage(said)
        if key.startswith("image:"):
            image = content.image(finding.source)
            path = str(place.workspace.images.path(image.file)) if image.file else ""
            return of_image(
                RetrievedImage(image.id, image.name, finding.document, image.page, image.bbox,
                               path, image.caption, score, "similarity", None, None,
                               image.section_title, image.text, document_id=image.document)
            )  # fmt: skip
    return Evidence(
        key=key, kind="triplet", marker=0, document=finding.document, page=finding.page, bbox=None,
        label=one_line(finding.text, 80), text=finding.text, section="", score=score,
    )  # fmt: skip
