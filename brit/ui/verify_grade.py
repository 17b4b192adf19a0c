"""Rubric grading: a response, a criterion and five levels → feedback and a score."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import streamlit as st

from brit import pipeline
from brit.types import Grade
from brit.ui import state
from brit.ui.limits import take_question
from brit.ui.safe import escape_markdown
from brit.ui.state import Place, shown_errors
from brit.ui.verify_picker import pick_picture
from brit.ui.verify_records import grade_request, records_form, show_grades
from brit.ui.wording import t
from brit.verification.perception_collection import GradingRecord

Column = AbstractContextManager[Any]
_GRADE = "verify-grade"
_LEVELS = range(1, 6)
_SCORES = {1: "red", 2: "orange", 3: "orange", 4: "green", 5: "green"}


def grade_tab(place: Place) -> None:
    """What is graded on the left: one answer, or a file of them; what came of it on the right."""
    left, right = st.columns([12, 10], gap="large")
    with left:
        kind = st.segmented_control(
            t("grade.what"), ("one", "records"), default="one", required=True, key="grade-what",
            format_func=lambda each: t(f"grade.what_{each}"), persist_state="session",
        )  # fmt: skip
    able = state.settings().judge.configured
    with right:
        if not able:
            _no_judge()
    if kind == "records":
        _grade_file(place, left, right, able)
    else:
        _grade_one(place, left, right, able)


def _grade_file(place: Place, left: Column, right: Column, able: bool) -> None:
    with left, st.container(key="grade-file-form"):
        request = records_form(able=able)
    with right, shown_errors():
        if request:
            grade_request(place, request)
        if able:
            show_grades()


def _grade_one(place: Place, left: Column, right: Column, able: bool) -> None:
    with left, st.container(key="grade-form"):
        record = _record()
        picture = pick_picture(place, "grade")
        asked = st.button(
            t("grade.grade"), type="primary", icon=":material/grading:", key="grade-go",
            disabled=not able,
        )  # fmt: skip
    with right, shown_errors():
        if asked and not record.gradable:
            st.info(t("grade.missing"), icon=":material/info:")
        elif asked:
            take_question()
            slot = st.empty()
            with slot, st.spinner(t("grade.grading")):
                graded = pipeline.grade_answer(record, picture, models=state.models())
            slot.empty()
            st.session_state[_GRADE] = (graded, record)
        _shown()


def _record() -> GradingRecord:
    instruction = _area("instruction", 80)
    response = _area("response", 110)
    reference = _area("reference", 80)
    criterion = _area("criterion", 80)
    with st.container(key="grade-levels", gap="xsmall"):
        one, two, three, four, five = (_level(number) for number in _LEVELS)
    return GradingRecord(
        orig_instruction=instruction,
        orig_response=response,
        orig_reference_answer=reference,
        orig_criteria=criterion,
        orig_score1_description=one,
        orig_score2_description=two,
        orig_score3_description=three,
        orig_score4_description=four,
        orig_score5_description=five,
    )


def _area(name: str, height: int) -> str:
    text = st.text_area(
        t(f"grade.{name}"), height=height, max_chars=6000, key=f"grade-{name}",
        placeholder=t(f"grade.{name}_example"), persist_state="session",
    )  # fmt: skip
    return text.strip()


def _level(number: int) -> str:
    text = st.text_input(
        t("grade.level", n=number), max_chars=1000, key=f"grade-level-{number}",
        placeholder=t(f"grade.level_{number}"), persist_state="session",
    )  # fmt: skip
    return text.strip()


def _no_judge() -> None:
    with st.container(key="grade-no-judge", border=True):
        st.markdown(f"**{t('grade.no_judge')}**  \n:gray[{t('grade.no_judge_hint')}]")
        st.code(t("grade.no_judge_example"), language=None, wrap_lines=True)


def _shown() -> None:
    kept: tuple[Grade, GradingRecord] | None = st.session_state.get(_GRADE)
    if kept is None:
        return
    graded, record = kept
    with st.container(key="grade-result", border=True):
        if graded.score is None:
            st.markdown(f"**{t('grade.no_score')}**  \n:gray[{escape_markdown(graded.problem)}]")
        else:
            colour = _SCORES[graded.score]
            level = escape_markdown(record.levels[graded.score - 1], 300)
            st.markdown(f"### :{colour}[{graded.score}] {t('grade.of')}", anchors=False)
            st.markdown(f":gray[{level}]")
        if graded.feedback:
            st.markdown(escape_markdown(graded.feedback))
        judge = escape_markdown(state.settings().judge.model, 60)
        st.caption(t("grade.by", name=judge, n=graded.attempts))
