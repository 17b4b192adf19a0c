"""Evidence tools: each looks for one kind of evidence on all claims at once.

What documents and models say leaves here on one line, without control characters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from brit.errors import BritError
from brit.models import EvidenceTool, ObjectDetector, SceneTextReader
from brit.types import Claim, Finding, FindingKind, Retrieval, ToolReport
from brit.verification.colours import COLOURS, colour_share
from brit.verification.facts import is_related
from brit.verification.wording import one_line

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

Pictures = Sequence["Picture"]


class ObjectTool:
    """Boxes of the objects that claims name, and the claimed colours inside them."""

    name = "object detection"
    kinds: frozenset[FindingKind] = frozenset(("object",))

    def __init__(self, detector: ObjectDetector) -> None:
        self._detector = detector

    def look(self, claims: Sequence[Claim], pictures: Pictures) -> list[Finding]:
        things = {thing for claim in claims for thing in claim.objects}
        names = sorted({thing.name for thing in things})
        found: list[Finding] = []
        for position, picture in enumerate(pictures if names else ()):
            for name, box, score in self._detector.detect(picture, names):
                found.append(Finding("object", name, box, position, score=score))
                colours = {each.colour for each in things if each.name == name}
                for colour in sorted(colours & COLOURS):
                    share = colour_share(picture, colour, box)
                    found.append(
                        Finding("colour", colour, box, position, score=share, subject=name)
                    )
        return found


class ColourTool:
    """The claimed colours' shares of whole pictures: enough to say that one is missing."""

    name = "colours"
    kinds: frozenset[FindingKind] = frozenset(("colour",))

    def look(self, claims: Sequence[Claim], pictures: Pictures) -> list[Finding]:
        colours = dict.fromkeys(
            thing.colour for claim in claims for thing in claim.objects if thing.colour in COLOURS
        )
        return [
            Finding("colour", colour, None, position, score=colour_share(picture, colour))
            for position, picture in enumerate(pictures)
            for colour in colours
        ]


class SceneTextTool:
    """The text inside the pictures, read where a claim is about a picture."""

    name = "scene text"
    kinds: frozenset[FindingKind] = frozenset(("scene-text",))

    def __init__(self, reader: SceneTextReader) -> None:
        self._reader = reader

    def look(self, claims: Sequence[Claim], pictures: Pictures) -> list[Finding]:
        if not any(set(claim.aspects) - {"fact"} for claim in claims):
            return []
        return [
            Finding("scene-text", one_line(text), box, position, score=confidence)
            for position, picture in enumerate(pictures)
            for text, box, confidence in self._reader.read_text(picture)
        ]


class KnowledgeTool:
    """The retrieved passages and triplets, captions and stored scene text of retrieved images."""

    name = "knowledge"
    kinds: frozenset[FindingKind] = frozenset(("passage", "triplet", "caption"))

    def __init__(self, retrieval: Retrieval, *, related_only: bool = False) -> None:
        """`related_only`: leave out what shares neither names nor words with any claim."""
        self._retrieval = retrieval
        self._related_only = related_only

    def look(self, claims: Sequence[Claim], pictures: Pictures) -> list[Finding]:
        del pictures
        found = [each for each in self._all() if each.text]
        if not self._related_only:
            return found
        return [each for each in found if any(is_related(claim, each) for claim in claims)]

    def _all(self) -> Iterator[Finding]:
        found = self._retrieval
        for passage in found.passages:
            about = one_line(f"{passage.document} {passage.section}")
            yield Finding("passage", one_line(passage.text), None, None, passage.id,
                          passage.document, passage.page, passage.score, about)  # fmt: skip
        told = " ".join(one_line(passage.text) for passage in found.passages)
        for triplet in found.triplets:
            if (sentence := one_line(triplet.text)) and sentence not in told:
                yield Finding("passage", sentence, None, None, triplet.edge,
                              triplet.document, triplet.page, triplet.score)  # fmt: skip
            said = one_line(f"{triplet.subject} {triplet.relation} {triplet.object}.")
            yield Finding("triplet", said, None, None, triplet.edge,
                          triplet.document, triplet.page, triplet.score)  # fmt: skip
        for image in found.images:
            place = (image.id, image.document, image.page, image.score)
            about = one_line(f"{image.document} {image.section}")
            yield Finding("caption", one_line(image.caption), None, None, *place, about)
            yield Finding("scene-text", one_line(image.text), None, None, *place, about)


def gather_findings(
    claims: Sequence[Claim], pictures: Pictures, tools: Sequence[EvidenceTool]
) -> tuple[list[Finding], list[ToolReport], frozenset[FindingKind]]:
    """All findings, what each tool contributed, and the kinds of evidence that were looked for.

    A tool that cannot look costs its own evidence only, and says why.
    """
    findings: list[Finding] = []
    reports: list[ToolReport] = []
    looked: set[FindingKind] = set()
    for tool in tools:
        try:
            found = tool.look(claims, pictures)
        except BritError as error:
            reports.append(ToolReport(tool.name, note=str(error)))
            continue
        findings += found
        looked |= tool.kinds
        reports.append(ToolReport(tool.name, len(found)))
    return findings, reports, frozenset(looked)
