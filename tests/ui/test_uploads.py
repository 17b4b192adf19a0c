"""Paths as somebody typed them."""

from __future__ import annotations

from pathlib import Path

import pytest

from brit.errors import InputError
from brit.ui.uploads import named_path


def test_a_path_is_taken_as_it_is_typed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "a b.pdf").write_bytes(b"")
    monkeypatch.setenv("HOME", str(tmp_path))
    for typed in (f' "{tmp_path}/a b.pdf" ', "~/a b.pdf"):
        assert named_path(typed) == str(tmp_path / "a b.pdf")


@pytest.mark.parametrize(
    "typed", ["", "  ", "/nowhere", "~nobody-of-that-name", "x" * 9999, "a\0b"]
)
def test_a_path_that_is_none_is_said(typed: str) -> None:
    with pytest.raises(InputError):
        named_path(typed)
