"""How much one visitor may ask, and the figures of the log."""

from __future__ import annotations

import math
import time
from pathlib import Path

import pytest
from fake_backend import fill

from brit.config import Settings, load_settings
from brit.errors import InputError
from brit.storage import Workspace
from brit.ui import limits, settings_metrics, state
from brit.ui.limits import RateLimit
from brit.ui.settings_metrics import stage_figures
from brit.ui.visitor import Visitor


def test_so_many_within_so_long_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    limit = RateLimit(3, 60)
    assert [limit.take("ann") for _ in range(3)] == [0, 0, 0]
    now = 1010.0
    assert limit.take("ann") == pytest.approx(50)
    assert limit.take("bob", 3) == 0
    assert limit.take("bob", 4) == math.inf
    now = 1060.0
    assert limit.take("ann", 3) == 0


def test_whoever_comes_from_ever_new_addresses_fills_no_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "MOST_VISITORS", 10)
    limit = RateLimit(1, 60)
    for number in range(50):
        limit.take(str(number))
    assert len(limit._times) == 10
    assert limit.take("49") > 0


def test_limits_are_settings() -> None:
    settings = load_settings({"BRIT_QUESTIONS_A_MINUTE": "5", "BRIT_WORKSPACES": "own"})
    assert (settings.questions_a_minute, settings.own_workspaces) == (5, True)
    with pytest.raises(InputError, match="shared or own"):
        load_settings({"BRIT_WORKSPACES": "mine"})
    with pytest.raises(InputError, match="whole number"):
        load_settings({"BRIT_UPLOADS_AN_HOUR": "-1"})


def test_one_question_too_many_is_said(
    app, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(workspace, tmp_path)
    limit = RateLimit(1, 60)
    monkeypatch.setattr(limits, "_limits", lambda: (limit, limit))
    monkeypatch.setattr(limits, "visitor", lambda: Visitor("ann", "1"))
    test = app()
    test.chat_input(key="ask-box").set_value("Which wing?").run()
    assert not test.error
    test.chat_input(key="ask-box").set_value("Which other wing?").run()
    (told,) = test.error
    assert told.value.startswith("Questions within a minute\\: 1 at most")
    (chat,) = workspace.chats.chats(workspace.documents.collections()[0].id)
    assert chat.questions == 1


def test_each_visitor_has_a_workspace_of_their_own_where_the_settings_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(workspace=tmp_path, own_workspaces=True)
    monkeypatch.setattr(state, "settings", lambda: settings)
    with pytest.raises(InputError, match="nobody says who you are"):
        state.workspace_folder()
    monkeypatch.setattr(state, "own_folder", lambda: "ab12")
    assert state.workspace_folder() == tmp_path / "users" / "ab12"


def test_figures_of_stages_are_counted_by_hand() -> None:
    def event(seconds: float, outcome: str = "ok") -> dict[str, object]:
        return {"event": "stage", "stage": "reading", "seconds": seconds, "outcome": outcome}

    many = [event(n) for n in (1, 2, 3)] + [event(4, "failed"), event(10, "refused")]
    foreign: list[dict[str, object]] = [
        {"event": "stage", "stage": "reading", "seconds": "long"}, {"event": "x"}, {},
        {"event": "stage", "stage": ["reading"], "seconds": 1}, event(-1), event(math.inf),
        event(math.nan),
    ]  # fmt: skip
    (told,) = stage_figures(many + foreign)
    assert (told.times, told.refused, told.failed) == (5, 1, 1)
    assert (told.median, told.p95, told.total) == (3, 10, 20)


def test_the_settings_page_shows_them(app, monkeypatch: pytest.MonkeyPatch) -> None:
    test = app("pages/6_Settings.py")
    assert "Nothing has been logged yet." in [each.value for each in test.caption]
    told = {"event": "question", "stage": "<img onerror=1>", "seconds": 2.0, "outcome": "ok"}
    monkeypatch.setattr(settings_metrics, "read_events", lambda *_: [told])
    (table,) = app("pages/6_Settings.py").dataframe
    assert table.value.iloc[0].to_dict() == {
        "what": "Question", "stage": "<img onerror=1>", "times": 1, "refused": 0, "failed": 0,
        "median": "2.0 s", "p95": "2.0 s", "total": "2.0 s",
    }  # fmt: skip
