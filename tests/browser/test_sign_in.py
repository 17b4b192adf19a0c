"""Signing in at an OpenID Connect provider, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from tests.browser import test_first_visit
from tests.browser.test_first_visit import CHROMIUM, FLAGS, free_port, serve

pytestmark = [
    *test_first_visit.pytestmark,
    # The provider uses what its own dependency is about to drop.
    pytest.mark.filterwarnings("ignore:authlib.jose module is deprecated"),
    pytest.mark.filterwarnings("ignore:get_jwt_config:DeprecationWarning"),
]
SECRETS = """
BRIT_ALLOWED = "ann@firm.example"
BRIT_WORKSPACES = "own"
[auth]
redirect_uri = "{app}/oauth2callback"
cookie_secret = "a cookie secret of no meaning, long enough"
client_id = "brit"
client_secret = "of no meaning either"
server_metadata_url = "http://127.0.0.1:{provider}/.well-known/openid-configuration"
"""


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    from oidc_provider_mock import User, run_server_in_thread

    users = [User(sub=name, claims={"email": f"{name}@firm.example"}) for name in ("ann", "bob")]
    port, secrets = free_port(), tmp_path / "secrets.toml"
    with run_server_in_thread(user_claims=users) as provider:
        told = SECRETS.format(app=f"http://127.0.0.1:{port}", provider=provider.server_port)
        secrets.write_text(told)
        options = ("--secrets.files", str(secrets))
        with (
            serve(tmp_path / "workspace", tmp_path / "app.log", *options, port=port) as address,
            sync_playwright() as playwright,
        ):
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.set_default_timeout(30_000)
            page.goto(address)
            yield page
            browser.close()


def sign_in(page: Page, name: str) -> None:
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.locator("input[name=sub]").fill(name)
    page.locator("button[type=submit]").first.click()


def sign_out(page: Page, button: str) -> None:
    page.get_by_role("button", name=button, exact=True).click()
    page.get_by_role("button", name="End session").click()  # the provider asks, too


def test_only_who_is_named_comes_in_and_stays_in_until_signing_out(
    page: Page, tmp_path: Path
) -> None:
    expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_visible(timeout=60_000)
    expect(page.get_by_role("link", name="Library")).to_have_count(0)
    sign_in(page, "bob")
    expect(page.get_by_text("bob@firm.example may not come in here")).to_be_visible()
    expect(page.get_by_role("link", name="Library")).to_have_count(0)
    sign_out(page, "Sign in as somebody else")
    sign_in(page, "ann")
    expect(page.get_by_role("link", name="Library")).to_be_visible(timeout=30_000)
    page.reload()
    expect(page.get_by_role("link", name="Library")).to_be_visible(timeout=30_000)
    sign_out(page, "Sign out")
    expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name="Library")).to_have_count(0)
    (own,) = (tmp_path / "workspace" / "users").iterdir()  # hers; of his nothing was made
    assert (own / "brit.sqlite").exists()
    assert not (tmp_path / "workspace" / "brit.sqlite").exists()
