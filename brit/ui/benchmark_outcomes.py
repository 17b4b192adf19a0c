"""From a number of the benchmark to its questions: what was found, missed, and by which steps."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from brit import pipeline
from brit.errors import UnknownName
from brit.evaluation.benchmark.records import BenchmarkQuestion
from brit.evaluation.benchmark.running import Result, Run, RunMethod
from brit.evaluation.metrics import (
    MIN_SHARE,
    TOP_IMAGES,
    WORD_BUDGET,
    returned_texts,
    text_shares,
)
from brit.evaluation.tables import TYPES
from brit.types import Image, Retrieval
from brit.ui import state
from brit.ui.evidence import Evidence
from brit.ui.page_view import open_evidence
from brit.ui.pictures import THUMBNAIL, small_jpeg
from brit.ui.safe import escape_markdown
from brit.ui.state import Place, address, shown_errors
from brit.ui.steps import describe_steps
from brit.ui.wording import dotted, page_of, t

LISTED, LAB_LONGEST = 20, 500  # questions; characters the Retrieval Lab takes
METHOD, KIND = "outcome-method", "outcome-type"
RETRIEVED = ("image", "text", "page@3")
ANSWERED = ("answer", "score")
FOUND = {"missed": (RETRIEVED, False), "found": (RETRIEVED, True)}
RIGHT = {"wrong": (ANSWERED, False), "right": (ANSWERED, True)}
_TRACED = "outcome-traced"


def outcomes(place: Place, run: Run) -> None:
    """The questions of a method and a type that it missed or found, answered wrongly or rightly."""
    able = {each.name: each for each in run.methods if not each.missing}
    st.markdown(f"#### {t('benchmark.outcomes')}", anchors=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox(t("benchmark.method"), able, key=METHOD, width=320)
        there = set(map(kind_of, run.questions))
        kinds = [*filter(there.__contains__, TYPES), *sorted(there.difference(TYPES))]
        kind = st.selectbox(t("benchmark.type"), kinds, key=KIND, width=200)
        answered = any(name in each.measures for each in run.results for name in ANSWERED)
        wanted = st.segmented_control(
            t("benchmark.outcome"), [*FOUND, *(RIGHT if answered else {})], default="missed",
            required=True, key="outcome-of", format_func=lambda each: t(f"benchmark.{each}"),
        )  # fmt: skip
    results = {each.question: each for each in run.results if each.method == name}
    chosen = [
        (question, results[question.id])
        for question in run.questions
        if kind_of(question) == kind and question.id in results
        and _is(results[question.id], wanted or "missed")
    ]  # fmt: skip
    st.caption(t("benchmark.questions", n=len(chosen)))
    for question, result in chosen[:LISTED]:
        _outcome(place, able[name], question, result)
    if len(chosen) > LISTED:
        st.caption(t("steps.more", n=len(chosen) - LISTED))


def look_at(run: Run, method: str, column: str) -> None:
    """Show the questions behind a number of a table: of the method, and of the column where it is
    one of a kind."""
    if any(each.name == method and not each.missing for each in run.methods):
        st.session_state[METHOD] = method
    if column in map(kind_of, run.questions):
        st.session_state[KIND] = column


def kind_of(question: BenchmarkQuestion) -> str:
    """The column of the tables that counts it alone."""
    if question.pair:
        return "w/ NEA" if question.named else "w/o NEA"
    return question.type


def _is(result: Result, outcome: str) -> bool:
    """Of what was not measured nothing is said."""
    names, good = (FOUND | RIGHT)[outcome]
    values = [result.measures[name] for name in names if name in result.measures]
    return bool(values) and bool(values[0]) == good


def _outcome(place: Place, method: RunMethod, question: BenchmarkQuestion, result: Result) -> None:
    with st.expander(escape_markdown(question.question, 160)):
        place_of = dotted(escape_markdown(question.doc, 60), page_of(question.page))
        st.markdown(f"{t('benchmark.gold')} {place_of}")
        if question.evidence_text:
            st.markdown(f"> {escape_markdown(question.evidence_text, 400)}")
        if result.reply:
            told = ("reply", result.reply), ("wanted", question.answer)
            st.markdown("  \n".join(
                f"{t(f'benchmark.{key}')} {escape_markdown(words, 300)}" for key, words in told
            ))  # fmt: skip
        _pictures(place, question, result)
        if result.texts:
            st.markdown(f"**{t('benchmark.texts')}**")
            lines = (f"{at}. :gray[{escape_markdown(text, 240)}]"
                     for at, text in enumerate(result.texts, 1))  # fmt: skip
            st.markdown("\n".join(lines))
        with st.container(horizontal=True, vertical_alignment="center"):
            _page(place, question)
            assert place.collection is not None, "a run is of a collection"
            st.page_link(
                "pages/3_Retrieval_Lab.py", label=t("benchmark.open_lab"), width="content",
                icon=":material/science:", query_params={
                    **address(place.collection.id), "question": question.question[:LAB_LONGEST]},
            )  # fmt: skip
        if method.config:
            _trace(place, method, question)


def _page(place: Place, question: BenchmarkQuestion) -> None:
    """The page of what was to be found, with its place marked."""
    if question.page is None:
        return
    if st.button(
        t("benchmark.see_page"), icon=":material/description:", type="tertiary",
        key=f"page-{question.id}",
    ):  # fmt: skip
        image = _image(place, question.image)
        path = str(place.workspace.images.path(question.image_hash)) if question.image_hash else ""
        gold = Evidence(
            question.id, "image", 0, question.doc, question.page, question.bbox, "",
            image.caption if image else "", image.section_title if image else "", 0.0, path,
            document_id=image.document if image else "", scored=False,
        )  # fmt: skip
        open_evidence(place, [gold], gold.key)


def _pictures(place: Place, question: BenchmarkQuestion, result: Result) -> None:
    images = [question.image_hash, *(_file(place, id) for id in result.images)]
    labels = [t("benchmark.gold_picture"),
              *(t("benchmark.place", n=n) for n, _ in enumerate(result.images, 1))]  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for file, label in zip(images, labels, strict=True):
            path = str(place.workspace.images.path(file)) if file else ""
            if small := small_jpeg(path, THUMBNAIL):
                st.image(small, caption=label)


def _file(place: Place, image: str) -> str:
    """ "" for a picture of a whole page, and for one that went with its document."""
    known = _image(place, image)
    return known.file if known else ""


def _image(place: Place, id: str) -> Image | None:
    try:
        return place.workspace.content.image(id)
    except UnknownName:
        return None


# --- the steps, looked for again ---


def _trace(place: Place, method: RunMethod, question: BenchmarkQuestion) -> None:
    """The trace is made again, by the method's own setting, as runs keep results and no traces."""
    key = (method.name, question.id)
    if st.session_state.get(_TRACED) != key:
        if not st.button(
            t("benchmark.trace"), icon=":material/route:", type="tertiary",
            key=f"trace-{question.id}",
        ):  # fmt: skip
            return
        st.session_state[_TRACED] = key
    with shown_errors():
        assert place.collection is not None, "a run is of a collection"
        retrieval = pipeline.retrieve(
            place.workspace, question.question, place.collection.name, models=state.models(),
            config=method.setting, ask_model=False,
            documents=[question.doc] if question.type == "pages" else (),
        )  # fmt: skip
        st.markdown(f"**{t('benchmark.steps')}**")
        if question.evidence_text:
            st.markdown(way_to_text(question.evidence_text, retrieval))
        elif question.image:
            st.markdown(way_to(question.image, retrieval))
        for step in describe_steps(retrieval):
            lines = "".join(f"\n- :gray[{line}]" for line in step.lines)
            st.markdown(f"{dotted(f'**{step.title}**', step.summary)}\n{lines}")


