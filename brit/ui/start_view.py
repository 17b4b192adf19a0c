"""The Ask page before the first question: an invitation, never an empty page."""

from __future__ import annotations

import streamlit as st

from brit.storage.suggestions import suggest
from brit.ui import state
from brit.ui.jobs_panel import active_jobs, jobs_panel
from brit.ui.safe import escape_markdown
from brit.ui.samples import sample_files, sample_questions
from brit.ui.state import Place
from brit.ui.upload_box import upload_box
from brit.ui.uploads import spool, submit_ingestion
from brit.ui.waiting import show_waiting
from brit.ui.wording import in_every_language, t

_NAMED = 4


def show_start(place: Place) -> None:
    """Questions to begin with where there are documents; else a sample, or an upload."""
    with st.container(key="start"):
        if place.ready:
            _invite_question(place)
        elif active_jobs(place, "ingest"):
            st.markdown(f"## {t('start.reading')}", anchors=False)
            st.markdown(f":gray[{t('start.reading_hint')}]")
        else:
            _invite_documents(place)
        show_waiting(place)
        jobs_panel(place)


def _invite_question(place: Place) -> None:
    st.markdown(f"## {t('start.question')}", anchors=False)
    st.markdown(f":gray[{t('start.question_hint')}]")
    questions = _questions(place)
    with st.container(key="suggestions", gap="xsmall"):
        for i, question in enumerate(questions):
            if st.button(
                escape_markdown(question, 240),
                key=f"suggestion-{i}",
                icon=":material/arrow_outward:",
                width="stretch",
            ):
                st.session_state["ask"] = question
                st.rerun()
    st.caption(_contents(place))


def _questions(place: Place) -> list[str]:
    """Those of the sample, or some out of the collection's own content."""
    assert place.collection is not None, "only a collection is asked"
    if place.collection.name in in_every_language("start.sample_collection"):
        return sample_questions()
    return [
        t(f"start.suggest_{each.kind}", name=each.name, of=each.of)
        for each in suggest(place.workspace, place.collection.id)
    ]


def _contents(place: Place) -> str:
    """«In this collection: a.pdf, b.pdf and 3 more», of what can be asked about."""
    assert place.collection is not None, "only a collection has contents"
    listed = place.workspace.documents.documents(place.collection.id)
    documents = [each for each in listed if each.ready]
    names = ", ".join(escape_markdown(each.name, 48) for each in documents[:_NAMED])
    more = len(documents) - _NAMED
    return (
        t("start.contents_more", names=names, n=more)
        if more > 0
        else t("start.contents", names=names)
    )


def _invite_documents(place: Place) -> None:
    st.markdown(f"## {t('start.welcome')}", anchors=False)
    st.markdown(f":gray[{t('start.welcome_hint')}]")
    files = sample_files()
    if files and st.button(
        t("start.try_sample"), type="primary", icon=":material/auto_stories:", key="try-sample"
    ):
        _begin(place, files, t("start.sample_collection"))
    uploaded = upload_box(t("start.upload"), key="start-upload")
    if uploaded:
        name = place.collection.name if place.collection else t("library.first_collection")
        _begin(place, spool(place.workspace.folder, uploaded), name)


def _begin(place: Place, paths: list[str], collection: str) -> None:
    made = place.workspace.documents.create_collection(collection)
    submit_ingestion(paths, collection)
    st.session_state["collection"] = made.id
    st.query_params.from_dict(state.address(made.id))
    st.session_state.pop("start-upload", None)
    st.rerun()
