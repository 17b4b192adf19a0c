"""Where a test set comes from: made without a model or by one, pairs with imaginary names, or a
file of somebody else's."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import streamlit as st

from brit.config import read_budget
from brit.errors import BritError
from brit.evaluation.benchmark.records import BenchmarkSet
from brit.pipeline.benchmark_files import BenchmarkFiles
from brit.ui import state
from brit.ui.jobs_panel import active_jobs
from brit.ui.safe import escape_markdown
from brit.ui.state import Place, shown_errors
from brit.ui.uploads import spool
from brit.ui.wording import t

JOB = "benchmark"
WAYS = ("embedded", "model", "named", "file")
_LONGEST = 100


def make_or_bring(place: Place, files: BenchmarkFiles, made: BenchmarkSet | None) -> None:
    """The ways to a test set; each replaces the one there is, but pairs, which have their own
    collection."""
    _begun(place, files, made)
    way = st.segmented_control(
        t("benchmark.way"), WAYS, default=WAYS[0], required=True, key="benchmark-way",
        format_func=lambda each: t(f"benchmark.way_{each}"), label_visibility="collapsed",
    )  # fmt: skip
    st.caption(t(f"benchmark.hint_{way}"))
    if way == "file":
        _from_file(files, made)
    else:
        _by_job(place, made, str(way))


def submit_benchmark(place: Place, payload: dict[str, Any]) -> None:
    assert place.collection is not None
    state.runner().submit(JOB, {**payload, "collection": place.collection.name})
    st.rerun()


def cap_input(key: str) -> tuple[str, bool]:
    """→ what the model may cost, "" for no limit, and whether it was understood."""
    cap = st.text_input(
        t("benchmark.cap"), key=key, width=190, placeholder=t("benchmark.cap_example"),
        help=t("benchmark.cap_help"), max_chars=40,
    )  # fmt: skip
    words = " ".join(cap.split())
    try:
        read_budget(words, t("benchmark.cap"))
    except BritError as error:
        st.error(escape_markdown(str(error), 300))
        return words, False
    return words, True


def _begun(place: Place, files: BenchmarkFiles, made: BenchmarkSet | None) -> None:
    """Questions of a making that was cancelled or came to its cap can be taken as they are."""
    if active_jobs(place, JOB) or (begun := files.read_begun()) is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        said = t("benchmark.begun", n=len(begun.questions), wanted=begun.making.wanted)
        st.markdown(f":gray[{said}]")
        lost = _decided(made)
        label = t("benchmark.take_lose", n=lost) if lost else t("benchmark.take")
        if st.button(label, icon=":material/check:", type="tertiary", key="benchmark-take"):
            files.put(begun)
            st.rerun()


def _decided(made: BenchmarkSet | None) -> int:
    return sum(each.state != "made" for each in made.questions) if made else 0


def _sure(made: BenchmarkSet | None) -> bool:
    """Decisions and pairs that would be lost are asked about."""
    if made and any(each.pair for each in made.questions):
        return st.checkbox(t("benchmark.lose_pairs"))
    lost = _decided(made)
    return not lost or st.checkbox(t("benchmark.lose", n=lost))


def _by_job(place: Place, made: BenchmarkSet | None, way: str) -> None:
    payload: dict[str, Any] = {"action": "make", "made_by": "embedded"}
    able, pairs = True, None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        payload["count"] = st.number_input(
            t("benchmark.count"), 5, 2000, 100, step=5, width=140, key="benchmark-count"
        )
        payload["seed"] = st.number_input(
            t("benchmark.seed"), 0, 10_000, 0, width=120, help=t("benchmark.seed_help"),
            key="benchmark-seed",
        )  # fmt: skip
        if way == "model":
            payload["made_by"] = "model"
            payload["cap"], able = cap_input("benchmark-make-cap")
        elif way == "named":
            name = st.text_input(
                t("benchmark.named"), key="benchmark-named", width=260, max_chars=_LONGEST
            )
            payload["named"] = " ".join(name.split())
            able = bool(payload["named"])
    if way == "model":
        able = _estimate(place, payload["count"]) and able
    elif way == "named":
        pairs = st.file_uploader(t("benchmark.pairs"), key="benchmark-pairs")
    with st.container(horizontal=True, vertical_alignment="center"):
        sure = way == "named" or _sure(made)
        sent = st.button(
            t("benchmark.make_again" if made and way != "named" else "benchmark.make"),
            icon=":material/quiz:", type="secondary" if made else "primary",
            disabled=not (able and sure) or bool(active_jobs(place, JOB)), key="benchmark-make",
        )  # fmt: skip
    if sent:
        if pairs is not None:
            payload["paths"] = spool(place.workspace.folder, [pairs])
        submit_benchmark(place, payload)


def _estimate(place: Place, count: int) -> bool:
    """What the model would cost; → whether there is one that can."""
    from brit.pipeline.benchmark_estimate import estimate_making

    try:
        cost = estimate_making(place.workspace, state.models(), count)
    except BritError as error:
        st.info(escape_markdown(str(error)), icon=":material/info:")
        return False
    st.caption(escape_markdown(cost.in_words()))
    return True


def _from_file(files: BenchmarkFiles, made: BenchmarkSet | None) -> None:
    left, right = st.columns(2, gap="medium")
    brought = left.file_uploader(t("benchmark.file"), key="benchmark-file")
    field_map = right.file_uploader(
        t("benchmark.map"), key="benchmark-map", help=t("benchmark.map_help")
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        sure = _sure(made)
        sent = st.button(
            t("benchmark.bring"), icon=":material/upload_file:", key="benchmark-bring",
            disabled=brought is None or not sure, type="secondary" if made else "primary",
        )  # fmt: skip
    if sent and brought is not None:
        with shown_errors(), TemporaryDirectory(prefix="brit-set-") as folder:
            given = [brought, *([field_map] if field_map else [])]
            paths = [Path(path) for path in spool(Path(folder), given)]
            files.put_foreign(paths[0], paths[1] if field_map else None)
            st.rerun()