def way_to(image: str, retrieval: Retrieval) -> str:
    """How the picture to be found fared: its place, the reason it was dropped, or that no step
    led to it."""
    at = next((at for at, each in enumerate(retrieval.images, 1) if each.id == image), 0)
    if at:
        key = "way_found" if at <= TOP_IMAGES else "way_late"
        return t(f"benchmark.{key}", place=at, top=TOP_IMAGES)
    if reasons := _reasons(image, retrieval):
        return t("benchmark.way_dropped", reasons="; ".join(reasons))
    return t("benchmark.way_none")


def way_to_text(evidence: str, retrieval: Retrieval) -> str:
    """How the text to be found fared: its place, or how much of it the nearest text holds."""
    shares = text_shares(evidence, returned_texts(retrieval.passages, retrieval.triplets))
    if not any(each.share for each in shares):
        return t("benchmark.text_none")
    at, best = max(enumerate(shares, 1), key=lambda each: (min(each[1].share, MIN_SHARE), -each[0]))
    if best.share < MIN_SHARE:
        return t(
            "benchmark.text_part", place=at, share=f"{best.share:.0%}", least=f"{MIN_SHARE:.0%}"
        )
    key = "text_found" if best.within else "text_late"
    return t(f"benchmark.{key}", place=at, words=WORD_BUDGET)


def _reasons(image: str, retrieval: Retrieval) -> Iterable[str]:
    dropped = (each for each in retrieval.trace.hops if each.image == image and not each.kept)
    return list(dict.fromkeys(escape_markdown(each.reason, 120) for each in dropped))
