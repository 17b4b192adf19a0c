"""The box at the bottom: a question, files, or both."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from brit.storage.ledger import Collection
from brit.ui.scope import ask_scope
from brit.ui.state import Place, shown_errors
from brit.ui.uploads import NamedFile, spool, submit_ingestion
from brit.ui.waiting import hold
from brit.ui.wording import t


def ask_box(place: Place) -> str | None:
    """→ the question just asked. Files start being read; a question beside them waits for that."""
    with st.bottom:
        with st.container(key="ask-files"):  # shown by style.css while files wait in the box
            st.caption(f":material/keyboard_return: {t('ask.send_files')}")
        ask_scope(place)
        given = st.chat_input(
            t("ask.placeholder"),
            key="ask-box",
            accept_file="multiple",
            submit_mode="stop",
        )
    if given is None:
        return None
    question = given.text.strip() or None
    if given.files:
        with shown_errors():
            _take_files(place, given.files, question)
            st.rerun()
        return None
    return question


def _take_files(place: Place, files: Sequence[NamedFile], question: str | None) -> None:
    collection = _collection_for_files(place)
    paths = spool(place.workspace.folder, files)
    job = submit_ingestion(paths, collection.name)
    if question:
        hold(question, collection.id, job)


def _collection_for_files(place: Place) -> Collection:
    if place.collection is not None:
        return place.collection
    return place.workspace.documents.create_collection(t("library.first_collection"))
