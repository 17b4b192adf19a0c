"""What axe-core finds on a page as it stands in the browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect


def serious(page: Page) -> list[str]:
    """Its serious and critical findings, once nothing is grey that waits to be drawn anew: the
    rule, and where."""
    expect(page.locator("[data-stale=true]")).to_have_count(0, timeout=60_000)
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    found = axe.Axe().run(page).response["violations"]
    return [
        f"{each['id']}: {node['target']}"
        for each in found
        if each["impact"] in ("serious", "critical")
        for node in each["nodes"]
    ]
