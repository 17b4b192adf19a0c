"""Settings: which models answer, which encoders are here, what the limits are, what works."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import streamlit as st

from brit.config import ModelConfig
from brit.encoders.fetch import EncoderRow, available_encoders
from brit.errors import BritError
from brit.ui import state
from brit.ui.jobs_panel import active_jobs, jobs_panel
from brit.ui.safe import escape_markdown, one_line
from brit.ui.settings_metrics import show_metrics
from brit.ui.state import Place
from brit.ui.wording import (
    KEPT,
    choose_language,
    chosen_language,
    dotted,
    languages,
    number,
    t,
    t_or,
)


def show_settings(place: Place) -> None:
    """The whole page but for its frame."""
    with st.container(key="settings"):
        st.markdown(f"## {t('settings.title')}", anchors=False)
        _language(place)
        _models()
        _encoders(place)
        _limits()
        _health(place)
        with _section("settings.metrics", "settings.metrics_hint"):
            show_metrics((state.settings().workspace, place.workspace.folder))


# --- language of the interface ---


def _language(place: Place) -> None:
    names = {"": t("settings.language_browser"), **languages()}
    chosen, key = chosen_language(), f"language-{chosen_language()}"
    with _section("settings.language", "settings.language_hint"):
        st.selectbox(
            t("settings.language"),
            list(names),
            index=list(names).index(chosen) if chosen in names else 0,
            format_func=lambda code: names[code],
            key=key,
            on_change=_choose_language,
            args=(place, key),
            label_visibility="collapsed",
            width=280,
        )


def _choose_language(place: Place, key: str) -> None:
    """Before the page is drawn anew, so that all of it is told in the language."""
    choose_language(st.session_state[key])
    with state.shown_errors():
        place.workspace.settings.set(KEPT, st.session_state[key])


# --- language models ---


def _models() -> None:
    with _section("settings.models", "settings.models_hint"):
        settings = state.settings()
        _model("answer", settings.answer)
        if settings.extraction != settings.answer:
            _model("extraction", settings.extraction)
        if settings.judge != settings.answer:
            _model("judge", settings.judge)
        if not settings.answer.configured:
            st.code(t("settings.example"), language=None, wrap_lines=True)


def _model(role: str, config: ModelConfig) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=f"model-{role}"):
        name = escape_markdown(config.model, 60) or t("settings.not_configured")
        told = dotted(name, f":gray[{_where(config)}]")
        st.markdown(f"**{t(f'settings.{role}')}**  \n{told}", width="stretch")
        tested = config.configured and st.button(t("settings.test"), key=f"test-{role}")
    if tested:
        with st.spinner(t("settings.testing")):
            _test(config)


def _where(config: ModelConfig) -> str:
    if not config.configured:
        return t("settings.extractive")
    key = t("settings.key_set") if config.api_key else t("settings.key_missing")
    return dotted(escape_markdown(config.base_url, 80) or t("settings.default_url"), key)


def _test(config: ModelConfig) -> None:
    from brit.lmm import OpenAICompatible
    from brit.lmm.abilities import recall_abilities

    memory = state.workspace().settings
    before = recall_abilities(config, memory)
    try:
        said = OpenAICompatible(config, memory=memory).test_connection()
    except BritError as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
    else:
        if recall_abilities(config, memory) != before:
            state.forget_models()
        st.success(escape_markdown(said), icon=":material/check_circle:")


# --- encoders ---


def _encoders(place: Place) -> None:
    with _section("settings.encoders", "settings.encoders_hint"):
        chosen = state.settings().encoders
        in_use = (chosen.text_encoder, chosen.image_encoder)
        for row in sorted(encoder_rows(place), key=lambda row: _rank(row, in_use)):
            with _encoder(row, row.name in in_use):
                if (
                    not row.present
                    and not active_jobs(place, "fetch-models")
                    and st.button(
                        t("settings.fetch"), icon=":material/download:", key=f"fetch-{row.name}"
                    )
                ):
                    state.runner().submit("fetch-models", {"name": row.name})
                    st.rerun()
        jobs_panel(place, "fetch-models")


def encoder_rows(place: Place) -> list[EncoderRow]:
    """What can be named, and whether its weights are on this machine; no network is asked."""
    folder = state.settings().encoders.weights_folder or place.workspace.folder / "weights"
    return available_encoders(Path(folder))


def _rank(row: EncoderRow, in_use: tuple[str, str]) -> tuple[int, bool]:
    """Those in use first, of text before of pictures; then those that are here."""
    return in_use.index(row.name) if row.name in in_use else len(in_use), not row.present


def _encoder(row: EncoderRow, used: bool) -> Any:
    box = st.container(horizontal=True, vertical_alignment="center")
    badges = f" :blue-badge[{t('settings.in_use')}]" if used else ""
    badges += "" if row.present else f" :gray-badge[{t('settings.weights_missing')}]"
    name = t_or(f"settings.encoder_{row.name}", row.name)
    what = t_or(f"settings.encoder_{row.name}_what", t("settings.clip_what"))
    size = f"{number(row.size // 1_000_000)} MB" if row.size else ""
    box.markdown(f"**{escape_markdown(name)}**{badges}  \n:gray[{dotted(what, size)}]",
                 width="stretch")  # fmt: skip
    return box


# --- limits and health ---


def _limits() -> None:
    reading = state.settings().reading
    with _section("settings.limits", "settings.limits_hint"), st.container(key="facts-limits"):
        for key, value in (
            ("page_seconds", f"{reading.page_seconds:.0f} s"),
            ("page_megabytes", f"{number(reading.page_megabytes)} MB"),
            ("processes", number(reading.processes)),
            ("figure_dpi", f"{reading.figure_dpi} dpi"),
            ("max_pixels", number(reading.max_pixels)),
        ):
            _fact(t(f"settings.{key}"), value)


def _health(place: Place) -> None:
    with _section("settings.health", "settings.health_hint"):
        with st.spinner(t("settings.looking")):
            report = _examine(place.workspace.folder)
        for problem in report["problems"]:
            st.warning(escape_markdown(problem), icon=":material/warning:")
        if not report["problems"]:
            st.markdown(f":green[:material/check_circle:] {t('settings.healthy')}")
        with st.container(key="facts-health"):
            for key in ("encoder", "text_encoder", "language_model", "extractor", "pcst", "ocr"):
                _fact(t(f"settings.health_{key}"), report[key] or t("settings.not_configured"))
            _fact(t("settings.health_workspace"), report["workspace"]["folder"])
            if collections := report["workspace"].get("collections"):
                _fact(t("settings.health_collections"), "; ".join(map(_collection, collections)))
        for note in report.get("notes", ()):
            st.caption(f":material/info: {escape_markdown(note)}")


def _collection(row: dict[str, Any]) -> str:
    """«Coffee: 2 documents · 40 nodes · 5 pictures», as the command has it in a table."""
    counts = (
        t("count.documents", n=row["documents"]),
        t("count.nodes", n=row["nodes"], count=number(row["nodes"])),
        t("count.images", n=row["images"], count=number(row["images"])),
    )
    return f"{one_line(row['name'], 60)}: {dotted(*counts)}"


@st.cache_data(ttl=30, show_spinner=False)
def _examine(folder: Path) -> dict[str, Any]:
    from brit.pipeline.doctor import examine

    return examine(replace(state.settings(), workspace=folder))


def _fact(name: str, value: str) -> None:
    with st.container(horizontal=True, gap="small"):
        st.markdown(f":gray[{escape_markdown(name)}]", width=210)
        st.markdown(escape_markdown(value), width="stretch")


def _section(title: str, hint: str) -> Any:
    box = st.container(border=True)
    box.markdown(f"**{t(title)}**  \n:gray[{t(hint)}]")
    return box
