"""spaCy comes without torch, and torch can still be had afterwards."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import sys
from brit.extraction.spacy_extractor import SpacyExtractor
assert "spacy" not in sys.modules
print(SpacyExtractor().extract_entities("Who sold the pump in Graz?"))
print("torch" in sys.modules, any("_Hiding" in repr(finder) for finder in sys.meta_path))
"""


def test_a_question_needs_no_torch() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout.splitlines() == ["['Graz', 'pump']", "False False"]
