"""Which methods run on the test set, whether they answer, and what that would cost."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from brit.errors import BritError
from brit.evaluation.benchmark.records import BenchmarkQuestion, BenchmarkSet, hash_of
from brit.evaluation.benchmark.running import Run
from brit.pipeline.benchmark_files import BenchmarkFiles
from brit.ui import state
from brit.ui.benchmark_making import JOB, cap_input, submit_benchmark
from brit.ui.jobs_panel import active_jobs
from brit.ui.safe import escape_markdown
from brit.ui.state import Place
from brit.ui.wording import t

_USUAL = ("default", "default:none", "paper", "paper:none", "similarity", "bm25", "dense")


def start_run(place: Place, files: BenchmarkFiles, made: BenchmarkSet) -> None:
    """A run goes on with what is missing, unless it is of something else by now."""
    from brit.pipeline.benchmark_run import ALL_METHODS, OWN, questions_here

    assert place.collection is not None
    try:
        asked = questions_here(place.workspace, made, place.collection.name)
    except BritError as error:
        st.info(escape_markdown(str(error), 300), icon=":material/info:")
        return
    run = files.read_run()
    methods = st.multiselect(
        t("benchmark.methods"), [*dict.fromkeys((*_USUAL, OWN, *ALL_METHODS))], _USUAL,
        key="benchmark-methods", help=t("benchmark.methods_help"),
    )  # fmt: skip
    answers = st.checkbox(
        t("benchmark.answers"), bool(run and run.identity.model), key="benchmark-answers"
    )
    cap, able = _cost(place, asked, methods) if answers else ("", True)
    if why := _stale(place, run, asked, answers):
        st.info(t(f"benchmark.stale_{why}"), icon=":material/info:")
    with st.container(horizontal=True):
        busy = bool(active_jobs(place, JOB)) or not methods or not able
        go = st.button(
            t("benchmark.go_on" if run and run.left and not why else "benchmark.run"),
            icon=":material/play_arrow:", type="primary", disabled=busy, key="benchmark-run",
        )  # fmt: skip
        anew = run is not None and st.button(
            t("benchmark.anew"), icon=":material/replay:", disabled=busy, key="benchmark-anew"
        )
    if go or anew:
        if why or anew:
            files.drop_run()
        payload = {"action": "run", "methods": list(methods), "answers": answers, "cap": cap}
        submit_benchmark(place, payload)


def _stale(place: Place, run: Run | None, asked: Sequence[BenchmarkQuestion], answers: bool) -> str:
    """Why the run there is cannot be gone on with, "" where it can."""
    assert place.collection is not None
    if run is None:
        return ""
    if hash_of(run.questions) != hash_of(asked):
        return "questions"
    stamp = place.workspace.documents.stamp(place.collection.name)
    if run.identity.version != stamp.version:
        return "documents"
    return "answers" if bool(run.identity.model) != answers else ""


def _cost(
    place: Place, asked: Sequence[BenchmarkQuestion], methods: Sequence[str]
) -> tuple[str, bool]:
    """→ the cap, and whether anything here can answer."""
    from brit.pipeline.benchmark_answers import is_free
    from brit.pipeline.benchmark_estimate import estimate_answers
    from brit.pipeline.benchmark_run import parse_method

    models = state.models()
    if models.language_model is None:
        able = any(map(is_free, asked))
        st.caption(t("benchmark.quoted" if able else "benchmark.no_answers"))
        return "", able
    runs = sum(len(parse_method(name)) for name in methods)
    cost = estimate_answers(place.workspace, asked, runs, models)
    with st.container(horizontal=True, vertical_alignment="center"):
        cap, able = cap_input("benchmark-run-cap")
        st.caption(escape_markdown(cost.in_words()))
    return cap, able
