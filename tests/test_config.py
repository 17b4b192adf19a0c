"""Settings from the environment."""

from __future__ import annotations

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
