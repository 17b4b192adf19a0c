"""What a retrieval found, numbered and cut to what a model can read (§3.3)."""

from __future__ import annotations

import base64
import io
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from brit.generation.citations import defuse_markers
from brit.types import Citation, Retrieval, RetrievedImage, RetrievedTriplet, stable_id

# Where a model's context is not known: evidence, question, rules and answer together stay below the
# 4,096 tokens that local servers give.
EVIDENCE_TOKENS = 2400
PICTURE_TOKENS = 1500  # at most, for 1,024 pixels a side
IMAGE_PIXELS = 1024
SCENE_WORDS = 60

ReadImage = Callable[[RetrievedImage], bytes]


@dataclass(frozen=True)
class Evidence:
    """The first `passages`, `images` and `triplets` of a retrieval, as many as fit.

    Passages are numbered from 1, images go on from there.
    """

    retrieval: Retrieval
    passages: int
    images: int
    triplets: int

    @property
    def citations(self) -> dict[int, Citation]:
        """Every number an answer may cite."""
        found = self.retrieval
        cited: dict[int, Citation] = {}
        for index, passage in enumerate(found.passages[: self.passages]):
            place = (passage.document, passage.page, passage.bbox)
            cited[index + 1] = Citation(index + 1, "passage", *place, index)
        for index, image in enumerate(found.images[: self.images]):
            number = self.image_number(index)
            place = (image.document, image.page, image.bbox)
            cited[number] = Citation(number, "image", *place, index)
        return cited

    def image_number(self, index: int) -> int:
        return self.passages + index + 1

    @property
    def left_out(self) -> str:
        """A sentence about what did not fit; "" if all did."""
        found = self.retrieval
        rest = {
            "passage": len(found.passages) - self.passages,
            "picture": len(found.images) - self.images,
            "fact": len(found.triplets) - self.triplets,
        }
        told = [f"{n} {kind}{'s' if n > 1 else ''}" for kind, n in rest.items() if n]
        if not told:
            return ""
        return f"Left out, since the model's context is full: {', '.join(told)} of lower rank."

    def passage_lines(self) -> list[str]:
        passages = self.retrieval.passages[: self.passages]
        return [
            f"[{number}] ({where(passage.document, passage.page)}) {plain(passage.text)}"
            for number, passage in enumerate(passages, start=1)
        ]

    def image_lines(self) -> list[str]:
        images = self.retrieval.images[: self.images]
        return [
            f"[{self.image_number(index)}] ({where(image.document, image.page)}) {_told(image)}"
            for index, image in enumerate(images)
        ]

    def triplet_lines(self) -> list[str]:
        """Sentences of subject, relation and object, with the number of the passage they are from.

        The line's end is the delimiter of §3.3.
        """
        return [self._triplet_line(t) for t in self.retrieval.triplets[: self.triplets]]

    def _triplet_line(self, triplet: RetrievedTriplet) -> str:
        passages = self.retrieval.passages[: self.passages]
        source = plain(triplet.text)
        numbers = (
            f" [{number}]"
            for number, passage in enumerate(passages, start=1)
            if source and passage.document == triplet.document and source in plain(passage.text)
        )
        return f"{fact(triplet)} ({where(triplet.document, triplet.page)}){next(numbers, '')}"

    @property
    def tokens(self) -> int:
        """An upper estimate, without the pixels of pictures."""
        return sum(map(estimate_tokens, self._lines()))

    @property
    def fence(self) -> str:
        """Marks where document text begins and ends: a hash of it, which it cannot hold itself."""
        return f"evidence {stable_id(self.retrieval.question, *self._lines())}"

    def _lines(self) -> list[str]:
        return [*self.triplet_lines(), *self.passage_lines(), *self.image_lines()]


def gather_evidence(retrieval: Retrieval, tokens: int = EVIDENCE_TOKENS) -> Evidence:
    """As much as fits into `tokens`, by rank: pictures' captions, then passages, then triplets."""
    whole = Evidence(
        retrieval, len(retrieval.passages), len(retrieval.images), len(retrieval.triplets)
    )
    images, left = _fitting(whole.image_lines(), tokens)
    passages, left = _fitting(whole.passage_lines(), left)
    triplets, _ = _fitting(whole.triplet_lines(), left)
    return Evidence(retrieval, passages, images, triplets)


def _fitting(lines: Sequence[str], tokens: int) -> tuple[int, int]:
    """How many of the first lines fit, and the tokens left after them."""
    for count, line in enumerate(lines):
        cost = estimate_tokens(line)
        if cost > tokens:
            return count, tokens
        tokens -= cost
    return len(lines), tokens


def estimate_tokens(text: str) -> int:
    """An upper estimate for any script: 3 bytes of UTF-8 a token, one Chinese character each."""
    return len(text.encode("utf-8", "replace")) // 3 + 1


def plain(text: str) -> str:
    """Text of a document on one line: no control marks, nothing that looks like our citations."""
    kept = (" " if unicodedata.category(c) in ("Cc", "Cf", "Cs") else c for c in text)
    return defuse_markers(" ".join("".join(kept).split()))


def where(document: str, page: int | None) -> str:
    return plain(document) + (f", page {page}" if page is not None else "")


def fact(triplet: RetrievedTriplet) -> str:
    return f"{plain(triplet.subject)} {plain(triplet.relation)} {plain(triplet.object)}."


def _told(image: RetrievedImage) -> str:
    scene = " ".join(plain(image.text).split()[:SCENE_WORDS])
    told = {
        "Caption": plain(image.caption),
        "Section": plain(image.section),
        "Text in the picture": scene,
        "Generated description": plain(image.description),
    }
    return " ".join(f"{name}: {text}." for name, text in told.items() if text) or "No caption."


def to_data_url(picture: bytes) -> str:
    """A JPEG of at most 1,024 pixels a side, on white. Raises OSError if unreadable."""
    from PIL import Image

    with Image.open(io.BytesIO(picture)) as image:
        image.thumbnail((IMAGE_PIXELS, IMAGE_PIXELS))
        layer = image.convert("RGBA")
    flat = Image.new("RGBA", layer.size, "white")
    flat.alpha_composite(layer)
    file = io.BytesIO()
    flat.convert("RGB").save(file, "JPEG", quality=85)
    return "data:image/jpeg;base64," + base64.b64encode(file.getvalue()).decode("ascii")
