"""Settings: which models answer, which encoders are here, what the limits are, what works."""

from __future__ import annotations

from typing import Any

import streamlit as st

from brit.config import ModelConfig
from brit.errors import BritError
from brit.ui import state
from brit.ui.jobs_panel import active_jobs, jobs_panel
from brit.ui.safe import escape_markdown
from brit.ui.state import Place
from brit.ui.wording import dotted, number, t

CLIP_MODELS = ("ViT-B-32/laion2b_s34b_b79k", "ViT-H-14/laion2b_s32b_b79k")


def show_settings(place: Place) -> None:
    """The whole page but for its frame."""
    with st.container(key="settings"):
        st.markdown(f"## {t('settings.title')}", anchors=False)
        _models()
        _encoders(place)
        _limits()
        _health()


# --- language models ---


def _models() -> None:
    with _section("settings.models", "settings.models_hint"):
        settings = state.settings()
        _model("answer", settings.answer)
        if settings.extraction != settings.answer:
            _model("extraction", settings.extraction)
        if not settings.answer.configured:
            st.code(t("settings.example"), language="shell")


def _model(role: str, config: ModelConfig) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=f"model-{role}"):
        name = escape_markdown(config.model, 60) or t("settings.not_configured")
        st.markdown(
            f"**{t(f'settings.{role}')}**  \n{name} :gray[{_where(config)}]", width="stretch"
        )
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

    try:
        said = OpenAICompatible(config).test_connection()
    except BritError as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
    else:
        st.success(escape_markdown(said), icon=":material/check_circle:")


# --- encoders ---


def _encoders(place: Place) -> None:
    with _section("settings.encoders", "settings.encoders_hint"):
        chosen = state.settings().encoders
        _encoder(t("models.embedded"), t("settings.embedded_what"), True,
                 chosen.image_encoder == "embedded")  # fmt: skip
        names = dict.fromkeys((*CLIP_MODELS, chosen.image_encoder))
        names.pop("embedded", None)
        for name in names:
            present = weights_present(place, name)
            with _encoder(escape_markdown(name), t("settings.clip_what"), present,
                          name == chosen.image_encoder):  # fmt: skip
                if (
                    not present
                    and not active_jobs(place, "fetch-models")
                    and st.button(
                        t("settings.fetch"), icon=":material/download:", key=f"fetch-{name}"
                    )
                ):
                    state.runner().submit("fetch-models", {"name": name})
                    st.rerun()
        jobs_panel(place, "fetch-models", ended=True)


def _encoder(name: str, what: str, present: bool, used: bool) -> Any:
    row = st.container(horizontal=True, vertical_alignment="center")
    badges = f" :blue-badge[{t('settings.in_use')}]" if used else ""
    state_ = "" if present else f" :gray-badge[{t('settings.weights_missing')}]"
    row.markdown(f"**{name}**{badges}{state_}  \n:gray[{what}]", width="stretch")
    return row


def weights_present(place: Place, name: str) -> bool:
    """Are the weights of an open_clip model on this machine? No network is asked."""
    raise NotImplementedError


# --- limits and health ---


def _limits() -> None:
    reading = state.settings().reading
    with _section("settings.limits", "settings.limits_hint"):
        for key, value in (
            ("page_seconds", f"{reading.page_seconds:.0f} s"),
            ("page_megabytes", f"{number(reading.page_megabytes)} MB"),
            ("figure_dpi", f"{reading.figure_dpi} dpi"),
            ("max_pixels", number(reading.max_pixels)),
        ):
            _fact(t(f"settings.{key}"), value)


def _health() -> None:
    with _section("settings.health", "settings.health_hint"):
        with st.spinner(t("settings.looking")):
            report = _examine()
        for problem in report.get("problems", []):
            st.warning(escape_markdown(problem), icon=":material/warning:")
        if not report.get("problems"):
            st.markdown(f":green[:material/check_circle:] {t('settings.healthy')}")
        for key, value in report.items():
            if key == "workspace":
                for name, fact in value.items():
                    _fact(t(f"settings.workspace_{name}"), _plain(fact))
            elif key != "problems":
                _fact(t(f"settings.health_{key}"), _plain(value))


@st.cache_data(ttl=30, show_spinner=False)
def _examine() -> dict[str, Any]:
    from brit.pipeline.doctor import examine

    return examine(state.settings())


def _plain(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return number(value)
    return t("models.none") if value in (None, "") else str(value)


def _fact(name: str, value: str) -> None:
    with st.container(horizontal=True, gap="small", key=None):
        st.markdown(f":gray[{escape_markdown(name)}]", width=210)
        st.markdown(escape_markdown(value), width="stretch")


def _section(title: str, hint: str) -> Any:
    box = st.container(border=True)
    box.markdown(f"**{t(title)}**  \n:gray[{t(hint)}]")
    return box
