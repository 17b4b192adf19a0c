"""Nobody is at work but the test, whomever commands and pages tested before have named."""

from __future__ import annotations

import pytest

from brit import journal


@pytest.fixture(autouse=True)
def _nobody_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "_visitor", str)
