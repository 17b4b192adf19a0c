"""Figures of the log on the Settings page: how long each stage took, and how often it failed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from brit.journal import read_events
from brit.ui.safe import one_line
from brit.ui.wording import seconds, t, t_or

_EVENTS = ("question", "job", "stage")
_LONGEST = 60


@dataclass(frozen=True)
class StageFigures:
    """Of one stage: how often it was done, what went wrong, and the seconds it took in the middle
    of all times, in the 95th of a hundred, and altogether."""

    event: str
    stage: str
    times: int
    refused: int
    failed: int
    median: float
    p95: float
    total: float


def stage_figures(events: Iterable[Mapping[str, Any]]) -> list[StageFigures]:
    """By kind of work and stage, in the order in which they were first seen. What was cancelled,
    or nobody waited for any more, counts for its time only."""
    found: dict[tuple[str, str], list[Mapping[str, Any]]] = defaultdict(list)
    for event in events:
        kind, stage = event.get("event"), event.get("stage")
        if kind in _EVENTS and isinstance(stage, str) and _is_time(event.get("seconds")):
            found[str(kind), stage].append(event)
    return [_figures(kind, stage, events) for (kind, stage), events in found.items()]


def _is_time(value: object) -> bool:
    return isinstance(value, int | float) and 0 <= value < 1e9


def _figures(kind: str, stage: str, events: list[Mapping[str, Any]]) -> StageFigures:
    took = sorted(float(each["seconds"]) for each in events)
    outcomes = [each.get("outcome") for each in events]
    return StageFigures(
        event=kind,
        stage=stage,
        times=len(events),
        refused=outcomes.count("refused"),
        failed=outcomes.count("failed"),
        median=took[(len(took) - 1) // 2],
        p95=took[min(int(0.95 * len(took)), len(took) - 1)],
        total=sum(took),
    )


def show_metrics(folders: tuple[Path, ...]) -> None:
    """A table out of the logs of these workspaces."""
    rows = stage_figures(read_events(*folders))
    if not rows:
        st.caption(t("metrics.none"))
        return
    order = {event: number for number, event in enumerate(_EVENTS)}
    st.dataframe(
        [_row(each) for each in sorted(rows, key=lambda each: order[each.event])],
        hide_index=True,
        width="stretch",
        height=min(38 + 36 * len(rows), 420),
        row_height=36,
        column_config={
            key: st.column_config.Column(
                t(f"metrics.{key}"),
                help=t_or(f"metrics.{key}_help", "") or None,
                alignment="left" if key in ("what", "stage") else "right",
            )
            for key in ("what", "stage", "times", "refused", "failed", "median", "p95", "total")
        },
    )


def _row(each: StageFigures) -> dict[str, object]:
    return {
        "what": t(f"metrics.{each.event}"),
        "stage": t_or(f"stage.{each.stage}", one_line(each.stage, _LONGEST).capitalize()),
        "times": each.times,
        "refused": each.refused,
        "failed": each.failed,
        "median": seconds(each.median),
        "p95": seconds(each.p95),
        "total": seconds(each.total),
    }
