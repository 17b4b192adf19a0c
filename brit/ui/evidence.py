"""What a question brought to light, as one numbered row a person can walk through.

Cited passages and pictures come first, in the order of their markers; then the other pictures, the
other passages, and the triplets: what is asked for with a click on a chip, a picture or a node.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from brit.types import (
    Answer,
    BBox,
    Retrieval,
    RetrievedImage,
    RetrievedPassage,
    RetrievedTriplet,
)
from brit.ui.pictures import picture_name
from brit.ui.safe import one_line, soften_markdown
from brit.ui.wording import dotted, page_of, t

EvidenceKind = Literal["passage", "image", "triplet"]
# How a citation looks in the text of an answer: [3], or [3, 4].
MARKER = re.compile(r"\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\]")
_CITED = re.compile(rf"\s*{MARKER.pattern}")
# Private characters keep the places of markers while the text around them is made inert.
_OPEN, _CLOSE, _MARK = "\ue000", "\ue001", "\ue002"
_PRIVATE = str.maketrans(dict.fromkeys((_OPEN, _CLOSE, _MARK), " "))
_MARK_SLOT = re.compile(rf"{_MARK}(\d+){_MARK}")
_SLOT = re.compile(rf"[ \t]*{_OPEN}([\d,; ]+){_CLOSE}")


@dataclass(frozen=True)
class Evidence:
    """One place in a document. `key` is unique within a turn; `marker` 0 means: not cited;
    `generated` is a model's description, which the document does not say; `score` means nothing
    where `scored` is not set."""

    key: str
    kind: EvidenceKind
    marker: int
    document: str
    page: int | None
    bbox: BBox | None
    label: str
    text: str
    section: str
    score: float
    path: str = ""
    why: str = ""
    generated: str = ""
    document_id: str = ""
    scored: bool = True
    boxes: tuple[BBox, ...] = ()  # what was found inside the picture, in fractions of its sides


def list_evidence(retrieval: Retrieval, answer: Answer | None) -> list[Evidence]:
    """All evidence of a turn, cited first, each once."""
    markers = _markers(answer)
    found = [
        *(of_image(im, markers.get(("image", i), 0)) for i, im in enumerate(retrieval.images)),
        *(
            of_passage(p, i, markers.get(("passage", i), 0))
            for i, p in enumerate(retrieval.passages)
        ),
    ]
    cited = sorted((e for e in found if e.marker), key=lambda e: e.marker)
    rest = [e for e in found if not e.marker]
    unique: dict[str, Evidence] = {}
    for evidence in (*cited, *rest, *map(_of_triplet, retrieval.triplets)):
        unique.setdefault(evidence.key, evidence)
    return list(unique.values())


def _markers(answer: Answer | None) -> dict[tuple[str, int], int]:
    citations = answer.citations if answer else ()
    return {(c.kind, c.index): c.marker for c in reversed(citations)}


def picture_label(image: RetrievedImage) -> str:
    """What a picture is called where its document is not named beside it."""
    return picture_name(image.caption, image.name, image.page, image.document)


def why_picture(image: RetrievedImage) -> str:
    """In words, the step that led to a picture."""
    if image.reason != "text-to-image" or not image.via:
        return t("why.similar")
    return t(f"why.{image.link or 'SI'}", via=one_line(image.via, 60))


def of_image(image: RetrievedImage, marker: int = 0) -> Evidence:
    return Evidence(
        key=f"image:{image.id}", kind="image", marker=marker, document=image.document,
        page=image.page, bbox=image.bbox, label=picture_label(image),
        text=image.caption or image.text, section=image.section, score=image.score,
        path=image.path, why=why_picture(image), generated=image.description,
        document_id=image.document_id,
    )  # fmt: skip


def of_passage(passage: RetrievedPassage, index: int = 0, marker: int = 0) -> Evidence:
    return Evidence(
        key=f"passage:{passage.id or index}", kind="passage", marker=marker,
        document=passage.document, page=passage.page, bbox=passage.bbox,
        label=one_line(passage.text, 80), text=passage.text, section=passage.section,
        score=passage.score, document_id=passage.document_id,
    )  # fmt: skip


def _of_triplet(triplet: RetrievedTriplet) -> Evidence:
    said = f"{triplet.subject} {triplet.relation} {triplet.object}"
    return Evidence(
        key=f"triplet:{triplet.edge or said}", kind="triplet", marker=0,
        document=triplet.document, page=triplet.page, bbox=triplet.bbox,
        label=one_line(said), text=triplet.text, section="", score=triplet.score,
        why=t("why.triplet", said=one_line(said)), document_id=triplet.document_id,
    )  # fmt: skip


def evidence_of_node(retrieval: Retrieval, node: str) -> list[str]:
    """The keys of the triplets that touch a textual node of the sub-graph."""
    edges = {e.id for e in retrieval.trace.edges if node in (e.source, e.target)}
    return [_of_triplet(tr).key for tr in retrieval.triplets if tr.edge and tr.edge in edges]


def place(evidence: Evidence) -> str:
    """«Brochure.pdf · p. 62»."""
    return dotted(one_line(evidence.document, 60), page_of(evidence.page))


def answer_markdown(text: str, answer: Answer | None, marks: Sequence[tuple[int, str]] = ()) -> str:
    """The answer as Markdown that obeys nobody, with its citation markers as badges.

    Without an `answer` the text is still being written, and what a marker stands for unknown.
    `marks` are our own Markdown, each set where in the text it belongs.
    """
    kinds = {c.marker: c.kind for c in answer.citations} if answer else None
    bare = text.translate(_PRIVATE)
    for number, (at, _) in sorted(enumerate(marks), key=lambda each: -each[1][0]):
        bare = f"{bare[:at]}{_MARK}{number}{_MARK}{bare[at:]}"
    softened = soften_markdown(MARKER.sub(rf"{_OPEN}\1{_CLOSE}", bare))
    badged = _SLOT.sub(lambda m: _badges(m[1], kinds), softened)
    return _MARK_SLOT.sub(lambda m: f"\u00a0{marks[int(m[1])][1]}", badged)


def without_markers(text: str) -> str:
    """A sentence of an answer without its citations, bullet and emphasis."""
    bare = _CITED.sub("", text).replace("**", "").strip()
    return bare.removeprefix("- ").removeprefix("* ").strip()


def _badges(numbers: str, kinds: dict[int, Literal["passage", "image"]] | None) -> str:
    return "".join(f" {_badge(int(n), kinds)}" for n in re.findall(r"\d+", numbers))


def _badge(number: int, kinds: dict[int, Literal["passage", "image"]] | None) -> str:
    if kinds is not None and number not in kinds:
        return rf"\[{number}\]"
    if kinds is not None and kinds[number] == "image":
        return f":green-badge[:material/image: {number}]"
    return f":blue-badge[{number}]"
