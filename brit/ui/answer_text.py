"""The text of an answer, its sentences to be chosen, drawn by a component that writes text nodes.

Markdown reports no clicks. What stays of it is what `soften_markdown` lets stay, too: paragraphs,
lists, bold and italic words; everything else is a character like any other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

import streamlit as st

from brit.ui.evidence import MARKER
from brit.ui.lit import Lit, Paths
from brit.ui.path_words import PathStep
from brit.ui.safe import printable
from brit.ui.theme import Palette
from brit.ui.wording import t

_FOLDER = Path(__file__).parent / "component"
_HTML = '<div class="answer"></div>'
_BULLET = re.compile(r"\s*(?:([-*•])|(\d{1,3}[.)]))\s+")
_HEADING = re.compile(r"\s*#{1,6}\s+")
_STRONG = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*")
_EMPHASIS = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=[^\s*])\*(?![\w*])")
_HIDDEN = "-"


@dataclass(frozen=True)
class Verdict:
    """The sign of a check: at which character it stands, its symbol, its colour, its word."""

    at: int
    icon: str
    colour: str
    said: str


def blocks_of(
    text: str,
    paths: Paths,
    labels: Mapping[int, str],
    verdicts: Sequence[Verdict],
    lit: frozenset[str],
) -> list[dict[str, Any]]:
    """The answer as rows the component draws: blocks of sentences of runs. `labels` name what each
    number stands for, the marks in `lit` are lit up."""
    writer = _Writer(text, paths, labels, verdicts, lit)
    blocks: list[dict[str, Any]] = []
    last = -1
    for start, end in _lines(text):
        bullet = _BULLET.match(text, start, end)
        rows = writer.sentences(bullet.end() if bullet else start, end)
        if rows and blocks and not bullet and last + 1 == start:
            blocks[-1]["sentences"] += rows  # a line that only was broken
        elif rows:
            mark = (bullet[2] or "•") if bullet else ""
            blocks.append({"item": mark, "sentences": rows})
        last = end
    return blocks


def _lines(text: str) -> list[tuple[int, int]]:
    ends = [i for i, c in enumerate(text) if c == "\n"] + [len(text)]
    starts = [0, *(end + 1 for end in ends[:-1])]
    return [(s, e) for s, e in zip(starts, ends, strict=True) if text[s:e].strip("-=_* \t")]


def _styles(text: str) -> list[str]:
    """Of each character "b", "i", "" or that it is not shown."""
    styles = [""] * len(text)
    for pattern, style in ((_STRONG, "b"), (_EMPHASIS, "i")):
        for found in pattern.finditer(text):
            for at in range(*found.span(1)):
                styles[at] = styles[at] or style
            for at in (*range(found.start(), found.start(1)), *range(found.end(1), found.end())):
                styles[at] = _HIDDEN
    for start, end in _lines(text):
        if heading := _HEADING.match(text, start, end):
            styles[start:end] = [_HIDDEN] * (heading.end() - start) + ["b"] * (end - heading.end())
    return styles


@dataclass(frozen=True)
class _Writer:
    text: str
    paths: Paths
    labels: Mapping[int, str]
    verdicts: Sequence[Verdict]
    lit: frozenset[str]

    @cached_property
    def _styles(self) -> list[str]:
        return _styles(self.text)

    def sentences(self, start: int, end: int) -> list[dict[str, Any]]:
        """Those of a line, cut to it."""
        return [
            {
                "id": i,
                "mark": f"s:{i}",
                "linked": self.paths.light(f"s:{i}") is not None,
                "runs": self._runs(max(start, each.start), min(end, each.end)),
            }
            for i, each in enumerate(self.paths.sentences)
            if each.start < end and each.end > start
        ]

    def _runs(self, start: int, end: int) -> list[dict[str, Any]]:
        """What stands between `start` and `end`: words, numbers of sources, signs of the check."""
        cited = [
            (found.span(), [self._cite(int(n)) for n in re.findall(r"\d+", found[1])])
            for found in MARKER.finditer(self.text, start, end)
        ]
        signs = [
            ((v.at, v.at), [{"verdict": v.said, "icon": v.icon, "colour": v.colour}])
            for v in self.verdicts if start < v.at <= end
        ]  # fmt: skip
        runs: list[dict[str, Any]] = []
        at = start
        for (first, last), made in sorted(cited + signs, key=lambda each: each[0]):
            runs += self._plain(at, first) + made
            at = last
        return runs + self._plain(at, end)

    def _cite(self, number: int) -> dict[str, Any]:
        mark = self.paths.mark_of(number)
        if not mark:  # a model cites what it was not given
            return {"text": f"[{number}]", "style": ""}
        label = self.labels.get(number, str(number))
        return {"cite": number, "mark": mark, "image": mark.startswith("i:"), "label": label,
                "on": mark in self.lit}  # fmt: skip

    def _plain(self, start: int, end: int) -> list[dict[str, Any]]:
        runs = []
        for style, places in groupby(range(start, end), key=lambda at: self._styles[at]):
            words = printable("".join(self.text[at] for at in places)).replace("\n", " ")
            if words and style != _HIDDEN:
                runs.append({"text": words, "style": style})
        return runs


def below(blocks: Sequence[Mapping[str, Any]], lit: Lit) -> int:
    """The block beneath which the path is told: that of the chosen sentence, of the first lit up,
    or the last."""
    chosen = int(lit.chosen[2:]) if lit.chosen.startswith("s:") else min(lit.sentences, default=-1)
    holds = (i for i, b in enumerate(blocks) if chosen in {each["id"] for each in b["sentences"]})
    return next(holds, len(blocks) - 1)


def answer_text(
    blocks: Sequence[Mapping[str, Any]],
    lit: Lit | None,
    steps: Sequence[PathStep],
    at: int,
    palette: Palette,
    *,
    key: str,
    on_pick: Callable[[], None],
    on_step: Callable[[], None],
    on_open: Callable[[], None],
) -> None:
    """Draw it; what was clicked stands in the session state of `key` when a function is called:
    `pick` a mark or "" for none, `step` the number of a step, `open` that the page is wanted."""
    told = [{"icon": s.icon, "text": s.text, "note": s.note} for s in steps]
    names = ("path", "show", "previous", "next", "play", "stop", "open", "close")
    words = {name: t(f"path.{name}") for name in names} | {"steps": t("path.steps", n=len(steps))}
    data = {
        "blocks": blocks,
        "chosen": lit.chosen if lit else "",
        "lit": sorted(lit.sentences) if lit else [],
        "path": {"steps": told, "at": at, "below": below(blocks, lit)} if lit and blocks else None,
        "words": words,
        "colours": {"accent": palette.accent, "accent-text": palette.accent_text,
                    "node": palette.node, "image": palette.image_text},
    }  # fmt: skip
    component = st.components.v2.component(
        "brit_answer",
        html=_HTML,
        css=(_FOLDER / "answer.css").read_text(encoding="utf-8"),
        js=(_FOLDER / "answer.js").read_text(encoding="utf-8"),
    )
    component(
        data=data, key=key, on_pick_change=on_pick, on_step_change=on_step, on_open_change=on_open
    )
