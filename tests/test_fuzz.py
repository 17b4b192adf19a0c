"""Inputs nobody thought of: readers, replies of models, addresses, settings.

Some of each here, always the same; `BRIT_FUZZ=2000 pytest tests/test_fuzz.py` tries so many of
each, other ones each time. What was found that way stands below as an example of its own.
"""

from __future__ import annotations

import io
import json
import os
import re
import tempfile
import warnings
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import hypothesis.configuration
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from PIL import Image

from brit.config import ReadingConfig, load_settings
from brit.documents.archive import extract_zip
from brit.documents.sandbox import Sandbox
from brit.documents.wire import head_from_json, page_from_json
from brit.errors import BritError, InputError
from brit.evaluation.benchmark.foreign import read_any_set, read_field_map
from brit.generation.citations import keep_known_markers, stream_known_markers
from brit.journal import find_log_faults, read_events
from brit.lmm.openai_compatible import _parse_json
from brit.ui.safe import escape_markdown, file_stem, one_line, soften_markdown
from brit.ui.settings_metrics import stage_figures
from brit.ui.uploads import safe_name
from brit.verification.judge import read_rulings

hypothesis.configuration.set_hypothesis_home_dir(tempfile.gettempdir() + "/brit-hypothesis")
MANY = int(os.environ.get("BRIT_FUZZ", "0"))
FUZZ = settings(
    max_examples=MANY or 25,
    derandomize=not MANY,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)

HOSTILE = st.sampled_from(
    ["<script>", "<img src=x onerror=1>", "{{a|", "}}", "[[", "]]", "{|", "|}", "\x00", "\ud800",
     "&#0;", "&lt;", "<!--", "]]>", "<![CDATA[", "<table>", "<td colspan=99999>", "'''", "==",
     "\u202e", "\u2028", "[1]", "[1–999]", "【2】", "```", "$$", "=1+1", "data:,x", "../", "\\",
     "<ref>", "<math>", "#REDIRECT [[", "<p>", "</p>", "<h1>", "<a href='javascript:1'>", "﷽"]
)  # fmt: skip
TEXT = st.lists(st.one_of(HOSTILE, st.text(max_size=20)), max_size=12).map("".join)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXT),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXT, inner, max_size=4)),
    max_leaves=12,
)
SCHEMA = {
    "type": "object",
    "properties": {"triplets": {"type": "array", "items": {"type": "object"}}},
    "required": ["triplets"],
}


# --- readers ---


