"""The Library: collections, adding documents, what became of each."""

from __future__ import annotations

import streamlit as st

from brit.errors import InputError
from brit.storage.ledger import Collection
from brit.types import Document
from brit.ui import state
from brit.ui.asides import aside, close, deletion, show_told, tell_once
from brit.ui.document_view import (
    STATUS_COLORS,
    filled_columns,
    show_document,
    shown_reason,
    shown_status,
)
from brit.ui.jobs_panel import jobs_panel, reading
from brit.ui.safe import escape_markdown, one_line
from brit.ui.sign_in import is_shut
from brit.ui.state import Place, shown_errors
from brit.ui.upload_box import upload_box
from brit.ui.uploads import named_path, spool, submit_ingestion
from brit.ui.wording import dotted, number, seconds, t, t_or

_NUMBERS = {"pages": 58, "figures": 66, "captions": 72, "triplets": 66, "nodes": 60}
_REMARK = 50
"""Letters that fit the column of remarks; all of it stands in the document's own view."""


def show_library(place: Place) -> None:
    """The whole page but for its frame."""
    show_told()
    with st.container(key="library"):
        _head(place)
        with shown_errors():
            _add(place)
        jobs_panel(place, failures=5)
        jobs_panel(place, "read-again")
        if place.collection is None:
            return
        documents = place.workspace.documents.documents(place.collection.id)
        if not documents:
            if not reading(place):
                st.caption(t("library.empty"))
            return
        opened = _table(documents, st.query_params.get("doc"), reading(place))
        if opened is not None:
            _spent(place, opened)
            show_document(place, opened)


# --- collections ---


def _head(place: Place) -> None:
    with st.container(
        key="library-head",
        horizontal=True,
        horizontal_alignment="distribute",
        vertical_alignment="bottom",
    ):
        collection = place.collection
        with st.container(gap=None, width="content"):
            name = collection.name if collection else t("library.title")
            st.markdown(f"## {escape_markdown(name, 60)}", anchors=False)
            st.caption(
                _counts(collection) if collection else t("library.no_collection"),
                help=t("library.counts_help") if collection and collection.documents else None,
            )
        with st.container(width="content"):
            _actions(place)


def _counts(collection: Collection) -> str:
    if not collection.documents:
        return t("nav.nothing")
    return dotted(
        t("count.documents", n=collection.documents),
        t("count.images", n=collection.images, count=number(collection.images)),
        t("count.nodes", n=collection.nodes, count=number(collection.nodes)),
        t("count.triplets", n=collection.edges, count=number(collection.edges)),
        t("count.components", n=collection.components, count=number(collection.components))
        if collection.components
        else "",
    )


def _enter(collection: str) -> None:
    st.session_state["collection"] = collection
    st.session_state.pop("chat", None)  # it belongs to another collection
    st.query_params.from_dict(state.address(collection))
    st.rerun()


@st.fragment
def _actions(place: Place) -> None:
    """In a fragment: opening one draws nothing else anew."""
    collection = place.collection
    with st.container(horizontal=True, width="content", gap="medium"):
        _create(place)
        if collection is not None:
            _rename(place, collection)
            if deletion(
                collection.id,
                escape_markdown(collection.name, 60),
                t("library.delete"),
                t("library.delete_sure", name=escape_markdown(collection.name, 60),
                  documents=t("count.documents", n=collection.documents)),
                t("library.delete_yes"),
                place.workspace.documents.delete_collection,
            ):  # fmt: skip
                st.session_state.pop("collection", None)
                st.query_params.clear()
                st.rerun()


def _create(place: Place) -> None:
    key = "aside-new-collection"
    with (
        aside(t("library.new"), ":material/create_new_folder:", key),
        st.form("new-collection", border=False, clear_on_submit=True),
    ):
        name = st.text_input(t("library.name"), max_chars=120)
        sent = st.form_submit_button(t("library.create"), type="primary")
        with shown_errors():
            if sent:
                made = place.workspace.documents.create_collection(name)
                close(key)
                tell_once(t("library.created", name=escape_markdown(made.name, 60)))
                _enter(made.id)


