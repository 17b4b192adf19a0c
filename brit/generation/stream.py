"""A question and what was retrieved for it → an answer that arrives piece by piece (§3.3)."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from typing import Any

from brit.errors import ModelError
from brit.generation.citations import keep_known_markers, read_markers, stream_known_markers
from brit.generation.evidence import (
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
from brit.types import Answer, Retrieval

EXTRACTIVE = "extractive"
NO_MODEL = (
    "No language model is configured: this answer quotes the documents. "
    "Settings says how to name one that writes them."
)
HISTORY_TOKENS = 600

Pieces = Generator[str, None, None]
History = Sequence[tuple[str, str]]


class AnswerStream:
    """Iterate for the pieces of the text; `answer` holds what has come so far, at any time.

    A reply that breaks off keeps its text and says so in a note; one that never began raises
    ModelError. Leaving the loop, or `close`, ends the request.
    """

    def __init__(
        self,
        pieces: Pieces,
        evidence: Evidence,
        *,
        model: LanguageModel | None = None,
        notes: Sequence[str] = (),
        pictures: int = 0,
    ) -> None:
        self._pieces = pieces
        self._citations = evidence.citations
        self._model = model
        self._notes = [note for note in notes if note]
        self._pictures = pictures
        self._spent_before = model.usage if model else {}
        self._text = ""
        self._stopped = False

    def __iter__(self) -> Iterator[str]:
        try:
            for piece in stream_known_markers(self._pieces, self._citations):
                self._text += piece
                yield piece
                if self._stopped:
                    break
        except ModelError as error:
            if not self._text.strip():
                raise
            self._notes.append(str(error))
        finally:
            self.close()

    def close(self) -> None:
        """Ends the request; from another thread, after the piece in hand."""
        self._stopped = True
        with suppress(ValueError):  # another thread is inside: it sees the flag
            self._pieces.close()

    @property
    def answer(self) -> Answer:
        text = self._text.strip()
        return Answer(
            text=text,
            citations=tuple(self._citations[n] for n in read_markers(text) if n in self._citations),
            model=self._model.name if self._model else EXTRACTIVE,
            usage=self._usage(),
            notes=(*self._notes, *self._picture_note()),
        )

    def _usage(self) -> dict[str, int]:
        spent = self._model.usage if self._model else {}
        return {kind: n - self._spent_before.get(kind, 0) for kind, n in spent.items()}

    def _picture_note(self) -> tuple[str, ...]:
        limit = self._model.image_limit if self._model else None
        if self._model is None or limit is None or limit >= self._pictures:
            return ()
        if limit == 0:
            return (f"«{self._model.name}» takes no pictures: their captions stood in for them.",)
        return (
            f"«{self._model.name}» takes {limit} picture{'s' if limit > 1 else ''} a question: "
            "captions stood in for the others.",
        )


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
    evidence = gather_evidence(retrieval)
    if language_model is None:
        quotes = (line for line in quote_evidence(evidence, text_encoder))
        return AnswerStream(quotes, evidence, notes=[why_none])
    urls, notes = _read_pictures(evidence, read_image, language_model)
    messages = build_messages(question, evidence, urls, history)
    return AnswerStream(
        language_model.stream(messages),
        evidence,
        model=language_model,
        notes=[evidence.left_out, *notes],
        pictures=evidence.images,
    )


def build_messages(
    question: str, evidence: Evidence, urls: dict[int, str], history: History = ()
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
    return [system, *_recent(history), user]


def _with_pictures(text: str, urls: dict[int, str]) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = [{"type": "text", "text": text}]
    for number, url in urls.items():
        parts.append({"type": "text", "text": f"Picture [{number}]:"})
        parts.append({"type": "image_url", "image_url": {"url": url}})
    return parts


def _recent(history: History) -> list[Message]:
    """The latest turns that fit, so that «and how heavy is it?» can be understood."""
    kept: list[Message] = []
    left = HISTORY_TOKENS
    for asked, answered in reversed(history):
        left -= estimate_tokens(asked + answered)
        if left < 0:
            break
        # Its markers counted other evidence.
        bare = keep_known_markers(answered, ())
        kept[:0] = [{"role": "user", "content": asked}, {"role": "assistant", "content": bare}]
    return kept


def _read_pictures(
    evidence: Evidence, read_image: ReadImage, model: LanguageModel
) -> tuple[dict[int, str], list[str]]:
    """Data URLs by number, as many as the model is known to take, and notes on unreadable ones."""
    urls: dict[int, str] = {}
    notes: list[str] = []
    images = evidence.retrieval.images[: evidence.images]
    for index, image in enumerate(images[: model.image_limit]):
        try:
            urls[evidence.image_number(index)] = to_data_url(read_image(image))
        except OSError:
            place = where(image.document, image.page)
            notes.append(f"A picture of {place} could not be read and was left out.")
    return urls, notes
