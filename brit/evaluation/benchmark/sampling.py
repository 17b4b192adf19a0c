"""Which image, of which document, a question is made for (§4.1)."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from brit.evaluation.benchmark.material import Material
from brit.evaluation.benchmark.records import Source
from brit.evaluation.questions import Kind
from brit.types import Image

MIN_IMAGES = 3
SHARES: dict[tuple[Kind, Source], int] = {
    ("text-image", "caption"): 1,
    ("text-image", "section"): 1,
    ("image-text", "caption"): 1,
    ("image-text", "section"): 1,
    ("image-image", "picture"): 1,
}
"""The paper's 100 of each for 100 documents."""


@dataclass(frozen=True)
class Slot:
    """A question of this type and source is wanted for this image."""

    document: Material
    image: Image
    type: Kind
    source: Source


def fit_documents(documents: Sequence[Material]) -> list[Material]:
    """Those with at least 3 images and 1 section."""
    return [each for each in documents if len(each.images) >= MIN_IMAGES and each.sections]


def quotas(count: int) -> dict[tuple[Kind, Source], int]:
    """`count` questions in the paper's shares; the first get what does not divide."""
    each, rest = divmod(count, len(SHARES))
    return {key: each + (at < rest) for at, key in enumerate(SHARES)}


def draw_slots(documents: Sequence[Material], seed: int) -> Iterator[Slot]:
    """Rounds over the documents: in each a random image a question type, three in all, asked about
    by its caption and by its section; images with a confirmed link come before all others. A
    document that has had all its images is passed over; the next images come in the next round, so
    that a set larger than the paper's can be drawn."""
    generator = random.Random(seed)
    shuffled = [(each, _shuffle(each, generator)) for each in documents]
    types = list(dict.fromkeys(type for type, _ in SHARES))
    for turn in range(max((len(images) for _, images in shuffled), default=0)):
        for document, images in shuffled:
            if turn < len(images):
                for type, source in SHARES:
                    image = images[(turn + types.index(type)) % len(images)]
                    yield Slot(document, image, type, source)


def _shuffle(document: Material, generator: random.Random) -> list[Image]:
    images = generator.sample(document.askable, len(document.askable))
    return sorted(images, key=lambda image: image.id not in document.confirmed)
