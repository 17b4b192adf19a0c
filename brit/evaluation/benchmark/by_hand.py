"""Pairs of NEA (§4.3) that a person made: a file of questions, phrases, names and sentences.

A line is a JSON object: `doc`, `page` and `bbox` (points, origin top left) of the picture asked
about, `question`, the `phrase` in it that tells which picture is meant, the imaginary `name` that
takes the place of the phrase, and the `sentence` that relates the two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import ConfigDict, Field, StringConstraints, TypeAdapter
from pydantic.dataclasses import dataclass as checked_dataclass

from brit.errors import InputError
from brit.evaluation.benchmark.material import Material
from brit.evaluation.benchmark.naming import Named, Naming, is_new, pair_up
from brit.evaluation.benchmark.records import BenchmarkQuestion
from brit.evaluation.lines import read_lines, reason
from brit.evaluation.metrics import MIN_IOU, iou
from brit.types import BBox, Image, stable_id

NO_DOCUMENT = "its document is not in the collection"
NO_IMAGE = "its picture was not found in the document"
KNOWN_NAME = "its name is a word already"
_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


@checked_dataclass(frozen=True, config=ConfigDict(extra="forbid", allow_inf_nan=False))
class HandPair:
    doc: _Text
    page: Annotated[int, Field(ge=1)]
    bbox: BBox
    question: _Text
    phrase: _Text
    name: _Text
    sentence: _Text


_PAIR = TypeAdapter(HandPair)


def read_pairs(path: Path) -> list[HandPair]:
    """Raises InputError, which names the line, for a file that is not of this form."""
    pairs = []
    for number, line in read_lines(path, "file of pairs"):
        try:
            pairs.append(_whole(_PAIR.validate_json(line)))
        except ValueError as error:
            raise InputError(f"Line {number} of “{path}” is no pair: {reason(error)}.") from error
    if not pairs:
        raise InputError(f"The file “{path}” holds no pairs.")
    return pairs


def _whole(pair: HandPair) -> HandPair:
    """Raises ValueError where the sentence cannot give the name its meaning."""
    if pair.name not in pair.sentence or pair.phrase.casefold() not in pair.sentence.casefold():
        raise ValueError("its sentence must hold the name and the phrase")
    return pair


def name_by_hand(
    pairs: Sequence[HandPair], documents: Sequence[Material], known: Collection[str]
) -> Named:
    """Pairs whose picture is among the documents; `known` are words that no name may be."""
    by_name = {each.name: each for each in documents}
    dropped, namings = Counter[str](), list[Naming]()
    for pair in pairs:
        document = by_name.get(pair.doc)
        image = _image_at(pair, document) if document else None
        if image is None:
            dropped[NO_IMAGE if document else NO_DOCUMENT] += 1
        elif not is_new(pair.name.casefold(), known):
            dropped[KNOWN_NAME] += 1
        else:
            namings.append((_question(pair, image), pair.name, pair.sentence))
    named = pair_up(namings)
    return Named(named.questions, named.sentences, {**dropped, **named.rejected})


def _image_at(pair: HandPair, document: Material) -> Image | None:
    """The image that covers the place best, if it covers enough of it to be meant."""
    there = [each for each in document.images if each.page == pair.page and each.bbox is not None]
    best = max(there, key=lambda each: iou(each.bbox or pair.bbox, pair.bbox), default=None)
    return best if best and best.bbox and iou(best.bbox, pair.bbox) >= MIN_IOU else None


def _question(pair: HandPair, image: Image) -> BenchmarkQuestion:
    return BenchmarkQuestion(
        id=stable_id(pair.doc, image.id, pair.question), doc=pair.doc, type="image-image",
        source="picture", question=pair.question, answer="", made_by="hand", image=image.id,
        image_hash=image.file, phrase=pair.phrase, page=pair.page, bbox=pair.bbox,
    )  # fmt: skip
