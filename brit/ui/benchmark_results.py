"""Results of a benchmark: tables, what words and links bring, how far scores can be trusted."""

from __future__ import annotations

import json
from dataclasses import dataclass

import streamlit as st

from brit.evaluation.benchmark.calibration import WIDTH, Scored, by_relevance, calibrate
from brit.evaluation.benchmark.report import (
    TITLES,
    Format,
    Line,
    as_data,
    cells_of,
    counted,
    measured_tables,
    render,
    tabulate_run,
)
from brit.evaluation.benchmark.running import Run
from brit.pipeline.benchmark_files import BenchmarkFiles
from brit.ui.benchmark_outcomes import look_at, outcomes
from brit.ui.safe import escape_markdown, one_line
from brit.ui.state import Place
from brit.ui.theme import palette
from brit.ui.wording import decimal, dotted, t

LEGEND = {"orient": "bottom", "title": None}
HEIGHT, ROW, SPARE, BELOW = 320, 20, 100, 60  # pixels: a plot, a bar, around bars, a legend


@dataclass(frozen=True)
class Shown:
    """A run and what is worked out of it."""

    run: Run
    tables: dict[int, list[Line]]


@st.cache_resource(max_entries=4, show_spinner=False)
def _worked_out(_files: BenchmarkFiles, key: tuple[str, int, int]) -> Shown | None:  # noqa: ARG001
    """Once for what is in the file: intervals and tests of many methods take a second."""
    run = _files.read_run()
    if run is None or not run.results:
        return None
    return Shown(run, {table: tabulate_run(run, table) for table in measured_tables(run)})


def results_tab(place: Place, files: BenchmarkFiles) -> None:
    """The tables of the run there is, whole or not."""
    if not files.run.exists():
        return
    kept = files.run.stat()
    shown = _worked_out(files, (str(files.run), kept.st_mtime_ns, kept.st_size))
    if shown is None:
        return
    run, identity = shown.run, shown.run.identity
    st.caption(dotted(
        t("benchmark.questions", n=len(run.questions)), escape_markdown(identity.image_encoder, 60),
        t("benchmark.left", n=run.left) if run.left else "",
    ))  # fmt: skip
    for table, lines in shown.tables.items():
        _table(run, table, lines)
    outcomes(place, run)
    _plots(shown.tables.get(2, []))
    _calibration(run)


def _table(run: Run, table: int, lines: list[Line]) -> None:
    # The names say which links a method has: ticks beside them would not leave room for p.
    head, *rows = cells_of(run, table, lines, ticked=False)
    st.markdown(f"#### {TITLES[table]}", anchors=False)
    shown = [dict(zip(head, (one_line(cell) for cell in row), strict=True)) for row in rows]
    chosen = st.dataframe(
        shown, hide_index=True, height="content", key=f"benchmark-table-{table}",
        on_select="rerun", selection_mode="single-cell",
        column_config={name: st.column_config.TextColumn(width=_width(name)) for name in head},
    )  # fmt: skip
    _follow(run, table, lines, chosen["selection"]["cells"])
    told = escape_markdown(counted(run, table)), t("benchmark.table_note")
    st.caption(" ".join((*told, t("benchmark.choose_cell"))))
    for method in run.methods:
        if method.missing:
            st.caption(f"{escape_markdown(method.name)}: {escape_markdown(method.missing)}")
    with st.container(horizontal=True):
        data = json.dumps(as_data(run, table, lines), ensure_ascii=False)
        st.download_button(
            "JSON", data, f"table-{table}.json", icon=":material/download:", type="tertiary",
            key=f"save-{table}-json",
        )  # fmt: skip
        formats: tuple[tuple[str, Format, str], ...] = (
            ("CSV", "csv", "csv"), ("LaTeX", "latex", "tex"),
        )  # fmt: skip
        for name, format, end in formats:
            st.download_button(
                name, render(run, table, format, lines), f"table-{table}.{end}",
                icon=":material/download:", type="tertiary", key=f"save-{table}-{end}",
            )  # fmt: skip


def _width(column: str) -> int:
    """Pixels, so that table 2 stands on 1024 of them beside the sidebar."""
    return {"method": 190, "words": 52, "images": 56, "p": 56}.get(column, 118)


def _follow(run: Run, table: int, lines: list[Line], cells: list[tuple[int, str]]) -> None:
    """A cell that was just chosen leads to its questions."""
    seen, chosen = f"benchmark-cell-{table}", cells[0] if cells else None
    if chosen != st.session_state.get(seen):
        st.session_state[seen] = chosen
        if chosen:
            look_at(run, lines[chosen[0]].method.name, chosen[1].split(" (")[0])


