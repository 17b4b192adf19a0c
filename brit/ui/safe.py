"""Text of documents, file names and models on its way to the page: shown, never obeyed.

Streamlit's Markdown knows links, pictures, HTML, formulas, emoji and icon shortcodes, coloured
badges. None of them may come out of a document: a picture's address alone would report the reader
to a stranger. Backslashes stop what the Markdown parser sees. What later steps look for in finished
text, as bare addresses and shortcodes, is cut in two by one character in an element of its own: it
looks like the others (see style.css) and is copied as it stands.
"""

from __future__ import annotations

import re
import unicodedata

# Where a text is cut, until its marks are escaped; `printable` leaves none in what strangers wrote.
_CUT = "\u2060"
_AFTER_CUT = re.compile(rf"{_CUT}(\\?.)")
# Part of the spelling in Persian, Indic scripts and emoji.
_WORD_JOINERS = "\u200c\u200d"
_EVERY_MARK = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$&:^=\"'])")
_UNSAFE_MARK = re.compile(r"([\\`_{}\[\]<>|~$&:^!#=])")
_AFTER_COLON = re.compile(r":(?=[\w+\-/])")
_BEHIND_CUT = re.compile(r":violet-background\[(\\?.)\]")
_WEB = re.compile(r"\b(www)(?=\.)", re.IGNORECASE)
_MAIL = re.compile(r"@(?=[\w-])")
_ARROWS = re.compile(r"(?<=[<\->])(?=[\->])")


def _break_up(text: str) -> str:
    """Cuts where a later step would find an address, a shortcode or an arrow."""
    text = _AFTER_COLON.sub(":" + _CUT, text)
    text = _WEB.sub(r"\1" + _CUT, text)
    text = _MAIL.sub("@" + _CUT, text)
    return _ARROWS.sub(_CUT, text)


def _escape(marks: re.Pattern[str], text: str) -> str:
    """Backslashes before marks, and what follows a cut in a background that nobody sees."""
    return _AFTER_CUT.sub(r":violet-background[\1]", marks.sub(r"\\\1", _break_up(text)))


def printable(text: str) -> str:
    """The text without control and direction marks, which could hide or reorder what follows."""
    if text.isprintable():  # as most names are: no such mark is printable
        return text
    return "".join(_printable(character) for character in text)


def _printable(character: str) -> str:
    category = unicodedata.category(character)
    if character in "\n\t" + _WORD_JOINERS or category not in ("Cc", "Cf", "Cs"):
        return character
    return "" if category == "Cf" else " "


def one_line(text: str, width: int | None = None) -> str:
    """The text on one line, cut at a word's end to `width` characters with an ellipsis."""
    flat = " ".join(printable(text).split())
    if width is None or len(flat) <= width:
        return flat
    cut = flat[: width - 1]
    head, space, _ = cut.rpartition(" ")
    return (head if space and len(head) > width // 2 else cut).rstrip(" ,;:.") + "…"


def escape_markdown(text: str, width: int | None = None) -> str:
    """One line in which every mark of Markdown is an ordinary character: labels, names, quotes."""
    return _escape(_EVERY_MARK, one_line(text, width))


def without_cuts(text: str) -> str:
    """Escaped text for a reader that knows Markdown alone, as that of a saved file."""
    return _BEHIND_CUT.sub(r"\1", text)


def file_stem(text: str) -> str:
    """A name for a file that is saved, of letters, digits and single blanks alone."""
    return one_line(re.sub(r"[^\w-]+", " ", text), 60).rstrip("…") or "BRIT"


def soften_markdown(text: str) -> str:
    """A model's answer: paragraphs, lists, bold and italic stay, everything else is inert."""
    return "\n".join(_soften_line(line) for line in printable(text).split("\n"))


def _soften_line(line: str) -> str:
    # A heading of the model's would outrank the question; an indented line would become code.
    body = line.strip()
    indent = " " * min(len(line) - len(line.lstrip()), 2)
    if heading := re.match(r"#{1,6}\s+(.*)", body):
        return f"**{_inert(heading[1].strip('*# '))}**"
    return indent + _inert(body) if body.strip("-=_* ") else ""


def _inert(text: str) -> str:
    return _escape(_UNSAFE_MARK, text)
