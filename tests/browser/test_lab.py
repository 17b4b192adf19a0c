"""The Retrieval Lab in a real browser: a link kind off on one side, the difference, Save."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from brit.config import RetrievalConfig
from brit.storage import Workspace
from tests.browser import test_first_visit
from tests.browser.test_first_visit import CHROMIUM, FLAGS, ROOT, Watch, serve

brochure = test_first_visit.brochure
pytestmark = test_first_visit.pytestmark
expect.set_options(timeout=30_000)
QUESTION = "Who designed the Quandrel pump?"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, brochure: Path) -> Path:
    """A workspace that has read the brochure."""
    workspace = tmp_path_factory.mktemp("lab") / "workspace"
    command = [sys.executable, "-m", "brit", "ingest", str(brochure), "--collection", "Lab"]
    subprocess.run([*command, "--workspace", str(workspace)], cwd=ROOT, check=True, timeout=300,
                   capture_output=True)  # fmt: skip
    return workspace


@pytest.fixture
def page(folder: Path, tmp_path: Path) -> Iterator[Page]:
    with serve(folder, tmp_path / "app.log") as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1440, "height": 1000})
        page.set_default_timeout(60_000)
        page.goto(address)
        yield page
        browser.close()


def test_a_link_kind_less_is_compared_and_kept(page: Page, folder: Path) -> None:
    watch = Watch(page)
    page.get_by_role("link", name="Retrieval Lab").click()
    page.get_by_placeholder("A question to look for under two settings").fill(QUESTION)
    page.keyboard.press("Enter")
    changes = page.locator(".st-key-lab-changes")
    expect(changes).to_contain_text("preset Default → Paper", timeout=120_000)

    # B becomes the default too: nothing differs.
    card = page.locator(".st-key-lab-card-B")
    card.get_by_role("radio", name="Default").click(force=True)
    expect(changes).to_contain_text("both settings are the same")
    for side in "AB":
        expect(page.locator(f".st-key-lab-card-{side}")).to_contain_text("used by Ask")

    # Without captions and pages, B no longer goes from names to pictures over them.
    for kind in ("CA", "LP"):
        card.get_by_role("button", name=re.compile(f"^{kind} ")).click()
    expect(changes).to_contain_text("links CA SI LP LS → SI LS")
    page.get_by_role("radio", name="5 Links").click(force=True)
    heads = page.locator("[class*=st-key-lab-step-head]")
    expect(heads).to_have_count(2)
    expect(page.locator("[class*='st-key-lab-row-kept-lab-A-links']").first).to_be_visible()
    sides = [
        page.locator(f"[class*='st-key-lab-row-kept-lab-{side}-links']").all_inner_texts()
        for side in "AB"
    ]
    assert any("caption" in row for row in sides[0])
    assert sides[1]
    assert not any("caption" in row for row in sides[1])

    card.get_by_role("button", name="Save").click()
    expect(card).to_contain_text("used by Ask", timeout=60_000)
    workspace = Workspace.open(folder)
    kept = workspace.settings.retrieval(workspace.documents.stamp("Lab").id)
    assert kept == RetrievalConfig(links=("SI", "LS"))
    assert watch.strangers == []
    assert watch.errors == []
