"""What the check of an answer came to, beneath it: each sentence, its verdict and its evidence.

The check begins when the answer stands, runs beside the page, and is kept with the turn.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import streamlit as st

from brit import pipeline
from brit.config import RetrievalConfig
from brit.errors import BritError
from brit.generation.units import is_row
from brit.storage.chats import Checked, Turn
from brit.types import Retrieval, SentenceVerdict, Verification
from brit.ui import state
from brit.ui.evidence import without_markers
from brit.ui.page_view import open_evidence
from brit.ui.safe import escape_markdown
from brit.ui.state import Place
from brit.ui.verify_evidence import evidence_behind
from brit.ui.verify_marks import (
    is_strict,
    mark,
    said,
    spent_on,
    strict_switch,
    summary,
    summary_icon,
    tool_notes,
)
from brit.ui.wording import dotted, t

T = TypeVar("T")
_POLL = 1.0
_QUOTES = "extractive"
_QUOTATION = re.compile(r"(?:\w+: )?[“„«](.*)[”“»](?: \([^()]*\))?")


# --- the check ---


def begin_check(place: Place, turn: Turn, wider: tuple[int, ...] = (), within: float = 0.0) -> None:
    """Check the answer of a turn in the background, having sought more for the sentences `wider`.

    Waits `within` seconds at most: an answer that quotes is checked before its page is drawn.
    """
    checks = state.checks()
    checks.start(turn.id, _work(place, turn, wider, state.models()))
    checks.wait(turn.id, within)


def _work(
    place: Place, turn: Turn, wider: tuple[int, ...], models: pipeline.Models
) -> Callable[[], None]:
    answer, retrieval, collection = turn.answer, turn.retrieval, place.collection
    assert answer is not None, "only what was answered is checked"
    assert retrieval is not None, "an answer rests on a retrieval"
    assert collection is not None, "a retrieval is made in a collection"

    def work() -> None:
        found = retrieval
        config = widened(place.workspace.settings.retrieval(collection.id))
        for text in _claims_at(turn, wider):
            more = pipeline.retrieve(
                place.workspace, text, collection.name, models=models, config=config
            )
            found = joined(found, more)
        verification = pipeline.verify_answer(
            answer.text, found, models=models, quoted=answer.model == _QUOTES
        )
        place.workspace.chats.save_turn(turn.id, checked=Checked(verification, wider))

    return work


def _claims_at(turn: Turn, starts: tuple[int, ...]) -> list[str]:
    """What the sentences at these places state, without the marks around it."""
    if turn.checked is None:
        return []
    made = turn.checked.verification
    chosen = (each for each in made.sentences if each.start in starts)
    return [" ".join(made.verdicts[i].claim.text for i in each.verdicts) for each in chosen]


def widened(config: RetrievalConfig) -> RetrievalConfig:
    """Three times the evidence, and one more round between text and pictures."""
    return replace(
        config,
        k=3 * config.k,
        top_images=3 * config.top_images,
        max_words=3 * config.max_words,
        max_rounds=config.max_rounds + 1,
    )


def joined(first: Retrieval, more: Retrieval) -> Retrieval:
    """The evidence of both, each once; what citations point at keeps its place."""
    return replace(
        first,
        passages=_added(first.passages, more.passages, lambda each: each.id),
        images=_added(first.images, more.images, lambda each: each.id),
        triplets=_added(first.triplets, more.triplets, lambda each: each.edge),
    )


def _added(before: Sequence[T], more: Sequence[T], id: Callable[[T], str]) -> tuple[T, ...]:
    there = {id(each) for each in before}
    return (*before, *(each for each in more if id(each) not in there))


# --- the page ---


def verdict_panel(place: Place, turn: Turn, retrieval: Retrieval) -> None:
    """The verdicts on an answer, or that they are being made."""
    if turn.checked is None:
        begin_check(place, turn)
    waiting = state.checks().runs(turn.id)
    # A check may have ended since the turn was read: the page is then behind what is kept.
    behind = waiting or place.workspace.chats.turn(turn.id).checked != turn.checked
    st.fragment(_panel, run_every=_POLL if waiting else None)(place, turn, retrieval, behind)


def _panel(place: Place, turn: Turn, retrieval: Retrieval, behind: bool) -> None:
    runs = state.checks().runs(turn.id)
    if behind and not runs and not state.dialog_is_open():  # which a new page would close
        st.rerun()
    with st.container(key="verdicts", gap="small"):
        try:
            state.checks().settle(turn.id)
        except BritError as error:
            _failed(turn, error)
        now = place.workspace.chats.turn(turn.id) if behind else turn
        if now.checked:
            _verdicts(place, now, now.checked, retrieval)
        if runs:
            with st.container(key="checking"):
                st.caption(f":material/fact_check: {t('verdict.checking')}")


def _failed(turn: Turn, error: BritError) -> None:
    st.warning(escape_markdown(str(error)), icon=":material/info:")
    if st.button(t("verdict.again"), type="tertiary", key=f"check-again-{turn.id}"):
        state.checks().forget(turn.id)
        st.rerun()


def _verdicts(place: Place, turn: Turn, checked: Checked, retrieval: Retrieval) -> None:
    made = checked.verification
    supports = [each.support for each in made.sentences]
    if not supports:
        st.caption(f":material/info: {t('verdict.nothing_stated')}")
        return
    strict = is_strict(place.workspace)
    fine = set(supports) == {"supported"}
    quoted = fine and turn.answer is not None and turn.answer.model == _QUOTES
    label = _quoted_label(made.text) if quoted else summary(supports, strict)
    icon = summary_icon(supports, strict)
    with st.expander(label, icon=icon, type="compact", expanded=not fine):
        for sentence in made.sentences:
            _sentence(place, turn, checked, retrieval, sentence)
        _foot(place, turn, made)


def _quoted_label(answer: str) -> str:
    lines = [line for line in answer.splitlines() if line.startswith("- ")]
    whole = bool(lines) and all(map(is_verbatim, lines))
    return t("verdict.quoted", n=len(lines)) if whole else t("verdict.quoted_in_part")


def is_verbatim(line: str) -> bool:
    """Is a line of an answer that quotes nothing but a quotation and where it is from? Rows of
    tables and the way to a picture are told in other words than the document's."""
    quoted = _QUOTATION.fullmatch(without_markers(line))
    return quoted is not None and not is_row(quoted[1])


