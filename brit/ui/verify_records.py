"""A file of records graded by their rubrics, and how far the grades agree with those given."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import streamlit as st

from brit.errors import BritError
from brit.pipeline.check_files import (
    Row,
    grade_records,
    grade_totals,
    judge_usage,
    spent_since,
)
from brit.ui import state
from brit.ui.relay import relay
from brit.ui.safe import escape_markdown
from brit.ui.state import Place
from brit.ui.uploads import NamedFile, safe_name
from brit.ui.verify_picker import PICTURES
from brit.ui.wording import decimal, dotted, number, t

MOST = 150_108
FIRST = 20
_RESULT = "verify-grades"
_MEASURES = ("pearson", "spearman", "kendall")
_SHARES = ("exact", "within_one")


@dataclass
class Grades:
    """What has been graded so far; `problem` is what ended it too early."""

    rows: list[Row] = field(default_factory=list)
    spent: dict[str, int] = field(default_factory=dict)
    whole: bool = False
    problem: str = ""


@dataclass(frozen=True)
class Request:
    """A file of records, pictures for it, and how many records at most."""

    file: NamedFile
    pictures: Sequence[NamedFile]
    limit: int


def records_form(*, able: bool) -> Request | None:
    """→ what to grade once the button was pressed with a file chosen."""
    file = st.file_uploader(
        t("grade.file"), type=("json", "jsonl"), key="grade-file", help=t("grade.file_help")
    )
    pictures = st.file_uploader(
        t("grade.pictures"), type=PICTURES, key="grade-pictures", accept_multiple_files=True,
        help=t("grade.pictures_help"),
    )  # fmt: skip
    limit = st.number_input(t("grade.limit"), 1, MOST, FIRST, key="grade-limit", width=220)
    asked = st.button(
        t("grade.grade"), type="primary", icon=":material/grading:", key="grade-file-go",
        disabled=not able or file is None,
    )  # fmt: skip
    return Request(file, pictures, int(limit)) if asked and file is not None else None


def grade_request(place: Place, request: Request) -> None:
    """Grade, and show how far it is. Whatever is pressed meanwhile ends it; the grades that are
    there stay, and are not paid for again."""
    models = state.models()
    grades, before = Grades(), judge_usage(models)
    st.session_state[_RESULT] = grades
    slot = st.empty()
    with slot.container(), TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        bar = st.progress(0.0)
        st.button(t("grade.stop"), icon=":material/stop:", key="grade-stop")
        path = _lay_out(folder, request)
        work = grade_records(path, models=models, images=folder, limit=request.limit)
        try:
            with closing(relay(work, place.workspace.close, None)) as rows:
                for row in rows:
                    grades.rows += [row] if row else []
                    done = len(grades.rows)
                    told = t("grade.done", count=number(done), most=number(request.limit))
                    grades.spent = spent_since(before, models)
                    bar.progress(done / request.limit, text=told)
            grades.whole = True
        except BritError as error:
            grades.problem = str(error)
    slot.empty()


def _lay_out(folder: Path, request: Request) -> Path:
    """→ the file's path in the folder; the pictures lie beside it, under their names."""
    for each in request.pictures:
        each.seek(0)
        (folder / safe_name(each.name)).write_bytes(each.read())
    path = folder / "records" / safe_name(request.file.name)
    request.file.seek(0)
    path.parent.mkdir()
    path.write_bytes(request.file.read())
    return path


def show_grades() -> None:
    """The last file's grades, whole or as far as they came."""
    grades: Grades | None = st.session_state.get(_RESULT)
    if grades is None:
        st.markdown(f":gray[{t('grade.file_empty')}]")
        return
    if grades.problem:
        st.error(escape_markdown(grades.problem), icon=":material/error:")
    elif not grades.whole:
        st.info(t("grade.stopped"), icon=":material/info:")
    if grades.rows:
        _result(grades.rows, grade_totals(grades.rows, state.models(), grades.spent))


def _result(rows: Sequence[Row], totals: Row) -> None:
    with st.container(key="grades", border=True):
        scored = t("grade.scored", n=totals["records"], scored=number(totals["scored"]),
                   count=number(totals["records"]))  # fmt: skip
        st.markdown(f"**{scored}**")
        _agreement(totals["agreement"])
        pictures = totals["pictures"]
        told = (t(f"grade.picture_{kind}", count=number(n)) for kind, n in pictures.items() if n)
        st.caption(t("grade.with_pictures", told=dotted(*told)))
        st.caption(_spent(totals))
    problem = ("problem",) if any(row["problem"] for row in rows) else ()
    shown = ("id", "score", "orig_score", *problem, "feedback", "picture")
    st.dataframe(
        [{name: row[name] for name in shown} for row in rows],
        column_config={name: t(f"grade.column_{name}") for name in shown}, key="grade-rows",
    )  # fmt: skip
    report = json.dumps({"records": rows, "totals": totals}, ensure_ascii=False, indent=1)
    st.download_button(
        t("grade.save"), report, "grades.json", "application/json", key="grade-save",
        icon=":material/download:", type="tertiary",
    )  # fmt: skip


def _agreement(found: Mapping[str, Any]) -> None:
    if not found["pairs"]:
        st.caption(t("grade.no_given"))
        return
    values = {name: _number(found[name]) for name in _MEASURES}
    values |= {name: f"{found[name]:.0%}" for name in _SHARES}
    head = "".join(f"| {t(f'grade.{name}')} " for name in values)
    line, row = "| --- " * len(values), "".join(f"| {value} " for value in values.values())
    st.markdown(t("grade.agreement", n=found["pairs"], count=number(found["pairs"])))
    st.markdown(f"{head}|\n{line}|\n{row}|")
    if found["pearson"] is None:
        st.caption(t("grade.no_correlation"))


def _number(value: float | None) -> str:
    return "–" if value is None else decimal(value)


def _spent(totals: Row) -> str:
    usage, name = totals["usage"], escape_markdown(totals["judge"], 60)
    read, written = usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0)
    if not read + written:
        return t("grade.spent_nothing", model=name)
    about = t("answer.spent_about") if usage.get("estimated_calls") else ""
    return t("answer.spent", model=name, read=number(read), written=number(written), about=about)
