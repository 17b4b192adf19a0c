"""A sub-graph's evidence → a streamed answer with citations (§3.3)."""

from __future__ import annotations

from brit.generation.evidence import Evidence, gather_evidence
from brit.generation.stream import EXTRACTIVE, AnswerStream, answer_question

__all__ = ["EXTRACTIVE", "AnswerStream", "Evidence", "answer_question", "gather_evidence"]
