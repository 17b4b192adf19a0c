"""A saved chat: what it tells, and that nothing in it runs or is fetched."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from fake_backend import ANSWER, NAME, answer_of, fill, retrieval
from streamlit.testing.v1 import AppTest

from brit.storage import Workspace
from brit.storage.chats import Chat, Turn
from brit.ui.pictures import data_uri
from brit.ui.report import Report, as_html, as_markdown, report_of
from brit.ui.safe import file_stem

HOSTILE = "<img src=x onerror=alert(1)> ![x](http://evil.example/a.png) [y](javascript:alert(1))"


class Read(HTMLParser):
    """Elements and attributes as a browser would find them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.words += data


def make_report(workspace: Workspace, question: str = "How?", text: str = ANSWER) -> Report:
    found = retrieval(workspace)
    turn = Turn("t", question, found, answer_of(found, text), 0.0)
    paths = {image.id: image.path for image in found.images}
    return report_of(
        Chat("c", "k", question, 0.0, 0.0),
        "Coffee",
        [turn, replace(turn, id="u", question="And then?", answer=None)],
        lambda _: lambda id: data_uri(paths.get(id, ""), "#ffffff"),
    )


def test_a_page_with_answer_sources_pictures_and_path(workspace: Workspace) -> None:
    read = Read(as_html(make_report(workspace)))
    for told in (
        "How?",
        "And then?",
        "Blue container",
        f"{NAME} · p. 1",
        "not answered to the end",
    ):
        assert told in read.words
    shown = [value or "" for name, value in read.attributes if name in ("src", "href")]
    assert len(shown) >= 3
    assert all(value.startswith("data:image/jpeg;base64,") for value in shown)
    assert read.tags.count("svg") == 2


def test_citations_stand_under_their_numbers(workspace: Workspace) -> None:
    report = make_report(workspace)
    cited = report.asked[0].cited
    assert [source.marker for source in cited] == sorted(source.marker for source in cited)
    assert all(f"[{source.marker}]" in ANSWER for source in cited)


@pytest.mark.parametrize("form", [as_html, as_markdown])
def test_hostile_words_stay_words(workspace: Workspace, form) -> None:
    written = form(make_report(workspace, question=HOSTILE, text=f"**Yes** {HOSTILE}"))
    if form is as_markdown:
        assert "<img" not in written.replace("\\<img", "")
        assert "](" not in written.replace("\\](", "").replace("]\\(", "")
        return
    read = Read(written)
    assert {"script", "iframe", "object", "a", "link"}.isdisjoint(read.tags)
    assert not [name for name, _ in read.attributes if name.startswith("on")]
    assert all((v or "").startswith("data:") for n, v in read.attributes if n in ("src", "href"))
    assert "strong" in read.tags
    policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
    assert ("content", policy) in read.attributes


@pytest.mark.parametrize("form", [as_html, as_markdown])
def test_what_only_streamlit_needs_is_in_no_file(workspace: Workspace, form) -> None:
    said = "From 12:30 to 1:2, see www.gull.example -> a@b.example, :violet-background[x]"
    written = form(make_report(workspace, question=said, text=said))
    words = Read(written).words if form is as_html else written.replace("\\", "")
    assert written.count("violet") == words.count(":violet-background[x]") > 0
    assert words.count(said) >= 2


def test_names_of_files_hold_no_path() -> None:
    assert file_stem("../../etc/passwd?") == "etc passwd"
    assert file_stem("Wie schwer ist «es»?") == "Wie schwer ist es"
    assert file_stem("///") == "BRIT"


def test_a_chat_is_named_found_saved_and_deleted(app, workspace: Workspace, tmp_path: Path) -> None:
    fill(workspace, tmp_path)
    page: AppTest = app()
    page.chat_input(key="ask-box").set_value("How do I clean it?").run()
    assert not page.exception
    assert [each.proto.label for each in page.get("download_button")] == [
        "Report with pictures (HTML)", "Text (Markdown)"]  # fmt: skip
    collection = page.session_state["collection"]
    (chat,) = workspace.chats.chats(collection)
    (name,) = [each for each in page.text_input if each.label == "Name of this chat"]
    name.set_value("  Milk\nsystem ")
    next(each for each in page.button if each.label == "Rename").click().run()
    assert workspace.chats.chat(chat.id).title == "Milk system"
    assert [each.id for each in workspace.chats.find(collection, "MILK")] == [chat.id]
    assert [each.id for each in workspace.chats.find(collection, "clean it")] == [chat.id]
    assert workspace.chats.find(collection, "descale") == []
    page.button(key=f"drop-{chat.id}").click().run()
    page.button(key=f"delete-chat-{chat.id}").click().run()
    assert not page.exception
    assert workspace.chats.chats(collection) == []
    assert workspace.documents.collections()
