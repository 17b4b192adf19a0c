"""Results of a benchmark: tables, what words and link kinds bring, and each question's outcome."""

from __future__ import annotations

from itertools import groupby

import streamlit as st

from brit.errors import UnknownName
from brit.evaluation.benchmark.records import BenchmarkQuestion
from brit.evaluation.benchmark.report import (
    RECALL,
    TITLES,
    Format,
    Line,
    cells_of,
    measured_tables,
    render,
    tabulate_run,
)
from brit.evaluation.benchmark.running import Result, Run
from brit.pipeline.benchmark_files import BenchmarkFiles
from brit.ui.pictures import THUMBNAIL, small_jpeg
from brit.ui.safe import escape_markdown, one_line
from brit.ui.state import Place
from brit.ui.wording import dotted, page_of, t

LISTED = 20


def results_tab(place: Place, files: BenchmarkFiles) -> None:
    """The tables of the run there is, whole or not."""
    run = files.read_run()
    if run is None or not run.results:
        return
    identity = run.identity
    st.caption(dotted(
        t("benchmark.questions", n=len(run.questions)), escape_markdown(identity.image_encoder, 60),
        t("benchmark.left", n=run.left) if run.left else "",
    ))  # fmt: skip
    tables = {table: tabulate_run(run, table) for table in measured_tables(run)}
    for table, lines in tables.items():
        _table(run, table, lines)
    _plots(tables.get(2, []))
    _outcomes(place, run)


def _table(run: Run, table: int, lines: list[Line]) -> None:
    head, *rows = cells_of(run, table, lines)
    st.markdown(f"**{TITLES[table]}**")
    shown = [dict(zip(head, (one_line(cell) for cell in row), strict=True)) for row in rows]
    st.dataframe(shown, hide_index=True)
    st.caption(t("benchmark.table_note"))
    for method in run.methods:
        if method.missing:
            st.caption(f"{escape_markdown(method.name)}: {escape_markdown(method.missing)}")
    with st.container(horizontal=True):
        formats: tuple[tuple[str, Format, str], ...] = (
            ("CSV", "csv", "csv"), ("LaTeX", "latex", "tex"),
        )  # fmt: skip
        for name, format, end in formats:
            st.download_button(
                name, render(run, table, format, lines), f"table-{table}.{end}",
                icon=":material/download:", type="tertiary", key=f"save-{table}-{end}",
            )  # fmt: skip


def _plots(lines: list[Line]) -> None:
    """Recall against words, and what each combination of links adds to none."""
    measured = [line for line in lines if "overall" in line.cells]
    if not measured:
        return
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown(f"**{t('benchmark.plot_words')}**")
        st.scatter_chart(
            [{"words": line.cells["words"].mean, "recall": line.cells["overall"].mean,
              "method": line.method.name} for line in measured],
            x="words", y="recall", color="method",
        )  # fmt: skip
    gains = [gain for preset in ("default", "paper") for gain in _gains(measured, preset)]
    if gains:
        with right:
            st.markdown(f"**{t('benchmark.plot_links')}**")
            st.bar_chart(gains, x="links", y="gain", color="preset", stack=False)


def _gains(lines: list[Line], preset: str) -> list[dict[str, object]]:
    """Recall of each link combination less that of none; nothing where none was not run."""
    own = {line.method.links: line.cells["overall"].mean for line in lines
           if line.method.preset == preset}  # fmt: skip
    if () not in own:
        return []
    return [
        {"links": "+".join(links), "gain": recall - own[()], "preset": preset}
        for links, recall in own.items() if links
    ]  # fmt: skip


# --- from a number to its questions ---


def _outcomes(place: Place, run: Run) -> None:
    able = [each.name for each in run.methods if not each.missing]
    st.markdown(f"**{t('benchmark.outcomes')}**")
    with st.container(horizontal=True):
        method = st.selectbox(t("benchmark.method"), able, key="outcome-method", width=320)
        kinds = [kind for kind, _ in groupby(sorted(each.type for each in run.questions))]
        kind = st.selectbox(t("benchmark.type"), kinds, key="outcome-type", width=200)
        wanted = st.segmented_control(
            t("benchmark.outcome"), ["missed", "found"], default="missed", key="outcome-of",
            format_func=lambda each: t(f"benchmark.{each}"),
        )  # fmt: skip
    results = {each.question: each for each in run.results if each.method == method}
    chosen = [
        (question, results[question.id])
        for question in run.questions
        if question.type == kind and question.id in results
        and _hit(results[question.id]) == (wanted == "found")
    ]  # fmt: skip
    st.caption(t("benchmark.questions", n=len(chosen)))
    for question, result in chosen[:LISTED]:
        _outcome(place, question, result)
    if len(chosen) > LISTED:
        st.caption(t("steps.more", n=len(chosen) - LISTED))


def _hit(result: Result) -> bool:
    return any(result.measures.get(measure) for measure in RECALL)


def _outcome(place: Place, question: BenchmarkQuestion, result: Result) -> None:
    with st.expander(escape_markdown(question.question, 160)):
        place_of = dotted(escape_markdown(question.doc, 60), page_of(question.page))
        st.markdown(f"{t('benchmark.gold')} {place_of}")
        if question.evidence_text:
            st.markdown(f"> {escape_markdown(question.evidence_text, 400)}")
        images = [question.image_hash, *(_file(place, id) for id in result.images)]
        labels = [t("benchmark.gold_picture"), *(f"{n}" for n, _ in enumerate(result.images, 1))]
        with st.container(horizontal=True):
            for file, label in zip(images, labels, strict=True):
                path = str(place.workspace.images.path(file)) if file else ""
                if small := small_jpeg(path, THUMBNAIL):
                    st.image(small, caption=label)
        for text in result.texts:
            st.caption(escape_markdown(text, 240))


def _file(place: Place, image: str) -> str:
    """ "" for a picture of a whole page, and for one that went with its document."""
    try:
        return place.workspace.content.image(image).file
    except UnknownName:
        return ""
