"""Text of strangers stays text."""

import re

import pytest

from brit.ui.safe import escape_markdown, one_line, printable, soften_markdown

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "![x](https://stranger.example/p.png)",
    "[click](javascript:alert(1))",
    "https://stranger.example",
    "www.stranger.example",
    "a@stranger.example",
    ":material/home: :smile: :red[hot] :blue-badge[1]",
    "$x^2$ and `code`",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_every_mark_is_escaped_and_nothing_lost(text: str) -> None:
    escaped = re.sub(r":violet-background\[(\\?.)\]", r"\1", escape_markdown(text))
    assert escaped.replace("\\", "") == text.replace("\\", "")
    for mark in "<>[]()!$`*_":
        assert escaped.count(mark) == escaped.count("\\" + mark)


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("make_safe", [escape_markdown, soften_markdown])
def test_no_address_or_shortcode_survives(text: str, make_safe: object) -> None:
    safe = make_safe(text).replace("\\", "")  # type: ignore[operator]
    for trigger in ("://", "www.", "@stranger", ":material", ":smile:", ":red", ":blue"):
        assert trigger not in safe


def test_answers_keep_emphasis_and_lists_but_no_headings_or_code() -> None:
    assert soften_markdown("# Title\n- **bold** item") == "**Title**\n- **bold** item"
    assert soften_markdown("    indented") == "  indented"
    assert soften_markdown("a\n---\nb") == "a\n\nb"


def test_direction_marks_are_dropped_and_soft_hyphens_too() -> None:
    assert printable("in\u00advoice\u202efdp.exe\x07") == "invoicefdp.exe "


def test_long_labels_are_cut_at_a_word() -> None:
    assert one_line("A picture of\n the blue container", 20) == "A picture of the…"
    assert one_line("short", 20) == "short"
