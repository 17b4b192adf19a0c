"""The Ask page: a question, its answer with what it rests on, and the way that led there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from brit import pipeline
from brit.errors import ModelError
from brit.journal import request, timed
from brit.storage.chats import Turn
from brit.storage.ledger import Collection
from brit.types import Answer, Retrieval
from brit.ui import state
from brit.ui.chat_menu import LONGEST_TITLE
from brit.ui.conversation import headline, show_conversation, steps_box
from brit.ui.evidence import answer_markdown
from brit.ui.evidence_panel import evidence_panel
from brit.ui.limits import take_question
from brit.ui.page_view import with_section_titles
from brit.ui.relay import relay
from brit.ui.safe import one_line
from brit.ui.scope import chosen_documents
from brit.ui.state import Place, address, shown_errors
from brit.ui.verdicts import begin_check
from brit.ui.waiting import hold, take_due
from brit.ui.wording import number, t

if TYPE_CHECKING:
    from brit.generation import AnswerStream

_BELOW = 5
_NAMED = 3
_QUICK = 0.6  # seconds the page waits for a check: an answer that quotes needs less


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
        headline(question)
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
        steps_box(retrieval)
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
