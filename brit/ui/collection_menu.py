"""What can be done with a collection as a whole: make, rename, copy, save, delete."""

from __future__ import annotations

import tempfile
import uuid
from pathlib import Path

import streamlit as st

from brit.errors import InputError
from brit.storage.backup import save_backup
from brit.storage.carry import SAVED
from brit.storage.jobs import UPLOADS
from brit.storage.ledger import Collection
from brit.ui import state
from brit.ui.asides import aside, close, deletion, tell_once
from brit.ui.safe import escape_markdown, file_stem
from brit.ui.state import Place, shown_errors
from brit.ui.wording import t

_LONGEST = 120


def enter(collection: str) -> None:
    """Show the page anew with that collection."""
    st.session_state["collection"] = collection
    st.session_state.pop("chat", None)  # it belongs to another collection
    st.query_params.from_dict(state.address(collection))
    st.rerun()


@st.fragment
def collection_menu(place: Place) -> None:
    """In a fragment: opening one draws nothing else anew."""
    collection = place.collection
    with st.container(horizontal=True, width="content", gap="medium"):
        _create(place)
        if collection is not None:
            _rename(place, collection)
            if collection.documents:
                _pass_on(place, collection)
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
        name = st.text_input(t("library.name"), max_chars=_LONGEST)
        sent = st.form_submit_button(t("library.create"), type="primary")
        with shown_errors():
            if sent:
                made = place.workspace.documents.create_collection(name)
                close(key)
                tell_once(t("library.created", name=escape_markdown(made.name, 60)))
                enter(made.id)


def _rename(place: Place, collection: Collection) -> None:
    key = f"aside-rename-{collection.id}"
    with (
        aside(t("library.rename"), ":material/edit:", key),
        st.form(f"rename-{collection.id}", border=False),
    ):
        name = st.text_input(t("library.name"), value=collection.name, max_chars=_LONGEST)
        sent = st.form_submit_button(t("library.rename"), type="primary")
        with shown_errors():
            if sent:
                place.workspace.documents.rename_collection(collection.id, name)
                close(key)
                tell_once(t("library.renamed", name=escape_markdown(name, 60)))
                st.rerun()


def _pass_on(place: Place, collection: Collection) -> None:
    """A copy beside it, or a file that is added elsewhere like a document."""
    key = f"aside-copy-{collection.id}"
    with aside(t("library.copy"), ":material/content_copy:", key):
        with st.form(f"copy-{collection.id}", border=False):
            proposed = t("library.copy_name", name=collection.name)[:_LONGEST]
            name = st.text_input(t("library.copy_label"), value=proposed, max_chars=_LONGEST)
            sent = st.form_submit_button(t("library.copy_make"), type="primary")
            with shown_errors():
                if sent:
                    made = _copy(place, collection, name)
                    close(key)
                    enter(made.id)

        def saved() -> bytes:
            with tempfile.TemporaryDirectory(prefix="brit-") as folder:
                target = Path(folder) / "collection"
                save_backup(place.workspace, target, collection=collection.id)
                return target.read_bytes()

        st.download_button(
            t("library.save"),
            saved,
            file_name=file_stem(collection.name) + SAVED,
            icon=":material/download:",
            key=f"save-{collection.id}",
            on_click="ignore",
            type="tertiary",
        )
        st.caption(t("library.save_hint"))


def _copy(place: Place, collection: Collection, name: str) -> Collection:
    """A new collection that a job fills. Raises InputError where there is one of that name."""
    documents = place.workspace.documents
    if " ".join(name.split()) in {each.name for each in documents.collections()}:
        raise InputError(t("library.copy_there", name=name))
    made = documents.create_collection(name)
    path = place.workspace.folder / UPLOADS / uuid.uuid4().hex / (file_stem(name) + SAVED)
    payload = {"paths": [str(path)], "collection": made.name, "copies": collection.id}
    state.runner().submit("ingest", payload)
    return made
