"""The Retrieval Lab: one question, two settings side by side, and what each of them finds.

All of it below the question is one fragment: a change of a widget retrieves again and draws anew,
without a language model being asked. What was found once is kept by question and setting.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from brit import pipeline
from brit.config import RetrievalConfig
from brit.errors import UnknownName
from brit.types import Preset, Retrieval, stable_id
from brit.ui import state
from brit.ui.evidence import list_evidence
from brit.ui.evidence_panel import (
    draw_mode,
    enlarge,
    graph,
    legend,
    open_clicked,
    picture_card,
    pictures_head,
    thumbnails,
)
from brit.ui.lab_changes import changes_strip
from brit.ui.lab_rows import draw_look
from brit.ui.lab_settings import Setting, SideName, setting_card
from brit.ui.lab_steps import GRAPHS, STEPS, Names, Step, longest, look_at
from brit.ui.limits import take_question
from brit.ui.page_view import with_section_titles
from brit.ui.pictures import picture_name
from brit.ui.safe import escape_markdown
from brit.ui.samples import sample_questions
from brit.ui.state import Place, address, shown_errors
from brit.ui.steps import total_seconds
from brit.ui.wording import dotted, in_every_language, number, page_of, seconds, t, unbroken

QUESTION = "question"
_DRAWN = "lab-drawn"
_LONGEST, _RECENT, _CARDS = 500, 5, 4


@dataclass(frozen=True)
class Side:
    """One side of the comparison; `key` is of its question and setting."""

    name: SideName
    setting: Setting
    retrieval: Retrieval
    key: str


def show_lab(place: Place) -> None:
    """The whole page but for its frame."""
    st.html(Path(__file__).with_name("lab.css"))
    with st.container(key="lab"):
        head = st.container(key="lab-head", gap="xsmall")
        if not place.ready:
            _nothing(place, head)
            return
        question = st.text_input(
            t("lab.question"),
            max_chars=_LONGEST,
            key=QUESTION,
            icon=":material/search:",
            placeholder=t("lab.placeholder"),
            label_visibility="collapsed",
            bind="query-params",
        ).strip()
        if question:
            _headline(head, t("lab.sides"))
            _compare(place, question)
        else:
            _invite(place, head)


def _nothing(place: Place, head: DeltaGenerator) -> None:
    _headline(head, t("lab.nothing"))
    with st.container(key="lab-start"):
        collection = place.collection.id if place.collection else None
        st.page_link(
            "pages/1_Library.py", label=t("nav.library"), icon=":material/library_books:",
            query_params=address(collection), width="content",
        )  # fmt: skip


def _headline(head: DeltaGenerator, hint: str) -> None:
    head.markdown(f"## {t('lab.title')}", anchors=False)
    head.markdown(f":gray[{hint}]")


def _invite(place: Place, head: DeltaGenerator) -> None:
    _headline(head, t("lab.hint"))
    head.markdown(f":gray[{t('lab.sides')}]")
    with st.container(key="lab-start"), st.container(key="suggestions", gap="xsmall"):
        for i, question in enumerate(_suggestions(place)):
            st.button(
                escape_markdown(question, 240),
                key=f"lab-suggestion-{i}",
                icon=":material/arrow_outward:",
                width="stretch",
                on_click=st.session_state.update,
                args=({QUESTION: question[:_LONGEST]},),
            )


def _suggestions(place: Place) -> list[str]:
    """The questions asked last in this collection, or those of the sample."""
    assert place.collection is not None, "questions are asked of a collection"
    chats = place.workspace.chats
    recent = [
        turn.question
        for chat in chats.chats(place.collection.id)[:_RECENT]
        for turn in reversed(chats.turns(chat.id))
    ]
    of_sample = place.collection.name in in_every_language("start.sample_collection")
    return [*dict.fromkeys(recent)][:_RECENT] or (sample_questions() if of_sample else [])


# --- two sides ---


@st.fragment
def _compare(place: Place, question: str) -> None:
    assert place.collection is not None, "questions are asked of a collection"
    names: tuple[SideName, SideName] = ("A", "B")
    settings: list[Setting] = []
    numbers = []
    for name, column in zip(names, st.columns(2, gap="medium"), strict=True):
        with column, shown_errors():
            settings.append(setting_card(place, name))
        numbers.append(column.empty())
    waiting = st.empty()
    if st.session_state.get(_DRAWN) != (place.collection.id, question):
        _skeleton(waiting)
    sides = []
    for name, setting, slot in zip(names, settings, numbers, strict=False):
        with slot.container(key=f"lab-numbers-of-{name}"), shown_errors():
            found = find(place, question, setting)
            st.caption(unbroken(_numbers(found)))
            sides.append(Side(name, setting, found, stable_id(question, setting)))
    waiting.empty()
    if len(sides) == len(names):
        st.session_state[_DRAWN] = (place.collection.id, question)
        _draw(place, sides)


def _skeleton(slot: DeltaGenerator) -> None:
    """What stands there until a question's first answer; a change of settings leaves what was."""
    with slot.container(key="lab-skeleton"):
        for part, height in (("changes", 130), ("pictures", 150), ("graph", 380)):
            st.container(key=f"skeleton-{part}", height=height)


def find(place: Place, question: str, setting: Setting) -> Retrieval:
    """What a setting finds; kept until the collection changes. Raises BritError."""
    assert place.collection is not None, "questions are asked of a collection"
    stamp = place.workspace.documents.stamp(place.collection.name)
    key = (str(place.workspace.folder), stamp.id, stamp.version)
    return _find(place, key, question, setting)


