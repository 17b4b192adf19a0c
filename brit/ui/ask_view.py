"""The Ask page: a question, its answer with what it rests on, and the way that led there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from brit import pipeline
from brit.errors import ModelError
from brit.generation.language import quotes_nothing
from brit.journal import request, timed
from brit.storage.chats import Turn
from brit.storage.ledger import Collection
from brit.types import Answer, Retrieval
from brit.ui import state
from brit.ui.chat_menu import LONGEST_TITLE, chat_menu
from brit.ui.copy_button import copy_button
from brit.ui.evidence import Evidence, answer_markdown, list_evidence
from brit.ui.evidence_panel import evidence_panel
from brit.ui.jobs_panel import jobs_panel
from brit.ui.limits import take_question
from brit.ui.page_view import open_evidence, with_section_titles
from brit.ui.relay import relay
from brit.ui.safe import escape_markdown, one_line
from brit.ui.scope import chosen_documents, scope_note
from brit.ui.state import Place, address, shown_errors
from brit.ui.steps import describe_steps, status_line
from brit.ui.verdicts import begin_check, verdict_panel
from brit.ui.verify_marks import is_strict, sentence_marks
from brit.ui.waiting import hold, show_waiting, take_due
from brit.ui.wording import dotted, number, page_of, t, unbroken

if TYPE_CHECKING:
    from brit.generation import AnswerStream

_BELOW = 5
_NAMED = 3
_QUICK = 0.6  # seconds the page waits for a check: an answer that quotes needs less


def show_conversation(place: Place, turns: list[Turn]) -> None:
    """The turn in hand with its evidence beside it; the others below, folded."""
    chosen = st.session_state.get("turn")
    turn = next((each for each in turns if each.id == chosen), turns[-1])
    retrieval = with_section_titles(place, turn.retrieval) if turn.retrieval else None
    left, right = st.columns([10, 12], gap="medium")
    with left, st.container(key="answer-panel"):
        show_waiting(place)
        jobs_panel(place)
        _headline(turn.question)
        if retrieval:
            _steps(retrieval)
        _answer(place, turn, retrieval, turns)
        _earlier(place, [each for each in turns if each.id != turn.id])
    if retrieval:
        with right:
            evidence_panel(place, turn, retrieval, turn.answer)


def ask(place: Place, question: str, before: list[Turn]) -> None:
    """Retrieve, show what was found, write the answer; then draw the page anew with all of it."""
    assert place.collection is not None, "questions are asked of a collection"
    chats = place.workspace.chats
    chat = place.chat or chats.create(place.collection.id, one_line(question, LONGEST_TITLE))
    turn = chats.add_turn(chat.id, question)
    st.session_state.pop("turn", None)
    st.query_params.from_dict(address(chat=chat.id))
    left, right = st.columns([10, 12], gap="medium")
    with left, st.container(key="answer-panel"):
        _headline(question)
        status, body = st.empty(), st.empty()
        for _ in range(_BELOW):  # what stood there for the question before would linger in grey
            st.empty()
        _draw_anew_when_stopped(turn.id)
    waiting = right.empty()
    with waiting.container(key="waiting"):
        st.container(key="skeleton-cards", height=150)
        st.container(key="skeleton-graph", height=420)
    retrieval = _retrieve(place, place.collection, question, before, status)
    chats.save_turn(turn.id, retrieval=retrieval)
    with status.container():
        _steps(retrieval)
    with waiting.container():
        evidence_panel(place, turn, with_section_titles(place, retrieval), None)
    with body.container():
        answer = _write(place, turn, retrieval, before)
    if answer.text:
        answered = replace(turn, retrieval=retrieval, answer=answer)
        begin_check(place, answered, within=_QUICK)
    st.rerun()


def _retrieve(
    place: Place,
    collection: Collection,
    question: str,
    before: list[Turn],
    status: DeltaGenerator,
) -> Retrieval:
    """A model may be asked what the question leans on, and where to go on: that can be stopped."""

    models, documents = state.models(), chosen_documents(place)

    def found() -> Iterator[Retrieval | None]:
        yield pipeline.retrieve(
            place.workspace, question, collection.name, models=models, before=before,
            documents=documents,
        )  # fmt: skip

    told = t("status.looking", count=number(collection.nodes))
    status.caption(told)
    for retrieval in relay(found(), place.workspace.close, None):
        status.caption(told)
        if retrieval:
            return retrieval
    raise AssertionError("what looks ends with what was found, or raises")


@st.fragment(run_every=1.0)
def _draw_anew_when_stopped(turn: str) -> None:
    """Runs by itself only once the script that writes the answer has ended, however it did: a
    script that is stopped cannot draw what it leaves."""
    if st.session_state.get("writing") == turn:
        st.rerun()
    st.session_state["writing"] = turn


def _write(place: Place, turn: Turn, retrieval: Retrieval, before: list[Turn]) -> Answer:
    """A model that does not begin to answer is said, and the documents are quoted instead."""
    history = [(each.question, each.answer.text) for each in before if each.answer]
    stream = pipeline.answer(turn.question, retrieval, models=state.models(), history=history)
    try:
        return _show_stream(place, turn, stream)
    except ModelError as failure:
        if stream.answer.text:
            raise
        quotes = pipeline.quote(retrieval, models=state.models(), failure=failure)
        return _show_stream(place, turn, quotes)


@timed("question", stage="answer")
def _show_stream(place: Place, turn: Turn, stream: AnswerStream) -> Answer:
    slot = st.empty()
    try:
        for text in _growing(relay(iter(stream), place.workspace.close, "")):
            slot.markdown(answer_markdown(text, stream.answer) + " ▍")
    finally:  # also when stopped, or when the page is left: what is written is kept
        stream.close()
        if stream.answer.text:
            place.workspace.chats.save_turn(turn.id, answer=stream.answer)
    return stream.answer


def _growing(pieces: Iterator[str]) -> Iterator[str]:
    text = ""
    for piece in pieces:
        text += piece
        yield text


def _headline(question: str) -> None:
    with st.container(key="question"):
        st.markdown(f"### {escape_markdown(question)}", anchors=False)


def _steps(retrieval: Retrieval) -> None:
    with (
        st.container(key="steps"),
        st.expander(unbroken(status_line(retrieval)), icon=":material/check:", type="compact"),
    ):
        for step in describe_steps(retrieval):
            lines = "".join(f"\n- :gray[{line}]" for line in step.lines)
            st.markdown(f"{dotted(f'**{step.title}**', step.summary)}\n{lines}")


# --- the answer ---


def _answer(place: Place, turn: Turn, retrieval: Retrieval | None, turns: Sequence[Turn]) -> None:
    answer = turn.answer
    if answer is None or retrieval is None:
        st.caption(t("answer.interrupted"))
    else:
        with st.container(key="answer-text"):
            st.markdown(answer_markdown(answer.text, answer, _marks(place, turn)))
        _notes(place, retrieval, answer)
        _chips(place, turn, list_evidence(retrieval, answer))
        if not quotes_nothing(answer.text):
            verdict_panel(place, turn, retrieval)
    with st.container(key="answer-actions", horizontal=True, vertical_alignment="center"):
        if answer is not None:
            copy_button(answer.text, t("answer.copy"), t("answer.copied"), key=f"copy-{turn.id}")
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


@st.fragment
def _chips(place: Place, turn: Turn, evidence: list[Evidence]) -> None:
    cited = [each for each in evidence if each.marker]
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
            if st.button(label, icon=icon, key=f"chip-{turn.id}-{each.marker}"):
                open_evidence(place, evidence, each.key)


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


# --- the page ---


def show_ask(place: Place) -> None:
    """The whole page but for the frame and the box at its bottom."""
    from brit.ui.ask_box import ask_box
    from brit.ui.start_view import show_start

    turns = place.workspace.chats.turns(place.chat.id) if place.chat else []
    asked = ask_box(place) or st.session_state.pop("ask", None) or take_due(place)
    if asked and not place.ready:
        hold(asked, place.collection.id if place.collection else None)
    start = st.empty()
    with shown_errors():
        if asked and place.ready:
            take_question()
            with request():
                ask(place, asked, turns)
        elif turns:
            show_conversation(place, turns)
        else:
            with start.container():
                show_start(place)
