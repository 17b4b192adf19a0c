"""A small brochure with invented names, and models that need no weights but spaCy's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pymupdf
import pytest

from brit.config import Settings
from brit.documents.process import close_idle
from brit.encoders.hashing import HashingEncoder
from brit.pipeline import Models, ingest
from brit.storage import Workspace
from brit.types import BBox


class Silent:
    """A scene text reader that reads the same word in every picture, and counts its calls."""

    name = "silent"

    def __init__(self) -> None:
        self.calls = 0

    def read_text(self, _: object) -> list[tuple[str, BBox, float]]:
        self.calls += 1
        return [("KESTREL", (0.0, 0.0, 1.0, 1.0), 0.9)]


class TestModels(Models):
    """Models with hashing encoders."""

    __test__ = False

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        encoder = HashingEncoder()
        self.reader = Silent()
        self._loaded.update({"text": encoder, "image": encoder, "scene text": self.reader})


def picture(seed: int) -> bytes:
    """A noisy photograph-like PNG, different for every seed."""
    pixels = np.random.default_rng(seed).integers(0, 255, (120, 160, 3), dtype=np.uint8)
    pixmap = pymupdf.Pixmap(pymupdf.csRGB, 160, 120, pixels.tobytes(), False)
    return bytes(pixmap.tobytes("png"))


def write_brochure(path: Path, product: str = "Zorvex", pages: int = 3) -> Path:
    """Page n: a heading, sentences about the product, a captioned picture."""
    document = pymupdf.open()
    for number in range(1, pages + 1):
        page = document.new_page(width=595, height=842)
        page.insert_text((72, 110), f"{product} chapter {number}", fontsize=22)
        text = (
            f"The {product} pump moves water through the valve number {number}. "
            f"Engineers in Tromsø built the {product} pump in 2021."
        )
        page.insert_textbox((72, 120, 520, 200), text, fontsize=11)
        page.insert_image((72, 220, 372, 445), stream=picture(number))
        page.insert_text((72, 465), f"Figure {number}. The {product} pump from side {number}.")
    document.save(path)
    document.close()
    return path


@pytest.fixture(autouse=True, scope="session")
def _sandboxes() -> Iterator[None]:
    yield
    close_idle()


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.open(tmp_path / "workspace")


@pytest.fixture
def models(workspace: Workspace) -> TestModels:
    return TestModels(Settings(workspace=workspace.folder))


@pytest.fixture(scope="session")
def brochure(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_brochure(tmp_path_factory.mktemp("brochure") / "zorvex.pdf")


WRITTEN = ("water engineers", "through valve", "moves built")
"""Read in the brochure's pictures, and said in its text."""


@pytest.fixture(scope="session")
def benchmarked(brochure: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with the brochure in a collection “c”, to be copied by who asks it."""
    workspace = Workspace.open(tmp_path_factory.mktemp("benchmark") / "workspace")
    ingest(workspace, [brochure], "c", models=TestModels(Settings(workspace=workspace.folder)))
    id = workspace.documents.collection("c").id
    for image, written in zip(workspace.content.images(id), WRITTEN, strict=True):
        workspace.content.put_scene_text(image.file, "silent", written, [])
    return workspace.folder
