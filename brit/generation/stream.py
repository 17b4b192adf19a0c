"""A question and what was retrieved for it → an answer that arrives piece by piece (§3.3)."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from brit.errors import ModelError, TooLong
from brit.generation.citations import keep_known_markers, stream_known_markers
from brit.generation.evidence import (
    EVIDENCE_TOKENS,
    PICTURE_TOKENS,
    Evidence,
    ReadImage,
    estimate_tokens,
    gather_evidence,
    to_data_url,
    where,
)
from brit.generation.extractive import quote_evidence
from brit.models import LanguageModel, Message, TextEncoder
from brit.prompts import fill_prompt
from brit.types import Answer, Citation, Retrieval

EXTRACTIVE = "extractive"
NO_MODEL = (
    "No language model is configured: this answer quotes the documents. "
    "Settings says how to name one that writes them."
)
HISTORY_TOKENS = 600

Pieces = Generator[str, None, None]
History = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Draft:
    """One way to ask: the evidence, the pieces of the reply, and what is to be said about it.
    `sent` of the evidence's `pictures` go with it, unless the model refuses them."""

    evidence: Evidence
    pieces: Pieces
    notes: tuple[str, ...] = ()
    pictures: int = 0
    sent: int = 0


class AnswerStream:
    """Iterate for the pieces of the text; `answer` holds what has come so far, at any time.

    A reply that breaks off keeps its text and says so in a note; one that never began raises
    ModelError, unless it was asked for too much at once and the next of `drafts` asks for less.
    Leaving the loop, or `close`, ends the request.
    """

    def __init__(self, drafts: Iterator[Draft], model: LanguageModel | None = None) -> None:
        self._drafts = drafts
        self._draft: Draft | None = None
        self._citations: dict[int, Citation] = {}
        self._cited: list[int] = []
        self._model = model
        self._broken: list[str] = []
        self._spent_before = model.usage if model else {}
        self._text = ""
        self._stopped = False

    def __iter__(self) -> Iterator[str]:
        refused: TooLong | None = None
        try:
            for draft in self._drafts:
                self._draft, self._citations, self._cited = draft, draft.evidence.citations, []
                try:
                    yield from self._relay(draft.pieces)
                    return
                except TooLong as error:
                    refused = error
            if refused:
                raise refused
        except ModelError as error:
            if not self._text.strip():
                raise
            self._broken.append(str(error))
        finally:
            self.close()

    def _relay(self, pieces: Pieces) -> Iterator[str]:
        for piece in stream_known_markers(pieces, self._citations, self._cited):
            self._text += piece
            yield piece
            if self._stopped:
                break

    def close(self) -> None:
        """Ends the request; from another thread, after the piece in hand."""
        self._stopped = True
        if self._draft:
            with suppress(ValueError):  # another thread is inside: it sees the flag
                self._draft.pieces.close()

    @property
    def answer(self) -> Answer:
        text = self._text.strip()
        return Answer(
            text=text,
            citations=tuple(
                replace(self._citations[number], marker=marker)
                for marker, number in enumerate(self._cited, start=1)
            ),
            model=self._model.name if self._model else EXTRACTIVE,
            usage=self._usage(),
            notes=self._notes(),
        )

    def _usage(self) -> dict[str, int]:
        spent = self._model.usage if self._model else {}
        return {kind: n - self._spent_before.get(kind, 0) for kind, n in spent.items()}

    def _notes(self) -> tuple[str, ...]:
        said = self._draft.notes if self._draft else ()
        return tuple(filter(None, (*said, *self._broken, self._picture_note())))

    def _picture_note(self) -> str:
        if self._model is None or self._draft is None:
            return ""
        limit, draft = self._model.image_limit, self._draft
        if limit == 0 and draft.pictures:
            return f"«{self._model.name}» takes no pictures: their captions stood in for them."
        if limit is not None and limit < draft.sent:
            return (
                f"«{self._model.name}» takes {limit} picture{'s' if limit > 1 else ''} a question: "
                "captions stood in for the others."
            )
        if draft.sent < draft.pictures:
            return (
                f"{draft.sent or 'None'} of {draft.pictures} pictures went to «{self._model.name}» "
                "as a picture: the model's context is full. Captions stood in for the others."
            )
        return ""


