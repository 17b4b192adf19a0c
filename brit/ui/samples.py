"""The sample that comes with BRIT: its file, and three questions to ask it."""

from __future__ import annotations

import json
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "assets" / "samples"


def sample_files() -> list[str]:
    return sorted(str(path) for path in FOLDER.glob("*.pdf"))


def sample_questions() -> list[str]:
    """The questions of assets/samples/questions.json; none where it is missing."""
    path = FOLDER / "questions.json"
    if not path.exists():
        return []
    entries = json.loads(path.read_text(encoding="utf-8"))
    return [entry["question"] if isinstance(entry, dict) else str(entry) for entry in entries]