def _sentence(
    place: Place, turn: Turn, checked: Checked, retrieval: Retrieval, sentence: SentenceVerdict
) -> None:
    made, strict = checked.verification, is_strict(place.workspace)
    found = evidence_behind(place, retrieval, turn.answer, made, sentence.verdicts)
    text = escape_markdown(without_markers(sentence.text), 160)
    key = f"{turn.id}-{sentence.start}"
    with st.container(key=f"verdict-{key}", horizontal=True, gap="xsmall"):
        st.markdown(mark(sentence.support, strict), width=22)
        with st.container(gap=None):
            if not found:
                st.markdown(text)
            elif st.button(text, type="tertiary", key=f"evidence-{key}", help=t("verdict.open")):
                open_evidence(place, found, found[0].key, text)
            worst = [i for i in sentence.verdicts if made.verdicts[i].support == sentence.support]
            reasons = dict.fromkeys(made.verdicts[i].reason for i in worst)
            said_so = said(sentence.support, strict)
            st.caption(dotted(f"**{said_so}**", escape_markdown(" ".join(reasons), 320)))
            if sentence.support != "supported":
                _offer_wider(place, turn, checked, sentence.start)


def _offer_wider(place: Place, turn: Turn, checked: Checked, start: int) -> None:
    if start in checked.wider:
        st.caption(f":material/manage_search: {t('verdict.looked_wider')}")
    elif st.button(
        t("verdict.wider"), icon=":material/manage_search:", type="tertiary",
        key=f"wider-{turn.id}-{start}", disabled=state.checks().runs(turn.id),
        help=t("verdict.wider_help"),
    ):  # fmt: skip
        begin_check(place, turn, (*checked.wider, start))
        st.rerun()


def _foot(place: Place, turn: Turn, made: Verification) -> None:
    with st.container(key="verdict-foot", gap="xsmall"):
        for note in filter(None, dict.fromkeys((*made.notes, *tool_notes(made), spent_on(made)))):
            st.caption(escape_markdown(note))
        strict_switch(place.workspace, f"strict-{turn.id}")
