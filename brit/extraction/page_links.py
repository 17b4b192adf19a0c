"""Links between the pages of a wiki → triplets."""

from __future__ import annotations

from collections.abc import Iterable

from brit.extraction.entities import TERM
from brit.types import Entity, Extraction, StoredBlock, TextBlock, Triplet

LINKS_TO = "links to"
_MAX_SENTENCE = 400


def extract_links(page: str, blocks: Iterable[StoredBlock]) -> Extraction:
    """<page, links to, other page> for every link in the text of the document called `page`.

    The sentence of a triplet is the text the link stands in; each page is linked to once.
    """
    found: dict[str, Triplet] = {}
    for stored in blocks:
        if isinstance(stored.block, TextBlock):
            sentence = stored.block.text[:_MAX_SENTENCE]
            for title in stored.block.links:
                ends = (Entity(page, TERM, stored.id), Entity(title, TERM, stored.id))
                found.setdefault(title, Triplet(ends[0], LINKS_TO, ends[1], stored.id, sentence))
    triplets = tuple(found.values())
    return Extraction(triplets, tuple(e for t in triplets for e in (t.subject, t.object)))
