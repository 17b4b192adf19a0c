"""Estimate, budget and ledger, end to end with a model server over real HTTP."""

from __future__ import annotations

import json
import sqlite3
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pptx import Presentation

from brit.config import Budget, ModelConfig, Settings, load_settings
from brit.errors import BudgetSpent, Cancelled, InputError
from brit.lmm.prices import read_prices
from brit.pipeline import answer, ingest, retrieve
from brit.pipeline.estimate import DocumentEstimate, Estimate, estimate_ingestion
from brit.storage import Workspace
from brit.types import ModelUsage
from tests.lmm.server import ChatServer
from tests.pipeline.conftest import TestModels

NOTHING = json.dumps({"triplets": []})
KEY = "sk-secret-9876543210abcdef"


def server(*replies: str, **behaviour: Any) -> ChatServer:
    return ChatServer(replies=list(replies or (NOTHING,)), key=KEY, **behaviour)


def with_model(workspace: Workspace, at: ChatServer, **changes: Any) -> TestModels:
    """As after a start of BRIT: nothing is remembered but what stands in the workspace."""
    model = ModelConfig("tester", at.url, at.key, timeout=5.0)
    settings = Settings(workspace=workspace.folder, extraction=model, answer=model, **changes)
    models = TestModels(settings)
    models._calls = workspace.calls
    return models


@pytest.fixture
def long(tmp_path: Path) -> Path:
    """Six paragraphs of 210 words, each a chunk: two would pass the 300 words of one call."""
    words = [" ".join(f"The valve {n}{i} moves water." for i in range(42)) for n in "ABCDEF"]
    (tmp_path / "long.md").write_text("\n\n".join(words))
    return tmp_path / "long.md"


@pytest.fixture
def note(tmp_path: Path) -> Path:
    (tmp_path / "note.md").write_text("# Zorvex\n\nThe Zorvex pump moves water in Tromsø.")
    return tmp_path / "note.md"


@pytest.fixture
def priced(workspace: Workspace) -> Workspace:
    table = 'currency = "XTS"\n[models]\n"tester" = { input = 1000.0, output = 0.0 }\n'
    (workspace.folder / "prices.toml").write_text(table)
    return workspace


def test_the_estimate_is_the_calls_that_are_made(workspace: Workspace, long: Path) -> None:
    with server() as at:
        models = with_model(workspace, at)
        found = estimate_ingestion(workspace, [long], "c", models=models)
        assert at.requests == []
        ingest(workspace, [long], "c", models=models)
        assert found.calls == len(at.requests) == 6
        assert estimate_ingestion(workspace, [long], "c", models=models).calls == 0
    assert found.money is None
    assert "price unknown" in found.in_words()


def test_the_budget_holds_to_within_one_call_and_the_rest_is_resumed(
    priced: Workspace, long: Path
) -> None:
    with server() as at:  # 11 tokens read a call, at 1,000 XTS for a million: 0.011 a call
        first = with_model(priced, at, budget=Budget(0.03))
        whole = estimate_ingestion(priced, [long], "c", models=first)
        with pytest.raises(BudgetSpent, match=r"The budget of 0\.0300 XTS is used up\. What was"):
            ingest(priced, [long], "c", models=first)
        assert len(at.requests) == 3
        left = estimate_ingestion(priced, [long], "c", models=first)
        assert left.calls == whole.calls - 3
        assert "It may not fit into the budget" in left.in_words()
        ingest(priced, [long], "c", models=with_model(priced, at, budget=Budget(9.0)))
        sent = [json.dumps(request) for request in at.requests]
        assert len(sent) == len(set(sent)) == whole.calls
    (document,) = priced.documents.documents(priced.documents.collection("c").id)
    assert document.status == "whole"
    (spent,) = priced.calls.spent(document=document.id)
    assert spent == ModelUsage(
        "extraction", "tester", whole.calls, 11 * whole.calls, 7 * whole.calls
    )
    assert read_prices(priced.folder).cost([spent]) == pytest.approx(0.011 * whole.calls)
    priced.documents.delete(document.id)
    assert len(priced.calls) == 0
    assert priced.calls.spent() == [spent]


def test_a_budget_in_tokens_needs_no_price(workspace: Workspace, long: Path) -> None:
    with server() as at:
        models = with_model(workspace, at, budget=Budget(40, "tokens"))
        with pytest.raises(BudgetSpent, match="The budget of 40 tokens"):
            ingest(workspace, [long], "c", models=models)
        assert len(at.requests) == 3  # 18 tokens each


def test_a_budget_in_money_needs_a_price(workspace: Workspace, long: Path) -> None:
    with server() as at:
        models = with_model(workspace, at, budget=Budget(1.0))
        with pytest.raises(InputError, match="does not know «tester»"):
            ingest(workspace, [long], "c", models=models)
        assert at.requests == []


def test_what_a_server_refuses_is_remembered_over_a_restart(
    workspace: Workspace, note: Path
) -> None:
    with server(json_mode="text") as at:
        ingest(workspace, [note], "c", models=with_model(workspace, at))
        forms = [request.get("response_format", {}).get("type") for request in at.requests]
        assert forms[:3] == ["json_schema", "json_object", None]
        at.requests.clear()
        other = note.with_name("other.md")
        other.write_text("The Corvid pump moves oil in Oslo.")
        ingest(workspace, [other], "c", models=with_model(workspace, at))
        assert at.requests
        assert all("response_format" not in request for request in at.requests)


