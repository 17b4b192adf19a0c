"""When an answer of the retrieval counts: image hit, text hit, recall of pages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from brit.evaluation.questions import Question
from brit.types import BBox, RetrievedImage, RetrievedPage, RetrievedPassage, RetrievedTriplet

TOP_IMAGES = 2
MIN_IOU = 0.3
WORD_BUDGET = 300
MIN_SHARE = 0.8
PAGE_CUTS = (1, 3, 5)
IMAGE_TYPES = ("text-image", "image-image")
TEXT_TYPE = "image-text"
_WORD = re.compile(r"\w+")


def iou(a: BBox, b: BBox) -> float:
    """Intersection over union of two boxes."""
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    shared = max(width, 0.0) * max(height, 0.0)
    areas = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (a, b))
    return shared / (areas - shared) if areas > shared else 0.0


def image_hit(
    question: Question, images: Sequence[RetrievedImage], *, whole_pages: bool = False
) -> bool:
    """Among the first 2 images one lies on the evidence page with IoU ≥ 0.3, or has its name.

    Of `whole_pages` the picture of the evidence page counts: whoever looks at it sees the image,
    though with all that stands around it.
    """
    return any(_is_evidence(question, image, whole_pages) for image in images[:TOP_IMAGES])


def _is_evidence(question: Question, image: RetrievedImage, whole_page: bool) -> bool:
    if question.image_name:
        return image.name == question.image_name
    same_page = image.document == question.document and image.page == question.page
    if not same_page or question.bbox is None:
        return False
    if whole_page:
        return True
    return image.bbox is not None and iou(image.bbox, question.bbox) >= MIN_IOU


@dataclass(frozen=True)
class Share:
    """How much of the evidence a text holds, all of it counted; `within`: enough of it stands
    within the first 300 words returned."""

    share: float
    within: bool


def text_shares(evidence: str, texts: Sequence[str]) -> list[Share]:
    """Of the distinct words of the evidence, text by text."""
    wanted, left = set(_WORD.findall(evidence.lower())), WORD_BUDGET
    shares = []
    for text in texts:
        words = text.split()
        counted, whole = (_share(wanted, part) for part in (words[:left], words))
        shares.append(Share(whole, counted >= MIN_SHARE))
        left -= min(len(words), left)
    return shares


def _share(wanted: set[str], words: Sequence[str]) -> float:
    found = wanted & set(_WORD.findall(" ".join(words).lower()))
    return len(found) / len(wanted) if wanted else 0.0


def text_hit(evidence: str, texts: Sequence[str]) -> bool:
    """0.8 of the distinct words of the evidence stand in one text within the first 300 words."""
    return any(each.within for each in text_shares(evidence, texts))


def returned_texts(
    passages: Sequence[RetrievedPassage], triplets: Sequence[RetrievedTriplet]
) -> list[str]:
    """Passages, then the texts of triplets, each once, in the order given."""
    texts = [each.text for each in passages] + [each.text for each in triplets]
    return list(dict.fromkeys(texts))


def page_recall(question: Question, pages: Sequence[RetrievedPage]) -> dict[str, float]:
    """Share of the evidence pages among the first 1, 3, 5 pages; a page of another document is
    none of them."""
    wanted = set(question.pages)
    return {
        str(cut): len(wanted & {p.page for p in pages[:cut] if p.document == question.document})
        / len(wanted)
        for cut in PAGE_CUTS
    }


def score(
    question: Question,
    images: Sequence[RetrievedImage] | None,
    texts: Sequence[str] | None,
    pages: Sequence[RetrievedPage] | None,
    *,
    whole_pages: bool = False,
) -> dict[str, float]:
    """Measure → value for one question: `image` of text-image and image-image questions, `text` of
    image-text ones, `page@1`, `page@3`, `page@5` of page questions that have evidence pages.
    What is None was not returned and is not measured."""
    if question.kind in IMAGE_TYPES and images is not None:
        return {"image": float(image_hit(question, images, whole_pages=whole_pages))}
    if question.kind == TEXT_TYPE and texts is not None:
        return {"text": float(text_hit(question.evidence_text, texts))}
    if question.pages and pages is not None:
        return {f"page@{cut}": share for cut, share in page_recall(question, pages).items()}
    return {}
