"""The Benchmark page: questions made of the collection, run by every method, and the tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from brit.evaluation.benchmark.records import BenchmarkQuestion, BenchmarkSet, State
from brit.pipeline.benchmark_files import BenchmarkFiles
from brit.ui.benchmark_making import JOB, make_or_bring
from brit.ui.benchmark_results import results_tab
from brit.ui.benchmark_start import start_run
from brit.ui.jobs_panel import jobs_panel
from brit.ui.pictures import THUMBNAIL, small_jpeg
from brit.ui.safe import escape_markdown, one_line
from brit.ui.state import Place, address, shown_errors
from brit.ui.wording import dotted, page_of, t, t_or

SHOWN = 10
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
            questions, results = st.tabs(
                [t("benchmark.tab_set"), t("benchmark.tab_run")], key="benchmark-tab",
                on_change="rerun",  # kept when the panel of a job comes or goes above it
            )  # fmt: skip
            with questions:
                make_or_bring(place, files, made)
                if made:
                    _questions(place, files, made)
            with results:
                if made:
                    start_run(place, files, made)
                    results_tab(place, files)
                else:
                    st.markdown(f":gray[{t('benchmark.no_set')}]")


# --- the set ---


def _questions(place: Place, files: BenchmarkFiles, made: BenchmarkSet) -> None:
    _told(place, made)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kinds = [t("benchmark.all"), *dict.fromkeys(each.type for each in made.questions)]
        kind = st.selectbox(t("benchmark.type"), kinds, width=180, key="benchmark-type")
        states = [t("benchmark.all_states"), *_ICONS]
        state = st.selectbox(
            t("benchmark.state"), states, width=180, key="benchmark-state",
            format_func=lambda each: t_or(f"benchmark.state_{each}", each),
        )  # fmt: skip
        chosen = [
            each for each in made.questions
            if kind in (kinds[0], each.type) and state in (states[0], each.state)
        ]  # fmt: skip
        pages = max(1, -(-len(chosen) // SHOWN))
        page = 1
        if pages > 1:
            page = st.number_input(
                t("benchmark.page", n=pages),
                1,
                pages,
                width=160,
                key=f"benchmark-page-{kind}-{state}",
            )
        st.download_button(
            t("benchmark.save_set"), files.questions.read_bytes(), "test-set.jsonl",
            icon=":material/download:", type="tertiary",
        )  # fmt: skip
    for each in chosen[(int(page) - 1) * SHOWN : int(page) * SHOWN]:
        _question(place, files, each)


def _told(place: Place, made: BenchmarkSet) -> None:
    """What the set holds and where it is from, and what was dropped for which reason."""
    making = made.making
    kinds = Counter(each.type for each in made.questions)
    states = Counter(each.state for each in made.questions if each.state != "made")
    st.markdown(dotted(
        t("benchmark.questions", n=len(made.questions)),
        *(f"{count} {kind}" for kind, count in kinds.items()),
        *(f"{count} {t(f'benchmark.state_{state}')}" for state, count in states.items()),
    ))  # fmt: skip
    if making.rejected:
        rejected = sorted(making.rejected.items(), key=lambda item: -item[1])
        dropped = dotted(*(f"{escape_markdown(reason)}: {count}" for reason, count in rejected))
        st.caption(f"{t('benchmark.dropped')} {dropped}")
    if not making.collection:
        assert place.collection is not None
        names = set(place.workspace.documents.names(place.collection.id).values())
        here = sum(each.doc in names for each in made.questions)
        st.caption(t("benchmark.foreign", n=here))
    elif making.made_by == "model":
        model = escape_markdown(making.model, 60)
        st.caption(t("benchmark.by_model", model=model, seed=making.seed))
    elif making.made_by == "embedded":
        st.caption(t("benchmark.embedded", seed=making.seed))
    else:
        st.caption(t("benchmark.by_hand"))


def _question(place: Place, files: BenchmarkFiles, each: BenchmarkQuestion) -> None:
    with st.container(border=True, key=f"question-{each.id}", gap="xsmall"):
        picture, words = st.columns([1, 5])
        path = place.workspace.images.path(each.image_hash) if each.image_hash else None
        if path and (small := small_jpeg(str(path), THUMBNAIL)):
            picture.image(small)
        with words:
            st.markdown(dotted(
                f"{_ICONS[each.state]} **{each.type}**", _from(each),
                escape_markdown(each.doc, 60), page_of(each.page),
            ))  # fmt: skip
            text = st.text_area(
                t("benchmark.question"), each.question, key=f"text-{each.id}", height=80,
                label_visibility="collapsed", max_chars=1000,
            )  # fmt: skip
            if each.choices:
                st.caption(dotted(*map(_choice(each), each.choices)))
            elif answer := each.answer or each.evidence_text:
                st.caption(f"{t('benchmark.answer')} {escape_markdown(answer, 300)}")
            if each.named and each.facts:
                st.caption(escape_markdown(each.facts[0], 300))
            _decide(files, each, " ".join(text.split()))


def _from(each: BenchmarkQuestion) -> str:
    """What it was made from; of a pair which of the two it is."""
    if each.pair:
        return t("benchmark.with_name" if each.named else "benchmark.without_name")
    return each.source


def _choice(each: BenchmarkQuestion) -> Callable[[str], str]:
    """Shows a choice, the right one in bold."""
    return lambda choice: (
        f"**{escape_markdown(choice, 120)}**" if choice == each.answer
        else escape_markdown(choice, 120)
    )  # fmt: skip


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
