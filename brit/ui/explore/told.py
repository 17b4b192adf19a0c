"""The way between two marks in words: one chain, then each step with the place it was read at."""

from __future__ import annotations

import streamlit as st

from brit.exploring import Step
from brit.pipeline.explore import Explorer
from brit.ui.evidence import Evidence
from brit.ui.explore.facts import said, way_evidence
from brit.ui.explore.stage import mark_name
from brit.ui.page_view import open_evidence
from brit.ui.safe import escape_markdown
from brit.ui.state import Place
from brit.ui.wording import dotted, page_of, t


def tell_way(place: Place, explorer: Explorer, way: list[Step]) -> None:
    """The chain, and a button for each step that opens its page."""
    with st.container(key="explore-told", gap="small"):
        st.markdown(f"**{t('explore.told')}**")
        st.markdown(chain(explorer, way))
        found = way_evidence(explorer, way)
        there = [each for each in found if each is not None]
        for number, (step, evidence) in enumerate(zip(way, found, strict=True), start=1):
            _step(place, explorer, step, number, evidence, there)


def chain(explorer: Explorer, way: list[Step]) -> str:
    """«Name → relation → name → link → picture» as Markdown."""
    parts = [_mark(explorer, way[0].start)]
    for step in way:
        kind = explorer.ties.link_kind(step.tie)
        words = t(f"link.{kind}") if kind else explorer.ties.relation(step.tie)
        arrow = "→" if step.forward or kind else "←"
        parts += [f"{arrow} :gray[{escape_markdown(words, 60)}] {arrow}",
                  _mark(explorer, step.end)]  # fmt: skip
    return " ".join(parts)


def _mark(explorer: Explorer, mark: int) -> str:
    icon = "" if mark < explorer.ties.nodes else ":green[:material/image:]\u00a0"
    return f"{icon}**{escape_markdown(mark_name(explorer, mark), 60)}**"


def _step(
    place: Place,
    explorer: Explorer,
    step: Step,
    number: int,
    evidence: Evidence | None,
    there: list[Evidence],
) -> None:
    with st.container(key=f"explore-leg-{number}", gap=None):
        label = rf"{number}\. {escape_markdown(said(explorer, step.tie), 160)}"
        clicked = st.button(
            label,
            key=f"explore-step-open-{number}",
            type="tertiary",
            width="stretch",
            disabled=evidence is None,
        )
        if evidence is None:
            return
        st.caption(dotted(escape_markdown(evidence.document, 40), page_of(evidence.page)))
        if clicked:
            open_evidence(place, there, evidence.key, t("explore.told"))
