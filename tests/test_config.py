"""Settings from the environment."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from brit.config import ModelConfig, ReadingConfig, load_settings
from brit.errors import InputError
from brit.lmm.failures import Failure, explain


def test_limits_of_a_page_come_from_the_environment() -> None:
    assert load_settings({}).reading == ReadingConfig()
    reading = load_settings({"BRIT_PAGE_SECONDS": "5", "BRIT_PAGE_MEGABYTES": "400"}).reading
    assert (reading.page_seconds, reading.page_megabytes) == (5, 400)
    many = load_settings({"BRIT_READING_PROCESSES": "1000000"}).reading
    assert many.processes == os.cpu_count()


@pytest.mark.parametrize("value", ["soon", "-3", "0", "1e3", "²", "1.5", "9" * 26, "9" * 5000])
def test_a_limit_that_is_none_is_said(value: str) -> None:
    with pytest.raises(InputError, match="BRIT_PAGE_SECONDS is"):
        load_settings({"BRIT_PAGE_SECONDS": value})


def test_each_role_has_its_own_temperature_and_limits() -> None:
    env = {
        "BRIT_MODEL": "m", "BRIT_TEMPERATURE": "0.2", "BRIT_MAX_TOKENS": "800",
        "BRIT_TIMEOUT": "90",
        "BRIT_ANSWER_TEMPERATURE": "1", "BRIT_JUDGE_MAX_TOKENS": "4000",
        "BRIT_EXTRACTION_CONTEXT": "4096",
    }  # fmt: skip
    settings = load_settings(env)
    assert settings.answer == ModelConfig("m", "", "", 1.0, 90, 800)
    assert settings.extraction == ModelConfig("m", "", "", 0.2, 90, 800, 4096)
    assert settings.judge == ModelConfig("m", "", "", 0.2, 90, 4000)
    assert load_settings({"BRIT_MODEL": "m"}).judge == ModelConfig("m")


@pytest.mark.parametrize(
    ("name", "value"),
    [("TEMPERATURE", "hot"), ("TEMPERATURE", "-1"), ("JUDGE_TEMPERATURE", "2.1"),
     ("TEMPERATURE", "nan"), ("ANSWER_MAX_TOKENS", "0"), ("CONTEXT", "4k"), ("TIMEOUT", "1e9")],
)  # fmt: skip
def test_a_limit_of_a_model_that_is_none_is_said(name: str, value: str) -> None:
    with pytest.raises(InputError, match=f"BRIT_{name} is “{value}”; set it to"):
        load_settings({f"BRIT_{name}": value})


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


def test_a_role_knows_which_setting_names_its_model() -> None:
    judge = load_settings({"BRIT_MODEL": "a", "BRIT_JUDGE_MODEL": "b"}).judge
    assert (judge.model_setting, judge.address_setting) == ("BRIT_JUDGE_MODEL", "BRIT_BASE_URL")
    told = str(explain(Failure(404, "The model `b` does not exist"), judge))
    assert told.endswith("has no model «b». Name another one in BRIT_JUDGE_MODEL.")
