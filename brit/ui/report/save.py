"""Saving the chat in hand as a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from brit.storage.chats import Chat, Turn
from brit.ui.evidence_panel import thumbnails
from brit.ui.report.chat import Report, report_of
from brit.ui.report.written import as_html, as_markdown
from brit.ui.safe import file_stem
from brit.ui.state import Place
from brit.ui.wording import t

_FORMS: tuple[tuple[str, str, str, Callable[[Report], str]], ...] = (
    ("html", "html", "text/html", as_html),
    ("markdown", "md", "text/markdown", as_markdown),
)


def save_chat(place: Place, chat: Chat, turns: Sequence[Turn]) -> None:
    """A menu of the forms a chat can be saved in; the file is made when it is asked for."""
    collection = place.collection.name if place.collection else ""

    def written(form: Callable[[Report], str]) -> bytes:
        report = report_of(chat, collection, turns, lambda found: thumbnails(place, found))
        return form(report).encode()

    with st.popover(t("report.save"), icon=":material/download:", type="tertiary"):
        for name, suffix, mime, form in _FORMS:
            st.download_button(
                t(f"report.{name}"),
                partial(written, form),
                file_name=f"{file_stem(chat.title)}.{suffix}",
                mime=mime,
                key=f"save-{chat.id}-{name}",
                on_click="ignore",
                type="tertiary",
            )
