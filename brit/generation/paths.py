"""The way from a name in the question to a picture, told as a chain of triplets (§3.2)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from brit.generation.evidence import plain
from brit.generation.language import content_terms, split_terms
from brit.types import Retrieval, RetrievedImage, RetrievedTriplet

LONGEST = 3
Steps = tuple[tuple[RetrievedTriplet, bool], ...]


def find_path(retrieval: Retrieval, image: RetrievedImage) -> str:
    """«Brindlecove was sold as Tellune»: the shortest chain of retrieved triplets from a node the
    question names to one that the picture's caption or link names, both proper names; "" if there
    is none."""
    asked = content_terms(retrieval.searched)
    named = split_terms(f"{image.caption} {image.via or ''}")
    ways: deque[tuple[str, Steps]] = deque(
        (label, ())
        for label in _labels(retrieval)
        if label != label.lower() and split_terms(label) <= asked
    )
    seen = {label for label, _ in ways}
    while ways:
        label, steps = ways.popleft()
        if steps and label != label.lower() and split_terms(label) <= named:
            return _told(steps)
        for triplet, forward in _steps_from(retrieval, label):
            end = triplet.object if forward else triplet.subject
            if end not in seen and len(steps) < LONGEST:
                seen.add(end)
                ways.append((end, (*steps, (triplet, forward))))
    return ""


def _labels(retrieval: Retrieval) -> list[str]:
    ends = ((t.subject, t.object) for t in retrieval.triplets)
    return list(dict.fromkeys(label for pair in ends for label in pair if split_terms(label)))


def _steps_from(retrieval: Retrieval, label: str) -> Iterator[tuple[RetrievedTriplet, bool]]:
    for triplet in retrieval.triplets:
        if triplet.subject == label:
            yield triplet, True
        elif triplet.object == label:
            yield triplet, False


def _told(steps: Steps) -> str:
    said = (f"{triplet.subject} {triplet.relation} {triplet.object}" for triplet, _ in steps)
    return "; ".join(map(plain, said))