def test_an_answer_is_asked_for_once_and_counted_by_its_role(
    workspace: Workspace, models: TestModels, note: Path
) -> None:
    ingest(workspace, [note], "c", models=models)
    with server("It moves water [1].", json_mode="schema") as at:
        asking = with_model(workspace, at)
        found = retrieve(workspace, "What does the Zorvex pump move?", "c", models=asking)
        first = answer(found.question, found, models=asking)
        assert "".join(first) == "It moves water [1]."
        again = answer(found.question, found, models=with_model(workspace, at))
        assert "".join(again) == "It moves water [1]."
        assert len(at.requests) == 1
        other = replace(asking.settings.answer, temperature=0.7)
        warm = TestModels(replace(asking.settings, answer=other))
        warm._calls = workspace.calls
        for _ in range(2):
            "".join(answer(found.question, found, models=warm))
        assert len(at.requests) == 3
    assert again.answer.usage == {"prompt_tokens": 0, "completion_tokens": 0}
    assert workspace.calls.spent() == [ModelUsage("answer", "tester", 3, 33, 21)]


def test_the_key_stands_in_no_file_of_the_workspace(workspace: Workspace, note: Path) -> None:
    with server(failing=1, busy=1, json_mode="text") as at:
        models = with_model(workspace, at)
        ingest(workspace, [note], "c", models=models)
        found = retrieve(workspace, "What does the Zorvex pump move?", "c", models=models)
        "".join(answer(found.question, found, models=models))
        assert any(KEY in headers["authorization"] for headers in at.headers)
    workspace.read.execute("PRAGMA wal_checkpoint(FULL)")
    files = [path for path in workspace.folder.rglob("*") if path.is_file()]
    assert workspace.folder / "brit.sqlite" in files
    assert not [path for path in files if KEY.encode() in path.read_bytes()]
    with sqlite3.connect(workspace.folder / "brit.sqlite") as db:
        assert not [line for line in db.iterdump() if KEY in line]


@pytest.mark.parametrize(
    ("text", "budget"),
    [("2.50", Budget(2.5)), (" 200000 tokens", Budget(200_000, "tokens")), ("", None)],
)
def test_budgets(text: str, budget: Budget | None) -> None:
    assert load_settings({"BRIT_BUDGET": text}).budget == budget


@pytest.mark.parametrize("text", ["much", "-1", "5 crowns", "1.2.3"])
def test_budgets_that_are_none(text: str) -> None:
    with pytest.raises(InputError, match="BRIT_BUDGET"):
        load_settings({"BRIT_BUDGET": text})


def test_the_longest_beginning_of_a_name_has_the_price(tmp_path: Path) -> None:
    prices = read_prices(tmp_path)
    assert prices.price("gpt-4o-mini-2024-07-18") == prices.models["gpt-4o-mini"]
    assert prices.price("models/gemini-2.5-pro") == prices.models["gemini-2.5-pro"]
    assert prices.price("qwen") is None
    (tmp_path / "prices.toml").write_text('[models]\n"qwen" = { input = 0, output = "x" }')
    with pytest.raises(InputError, match="price table"):
        read_prices(tmp_path)


def test_prices_that_nobody_checked_are_told_as_such(tmp_path: Path) -> None:
    spent = [ModelUsage("extraction", "gpt-4o", 1, 1, 1, 0)]
    assert "checked by nobody" in read_prices(tmp_path).caveat(spent)
    told = Estimate((DocumentEstimate("a", tuple(spent)),), 1.0, "USD", caveat="Unsure.")
    assert told.in_words().endswith("1.00 USD. Unsure.")
    (tmp_path / "prices.toml").write_text('[models]\n"gpt-4o" = { input = 1, output = 2 }')
    assert read_prices(tmp_path).caveat(spent) == ""


@pytest.mark.parametrize("price", ["nan", "-1", "1e400", "9" * 400, "[" * 100_000])
def test_a_price_that_is_none_is_said(tmp_path: Path, price: str) -> None:
    (tmp_path / "prices.toml").write_text(f'[models]\n"m" = {{ input = {price}, output = 1 }}')
    with pytest.raises(InputError, match="cannot be used"):
        read_prices(tmp_path)


@pytest.fixture
def hundred(tmp_path: Path) -> Path:
    """A hundred slides of 200 words: two would pass the 300 words of one call."""
    slides = Presentation()
    for n in range(100):
        slide = slides.slides.add_slide(slides.slide_layouts[1])
        slide.shapes.title.text = f"Station {n}"
        slide.placeholders[1].text = " ".join(f"Valve {n} moves oil {i}." for i in range(40))
    slides.save(str(tmp_path / "hundred.pptx"))
    return tmp_path / "hundred.pptx"


def test_a_hundred_pages_stop_in_the_middle_of_a_call_and_no_answered_call_is_made_again(
    workspace: Workspace, hundred: Path
) -> None:
    with server() as at:
        pressed = 0.0

        def cancelled() -> bool:
            """Cancel is pressed while the model sits over its 41st chunk."""
            nonlocal pressed
            at.slow = 30.0 if len(at.requests) >= 40 else 0.0
            if len(at.requests) < 41:
                return False
            pressed = pressed or time.monotonic()
            return True

        with pytest.raises(Cancelled):
            ingest(workspace, [hundred], "c", models=with_model(workspace, at), cancelled=cancelled)
        assert time.monotonic() - pressed < 3
        assert at.disconnected.wait(3)
        at.slow, stopped = 0.0, len(at.requests)
        assert stopped == 41
        (document,) = ingest(workspace, [hundred], "c", models=with_model(workspace, at)).documents
        sent = [json.dumps(request) for request in at.requests]
    assert (document.status, document.pages) == ("whole", 100)
    answered = [*sent[: stopped - 1], *sent[stopped:]]
    assert len(answered) == len(set(answered)) == 100
    assert sent[stopped - 1] in answered  # which was never answered the first time
    (spent,) = workspace.calls.spent(document=document.id)
    assert spent.calls == 101
    assert spent.estimated == 1