def _rename(place: Place, collection: Collection) -> None:
    key = f"aside-rename-{collection.id}"
    with (
        aside(t("library.rename"), ":material/edit:", key),
        st.form(f"rename-{collection.id}", border=False),
    ):
        name = st.text_input(t("library.name"), value=collection.name, max_chars=120)
        sent = st.form_submit_button(t("library.rename"), type="primary")
        with shown_errors():
            if sent:
                place.workspace.documents.rename_collection(collection.id, name)
                close(key)
                tell_once(t("library.renamed", name=escape_markdown(name, 60)))
                st.rerun()


# --- adding ---


def _add(place: Place) -> None:
    round_ = st.session_state.get("upload-round", 0)
    name = escape_markdown(place.collection.name, 60) if place.collection else ""
    label = t("library.upload_to", name=name) if name else t("library.upload")
    uploaded = upload_box(label, key=f"library-upload-{round_}")
    if uploaded:
        paths = spool(place.workspace.folder, uploaded)
        st.session_state["upload-round"] = round_ + 1
        _submit(place, paths)
    if is_shut():  # who comes in from elsewhere must not read what lies on this computer
        return
    with (
        st.expander(t("library.from_here"), icon=":material/folder_open:", type="compact"),
        st.form("from-path", border=False),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        path = st.text_input(t("library.path"), placeholder=t("library.path_example"))
        sent = st.form_submit_button(t("library.add"))
    if sent:
        _submit(place, [named_path(path)])


def _submit(place: Place, paths: list[str]) -> None:
    if not paths:
        raise InputError(t("library.no_files"))
    name = place.collection.name if place.collection else t("library.first_collection")
    made = place.workspace.documents.create_collection(name)
    submit_ingestion(paths, made.name)
    _enter(made.id)


# --- documents ---


def _spent(place: Place, document: Document) -> None:
    """What language models cost for it."""
    for used in place.workspace.calls.spent(document=document.id):
        st.caption(
            t("library.spent", model=escape_markdown(used.model, 60), calls=number(used.calls),
              read=number(used.prompt_tokens), written=number(used.completion_tokens))
        )  # fmt: skip


def document_rows(documents: list[Document], at_work: bool) -> list[dict[str, object]]:
    """The ledger as rows: hostile names stay plain text in cells."""
    return [
        {
            "name": one_line(each.name),
            "status": [t(f"document.{shown_status(each, at_work)}")],
            "pages": each.pages if each.paged and not each.refused else None,
            "figures": None if each.refused else each.figures,
            "captions": None if each.refused else each.captions,
            "triplets": None if each.refused else each.triplets,
            "nodes": None if each.refused else each.nodes,
            "seconds": seconds(each.seconds) if each.ready else "",
            "reason": one_line(shown_reason(each, at_work) or "; ".join(each.warnings), _REMARK),
        }
        for each in documents
    ]


def _table(documents: list[Document], wanted: str | None, at_work: bool) -> Document | None:
    """→ the document chosen in the table, or named in the address."""
    rows = document_rows(documents, at_work)
    columns = {
        key: st.column_config.NumberColumn(
            t(f"document.{key}"), width=width, help=t_or(f"document.{key}_help", "") or None
        )
        for key, width in _NUMBERS.items()
    }
    event = st.dataframe(
        rows,
        hide_index=True,
        width="stretch",
        height=min(38 + 36 * len(rows), 420),
        row_height=36,
        placeholder="–",
        on_select="rerun",
        selection_mode="single-row",
        key=f"documents-{len(documents)}",
        column_order=filled_columns(rows),
        column_config={
            **columns,
            "name": st.column_config.TextColumn(t("document.name"), width=176),
            "status": st.column_config.MultiselectColumn(
                t("document.status"),
                width=104,
                options=[t(f"document.{status}") for status in STATUS_COLORS],
                color=list(STATUS_COLORS.values()),
            ),
            "reason": st.column_config.TextColumn(t("document.reason"), width=330),
            "seconds": st.column_config.TextColumn(
                t("document.seconds"), width=80, alignment="right"
            ),
        },
    )
    selected = event.selection.rows
    if selected:
        st.query_params["doc"] = documents[selected[0]].id
        return documents[selected[0]]
    return next((each for each in documents if each.id == wanted), None)
