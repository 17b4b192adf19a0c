"""Prompts: one text file each, in our own words, read once and filled with values.

A file holds turns. A line `### system`, `### user` or `### assistant` opens one; a shown example is
a user turn and its assistant turn. `{lower_case}` marks a placeholder. Filling is one pass over the
template, so braces inside a value are never looked at: text of documents can hold anything.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent
_TURN = re.compile(r"^### (system|user|assistant)\n", re.MULTILINE)
_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")

Turn = tuple[str, str]


@cache
def read_prompt(name: str) -> tuple[Turn, ...]:
    """The turns (role, template) of `brit/prompts/<name>.txt`; ValueError if it holds none."""
    text = (_FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    lead, *rest = _TURN.split(text)
    if lead.strip() or not rest:
        raise ValueError(f"prompt {name!r} must begin with a line «### system» or «### user»")
    return tuple((role, body.strip()) for role, body in zip(rest[::2], rest[1::2], strict=True))


def placeholders(name: str) -> set[str]:
    """The names a prompt wants values for."""
    return {found for _, body in read_prompt(name) for found in _PLACEHOLDER.findall(body)}


def fill_prompt(name: str, **values: str) -> list[dict[str, Any]]:
    """The prompt as Chat Completions messages.

    Raises ValueError when `values` are not exactly what the prompt asks for.
    """
    if (wanted := placeholders(name)) != set(values):
        raise ValueError(f"prompt {name!r} takes {sorted(wanted)}, got {sorted(values)}")
    return [
        {"role": role, "content": _PLACEHOLDER.sub(lambda found: values[found[1]], body)}
        for role, body in read_prompt(name)
    ]


@cache
def read_family(name: str) -> dict[str, dict[str, str]]:
    """The prompts of `brit/prompts/<name>.yaml`: for each member a text by key."""
    import yaml

    text = (_FOLDER / f"{name}.yaml").read_text(encoding="utf-8")
    family: dict[str, dict[str, str]] = yaml.safe_load(text)
    return family
