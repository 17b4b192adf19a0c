"""The list of attacks names tests that are there."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parent


def test_every_attack_names_its_test() -> None:
    rows = re.findall(
        r"^\| (\d+) \|.*\| `(.+?)::(\w+)` \|$",
        (TESTS.parent / "docs" / "attacks.md").read_text(),
        re.MULTILINE,
    )
    assert [int(number) for number, _, _ in rows] == [*range(1, len(rows) + 1)]
    assert len(rows) >= 40
    missing = [name for _, path, name in rows if f"def {name}(" not in (TESTS / path).read_text()]
    assert missing == []