def answer_question(
    question: str,
    retrieval: Retrieval,
    language_model: LanguageModel | None,
    *,
    history: History = (),
    read_image: ReadImage,
    text_encoder: TextEncoder | None = None,
    why_none: str = NO_MODEL,
) -> AnswerStream:
    """Nothing is asked before the first piece is taken.

    `history` holds earlier (question, answer) pairs, oldest first. `read_image` gives a picture's
    bytes. Without a model the answer is extractive, for the reason `why_none`; `text_encoder` then
    helps to choose sentences.
    """
    if language_model is None:
        evidence = gather_evidence(retrieval)
        quotes = (line for line in quote_evidence(evidence, text_encoder))
        return AnswerStream(iter([Draft(evidence, quotes, (why_none,))]))
    asked = _Asked(question, retrieval, language_model, history, read_image)
    return AnswerStream(asked.drafts(), language_model)


@dataclass(frozen=True)
class _Asked:
    """A question to a model, with all that may go with it."""

    question: str
    retrieval: Retrieval
    model: LanguageModel
    history: History
    read_image: ReadImage

    def drafts(self) -> Iterator[Draft]:
        """One, and another for each time the model's context turns out to be smaller."""
        limit = self.model.prompt_limit
        while True:
            yield self._draft(limit)
            before, limit = limit, self.model.prompt_limit
            if limit is None or (before is not None and limit >= before):
                return

    def _draft(self, limit: int | None) -> Draft:
        room, most = EVIDENCE_TOKENS, len(self.retrieval.images)
        history = _recent(self.history, HISTORY_TOKENS if limit is None else limit // 8)
        if limit is not None:
            bare = build_messages(self.question, Evidence(self.retrieval, 0, 0, 0), {}, history)
            room = limit - sum(estimate_tokens(message["content"]) for message in bare)
        evidence = gather_evidence(self.retrieval, room)
        if limit is not None:
            most = max(0, room - evidence.tokens) // PICTURE_TOKENS
        urls, notes = _read_pictures(evidence, self.read_image, self.model, most)
        return Draft(
            evidence,
            self.model.stream(build_messages(self.question, evidence, urls, history)),
            (evidence.left_out, *notes),
            evidence.images,
            min(evidence.images, most),
        )


def build_messages(
    question: str, evidence: Evidence, urls: dict[int, str], history: Sequence[Message] = ()
) -> list[Message]:
    """The prompt, earlier turns between rules and question, and the pictures (number → data URL).

    All that comes out of documents stands inside the fence.
    """
    system, user = fill_prompt(
        "answer",
        fence=evidence.fence,
        triplets="\n".join(evidence.triplet_lines()) or "none",
        passages="\n".join(evidence.passage_lines()) or "none",
        pictures="\n".join(evidence.image_lines()) or "none",
        question=question,
    )
    if urls:
        user = {**user, "content": _with_pictures(user["content"], urls)}
    return [system, *history, user]


def _with_pictures(text: str, urls: dict[int, str]) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = [{"type": "text", "text": text}]
    for number, url in urls.items():
        parts.append({"type": "text", "text": f"Picture [{number}]:"})
        parts.append({"type": "image_url", "image_url": {"url": url}})
    return parts


def _recent(history: History, left: int) -> list[Message]:
    """The latest turns that fit, so that «and how heavy is it?» can be understood."""
    kept: list[Message] = []
    for asked, answered in reversed(history):
        left -= estimate_tokens(asked + answered)
        if left < 0:
            break
        # Its markers counted other evidence.
        bare = keep_known_markers(answered, ())
        kept[:0] = [{"role": "user", "content": asked}, {"role": "assistant", "content": bare}]
    return kept


def _read_pictures(
    evidence: Evidence, read_image: ReadImage, model: LanguageModel, most: int
) -> tuple[dict[int, str], list[str]]:
    """Data URLs by number, at most `most` and what the model is known to take, and notes on
    unreadable ones."""
    urls: dict[int, str] = {}
    notes: list[str] = []
    images = evidence.retrieval.images[: min(evidence.images, most)]
    for index, image in enumerate(images[: model.image_limit]):
        try:
            urls[evidence.image_number(index)] = to_data_url(read_image(image))
        except OSError:
            place = where(image.document, image.page)
            notes.append(f"A picture of {place} could not be read and was left out.")
    return urls, notes
