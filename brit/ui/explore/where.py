"""Reading and writing the spot in the address, and widgets that follow it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from brit.exploring import Ties
from brit.ui.explore.address import NAMES, Spot, pair_of, read_spot
from brit.ui.explore.canvas import Click


def current_spot(ties: Ties) -> Spot:
    return read_spot({name: st.query_params.get_all(name) for name in NAMES}, ties)


def go(spot: Spot) -> None:
    """Write a spot into the address; what is drawn next is drawn there."""
    others = {k: v for k, v in st.query_params.to_dict().items() if k not in NAMES}
    st.query_params.from_dict({**others, **spot.params})


def bound(key: str, value: Any) -> str:
    """A key whose widget shows `value`, whoever changed it."""
    st.session_state[key] = value
    return key


def changed(key: str, change: Callable[[Any], Spot]) -> Callable[[], None]:
    """A callback that goes where the new value of a widget leads."""
    return lambda: go(change(st.session_state[key]))


def after_click(click: Click, spot: Spot, ties: Ties) -> Spot:
    """Where a click in the drawing leads; one on what is no longer there leads nowhere."""
    if click.event == "ground":
        return replace(spot, pick="")
    if click.event == "open":
        return spot.centred(click.id) if ties.mark_at(click.id) is not None else spot
    there = ties.mark_at(click.id) is not None or pair_of(ties, click.id) is not None
    return replace(spot, pick=click.id) if there else spot