def _plots(lines: list[Line]) -> None:
    """Recall against words, and what each combination of links adds to none."""
    measured = [line for line in lines if line.whole and "overall" in line.cells]
    if not measured:
        return
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown(f"#### {t('benchmark.plot_words')}", anchors=False)
        points = [
            {"words": line.cells["words"].mean, "recall": line.cells["overall"].mean,
             "family": _family(line.method.preset), "method": line.method.name} for line in measured
        ]  # fmt: skip
        st.vega_lite_chart(points, _scatter(), height=HEIGHT)
    gains = [gain for preset in ("default", "paper") for gain in _gains(measured, preset)]
    if gains:
        with right:
            st.markdown(f"#### {t('benchmark.plot_links')}", anchors=False)
            st.vega_lite_chart(gains, _bars(), height=SPARE + BELOW + ROW * len(gains))


def _axis(field: str, title: str) -> dict[str, object]:
    """Some room beside the outermost points, which would be cut in half."""
    scale = {"padding": 12, "zero": field == "recall"}
    return {"field": field, "type": "quantitative", "title": title, "scale": scale}


def _scatter() -> dict[str, object]:
    return {
        "mark": {"type": "point", "filled": True, "size": 80},
        "encoding": {
            "x": _axis("words", t("benchmark.axis_words")),
            "y": _axis("recall", t("benchmark.axis_recall")),
            "color": _colours("default", "paper", None),
            "tooltip": [{"field": "method"}, {"field": "recall", "format": ".2f"},
                        {"field": "words", "format": ".0f"}],
        },
    }  # fmt: skip


def _bars() -> dict[str, object]:
    return {
        "mark": "bar",
        "encoding": {
            "x": {"field": "gain", "type": "quantitative", "title": t("benchmark.axis_gain")},
            "y": {"field": "links", "type": "nominal", "title": None},
            "yOffset": {"field": "family"},
            "color": _colours("default", "paper"),
            "tooltip": [{"field": "links"}, {"field": "family"},
                        {"field": "gain", "format": ".2f"}],
        },
    }  # fmt: skip


def _shares() -> dict[str, object]:
    recall = {"field": "recall", "type": "quantitative", "scale": {"domain": [0, 1]}}
    return {
        "mark": {"type": "bar", "color": palette().node},
        "encoding": {
            "x": {**recall, "title": t("benchmark.axis_recall"), "axis": {"tickCount": 5}},
            "y": {"field": "score", "type": "nominal", "title": None},
            "tooltip": [{"field": "score"}, {"field": "recall", "format": ".2f"}],
        },
    }


def _colours(*presets: str | None) -> dict[str, object]:
    """One colour a family in all plots, seen on both themes."""
    shades = palette()
    range_ = [shades.node, shades.image, shades.accent][: len(presets)]
    scale = {"domain": [*map(_family, presets)], "range": range_}
    return {"field": "family", "type": "nominal", "scale": scale, "legend": LEGEND}


def _family(preset: str | None) -> str:
    """BRIT's presets, and what they are compared with."""
    return f"BRIT {preset}" if preset else t("benchmark.baselines")


def _calibration(run: Run) -> None:
    """How often questions were found, by what BRIT thinks of its findings."""
    scored: tuple[Scored, ...] = ("top", "match")
    known = [each.name for each in run.methods if calibrate(run, each.name, "top")]
    if not known:
        return
    st.markdown(f"#### {t('benchmark.calibration')}", anchors=False)
    st.caption(t("benchmark.calibration_note"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox(t("benchmark.method"), known, key="calibration-method", width=320)
        by = st.segmented_control(
            t("benchmark.by"), scored, default="top", required=True, key="calibration-by",
            format_func=lambda each: t(f"benchmark.by_{each}"),
        )  # fmt: skip
    shares = [
        {"score": t("benchmark.bin", low=decimal(each.low, 1), high=decimal(each.low + WIDTH, 1),
                    n=each.questions), "recall": each.recall}
        for each in calibrate(run, name, by or "top")
    ]  # fmt: skip
    st.vega_lite_chart(shares, _shares(), height=SPARE + ROW * len(shares))
    marked = by_relevance(run, name)
    st.caption(dotted(*(
        t(f"benchmark.marked_{'low' if low else 'fine'}", n=len(hits),
          share=decimal(sum(hits) / len(hits)))
        for low, hits in marked.items() if hits
    )))  # fmt: skip


def _gains(lines: list[Line], preset: str) -> list[dict[str, object]]:
    """Recall of each link combination less that of none; nothing where none was not run."""
    own = {"+".join(sorted(line.method.links)): line.cells["overall"].mean for line in lines
           if line.method.preset == preset and line.method.links is not None}  # fmt: skip
    if "" not in own:
        return []
    return [
        {"links": links, "gain": recall - own[""], "family": _family(preset)}
        for links, recall in own.items() if links
    ]  # fmt: skip
