"""The Graph page in a real browser: a name is found, a mark clicked, a sentence opened on its page,
the drawing saved; the address alone shows the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, TimeoutError, expect, sync_playwright

from brit.storage import Workspace
from brit.types import Link
from tests.browser import test_first_visit
from tests.browser.test_first_visit import CHROMIUM, FLAGS, PAINTED, Watch, eventually, serve
from tests.ui import fake_backend

pytestmark = test_first_visit.pytestmark
expect.set_options(timeout=30_000)
HOSTILE = '</script><img src="https://e.example/x.png" onerror="document.title=1">'


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[tuple[Workspace, str]]:
    """The invented handbook with a link to a picture, and a name that would like to be a script."""
    opened = Workspace.open(tmp_path / "workspace")
    id = fake_backend.fill(opened, tmp_path)
    link = Link(f"i0-{id}", f"n3-{id}", "CA", 1.0, "in the caption")
    opened.graph.put_document_graph(id, mentions=[], edges=[], links=[link])
    (hostile,) = opened.graph.nodes_by_id([f"n0-{id}"])
    collection = opened.documents.collection("Coffee").id
    opened.graph.put_nodes(
        collection, [type(hostile)(hostile.id, hostile.name, HOSTILE, hostile.kind)]
    )
    yield opened, id
    opened.close()


@pytest.fixture
def page(workspace: tuple[Workspace, str], tmp_path: Path) -> Iterator[Page]:
    folder = workspace[0].folder
    with serve(folder, tmp_path / "app.log") as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1440, "height": 900}, accept_downloads=True)
        page.set_default_timeout(30_000)
        page.goto(address)
        yield page
        browser.close()


def canvas_of(page: Page) -> Locator:
    return page.frame_locator(".st-key-explore-frame iframe").locator("canvas")


def test_from_a_name_to_its_page_and_back_by_a_link(
    page: Page, workspace: tuple[Workspace, str]
) -> None:
    watch, id = Watch(page), workspace[1]
    page.get_by_role("link", name="Graph").click()
    canvas = canvas_of(page)
    expect(canvas).to_be_visible()
    eventually(lambda: canvas.evaluate(PAINTED) > 500)
    page.get_by_placeholder("Find a name").type("blue cont")
    page.locator(".st-key-explore-search-hits button").first.click()
    card = page.locator(".st-key-explore-card")
    expect(card).to_contain_text("is cleaned with")
    expect(page).to_have_url(re.compile(f"node=n%3An3-{id}"))

    # The way to another name, told and drawn from left to right: its first mark can be clicked.
    page.get_by_placeholder("Way to another name").type("descaling")
    page.locator(".st-key-explore-way-hits button").first.click()
    told = page.locator(".st-key-explore-told")
    expect(told).to_contain_text("follows")
    expect(told).to_contain_text("Alder One handbook.pdf")
    eventually(lambda: _picked(page, f"n:n3-{id}"))
    expect(card).to_contain_text("Blue container")

    card.get_by_role("radio", name="Mentions").click(force=True)
    card.locator("[class*=st-key-explore-open-] button").first.click()
    shown = page.get_by_role("dialog").locator(".st-key-evidence-page img")
    expect(shown).to_be_visible()
    eventually(lambda: shown.evaluate("image => image.naturalHeight") > 800)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)

    page.get_by_role("button", name="Save").click()
    with page.expect_download() as png:
        page.locator(".st-key-explore-png button").click()
    assert Image.open(png.value.path()).width > 400
    with page.expect_download() as svg:
        page.locator(".st-key-explore-SVG button").click()
    drawing = ElementTree.fromstring(Path(svg.value.path()).read_bytes())
    assert "</script><img src=" in {each.text for each in drawing.iter()}
    with page.expect_download() as graphml:
        page.locator(".st-key-explore-GraphML button").click()
    assert Path(graphml.value.path()).read_bytes().startswith(b"<?xml")

    assert watch.errors == []
    page.goto(page.url)  # Streamlit first asks below the page for what lies beside it
    expect(page.locator(".st-key-explore-told")).to_contain_text("follows")
    assert page.title() == "Graph · BRIT"
    assert watch.strangers == []


def _picked(page: Page, id: str) -> bool:
    """Click where the first mark of the way stands, until the page says so."""
    frame = page.locator(".st-key-explore-frame iframe").element_handle().content_frame()
    assert frame is not None
    at = frame.evaluate("id => window.brit && window.brit.placeOf(id)", id)
    if at is None:
        return False
    box = page.locator(".st-key-explore-frame iframe").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + at["x"], box["y"] + at["y"])
    with suppress(TimeoutError):  # the drawing was not there yet
        page.wait_for_url(re.compile(f"pick={id.replace(':', '%3A')}"), timeout=4_000)
        return True
    return False
