"""One side of the Lab: the widgets of a setting, and the setting they stand at."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import streamlit as st

from brit.config import RetrievalConfig
from brit.types import LINK_KINDS, Preset
from brit.ui import state
from brit.ui.scope import document_picker
from brit.ui.state import Place
from brit.ui.wording import decimal, t

SideName = Literal["A", "B"]
MOST_K, MOST_ROUNDS, MOST_COST = 20, 5, 2.0
_HALF_STEP = 0.005


@dataclass(frozen=True)
class Setting:
    """How to look, and in which documents (names); () means all."""

    config: RetrievalConfig
    documents: tuple[str, ...] = ()


def first_setting(side: SideName, own: RetrievalConfig) -> RetrievalConfig:
    """A begins with the collection's own setting, B with the paper's to hold beside it."""
    if side == "A":
        return own
    paper = RetrievalConfig.paper()
    return paper if own != paper else RetrievalConfig()


def own_threshold(preset: Preset) -> float:
    """The threshold of the encoder that the preset compares names with, to two digits."""
    return round(state.models().encoders(preset)[0].same_entity, 2)


def setting_card(place: Place, side: SideName) -> Setting:
    """The card of a side → what it stands at. Raises BritError where an encoder is missing."""
    assert place.collection is not None, "the Lab looks into a collection"
    own = place.workspace.settings.retrieval(place.collection.id)
    keys = _Keys(f"lab-{side}-{place.collection.id}")
    if keys.preset not in st.session_state:
        keys.fill(first_setting(side, own))
    with st.container(border=True, key=f"lab-card-{side}", gap="small"):
        head = st.container(horizontal=True, vertical_alignment="center", gap="small")
        with head:
            st.markdown(t(f"lab.badge_{side}"), width="content")
            st.segmented_control(
                t("lab.preset"),
                ["default", "paper"],
                required=True,
                format_func=lambda each: t(f"lab.preset_{each}"),
                key=keys.preset,
                on_change=keys.follow_preset,
                label_visibility="collapsed",
                persist_state="session",
                width="stretch",
            )
        _links(keys)
        with st.container(horizontal=True, gap="medium", key=f"lab-numbers-{side}"):
            _numbers(keys)
        document_picker(place, keys.documents, t("lab.documents"))
        setting = keys.setting()
        with head:
            _own(place, side, setting.config, own, keys)
    return setting


class _Keys:
    """The keys of a side's widgets in the session, and what stands there."""

    def __init__(self, prefix: str) -> None:
        self.preset, self.links = f"{prefix}-preset", f"{prefix}-links"
        self.threshold, self.k = f"{prefix}-threshold", f"{prefix}-k"
        self.cost, self.rounds = f"{prefix}-cost", f"{prefix}-rounds"
        self.documents = f"{prefix}-documents"
        self.own = f"{prefix}-own"

    def fill(self, config: RetrievalConfig) -> None:
        threshold = config.threshold
        values: dict[str, Any] = {
            self.preset: config.preset,
            self.links: [kind for kind in LINK_KINDS if kind in config.links],
            self.threshold: own_threshold(config.preset) if threshold is None else threshold,
            self.k: config.k,
            self.cost: config.edge_cost,
            self.rounds: config.max_rounds,
        }
        st.session_state.update(values)

    def follow_preset(self) -> None:
        self.fill(RetrievalConfig.of(st.session_state[self.preset]))

    def setting(self) -> Setting:
        """What the widgets say; values that are the preset's own are kept as it has them."""
        here = st.session_state
        preset: Preset = here[self.preset]
        base = RetrievalConfig.of(preset)
        links = tuple(kind for kind in LINK_KINDS if kind in here[self.links])
        threshold: float | None = here[self.threshold]
        if (
            base.threshold is None
            and abs(here[self.threshold] - own_threshold(preset)) < _HALF_STEP
        ):
            threshold = None
        config = replace(
            base,
            links=base.links if set(links) == set(base.links) else links,
            threshold=threshold,
            k=here[self.k],
            edge_cost=round(here[self.cost], 2),
            max_rounds=here[self.rounds],
        )
        return Setting(config, tuple(here[self.documents]))


def _links(keys: _Keys) -> None:
    st.pills(
        t("lab.links"),
        LINK_KINDS,
        selection_mode="multi",
        format_func=lambda kind: t(f"lab.link_{kind}"),
        key=keys.links,
        help=t("lab.links_help"),
        persist_state="session",
        wrap=True,
    )


def _numbers(keys: _Keys) -> None:
    own = decimal(own_threshold(st.session_state[keys.preset]))
    ranges: tuple[tuple[str, str, float, float, float], ...] = (
        ("threshold", keys.threshold, 0.0, 1.0, 0.01),
        ("k", keys.k, 1, MOST_K, 1),
        ("cost", keys.cost, 0.0, MOST_COST, 0.05),
        ("rounds", keys.rounds, 1, MOST_ROUNDS, 1),
    )
    for name, key, least, most, step in ranges:
        st.slider(
            t(f"lab.{name}"), least, most, step=step, key=key,
            help=t(f"lab.{name}_help", own=own), persist_state="session",
        )  # fmt: skip


def _own(
    place: Place, side: SideName, config: RetrievalConfig, own: RetrievalConfig, keys: _Keys
) -> None:
    """Whether this is the collection's own setting; if not, how it becomes that, or goes back."""
    assert place.collection is not None, "the Lab looks into a collection"
    if config == own:
        st.markdown(f":green[:material/check:] :small[{t('lab.is_own')}]", width="content")
        return
    st.button(
        t("lab.to_own"), icon=":material/undo:", type="tertiary", key=f"lab-reset-{side}",
        help=t("lab.to_own_help"), on_click=keys.fill, args=(own,),
    )  # fmt: skip
    if st.button(
        t("lab.keep"), icon=":material/bookmark_add:", key=f"lab-keep-{side}",
        help=t("lab.keep_help"),
    ):  # fmt: skip
        place.workspace.settings.keep_retrieval(place.collection.id, config)
        st.toast(t("lab.kept"), icon=":material/bookmark_added:")
        st.rerun()