@st.cache_data(max_entries=64, show_spinner=False)
def _find(
    _place: Place,
    key: tuple[str, str, int],
    question: str,
    setting: Setting,
) -> Retrieval:
    assert _place.collection is not None, "questions are asked of a collection"
    take_question()
    _warm(_place, key, setting.config.preset)
    found = pipeline.retrieve(
        _place.workspace,
        question,
        _place.collection.name,
        models=state.models(),
        config=setting.config,
        documents=setting.documents,
        ask_model=False,
    )
    return with_section_titles(_place, found)


@st.cache_resource(show_spinner=False)
def _warm(_place: Place, key: tuple[str, str, int], preset: Preset) -> None:  # noqa: ARG001
    """Loads the models and touches the collection, so that times are those of the retrieval."""
    assert _place.collection is not None, "questions are asked of a collection"
    state.models().warm()
    name, config = _place.collection.name, RetrievalConfig.of(preset)
    pipeline.retrieve(_place.workspace, "Warm", name, models=state.models(), config=config)


def _numbers(retrieval: Retrieval) -> str:
    trace = retrieval.trace
    return dotted(
        t("status.pictures", n=len(retrieval.images)),
        t("count.passages", n=len(retrieval.passages), count=len(retrieval.passages)),
        t("count.triplets", n=len(retrieval.triplets), count=len(retrieval.triplets)),
        t("lab.words", n=retrieval.words, count=number(retrieval.words)),
        t("status.nodes", n=len(trace.nodes), total=number(trace.nodes_total)),
        seconds(total_seconds(retrieval)),
    )


def _draw(place: Place, sides: Sequence[Side]) -> None:
    a, b = sides
    changes_strip(a.setting, b.setting, a.retrieval, b.retrieval)
    _beside(sides, lambda side: _pictures(place, side, b if side is a else a))
    chosen = st.segmented_control(
        t("lab.look"),
        STEPS,
        default="path",
        required=True,
        format_func=lambda each: t(f"lab.step_{each}"),
        key="lab-step",
        label_visibility="collapsed",
    )
    step: Step = chosen or "path"
    longest_ms = longest(side.retrieval for side in sides)
    _beside(sides, lambda side: _step(place, side, step, longest_ms))


def _beside(sides: Sequence[Side], draw: Callable[[Side], None]) -> None:
    for column, side in zip(st.columns(2, gap="medium"), sides, strict=True):
        with column:
            draw(side)


def _pictures(place: Place, side: Side, other: Side) -> None:
    evidence = list_evidence(side.retrieval, None)
    pictures = [each for each in evidence if each.kind == "image"]
    theirs = {f"image:{image.id}" for image in other.retrieval.images}
    doubtful = side.retrieval.low_relevance
    pictures_head(pictures, doubtful, badge=f"{t(f'lab.badge_{side.name}')} ")
    for start in range(0, len(pictures), _CARDS):
        columns = st.columns(_CARDS, gap="small")
        for column, each in zip(columns, pictures[start : start + _CARDS], strict=False):
            note = "" if each.key in theirs else t(f"lab.only_{side.name}")
            with column:
                picture_card(
                    place, f"lab-{side.name}", each, evidence, note=note, scored=not doubtful
                )


# --- steps ---


def _step(place: Place, side: Side, step: Step, longest_ms: float) -> None:
    look = look_at(step, side.retrieval, _names(place, side.retrieval), longest_ms)
    with st.container(
        key=f"lab-step-head-{side.name}", horizontal=True, vertical_alignment="center"
    ):
        summary = f"{t(f'lab.badge_{side.name}')} :small[:gray[{look.summary}]]"
        st.markdown(summary, width="stretch")
        if step in GRAPHS and st.button(
            t("graph.enlarge"), icon=":material/open_in_full:", type="tertiary",
            key=f"lab-enlarge-{side.name}",
        ):  # fmt: skip
            enlarge(place, _graph_key(side), side.retrieval, None, step, side.name)
    if step in GRAPHS:
        _graph(place, side, step)
    else:
        draw_look(look, f"lab-{side.name}-{step}", thumbnails(place, side.retrieval))


def _graph(place: Place, side: Side, step: Step) -> None:
    spec = graph(side.retrieval, None, step)
    with st.container(key=f"lab-graph-{side.name}", border=True):
        clicked = draw_mode(place, _graph_key(side), spec, step, side.retrieval)
    with st.container(key=f"legend-{side.name}"):
        st.markdown(legend(spec))
    if clicked:
        open_clicked(place, side.retrieval, list_evidence(side.retrieval, None), clicked)


def _graph_key(side: Side) -> str:
    return f"lab-{side.key}-{side.name}"


def _names(place: Place, retrieval: Retrieval) -> Names:
    """Names out of storage; what is gone since has none."""
    content = place.workspace.content
    known = {im.id: (picture_name(im.caption, im.name), im.page) for im in retrieval.images}

    def picture(id: str) -> str:
        label, page = known.get(id, (t("picture.unnamed"), None))
        if id not in known:
            with suppress(UnknownName):
                image = content.image(id)
                label, page = picture_name(image.caption, image.name), image.page
        where = page_of(page).replace(" ", "\u00a0")
        return dotted(escape_markdown(label, 44), where)

    def passage(id: str) -> str:
        with suppress(UnknownName):
            found = content.passage(id)
            document = place.workspace.documents.document(found.document)
            where = dotted(escape_markdown(document.name, 28), page_of(found.page))
            return f"{escape_markdown(found.text, 90)} :gray[{where}]"
        return t("graph.passage")

    return Names(picture, passage)
