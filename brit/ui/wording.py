"""Every text of the interface, by key: `texts/<language>.toml`, one file a language.

A further language is one more file: its own name and decimal mark stand in it under [language],
and a key it lacks is told in English. A text that depends on a number is a table with `one` and
`other`, chosen by the value `n`. A visitor reads the language of their browser until one is
chosen; outside of a page, everything is told in English.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

KEPT = "language"
"""Key of the workspace's setting: a language, "" for that of the browser."""
_FOLDER = Path(__file__).parent / "texts"
_ENGLISH = "en"
_CHOSEN = "chosen-language"


@cache
def languages() -> dict[str, str]:
    """Code → what a language calls itself, by that name."""
    names = {path.stem: str(_file(path.stem)["language.name"]) for path in _FOLDER.glob("*.toml")}
    return dict(sorted(names.items(), key=lambda pair: pair[1].casefold()))


@cache
def _texts(language: str) -> dict[str, Any]:
    return _file(_ENGLISH) | _file(language)


def _file(language: str) -> dict[str, Any]:
    sections = tomllib.loads((_FOLDER / f"{language}.toml").read_text(encoding="utf-8"))
    return {
        f"{section}.{name}": text for section, of in sections.items() for name, text in of.items()
    }


def language() -> str:
    """The code of the language this page is told in."""
    if get_script_run_ctx(suppress_warning=True) is None:
        return _ENGLISH
    choice = chosen_language()
    return choice if choice in languages() else _of_browser(st.context.locale or "")


def chosen_language() -> str:
    """What was chosen for this session, "" where that is the browser's language."""
    return str(st.session_state.get(_CHOSEN, ""))


def choose_language(code: str) -> None:
    """For this session, from now on."""
    st.session_state[_CHOSEN] = code


def begin_language(kept: str) -> bool:
    """A session begins with the language kept for its workspace; → has it to be drawn anew?"""
    if _CHOSEN in st.session_state:
        return False
    before = language()
    choose_language(kept)
    return language() != before


def _of_browser(locale: str) -> str:
    """«de» for «de-AT», unless the country has a file of its own."""
    code = locale.replace("_", "-")
    return next((each for each in (code, code.split("-")[0]) if each in languages()), _ENGLISH)


def t(key: str, /, **values: object) -> str:
    """The text of a key as "section.name" with its `{values}` filled in. Raises KeyError."""
    entry = _texts(language())[key]
    if isinstance(entry, dict):
        entry = entry["one" if values.get("n") == 1 else "other"]
    return str(entry).format(**values)


def in_every_language(key: str) -> frozenset[str]:
    """A text as each language has it, for a name given in one and read in another."""
    return frozenset(str(_texts(each)[key]) for each in languages())


def number(value: int) -> str:
    """A count with thin spaces between thousands, which no language misreads."""
    return f"{value:,}".replace(",", "\u202f")


def decimal(value: float, places: int = 2) -> str:
    """A measured number with the language's own decimal mark: «0.79», «0,79»."""
    return f"{value:.{places}f}".replace(".", t("language.decimal"))


def seconds(value: float) -> str:
    """A measured duration: «8 ms», «0.42 s», «3.1 s», «3 min 20 s»."""
    if value >= 10:
        return whole_seconds(value)
    if value < 0.1:
        return t("time.milliseconds", value=round(1000 * value))
    return t("time.seconds", value=decimal(value, 2 if value < 1 else 1))


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
