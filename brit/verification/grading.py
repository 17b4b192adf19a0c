"""Answers graded by a rubric in Prometheus-Vision's form: «Feedback: … [RESULT] n», n 1 to 5."""

from __future__ import annotations

import re

from brit.models import LanguageModel, Message
from brit.prompts import fill_prompt
from brit.types import Grade
from brit.verification.perception_collection import GradingRecord
from brit.verification.wording import one_line

ATTEMPTS = 3
MAX_FEEDBACK = 4000
# «(4)», «**4**», «4.» and «4/5» are scores; «45», «4.5» and «4/10» are none.
_RESULT = re.compile(
    r"\[\s*RESULT\s*\][\s:=*(]{0,6}([1-5])(?:\s*/\s*5)?(?!\s*/|\w|[.,]\d)", re.IGNORECASE
)
_MARK = re.compile(r"\[\s*RESULT\s*\]", re.IGNORECASE)
_HEAD = re.compile(r"^\s*(?:#+\s*)?Feedback\s*:\s*", re.IGNORECASE)
_AGAIN = (
    "The score is missing. Keep the feedback you gave and write only the line that ends it, with "
    "the score it justifies, a whole number from 1 to 5:\n[RESULT] n"
)


def grade(record: GradingRecord, model: LanguageModel, url: str = "") -> Grade:
    """The model's feedback and score; `url` is the picture as a data URL, "" for none.

    A record's own `instruction` is sent as it is. A reply without a valid score is answered with a
    request for the score alone, so that feedback which reached the limit of tokens, however long,
    does not cost the score. Raises ModelError.
    """
    messages = build_messages(record, url)
    asked, feedback = messages, ""
    for attempt in range(1, ATTEMPTS + 1):
        reply = model.complete(asked).text
        said, score = read_grade(reply)
        feedback = feedback or said
        if score is not None:
            return Grade(score, feedback, attempt)
        given = [{"role": "assistant", "content": reply}] if reply.strip() else []
        asked = [*messages, *given, {"role": "user", "content": _AGAIN}]
    return Grade(None, feedback, ATTEMPTS, f"No score from 1 to 5 in {ATTEMPTS} replies.")


def read_grade(reply: str) -> tuple[str, int | None]:
    """The feedback before the last [RESULT], and the score after it; None where it is none."""
    marks = list(_MARK.finditer(reply))
    end = marks[-1].start() if marks else len(reply)
    feedback = one_line(_HEAD.sub("", reply[:end]))[:MAX_FEEDBACK]
    found = _RESULT.match(reply, end) if marks else None
    return feedback, int(found[1]) if found else None


def build_messages(record: GradingRecord, url: str = "") -> list[Message]:
    """One user turn: the record's instruction as it is, or our own prompt filled with its parts."""
    if record.instruction:
        messages: list[Message] = [{"role": "user", "content": record.instruction}]
    else:
        levels = (f"Level {n}: {text}" for n, text in enumerate(record.levels, start=1))
        messages = fill_prompt(
            "grading",
            task=record.orig_instruction,
            response=record.orig_response,
            reference=record.orig_reference_answer or "none",
            criterion=record.orig_criteria,
            levels="\n".join(levels),
        )
    if url:
        picture = {"type": "image_url", "image_url": {"url": url}}
        content = [{"type": "text", "text": messages[-1]["content"]}, picture]
        messages[-1] = {**messages[-1], "content": content}
    return messages
