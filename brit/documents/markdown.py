"""Markdown pages, as in the folder of a GitHub wiki: rendered to HTML, then read as such."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from brit.documents.html import HtmlReader, read_text
from brit.documents.pictures import PICTURE_SUFFIXES

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_WIKI_LINK = re.compile(r"\[\[([^\[\]\n]{1,300})\]\]")
_FIRST_HEADING = re.compile(r"<h1[\s>]", re.IGNORECASE)


class MarkdownReader(HtmlReader):
    """Reads one page (CommonMark with GitHub's tables and its wiki's `[[links]]`).

    The title is the first heading of the first level, else the file's name as a wiki shows it.
    """

    suffixes: tuple[str, ...] = (".md", ".markdown")
    format = "markdown"

    def markup(self, path: Path) -> bytes:
        text = _FRONT_MATTER.sub("", read_text(path).replace("\r\n", "\n"))
        page = str(_renderer().render(text))
        title = "" if _FIRST_HEADING.search(page) else f"<title>{_title_of(path)}</title>"
        return f"{title}<main>{page}</main>".encode()


def _title_of(path: Path) -> str:
    from html import escape

    return escape(path.stem.replace("-", " "))


@cache
def _renderer() -> MarkdownIt:
    from markdown_it import MarkdownIt

    renderer = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    renderer.inline.ruler.before("link", "wiki_link", _read_wiki_link)
    return renderer


def _read_wiki_link(state: StateInline, silent: bool) -> bool:
    """`[[Page]]`, `[[text|Page]]`, `[[picture.png|alt=caption]]` (Gollum's syntax)."""
    match = _WIKI_LINK.match(state.src, state.pos)
    if match is None:
        return False
    if not silent:
        fields = [field.strip() for field in match[1].split("|")]
        if fields[0].lower().endswith(PICTURE_SUFFIXES):
            alt = next((f[4:].strip() for f in fields[1:] if f.startswith("alt=")), "")
            token = state.push("image", "img", 0)
            token.attrs = {"src": quote(fields[0]), "alt": ""}
            token.content = alt
            token.children = [_text_token(state, alt)]
        else:
            token = state.push("link_open", "a", 1)
            token.attrs = {"href": quote(fields[-1].replace(" ", "-")), "title": fields[-1]}
            state.push("text", "", 0).content = fields[0]
            state.push("link_close", "a", -1)
    state.pos = match.end()
    return True


def _text_token(state: StateInline, text: str) -> Token:
    from markdown_it.token import Token

    return Token("text", "", 0, content=text, level=state.level)
