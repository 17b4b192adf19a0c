"""Every language says everything English says, and the page changes to it."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from string import Formatter
from typing import Any

import pytest
from streamlit.runtime.context import ContextProxy
from streamlit.testing.v1 import AppTest

from brit.storage import Workspace
from brit.ui import wording

App = Callable[..., AppTest]
FILES = sorted(Path(wording.__file__).with_name("texts").glob("*.toml"))
GERMAN = {
    "app.py": "Fragen Sie Ihre Dokumente",
    "pages/1_Library.py": "Fügen Sie ein Dokument hinzu, dann entsteht eine Sammlung dafür.",
    "pages/2_Graph.py": "Es gibt noch keine Sammlung",
    "pages/3_Retrieval_Lab.py": "Fügen Sie zuerst ein Dokument hinzu.",
    "pages/4_Verify.py": "Die Urteile erscheinen hier.",
    "pages/5_Benchmark.py": "Fügen Sie zuerst Dokumente hinzu",
    "pages/6_Settings.py": "Grenzen beim Lesen",
}


def entries(path: Path) -> dict[str, Any]:
    """Key, with its plural form where it has one → text."""
    found = {}
    for section, texts in tomllib.loads(path.read_text(encoding="utf-8")).items():
        for name, text in texts.items():
            forms = text if isinstance(text, dict) else {"": text}
            found |= {f"{section}.{name} {form}".strip(): each for form, each in forms.items()}
    return found


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def said(test: AppTest) -> str:
    shown = [*test.markdown, *test.caption, *test.info, *test.subheader, *test.title]
    return "\n".join(str(each.value) for each in shown)


def labels(test: AppTest) -> list[str]:
    return [each.proto.label for each in test.sidebar.get("page_link")]


@pytest.fixture
def browser(monkeypatch: pytest.MonkeyPatch) -> Callable[[str | None], None]:
    """→ a function that says what the browser says."""

    def says(locale: str | None) -> None:
        monkeypatch.setattr(ContextProxy, "locale", property(lambda _: locale))

    return says


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_language_says_everything_english_says(path: Path) -> None:
    english, told = entries(FILES[0].with_name("en.toml")), entries(path)
    assert sorted(english.keys() - told.keys()) == [], "missing"
    assert sorted(told.keys() - english.keys()) == [], "unknown"
    assert [key for key, text in told.items() if not text.strip()] == []
    other = [key for key in told if placeholders(told[key]) != placeholders(english[key])]
    assert other == [], "other placeholders"


def test_what_a_language_lacks_is_told_in_english(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in FILES:
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "fr.toml").write_text('[language]\nname = "Français"\n[nav]\nask = "Demander"\n')
    monkeypatch.setattr(wording, "_FOLDER", tmp_path)
    monkeypatch.setattr(wording, "language", lambda: "fr")
    wording.languages.cache_clear()
    wording._texts.cache_clear()
    try:
        assert list(wording.languages()) == ["de", "en", "fr"]
        assert wording.t("nav.ask") == "Demander"
        assert wording.t("nav.library") == "Library"
        with pytest.raises(KeyError):
            wording.t("nav.nonsuch")
    finally:
        wording.languages.cache_clear()
        wording._texts.cache_clear()


def test_numbers_have_the_marks_of_the_language(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (wording.language(), wording.seconds(0.42)) == ("en", "0.42 s")
    monkeypatch.setattr(wording, "language", lambda: "de")
    assert wording.seconds(0.42) == "0,42 s"
    assert wording.decimal(0.79) == "0,79"
    assert wording.number(12345) == "12\u202f345"


@pytest.mark.parametrize("page", GERMAN)
def test_every_page_is_told_in_german(
    app: App, page: str, browser: Callable[[str | None], None]
) -> None:
    browser("de-AT")
    test = app(page)
    assert not test.exception
    assert labels(test)[:3] == ["Fragen", "Bibliothek", "Graph"]
    assert GERMAN[page] in said(test)


@pytest.mark.parametrize("locale", ["", "en-GB", "xx", "../de", "<b>", "DE" * 5000, "_"])
def test_a_browser_of_another_language_reads_english(locale: str) -> None:
    assert wording._of_browser(locale) == "en"


def test_a_language_chosen_is_kept_for_the_workspace(
    app: App, workspace: Workspace, browser: Callable[[str | None], None]
) -> None:
    browser("en-US")
    test = app("pages/6_Settings.py")
    choice = test.selectbox(key="language-")
    assert choice.options == ["As the browser says", "Deutsch", "English"]
    choice.set_value("de").run()
    assert not test.exception
    assert labels(test)[0] == "Fragen"
    assert workspace.settings.get(wording.KEPT) == "de"
    assert labels(app())[0] == "Fragen"  # another session, in a browser that is English
    test.selectbox(key="language-de").set_value("").run()
    assert labels(test)[0] == "Ask"
    assert labels(app())[0] == "Ask"


def test_a_language_that_is_gone_gives_way_to_the_browsers(
    app: App, workspace: Workspace, browser: Callable[[str | None], None]
) -> None:
    browser("de")
    workspace.settings.set(wording.KEPT, "nonsuch")
    test = app("pages/6_Settings.py")
    assert not test.exception
    assert labels(test)[0] == "Fragen"
