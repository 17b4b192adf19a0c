"""Settings from the environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from brit.config import ReadingConfig, load_settings
from brit.errors import InputError


def test_limits_of_a_page_come_from_the_environment() -> None:
    assert load_settings({}).reading == ReadingConfig()
    reading = load_settings({"BRIT_PAGE_SECONDS": "5", "BRIT_PAGE_MEGABYTES": "400"}).reading
    assert (reading.page_seconds, reading.page_megabytes) == (5, 400)


@pytest.mark.parametrize("value", ["soon", "-3", "0", "1e3", "²", "1.5", "9" * 26, "9" * 5000])
def test_a_limit_that_is_none_is_said(value: str) -> None:
    with pytest.raises(InputError, match="BRIT_PAGE_SECONDS is"):
        load_settings({"BRIT_PAGE_SECONDS": value})


def test_a_tilde_is_the_home_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    settings = load_settings(
        {"BRIT_WORKSPACE": " ~/w ", "BRIT_WEIGHTS": "~/v", "BRIT_IMAGE_ENCODER": "~"}
    )
    assert settings.workspace == tmp_path / "w"
    assert settings.encoders.weights_folder == str(tmp_path / "v")
    assert settings.encoders.image_encoder == str(tmp_path)
    assert load_settings({"BRIT_WORKSPACE": "a/~b"}).workspace == Path("a/~b")
    with pytest.raises(InputError, match="home of a user who is not here"):
        load_settings({"BRIT_WORKSPACE": "~nobody-of-that-name/w"})


@pytest.mark.parametrize(
    ("given", "named"),
    [
        (("BRIT_BASE_URL",), ("BRIT_BASE_URL is set", "set BRIT_MODEL.")),
        (("BRIT_BASE_URL", "BRIT_API_KEY"), ("BRIT_BASE_URL and BRIT_API_KEY are set",)),
        (("BRIT_JUDGE_BASE_URL",), ("BRIT_JUDGE_BASE_URL is", "set BRIT_JUDGE_MODEL.")),
        (("BRIT_EXTRACTION_API_KEY", "BRIT_ANSWER_MODEL"), ("set BRIT_EXTRACTION_MODEL.",)),
        (("BRIT_BASE_URL", "BRIT_MODEL"), ()),
        (("BRIT_JUDGE_BASE_URL", "BRIT_MODEL"), ()),
        (("BRIT_BASE_URL", "BRIT_API_KEY", "BRIT_EXTRACTION_MODEL"), ()),
        # These are there for other programs.
        (("OPENAI_BASE_URL", "OPENAI_API_KEY"), ()),
    ],
)
def test_an_address_without_a_model_is_said(given: tuple[str, ...], named: tuple[str, ...]) -> None:
    notices = load_settings(dict.fromkeys(given, "x")).notices
    assert len(notices) == bool(named)
    assert all(part in notice for notice in notices for part in named)
