"""Small forms behind a button that close as soon as they are agreed to.

Left to itself a popover stays open until the page is drawn anew, over what has meanwhile changed.
Its key names what it is about, so that it is never open on something else.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from brit.ui.state import shown_errors
from brit.ui.wording import t

_TOLD = "told-once"


def aside(label: str, icon: str, key: str, disabled: bool = False) -> DeltaGenerator:
    """A popover that `close` shuts when it is drawn next. To be drawn in a fragment."""
    if st.session_state.pop(f"close-{key}", False):
        st.session_state[key] = False
    return st.popover(
        label, icon=icon, type="tertiary", key=key, on_change="rerun", disabled=disabled
    )


def close(key: str) -> None:
    """Shut an `aside` when it is drawn next."""
    st.session_state[f"close-{key}"] = True


def deletion(
    id: str, name: str, label: str, question: str, yes: str, delete: Callable[[str], None]
) -> bool:
    """A button that deletes `id` once agreed to; → True when that is done.

    Its question is gone before the work begins, and only what it named is deleted.
    """
    key = f"aside-delete-{id}"
    agreed = st.session_state.pop(f"agreed-{key}", False)
    with aside(label, ":material/delete:", key, disabled=agreed):
        st.markdown(question)
        st.button(yes, type="primary", key=f"delete-{id}", on_click=_agree, args=(key,))
    if not agreed:
        return False
    with shown_errors(), st.spinner(t("aside.deleting", name=name)):
        delete(id)
        tell_once(t("aside.deleted", name=name))
        return True
    return False


def _agree(key: str) -> None:
    close(key)
    st.session_state[f"agreed-{key}"] = True


def tell_once(text: str) -> None:
    """Say something when the page is drawn next."""
    st.session_state[_TOLD] = text


def show_told() -> None:
    """Show what `tell_once` kept."""
    if told := st.session_state.pop(_TOLD, None):
        st.toast(told, icon=":material/check:")
