"""Evidence tools, with stand-ins for the models, and a search engine over real HTTP."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest
from PIL import Image

from brit.errors import InputError, ModelUnreachable, WeightsMissing
from brit.types import Claim, NamedObject
from brit.verification.search_engine import SearchTool
from brit.verification.tools import ColourTool, ObjectTool, SceneTextTool, gather_findings


class Detector:
    name = "stand-in"

    def __init__(self):
        self.asked = []

    def detect(self, _, names):
        self.asked.append(list(names))
        return [("ball", (0.5, 0.5, 1.0, 1.0), 0.9)]


class Reader:
    name = "stand-in"

    def read_text(self, _):
        return [("EX\nIT\x1b\u202e", (0.1, 0.1, 0.2, 0.2), 0.8)]


class Broken:
    name = "broken"
    kinds = frozenset(("object",))

    def look(self, *_):
        raise WeightsMissing("The weights are not here.")


PICTURE = Image.new("RGB", (40, 40), "white")
PICTURE.paste((200, 20, 20), (20, 20, 40, 40))
CLAIMS = [
    Claim("A red ball.", aspects=("object",), objects=(NamedObject("ball", None, "red"),)),
    Claim("It weighs 3 kg.", aspects=("fact",)),
]


def test_boxes_and_the_colours_inside_them():
    detector = Detector()
    found = ObjectTool(detector).look(CLAIMS, [PICTURE])
    assert detector.asked == [["ball"]]
    assert [(each.kind, each.text, each.subject) for each in found] == [
        ("object", "ball", ""),
        ("colour", "red", "ball"),
    ]
    assert found[1].score == 1.0
    (whole,) = ColourTool().look(CLAIMS, [PICTURE])
    assert whole.score == pytest.approx(0.25, abs=0.01)


def test_nobody_looks_for_what_no_claim_names():
    detector = Detector()
    assert ObjectTool(detector).look(CLAIMS[1:], [PICTURE]) == []
    assert SceneTextTool(Reader()).look(CLAIMS[1:], [PICTURE]) == []
    assert detector.asked == []


def test_read_text_is_one_clean_line():
    (found,) = SceneTextTool(Reader()).look(CLAIMS, [PICTURE])
    assert (found.text, found.box, found.picture) == ("EX IT", (0.1, 0.1, 0.2, 0.2), 0)


def test_a_tool_that_cannot_look_says_so_and_costs_nothing_else():
    findings, reports, looked = gather_findings(CLAIMS, [PICTURE], [Broken(), ColourTool()])
    assert [(each.tool, each.findings, each.note) for each in reports] == [
        ("broken", 0, "The weights are not here."),
        ("colours", 1, ""),
    ]
    assert looked == {"colour"}
    assert len(findings) == 1


@pytest.fixture
def engine():
    """engine(body) → (address, queries)."""
    running = []

    def start(body):
        queries = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                queries.append(parse_qs(urlsplit(self.path).query))
                self.send_response(200)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                """Silent."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        running.append(server)
        return f"http://127.0.0.1:{server.server_port}/", queries

    yield start
    for server in running:
        server.shutdown()
        server.server_close()


def test_a_search_engine_is_asked_about_facts_only(engine):
    rows = [{"url": "http://a", "title": "T", "content": "x\n" * 900}, {"content": None}, 5]
    address, queries = engine(json.dumps({"results": rows}).encode())
    (found,) = SearchTool(address).look(CLAIMS, [])
    assert queries == [{"q": ["It weighs 3 kg."], "format": ["json"]}]
    assert (found.source, found.document, len(found.text)) == ("http://a", "T", 400)


@pytest.mark.parametrize("body", [b"<html>", b"\xff", b"{", b"[" * 100_000])
def test_a_search_engine_without_json_is_an_error(engine, body):
    address, _ = engine(body)
    with pytest.raises(ModelUnreachable, match="format json"):
        SearchTool(address).look(CLAIMS, [])


@pytest.mark.parametrize("body", [b"[]", b"{}", b'{"results": 5}', b'{"results": [[]]}'])
def test_no_results_are_no_findings(engine, body):
    address, _ = engine(body)
    assert SearchTool(address).look(CLAIMS, []) == []


def test_an_address_must_be_one():
    with pytest.raises(InputError, match="http"):
        SearchTool("file:///etc/passwd")
