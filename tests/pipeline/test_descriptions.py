"""Generated descriptions of figures, by a model server over real HTTP."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from brit.config import Describe, ModelConfig, Settings, load_settings
from brit.errors import InputError
from brit.pipeline import ingest, retrieve
from brit.pipeline.estimate import estimate_ingestion
from brit.storage import Workspace
from brit.types import Image
from tests.lmm.server import ChatServer, count_images
from tests.pipeline.conftest import TestModels, picture

SAID = json.dumps({"description": "A photo of the Harbour Crane at dusk.", "text": "DOCK 7"})


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """Two figures, one with a caption."""
    urls = [f"data:image/png;base64,{base64.b64encode(picture(n)).decode()}" for n in (1, 2)]
    (tmp_path / "page.html").write_text(
        "<h1>Quay</h1><p>The Harbour Crane lifts boats in Oslo.</p>"
        f"<figure><img src='{urls[0]}'><figcaption>Figure 1. The quay.</figcaption></figure>"
        f"<p>It was built in 1931.</p><img src='{urls[1]}'>"
    )
    return tmp_path / "page.html"


def seeing(workspace: Workspace, at: ChatServer, describe: Describe) -> TestModels:
    answer = ModelConfig("tester", at.url, at.key, timeout=5.0)
    models = TestModels(Settings(workspace=workspace.folder, answer=answer, describe=describe))
    models._calls = workspace.calls
    return models


def images_of(workspace: Workspace) -> list[Image]:
    return workspace.content.images(workspace.documents.collection("c").id)


@pytest.mark.parametrize(("describe", "calls"), [("all", 2), ("uncaptioned", 1), ("none", 0)])
def test_the_figures_that_the_setting_names_are_described_once(
    workspace: Workspace, page: Path, describe: Any, calls: int
) -> None:
    with ChatServer(replies=[SAID]) as at:
        models = seeing(workspace, at, describe)
        assert estimate_ingestion(workspace, [page], "c", models=models).calls == calls
        ingest(workspace, [page], "c", models=models)
        ingest(workspace, [page], "d", models=seeing(workspace, at, describe))
        assert [count_images(request) for request in at.requests] == [1] * calls
    told = [image for image in images_of(workspace) if image.description]
    assert len(told) == calls
    assert [image.caption for image in images_of(workspace)].count("Figure 1. The quay.") == 1


def test_a_description_is_searched_linked_and_marked_and_goes_with_its_picture(
    workspace: Workspace, page: Path
) -> None:
    with ChatServer(replies=[SAID]) as at:
        ingest(workspace, [page], "c", models=seeing(workspace, at, "uncaptioned"))
        models = seeing(workspace, at, "none")
    (image,) = [image for image in images_of(workspace) if image.description]
    assert image.description == "A photo of the Harbour Crane at dusk. DOCK 7"
    found = models.settings and retrieve(
        workspace, "dusk", "c", models=TestModels(Settings(workspace=workspace.folder))
    )
    (shown,) = [each for each in found.images if each.id == image.id]
    assert (shown.caption, shown.description) == ("", image.description)
    (document,) = workspace.documents.documents(workspace.documents.collection("c").id)
    rows = workspace.read.execute("SELECT kind, evidence FROM links WHERE image = ?", (image.id,))
    said = [row["evidence"] for row in rows if row["kind"] == "CA"]
    assert said
    assert all(evidence.startswith("in the generated description “") for evidence in said)
    workspace.documents.delete(document.id)
    assert workspace.read.execute("SELECT count(*) FROM descriptions").fetchone()[0] == 0


def test_a_model_that_sees_nothing_describes_nothing_and_the_ledger_says_so(
    workspace: Workspace, page: Path
) -> None:
    with ChatServer(replies=[SAID], images="refused") as at:
        (document,) = ingest(workspace, [page], "c", models=seeing(workspace, at, "all")).documents
    assert not [image for image in images_of(workspace) if image.description]
    assert "«tester» takes no pictures: figures were not described." in document.warnings


def test_the_setting_is_one_of_three() -> None:
    assert load_settings({"BRIT_DESCRIBE": "all"}).describe == "all"
    with pytest.raises(InputError, match="BRIT_DESCRIBE"):
        load_settings({"BRIT_DESCRIBE": "some"})
