"""The pages a question names: by number, as the first, as the last.

Where a document prints numbers on its pages, they are what people mean. Running heads and feet hold
them, among years and versions; the difference between printed number and page that most of these
pages share is the document's offset.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from brit.models import GraphIndex
from brit.retrieval.places import PageKey, Places
from brit.retrieval.query import FIRST_PAGE, LAST_PAGE, Query

COUNTED = 0.5  # a page by its place in the file, of a document that prints another number on it
LEAST_PAGES = 3
LEAST_SHARE = 0.5
_NUMBER = re.compile(r"(?<![\d.,/-])\d{1,5}(?![\d.,/-])")


def referred_pages(
    index: GraphIndex, query: Query, places: Places, documents: Iterable[str]
) -> dict[PageKey, float]:
    """The pages the question names, in each of the documents that has so many, and how surely each
    is the one meant, 0 to 1."""
    numbers = [reference.number for reference in query.references if reference.kind == "page"]
    found: dict[PageKey, float] = {}
    for document in documents if numbers else ():
        last = places.last_page.get(document, 0)
        for number in numbers:
            for page, share in _meant(index, document, number, last).items():
                if 0 < page <= last:
                    found[document, page] = max(share, found.get((document, page), 0.0))
    return found


def _meant(index: GraphIndex, document: str, number: str, last: int) -> dict[int, float]:
    if number in (FIRST_PAGE, LAST_PAGE):
        return {1 if number == FIRST_PAGE else last: 1.0}
    printed = int(number) - printed_offset(index, document)
    return {int(number): COUNTED, printed: 1.0} if 0 < printed <= last else {int(number): 1.0}


def printed_offset(index: GraphIndex, document: str) -> int:
    """Printed number less place in the file, 0 where nothing is printed; read once a document."""
    known: dict[str, int] = index.graph.derived.setdefault("printed", {})
    if document not in known:
        known[document] = find_offset(index.running_lines(document))
    return known[document]


def find_offset(lines: Iterable[tuple[int, str]]) -> int:
    """The offset shared by `LEAST_PAGES` pages and by `LEAST_SHARE` of those with any number, else
    0; `lines` are (page, text) of running heads and feet."""
    votes = {(int(number) - page, page) for page, text in lines for number in _NUMBER.findall(text)}
    pages = len({page for _, page in votes})
    agreeing = Counter(offset for offset, _ in votes)
    offset, count = agreeing.most_common(1)[0] if agreeing else (0, 0)
    return offset if count >= max(LEAST_PAGES, LEAST_SHARE * pages) else 0
