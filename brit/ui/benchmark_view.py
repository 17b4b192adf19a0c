"""The Benchmark page: questions made of the collection, run by every method, and the tables."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import streamlit as st

from brit.evaluation.benchmark.records import BenchmarkQuestion, BenchmarkSet, State, hash_of
from brit.evaluation.benchmark.sampling import SHARES
from brit.pipeline.benchmark_files import BenchmarkFiles
from brit.ui import state
from brit.ui.benchmark_results import results_tab
from brit.ui.jobs_panel import active_jobs, jobs_panel
from brit.ui.pictures import THUMBNAIL, small_jpeg
from brit.ui.safe import escape_markdown, one_line
from brit.ui.state import Place, address, shown_errors
from brit.ui.wording import dotted, page_of, t

JOB = "benchmark"
SHOWN = 10
_USUAL = ("default", "default:none", "paper", "paper:none", "similarity", "bm25", "dense")
_ICONS: dict[State, str] = {
    "made": "", "accepted": ":green[:material/check_circle:]",
    "edited": ":blue[:material/edit:]", "rejected": ":gray[:material/block:]",
}  # fmt: skip


def show_benchmark(place: Place) -> None:
    """The whole page but for its frame."""
    with st.container(key="benchmark"):
        st.markdown(f"## {t('benchmark.title')}", anchors=False)
        if place.collection is None or not place.ready:
            st.markdown(f":gray[{t('benchmark.nothing')}]")
            st.page_link(
                "pages/1_Library.py", label=t("nav.library"), icon=":material/library_books:",
                query_params=address(place.collection.id if place.collection else None),
            )  # fmt: skip
            return
        st.markdown(f":gray[{t('benchmark.hint')}]")
        jobs_panel(place, JOB)
        files = BenchmarkFiles.of(place.workspace, place.collection.id)
        with shown_errors():
            made = files.read_set()
            questions, results = st.tabs([t("benchmark.tab_set"), t("benchmark.tab_run")])
            with questions:
                _make(place, made)
                if made:
                    _questions(place, files, made)
            with results:
                if made:
                    _start(place, files, made)
                    results_tab(place, files)
                else:
                    st.markdown(f":gray[{t('benchmark.no_set')}]")


# --- the set ---


def _make(place: Place, made: BenchmarkSet | None) -> None:
    assert place.collection is not None
    with (
        st.form("benchmark-make", border=False),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        count = st.number_input(t("benchmark.count"), 5, 2000, 100, step=5, width=140)
        seed = st.number_input(t("benchmark.seed"), 0, 10_000, 0, width=120)
        label = t("benchmark.make_again" if made else "benchmark.make")
        kept = sum(each.state != "made" for each in made.questions) if made else 0
        sure = not kept or st.checkbox(t("benchmark.lose", n=kept))
        sent = st.form_submit_button(
            label, icon=":material/quiz:", type="secondary" if made else "primary"
        )
    if sent and sure and not active_jobs(place, JOB):
        _submit(place, {"action": "make", "count": int(count), "seed": int(seed)})


def _submit(place: Place, payload: dict[str, object]) -> None:
    assert place.collection is not None
    state.runner().submit(JOB, {**payload, "collection": place.collection.name})
    st.rerun()


def _questions(place: Place, files: BenchmarkFiles, made: BenchmarkSet) -> None:
    _told(made)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kinds = [t("benchmark.all"), *dict.fromkeys(kind for kind, _ in SHARES)]
        kind = st.selectbox(t("benchmark.type"), kinds, width=220, key="benchmark-type")
        chosen = [each for each in made.questions if kind in (kinds[0], each.type)]
        pages = max(1, -(-len(chosen) // SHOWN))
        page = 1
        if pages > 1:
            page = st.number_input(
                t("benchmark.page", n=pages), 1, pages, width=160, key=f"benchmark-page-{kind}"
            )
        st.download_button(
            t("benchmark.save_set"), files.questions.read_bytes(), "test-set.jsonl",
            icon=":material/download:", type="tertiary",
        )  # fmt: skip
    for each in chosen[(int(page) - 1) * SHOWN : int(page) * SHOWN]:
        _question(place, files, each)


def _told(made: BenchmarkSet) -> None:
    """What the set holds, and what was dropped for which reason."""
    kinds = Counter(each.type for each in made.questions)
    counts = [f"{count} {kind}" for kind, count in kinds.items()]
    st.markdown(dotted(t("benchmark.questions", n=len(made.questions)), *counts))
    rejected = sorted(made.making.rejected.items(), key=lambda item: -item[1])
    dropped = dotted(*(f"{escape_markdown(reason)}: {count}" for reason, count in rejected))
    st.caption(f"{t('benchmark.dropped')} {dropped}")
    if made.making.made_by == "embedded":
        st.caption(t("benchmark.embedded"))


def _question(place: Place, files: BenchmarkFiles, each: BenchmarkQuestion) -> None:
    with st.container(border=True, key=f"question-{each.id}", gap="xsmall"):
        picture, words = st.columns([1, 5])
        if small := small_jpeg(str(place.workspace.images.path(each.image_hash)), THUMBNAIL):
            picture.image(small)
        with words:
            st.markdown(dotted(
                f"{_ICONS[each.state]} **{each.type}**", each.source,
                escape_markdown(each.doc, 60), page_of(each.page),
            ))  # fmt: skip
            text = st.text_area(
                t("benchmark.question"), each.question, key=f"text-{each.id}", height=80,
                label_visibility="collapsed", max_chars=1000,
            )  # fmt: skip
            if answer := each.answer or each.evidence_text:
                st.caption(f"{t('benchmark.answer')} {escape_markdown(answer, 300)}")
            _decide(files, each, " ".join(text.split()))


def _decide(files: BenchmarkFiles, each: BenchmarkQuestion, text: str) -> None:
    """Accept with the words as they stand in the box, or reject."""
    with st.container(horizontal=True):
        if st.button(
            t("benchmark.accept"), icon=":material/check:", type="tertiary", key=f"yes-{each.id}",
            disabled=not text,
        ):  # fmt: skip
            edited = text != one_line(each.question)
            files.keep(replace(each, question=text, state="edited" if edited else "accepted"))
            st.rerun()
        if each.state != "rejected" and st.button(
            t("benchmark.reject"), icon=":material/block:", type="tertiary", key=f"no-{each.id}"
        ):
            files.keep(replace(each, state="rejected"))
            st.rerun()


# --- the run ---


def _start(place: Place, files: BenchmarkFiles, made: BenchmarkSet) -> None:
    from brit.pipeline.benchmark_run import ALL_METHODS

    run = files.read_run()
    stale = run is not None and hash_of(run.questions) != hash_of(made.asked)
    if stale:
        st.info(t("benchmark.stale"), icon=":material/info:")
    methods = st.multiselect(
        t("benchmark.methods"), [*dict.fromkeys((*_USUAL, *ALL_METHODS))], _USUAL,
        key="benchmark-methods",
    )  # fmt: skip
    with st.container(horizontal=True):
        busy = bool(active_jobs(place, JOB)) or not methods
        go = st.button(
            t("benchmark.go_on" if run and run.left and not stale else "benchmark.run"),
            icon=":material/play_arrow:", type="primary", disabled=busy, key="benchmark-run",
        )  # fmt: skip
        anew = run is not None and st.button(
            t("benchmark.anew"), icon=":material/replay:", disabled=busy, key="benchmark-anew"
        )
    if go or anew:
        if stale or anew:
            files.drop_run()
        _submit(place, {"action": "run", "methods": list(methods)})