def read_all(reader: str, name: str, data: bytes) -> None:
    """Every reply of the sandbox is JSON, and either a sentence or of the form it should have."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        sandbox = Sandbox()
        start = {
            "do": "start", "reader": reader, "path": str(path), "home": folder, "folders": [folder],
            "upload": folder, "config": vars(ReadingConfig()),
        }  # fmt: skip
        reply = ask(sandbox, start)
        for _ in range(3):
            reply = ask(sandbox, {"do": "head"})
            if "error" in reply or reply["head"] is None:
                return
            head_from_json(reply["head"])
            reply = ask(sandbox, {"do": "leaf", "number": 1})
            if "error" not in reply:
                page_from_json(reply["page"])


def ask(sandbox: Sandbox, request: dict[str, Any]) -> dict[str, Any]:
    reply: dict[str, Any] = json.loads(json.dumps(sandbox.answer(request)))
    assert "error" not in reply or (reply["error"] and reply["kind"] in ("document", "password"))
    return reply


def as_dump(text: str) -> str:
    return (
        '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/"><page><title>T</title><ns>0'
        f"</ns><id>1</id><revision><id>1</id><text>{text}</text></revision></page></mediawiki>"
    )


READERS: list[tuple[str, str, Callable[[str], str]]] = [
    ("HtmlReader", "a.html", str),
    ("MarkdownReader", "a.md", str),
    ("MediaWikiReader", "a.xml", as_dump),
    ("MediaWikiReader", "b.xml", lambda text: as_dump(text.replace("<", "&lt;"))),
]


@pytest.mark.parametrize(("reader", "name", "wrap"), READERS)
@FUZZ
@given(text=TEXT)
def test_readers_of_text(reader: str, name: str, wrap: Callable[[str], str], text: str) -> None:
    read_all(reader, name, wrap(text).encode("utf-8", "surrogatepass"))


def small_epub() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as book:
        book.writestr("mimetype", "application/epub+zip")
        book.writestr(
            "META-INF/container.xml",
            '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
            '<rootfile full-path="c.opf"/></rootfiles></container>',
        )
        book.writestr(
            "c.opf",
            '<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="a" href="a.xhtml" '
            'media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine>'
            "</package>",
        )
        book.writestr("a.xhtml", "<html><body><p>Text</p></body></html>")
    return stream.getvalue()


def small_picture() -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (8, 8), "red").save(stream, "PNG")
    return stream.getvalue()


BINARIES = [
    ("EpubReader", "a.epub", small_epub()),
    ("DocxReader", "a.docx", small_epub()),
    ("PptxReader", "a.pptx", small_epub()),
    ("PictureReader", "a.png", small_picture()),
    ("WikiWeb2MReader", "a.tfrecord", b"\x08\x00\x00\x00\x00\x00\x00\x00" + b"\x00" * 24),
]


@pytest.mark.parametrize(("reader", "name", "sound"), BINARIES, ids=lambda value: str(value)[:14])
@FUZZ
@given(data=st.data())
def test_readers_of_damaged_files(
    reader: str, name: str, sound: bytes, data: st.DataObject
) -> None:
    damaged = bytearray(sound)
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(damaged) - 1))
        damaged[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=4))
        damaged = damaged or bytearray(b"\x00")
    read_all(reader, name, bytes(damaged))


@FUZZ
@given(names=st.lists(TEXT.filter(bool), min_size=1, max_size=4), data=st.binary(max_size=30))
@example(names=["\x00"], data=b"")
def test_names_in_archives_never_lead_out(names: list[str], data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, target = Path(folder) / "a.zip", Path(folder) / "deep" / "in"
        target.mkdir(parents=True)
        with zipfile.ZipFile(path, "w") as archive:
            for number, name in enumerate(names):
                name = name.encode("utf-8", "replace").decode()
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # names that are the same up to their NUL
                    archive.writestr(zipfile.ZipInfo(f"{name}{number}"), data)
        with suppress(BritError):
            extract_zip(path, target)
        outside = {p for p in Path(folder).rglob("*") if not p.is_relative_to(target)}
        assert outside == {path, target.parent}


# --- replies of models ---


@FUZZ
@given(text=st.one_of(TEXT, JSON.map(json.dumps)), count=st.integers(1, 4))
def test_rulings(text: str, count: int) -> None:
    try:
        rulings = read_rulings(text, count)
    except ValueError:  # it asks once more, and says then which model it was
        return
    assert len(rulings) <= count


@FUZZ
@given(text=st.one_of(TEXT, JSON.map(json.dumps)), truncated=st.booleans())
def test_json_of_models(text: str, truncated: bool) -> None:
    try:
        data = _parse_json(text, SCHEMA, truncated)
    except ValueError:
        return
    assert data is None or isinstance(data["triplets"], list)


@FUZZ
@given(pieces=st.lists(TEXT, max_size=6), known=st.sets(st.integers(1, 9)))
def test_markers_in_pieces_are_those_of_the_whole(pieces: list[str], known: set[int]) -> None:
    said: list[int] = []
    text = "".join(stream_known_markers(iter(pieces), known, said))
    assert set(said) <= known
    whole: list[int] = []
    assert text == keep_known_markers("".join(pieces), known, whole)
    assert said == whole


# --- texts on their way out ---


@FUZZ
@given(text=TEXT)
@example(text="\ud800")
def test_text_for_the_page_stays_on_its_line_and_can_be_sent(text: str) -> None:
    for shown in (escape_markdown(text), soften_markdown(text)):
        assert not re.search(r"(?<!\\)<[a-z!/]", shown)
    for shown in (escape_markdown(text), one_line(text, 20), soften_markdown(text)):
        shown.encode("utf-8")
        assert "\u202e" not in shown
        assert "\x00" not in shown
    assert "\n" not in escape_markdown(text)
    for name in (safe_name(text), file_stem(text)):
        assert name
        assert not {"/", "\\", "\x00"} & set(name)
        assert name not in (".", "..")
        assert len(name.encode("utf-8", "surrogatepass")) <= 250


# --- settings, logs, sets ---

NAMES = [
    "BRIT_TEMPERATURE", "BRIT_MAX_TOKENS", "BRIT_TIMEOUT", "BRIT_CONTEXT", "BRIT_BUDGET",
    "BRIT_DESCRIBE", "BRIT_PAGE_SECONDS", "BRIT_PAGE_MEGABYTES", "BRIT_READING_PROCESSES",
    "BRIT_PASSWORD_HASH", "BRIT_ALLOWED", "BRIT_WORKSPACES", "BRIT_QUESTIONS_A_MINUTE",
    "BRIT_UPLOADS_AN_HOUR", "BRIT_MODEL", "BRIT_BASE_URL", "BRIT_WORKSPACE", "BRIT_WEIGHTS",
]  # fmt: skip
VALUES = st.one_of(
    TEXT, st.integers().map(str), st.floats().map(str),
    st.sampled_from(["~", "~x", "²", "1e9", "-1", "0", "9" * 5000, "$argon2", "1 tokens", "١"]),
)  # fmt: skip


@FUZZ
@given(env=st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=5))
@example(env={"BRIT_BUDGET": "²"})
@example(env={"BRIT_WORKSPACE": "~x"})
def test_settings(env: dict[str, str]) -> None:
    try:
        found = load_settings(env)
    except InputError:
        return
    assert found.questions_a_minute > 0
    assert 0 <= found.answer.temperature <= 2


@FUZZ
@given(lines=st.lists(st.one_of(st.binary(max_size=40), JSON.map(json.dumps).map(str.encode))))
def test_logs_that_somebody_wrote_into(lines: list[bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "logs").mkdir()
        (Path(folder) / "logs" / "app.jsonl").write_bytes(b"\n".join(lines))
        stage_figures(read_events(Path(folder)))
        find_log_faults(Path(folder))


@FUZZ
@given(event=st.dictionaries(
    st.sampled_from(["event", "stage", "seconds", "outcome", "when", "error"]), JSON))  # fmt: skip
def test_events_that_somebody_made_up(event: dict[str, Any]) -> None:
    stage_figures([event, {**event, "event": "job", "stage": "x"}])


@FUZZ
@given(text=st.one_of(TEXT, JSON.map(json.dumps)))
def test_question_files(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "set.jsonl"
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        for read in (read_any_set, read_field_map):
            with suppress(InputError):
                read(path)
