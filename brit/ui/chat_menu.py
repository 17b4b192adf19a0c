"""The chat in hand: its name, saving it, deleting it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from brit.storage.chats import Chat, Turn
from brit.ui.asides import aside, close, tell_once
from brit.ui.evidence_panel import thumbnails
from brit.ui.page_view import with_section_titles
from brit.ui.report import Report, as_html, as_markdown, report_of
from brit.ui.safe import escape_markdown, file_stem, one_line
from brit.ui.state import Place, address, open_dialog
from brit.ui.wording import t

LONGEST_TITLE = 240
_FORMS: tuple[tuple[str, str, str, Callable[[Report], str]], ...] = (
    ("html", "html", "text/html", as_html),
    ("markdown", "md", "text/markdown", as_markdown),
)


@st.fragment
def chat_menu(place: Place, chat: Chat, turns: Sequence[Turn]) -> None:
    """What can be done with a chat as a whole."""
    key = f"chat-menu-{chat.id}"
    with aside(t("chat.menu"), ":material/more_horiz:", key):
        _rename(place, chat, key)
        with st.container(key="chat-menu-rest", gap=None):
            st.markdown(f"**{t('chat.save')}**")
            for form in _FORMS:
                _save(place, chat, turns, *form)
            if st.button(
                t("chat.delete"),
                icon=":material/delete:",
                type="tertiary",
                key=f"drop-{chat.id}",
                on_click=close,  # it would lie over the dialog
                args=(key,),
            ):
                open_dialog(t("chat.delete"))(_delete)(place, chat)


def _rename(place: Place, chat: Chat, key: str) -> None:
    with (
        st.form(f"rename-{chat.id}", border=False),
        st.container(horizontal=True, vertical_alignment="bottom", gap="small"),
    ):
        given = st.text_input(t("chat.title"), chat.title, max_chars=LONGEST_TITLE, width=240)
        pressed = st.form_submit_button(t("chat.rename"))
    title = one_line(given, LONGEST_TITLE)
    if pressed and title and title != chat.title:
        place.workspace.chats.rename(chat.id, title)
        close(key)
        st.rerun()


def _save(
    place: Place,
    chat: Chat,
    turns: Sequence[Turn],
    name: str,
    suffix: str,
    mime: str,
    form: Callable[[Report], str],
) -> None:
    """The file is made when it is asked for."""
    collection = place.collection.name if place.collection else ""

    def written() -> bytes:
        named = [
            replace(turn, retrieval=with_section_titles(place, turn.retrieval))
            if turn.retrieval
            else turn
            for turn in turns
        ]
        report = report_of(chat, collection, named, partial(thumbnails, place))
        return form(report).encode()

    st.download_button(
        t(f"chat.save_{name}"),
        written,
        file_name=f"{file_stem(chat.title)}.{suffix}",
        mime=mime,
        icon=":material/download:",
        key=f"save-{chat.id}-{name}",
        on_click="ignore",
        type="tertiary",
    )


def _delete(place: Place, chat: Chat) -> None:
    name = escape_markdown(chat.title, 120)
    st.markdown(t("chat.delete_question", name=name, n=chat.questions))
    if st.button(
        t("chat.delete_yes"),
        type="primary",
        key=f"delete-chat-{chat.id}",
        on_click=_drop,
        args=(place, chat, name),
    ):
        st.switch_page("app.py", query_params=address(chat.collection))


def _drop(place: Place, chat: Chat, name: str) -> None:
    place.workspace.chats.delete(chat.id)
    tell_once(t("aside.deleted", name=name))
    st.session_state.pop("chat", None)
