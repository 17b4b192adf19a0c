"""The Library: collections, adding documents, what became of each."""

from __future__ import annotations

import streamlit as st

from brit.errors import InputError
from brit.storage.ledger import Collection
from brit.types import Document
from brit.ui.asides import show_told
from brit.ui.collection_menu import collection_menu, enter
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
            collection_menu(place)


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
    enter(made.id)


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
            "name": st.column_config.TextColumn(t("document.name"), width=300),
            "status": st.column_config.MultiselectColumn(
                t("document.status"),
                width=104,
                options=[t(f"document.{status}") for status in STATUS_COLORS],
                color=list(STATUS_COLORS.values()),
            ),
            "reason": st.column_config.TextColumn(t("document.reason"), width=210),
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
