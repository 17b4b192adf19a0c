"""Answers checked claim by claim, and graded by rubric.

A text is cut into claims (`claims`); evidence tools look for what speaks to them (`tools`); the
deterministic checker compares (`checker`, `facts`, `sights`); a model may judge (`judge`).
`grading` scores answers by a rubric, `perception_collection` reads such records, `scores` measures.
"""

from __future__ import annotations

from brit.verification.checker import DETERMINISTIC
from brit.verification.grading import grade
from brit.verification.search_engine import SearchTool
from brit.verification.tools import ColourTool, KnowledgeTool, ObjectTool, SceneTextTool
from brit.verification.verify import NO_JUDGE, Sights, verify_text

__all__ = [
    "DETERMINISTIC",
    "NO_JUDGE",
    "ColourTool",
    "KnowledgeTool",
    "ObjectTool",
    "SceneTextTool",
    "SearchTool",
    "Sights",
    "grade",
    "verify_text",
]
