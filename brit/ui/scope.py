"""Which documents a question is asked of: all, unless some are chosen."""

from __future__ import annotations

import streamlit as st

from brit.types import Retrieval
from brit.ui.safe import escape_markdown, one_line
from brit.ui.state import Place
from brit.ui.wording import t

_NAMED = 3


def document_picker(place: Place, key: str, label: str) -> None:
    """Choose some documents by name; `st.session_state[key]` holds them, none for all."""
    assert place.collection is not None, "documents are in a collection"
    ready = [each for each in place.workspace.documents.documents(place.collection.id)
             if each.ready]  # fmt: skip
    names = sorted({each.name for each in ready})
    chosen = st.session_state.setdefault(key, [])
    if gone := set(chosen) - set(names):
        st.session_state[key] = [name for name in chosen if name not in gone]
    st.multiselect(
        label,
        names,
        format_func=lambda name: one_line(name, 60),
        key=key,
        placeholder=t("scope.all"),
        label_visibility="collapsed",
        persist_state="session",
    )


def ask_scope(place: Place) -> None:
    """Beside the box at the bottom, where there are several documents to choose from."""
    if place.collection is None or not place.ready or place.collection.documents < 2:
        return
    chosen = chosen_documents(place)
    with st.popover(
        t("scope.some", n=len(chosen)) if chosen else t("scope.all"),
        icon=":material/filter_alt:" if chosen else ":material/description:",
        type="tertiary",
        key="ask-scope",
    ):
        st.caption(t("scope.hint"))
        document_picker(place, _key(place), t("scope.label"))


def chosen_documents(place: Place) -> tuple[str, ...]:
    """The names chosen in this session for this collection, () for all."""
    return tuple(st.session_state.get(_key(place), ()))


def scope_note(place: Place, retrieval: Retrieval) -> str:
    """«Asked of a.pdf and b.pdf only.», by the trace; "" where all documents were asked."""
    asked = retrieval.trace.parameters.get("documents") or ()
    if not asked or place.collection is None:
        return ""
    known = place.workspace.documents.names(place.collection.id)
    names = [escape_markdown(known.get(id, t("scope.gone")), 48) for id in asked]
    shown = ", ".join(names[:_NAMED]) + (", …" if len(names) > _NAMED else "")
    return t("scope.note", names=shown)


def _key(place: Place) -> str:
    return f"ask-documents-{place.collection.id if place.collection else ''}"
