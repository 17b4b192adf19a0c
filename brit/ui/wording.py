"""Every text of the interface, by key: `texts/<language>.toml`, one file a language.

A text that depends on a number is a table with `one` and `other`, chosen by the value `n`.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

LANGUAGE = "en"


@cache
def _texts(language: str) -> dict[str, Any]:
    path = Path(__file__).parent / "texts" / f"{language}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def t(key: str, /, **values: object) -> str:
    """The text of a key as "section.name" with its `{values}` filled in. Raises KeyError."""
    entry: Any = _texts(LANGUAGE)
    for part in key.split("."):
        entry = entry[part]
    if isinstance(entry, dict):
        entry = entry["one" if values.get("n") == 1 else "other"]
    return str(entry).format(**values)


def number(value: int) -> str:
    """A count with thin spaces between thousands, which no language misreads."""
    return f"{value:,}".replace(",", "\u202f")


def seconds(value: float) -> str:
    """A measured duration: «8 ms», «0.42 s», «3.1 s», «3 min 20 s»."""
    if value >= 10:
        return whole_seconds(value)
    if value < 0.1:
        return t("time.milliseconds", value=round(1000 * value))
    return t("time.seconds", value=f"{value:.2f}" if value < 1 else f"{value:.1f}")


def whole_seconds(value: float) -> str:
    """An estimated duration: «8 s», «3 min 20 s», «2 h 5 min»."""
    whole = max(round(value), 1)
    minutes, rest = divmod(whole, 60)
    if whole < 60:
        return t("time.seconds", value=whole)
    if minutes < 60:
        return t("time.minutes" if rest else "time.whole_minutes", minutes=minutes, seconds=rest)
    return t("time.hours", hours=minutes // 60, minutes=minutes % 60)


def dotted(*parts: str) -> str:
    """Parts that are not empty, with middle dots between: «p. 62 · 0.79»."""
    return " · ".join(part for part in parts if part)


def unbroken(line: str) -> str:
    """A dotted line that breaks behind its dots only: no count stands without its word."""
    return line.replace(" ", "\u00a0").replace("\u00a0·\u00a0", "\u00a0· ")


def page_of(page: int | None) -> str:
    """«p. 62», or "" where a format has no pages."""
    return "" if page is None else t("page.short", page=page)


def t_or(key: str, otherwise: str) -> str:
    """The text of a key where there is one, as for names that come from the stages."""
    try:
        return t(key)
    except KeyError:
        return otherwise
