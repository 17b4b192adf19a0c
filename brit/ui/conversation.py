"""A question that was answered: its answer, what it rests on, and the path that led there.

All of it is one fragment: what is chosen on the left is lit up on the right, without the page being
drawn anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from brit.generation.language import quotes_nothing
from brit.storage.chats import Turn
from brit.types import Answer, Retrieval
from brit.ui import path_state
from brit.ui.answer_text import answer_text, blocks_of
from brit.ui.chat_menu import chat_menu
from brit.ui.choice import Choice, chip_key, lit_style
from brit.ui.copy_button import copy_button
from brit.ui.evidence import Evidence, answer_markdown, list_evidence
from brit.ui.evidence_panel import panel
from brit.ui.evidence_place import path_evidence, place_strip
from brit.ui.jobs_panel import jobs_panel
from brit.ui.lit import Paths, mark_of_evidence
from brit.ui.page_view import open_evidence, with_section_titles
from brit.ui.path_words import steps_of
from brit.ui.safe import escape_markdown, one_line
from brit.ui.scope import scope_note
from brit.ui.state import Place, address
from brit.ui.steps import describe_steps, status_line
from brit.ui.theme import palette
from brit.ui.verdicts import verdict_panel
from brit.ui.verify_marks import is_strict, sentence_marks, sentence_signs
from brit.ui.waiting import show_waiting
from brit.ui.wording import dotted, number, page_of, t, unbroken

_NAMED = 3


def show_conversation(place: Place, turns: list[Turn]) -> None:
    """The turn in hand with its evidence beside it; the others below, folded."""
    chosen = st.session_state.get("turn") or path_state.turn_named()
    turn = next((each for each in turns if each.id == chosen), turns[-1])
    retrieval = with_section_titles(place, turn.retrieval) if turn.retrieval else None
    _conversation(place, turn, retrieval, turns)


@st.fragment
def _conversation(
    place: Place, turn: Turn, retrieval: Retrieval | None, turns: Sequence[Turn]
) -> None:
    shown = _Shown(turn, retrieval) if retrieval else None
    left, right = st.columns([10, 12], gap="medium")
    with left, st.container(key="answer-panel"):
        above, text = st.container(gap="small"), st.container()
    if shown and turn.answer:  # what is looked at after a click comes first
        with text:
            _text(place, turn, turn.answer, shown)
    if shown:
        with right:
            panel(place, turn, shown.retrieval, turn.answer, shown.choice)
    with above:
        show_waiting(place)
        jobs_panel(place)
        headline(turn.question)
        if retrieval:
            steps_box(retrieval)
    with left, st.container(key="answer-rest"):
        if shown and turn.answer:
            _behind(place, turn, turn.answer, shown)
        else:
            st.caption(t("answer.interrupted"))
        _actions(place, turn, turns)
        _earlier(place, [each for each in turns if each.id != turn.id])
    if shown and path_state.page_wanted(turn):
        _open_page(place, turn, shown)


class _Shown:
    """What is lit up of a turn, worked out once a run."""

    def __init__(self, turn: Turn, retrieval: Retrieval) -> None:
        self.retrieval = retrieval
        self.paths = Paths(retrieval, turn.answer)
        self.evidence = list_evidence(retrieval, turn.answer)
        self.lit = path_state.chosen(turn, self.paths)
        self.steps = steps_of(retrieval, self.lit) if self.lit else ()
        self.row = path_evidence(retrieval, self.evidence, self.lit, self.steps) if self.lit else []
        self.at = path_state.step_at(turn, self.steps)
        now = self.steps[self.at] if self.at >= 0 else None
        self.choice = Choice(self.lit, now, lambda mark: path_state.choose(turn, mark))


def _text(place: Place, turn: Turn, answer: Answer, shown: _Shown) -> None:
    key = f"answer-{turn.id}"
    keys = [each.key for each in shown.row]

    def sent(name: str) -> Any:
        return st.session_state[key].get(name)

    def picked() -> None:
        if isinstance(mark := sent("pick"), str):  # None once what was picked is dealt with
            path_state.choose(turn, one_line(mark))

    checked = turn.checked.verification if turn.checked else None
    marks = shown.lit.marks if shown.lit else frozenset()
    signs = sentence_signs(checked, is_strict(place.workspace))
    labels = {each.marker: _cited(each) for each in shown.evidence if each.marker}
    st.html(lit_style(shown.choice))
    with st.container(key="answer-text"):
        answer_text(
            blocks_of(answer.text, shown.paths, labels, signs, marks),
            shown.lit, shown.steps, shown.at, palette(), key=key,
            on_pick=picked,
            on_step=lambda: path_state.go_to_step(turn, sent("step"), keys, shown.steps),
            on_open=lambda: path_state.want_page(turn),
        )  # fmt: skip


def _cited(each: Evidence) -> str:
    where = dotted(one_line(each.document, 60), page_of(each.page))
    return t(f"path.cite_{'image' if each.kind == 'image' else 'passage'}", n=each.marker,
             where=where)  # fmt: skip


def _behind(place: Place, turn: Turn, answer: Answer, shown: _Shown) -> None:
    # Each in a place of its own: what comes and goes would move the fragments behind it.
    strip, notes, chips, verdicts = (st.container(gap="small") for _ in range(4))
    if shown.row:
        at = path_state.shown_at(turn, len(shown.row))
        with strip:
            place_strip(place, shown.row, at, f"place-{turn.id}",
                        lambda to: path_state.show_place(turn, to),
                        lambda: path_state.want_page(turn))  # fmt: skip
    with notes:
        _notes(place, shown.retrieval, answer)
    with chips:
        _chips(place, turn, shown)
    if not quotes_nothing(answer.text):
        with verdicts:
            verdict_panel(place, turn, shown.retrieval)


def _open_page(place: Place, turn: Turn, shown: _Shown) -> None:
    """The whole page of the place shown, marked; on from there to what else was found."""
    if shown.lit is None or not shown.row:
        return
    key = shown.row[path_state.shown_at(turn, len(shown.row))].key
    mark = shown.lit.chosen if shown.lit.chosen[:2] in ("n:", "i:") else ""
    others = [each for each in shown.evidence if each.key not in {row.key for row in shown.row}]
    single = [] if mark.startswith("n:") else [each for each in others if each.kind != "triplet"]
    row = sorted([*shown.row, *single], key=lambda each: (not each.marker, each.marker))
    open_evidence(place, row, key, mark=mark)


def headline(question: str) -> None:
    """The question above its answer."""
    with st.container(key="question"):
        st.markdown(f"### {escape_markdown(question)}", anchors=False)


def steps_box(retrieval: Retrieval) -> None:
    """The steps of the retrieval, folded beneath what they came to."""
    with (
        st.container(key="steps"),
        st.expander(unbroken(status_line(retrieval)), icon=":material/check:", type="compact"),
    ):
        for step in describe_steps(retrieval):
            lines = "".join(f"\n- :gray[{line}]" for line in step.lines)
            st.markdown(f"{dotted(f'**{step.title}**', step.summary)}\n{lines}")


# --- beneath the answer ---


def _actions(place: Place, turn: Turn, turns: Sequence[Turn]) -> None:
    with st.container(key="answer-actions", horizontal=True, vertical_alignment="center"):
        if turn.answer is not None:
            text = turn.answer.text
            copy_button(text, t("answer.copy"), t("answer.copied"), key=f"copy-{turn.id}")
        if st.button(
            t("answer.again"), icon=":material/refresh:", type="tertiary", key=f"again-{turn.id}"
        ):
            st.session_state["ask"] = turn.question
            st.rerun()
        if st.button(
            t("answer.lab"), icon=":material/science:", type="tertiary", key=f"lab-{turn.id}"
        ):
            here = address(place.collection.id if place.collection else None)
            st.switch_page(
                "pages/3_Retrieval_Lab.py", query_params={**here, "question": turn.question}
            )
        if place.chat:
            chat_menu(place, place.chat, turns)


def _marks(place: Place, turn: Turn) -> tuple[tuple[int, str], ...]:
    verification = turn.checked.verification if turn.checked else None
    return sentence_marks(verification, is_strict(place.workspace))


def _notes(place: Place, retrieval: Retrieval, answer: Answer) -> None:
    told = [] if quotes_nothing(answer.text) else answer.notes  # of what it quotes
    notes = [escape_markdown(note) for note in told]
    if unread := retrieval.trace.unread:
        notes.insert(0, t("answer.unread", n=len(unread), names=_few(unread)))
    if scope := scope_note(place, retrieval):
        notes.insert(0, scope)
    if retrieval.low_relevance:
        notes.insert(0, t("answer.low_relevance"))
    if spent := _spent(retrieval, answer):
        notes.append(spent)
    if notes:
        with st.container(key="answer-notes", gap=None):
            for note in dict.fromkeys(notes):
                st.caption(f":material/info: {note}")


def _spent(retrieval: Retrieval, answer: Answer) -> str:
    """What the question cost, rewriting it and deciding on rounds included; "" where no model
    was asked."""
    if answer.model == "extractive":
        return ""
    meant = retrieval.trace.follow_up
    decided = [each.usage for each in retrieval.trace.decisions]
    costs = [answer.usage, meant.usage if meant else {}, *decided]
    read, written, guessed = (
        sum(cost.get(kind, 0) for cost in costs)
        for kind in ("prompt_tokens", "completion_tokens", "estimated_calls")
    )
    return t(
        "answer.spent" if read or written else "answer.spent_nothing",
        model=escape_markdown(answer.model, 60),
        read=number(read),
        written=number(written),
        about=t("answer.spent_about") if guessed else "",
    )


def _few(names: Sequence[str]) -> str:
    """The first names of many."""
    shown = ", ".join(escape_markdown(name, 48) for name in names[:_NAMED])
    return f"{shown}, …" if len(names) > _NAMED else shown


def _chips(place: Place, turn: Turn, shown: _Shown) -> None:
    cited = [each for each in shown.evidence if each.marker]
    if not cited:
        return
    several = place.collection is not None and place.collection.documents > 1
    with st.container(key="chips", horizontal=True, gap="xsmall"):
        for each in cited:
            inside = page_of(each.page) or one_line(each.section, 24)
            named = several or not inside
            where = dotted(one_line(each.document, 24) if named else "", inside)
            icon = ":material/image:" if each.kind == "image" else ":material/notes:"
            label = dotted(str(each.marker), escape_markdown(where))
            st.button(
                label, icon=icon, key=chip_key(mark_of_evidence(each.key)),
                on_click=path_state.choose, args=(turn, mark_of_evidence(each.key)),
            )  # fmt: skip


def _earlier(place: Place, turns: list[Turn]) -> None:
    if not turns:
        return
    with st.container(key="earlier", gap="xsmall"):
        st.caption(t("answer.earlier"))
        for turn in reversed(turns):
            with st.expander(escape_markdown(turn.question, 90)):
                answer = turn.answer
                text = answer and answer_markdown(answer.text, answer, _marks(place, turn))
                st.markdown(text or t("answer.interrupted"))
                if st.button(
                    t("answer.show"), icon=":material/account_tree:", type="tertiary",
                    key=f"show-{turn.id}",
                ):  # fmt: skip
                    st.session_state["turn"] = turn.id
                    st.rerun()
