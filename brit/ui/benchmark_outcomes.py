"""From a number of the benchmark to its questions: what was found, missed, and by which steps."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

import streamlit as st

from brit import pipeline
from brit.errors import UnknownName
from brit.evaluation.benchmark.calibration import found
from brit.evaluation.benchmark.records import BenchmarkQuestion
from brit.evaluation.benchmark.running import Result, Run, RunMethod
from brit.evaluation.metrics import TOP_IMAGES
from brit.types import Retrieval
from brit.ui import state
from brit.ui.pictures import THUMBNAIL, small_jpeg
from brit.ui.safe import escape_markdown
from brit.ui.state import Place, shown_errors
from brit.ui.steps import describe_steps
from brit.ui.wording import dotted, page_of, t

LISTED = 20
_TRACED = "outcome-traced"


def outcomes(place: Place, run: Run) -> None:
    """The questions of a method and a type that it missed, or found."""
    able = {each.name: each for each in run.methods if not each.missing}
    st.markdown(f"#### {t('benchmark.outcomes')}", anchors=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox(t("benchmark.method"), able, key="outcome-method", width=320)
        kinds = [kind for kind, _ in groupby(sorted(each.type for each in run.questions))]
        kind = st.selectbox(t("benchmark.type"), kinds, key="outcome-type", width=200)
        wanted = st.segmented_control(
            t("benchmark.outcome"), ["missed", "found"], default="missed", required=True,
            key="outcome-of", format_func=lambda each: t(f"benchmark.{each}"),
        )  # fmt: skip
    results = {each.question: each for each in run.results if each.method == name}
    chosen = [
        (question, results[question.id])
        for question in run.questions
        if question.type == kind and question.id in results
        and bool(found(results[question.id])) == (wanted == "found")
    ]  # fmt: skip
    st.caption(t("benchmark.questions", n=len(chosen)))
    for question, result in chosen[:LISTED]:
        _outcome(place, able[name], question, result)
    if len(chosen) > LISTED:
        st.caption(t("steps.more", n=len(chosen) - LISTED))


def _outcome(place: Place, method: RunMethod, question: BenchmarkQuestion, result: Result) -> None:
    with st.expander(escape_markdown(question.question, 160)):
        place_of = dotted(escape_markdown(question.doc, 60), page_of(question.page))
        st.markdown(f"{t('benchmark.gold')} {place_of}")
        if question.evidence_text:
            st.markdown(f"> {escape_markdown(question.evidence_text, 400)}")
        _pictures(place, question, result)
        if result.texts:
            st.markdown(f"**{t('benchmark.texts')}**")
            lines = (f"{at}. :gray[{escape_markdown(text, 240)}]"
                     for at, text in enumerate(result.texts, 1))  # fmt: skip
            st.markdown("\n".join(lines))
        if method.config:
            _trace(place, method, question)


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
    try:
        return place.workspace.content.image(image).file
    except UnknownName:
        return ""


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
        )  # fmt: skip
        st.markdown(f"**{t('benchmark.steps')}**")
        if question.type != "image-text":
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


def _reasons(image: str, retrieval: Retrieval) -> Iterable[str]:
    dropped = (each for each in retrieval.trace.hops if each.image == image and not each.kept)
    return list(dict.fromkeys(escape_markdown(each.reason, 120) for each in dropped))
