"""An answer without a model: the sentences of the evidence that answer it, with their source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from brit.generation.choose import (
    ENOUGH,
    SOME,
    Clues,
    answers_kind,
    choose_units,
    leads_on,
    next_unit,
)
from brit.generation.evidence import Evidence, plain
from brit.generation.language import (
    Framing,
    content_terms,
    find_alike,
    framing_for,
    gives_kind,
    is_visual,
    split_terms,
    wanted_kinds,
)
from brit.generation.paths import find_path
from brit.generation.units import CELL, Unit, is_row, list_units
from brit.models import TextEncoder
from brit.types import RetrievedImage

MAX_WORDS = 50
ENCODED = 40  # units compared by meaning: at 10 ms each, less than half a second
LOOKING = frozenset(("like", "appearance"))
"""Words that ask to see, beside those of `is_visual`."""
LIST_WORDS = 35  # of what follows a sentence that only leads to it


def quote_evidence(evidence: Evidence, encoder: TextEncoder | None = None) -> Iterator[str]:
    """The lines of an extractive answer, in the question's language where we have its framing."""
    question = evidence.retrieval.searched
    framing = framing_for(question)
    units = list_units(evidence)[:ENCODED]
    clues = _clues(evidence)
    choice = choose_units(question, units, clues, encoder)
    if choice.support < SOME:
        if _asks_to_see(evidence):
            yield f"{framing.look}\n\n- {_picture_line(evidence, 0, framing)}\n"
        else:
            yield framing.nothing
        return
    answers = answers_kind(question, units[choice.units[0]], clues.asked_names)
    sure = choice.support >= ENOUGH and not evidence.retrieval.low_relevance and answers
    chosen = choice.units if sure else choice.units[:1]
    lines = [_line(evidence, units, at, framing) for at in chosen]
    intro = framing.intro if sure else framing.far
    if is_visual(question) and not evidence.retrieval.low_relevance and evidence.images:
        quoted = " ".join(units[at].whole for at in chosen)
        picture = _picture_line(evidence, _best_picture(evidence, quoted), framing)
        told = sure and not _leaves_colour(question, quoted)
        lines = [*lines, picture] if told else [picture, *(lines if sure else ())]
        intro = framing.intro if told else framing.look
    yield f"{intro}\n\n"
    for line in dict.fromkeys(lines):
        yield f"- {line}\n"


def _asks_to_see(evidence: Evidence) -> bool:
    """Whether a picture is asked for of something that what was found at least names."""
    found = evidence.retrieval
    if not (is_visual(found.searched) and evidence.images) or found.low_relevance:
        return False
    thing = {term for term in content_terms(found.searched) if not is_visual(term)} - LOOKING
    texts = (*(each.text for each in found.passages), *(each.caption for each in found.images))
    named = frozenset().union(*map(split_terms, texts))
    return any(find_alike(term, named) for term in thing)


def _leaves_colour(question: str, quoted: str) -> bool:
    """Whether a colour is asked for and none is said: then it has to be seen."""
    return "colour" in wanted_kinds(question) and not gives_kind("colour", quoted, question)


def _line(evidence: Evidence, units: Sequence[Unit], at: int, framing: Framing) -> str:
    unit = units[at]
    if unit.kind == "caption":
        return _picture_line(evidence, unit.rank, framing)
    source = f"[{unit.number}]" if unit.number else f"({unit.source})"
    text = _in_context(evidence.retrieval.searched, units, at)
    # A row stands in no document as it is told here: only its cells do.
    return f"{_short(text) if is_row(text) else _quoted(text, framing)} {source}"


def _clues(evidence: Evidence) -> Clues:
    """Names in the question and on the way to the pictures, and sentences of the triplets."""
    found = evidence.retrieval
    asked = (match.label for match in found.trace.matches if match.method == "lexical")
    names = (image.via for image in found.images[: evidence.images] if image.via)
    best = max((triplet.score for triplet in found.triplets), default=0.0)
    sentences = {plain(t.text): t.score / best for t in reversed(found.triplets) if best > 0}
    best_page = next((page.document for page in found.pages), "")
    return Clues(best_page, _proper(asked), _proper(names), sentences)


def _proper(labels: Iterable[str]) -> list[str]:
    return [label for label in labels if label != label.lower()]


def _in_context(question: str, units: Sequence[Unit], at: int) -> str:
    """The unit's text, with the sentence before it where it refers back to that, with what
    follows where it only leads to it, without cells nobody asked for."""
    if units[at].kind != "heading" and not leads_on(question, units, at):
        return _asked_cells(question, units[at].whole)
    texts = [units[at].whole]
    after = next_unit(units, at)
    while after and len(" ".join(texts).split()) < LIST_WORDS:
        texts.append(units[after].text)
        after = next_unit(units, after)
    return " ".join(texts)


def _asked_cells(question: str, text: str) -> str:
    """Of a table row («Weight; Ossimar: 8.7 kg; Tellune: 24 kg») its name and the cells whose
    column the question names; the whole row where it names none."""
    name, *cells = text.split(CELL)
    asked = content_terms(question)
    columns = [cell.partition(":")[0] for cell in cells if ": " in cell]
    if len(cells) < 2 or len(columns) < len(cells):
        return text
    kept = [
        cell
        for cell, column in zip(cells, columns, strict=True)
        if any(find_alike(term, asked) for term in split_terms(column))
    ]
    return CELL.join([name, *kept]) if kept else text


def _best_picture(evidence: Evidence, quoted: str) -> int:
    """The one whose caption names most of what is asked and quoted, or the first."""
    images = evidence.retrieval.images[: evidence.images]
    told = content_terms(evidence.retrieval.searched) | content_terms(quoted)

    def shared(image: RetrievedImage) -> int:
        named = content_terms(image.caption) if image.caption else ()
        return sum(find_alike(term, told) for term in named)

    return max(range(len(images)), key=lambda at: (shared(images[at]), -at))


def _picture_line(evidence: Evidence, index: int, framing: Framing) -> str:
    image = evidence.retrieval.images[index]
    caption = f" {_quoted(plain(image.caption), framing)}" if image.caption else ""
    page = f", {framing.page} {image.page}" if image.page is not None else ""
    place = f"({plain(image.document)}{page})"
    path = find_path(evidence.retrieval, image)
    told = f"{framing.picture}:{caption} {place}{f' – {path}' if path else ''}"
    return f"{told} [{evidence.image_number(index)}]"


def _quoted(text: str, framing: Framing) -> str:
    return f"{framing.quotes[0]}{_short(text)}{framing.quotes[1]}"


def _short(text: str) -> str:
    words = text.split()
    return " ".join(words[:MAX_WORDS]) + (" …" if len(words) > MAX_WORDS else "")
