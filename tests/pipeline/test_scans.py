"""Scanned pages from file to graph, run again, and the noise that leaves nothing."""

from __future__ import annotations

import io
from pathlib import Path

import pymupdf
import pytest
from PIL.Image import Image as Picture
from PIL.Image import Transpose
from PIL.Image import open as open_picture

from brit.cli.documents import ledger
from brit.documents.scans import RecognisedLine
from brit.encoders.scene_text import RapidOcrReader
from brit.pipeline import ingest, page_image, read_again
from brit.pipeline.scans import read_upright
from brit.storage import Workspace
from brit.storage.export import graph_data
from tests.pipeline.conftest import TestModels

LEFT = ("The Morvane valve", "regulates the water", "of the Quenby dam", "in Tromsø harbour.")
RIGHT = ("Engineers built the", "Quenby dam in 1987", "and the Morvane valve", "in the year after.")


def write_scan(path: Path, pages: int = 1) -> Path:
    """Pages of 400 x 300 points in two columns, each nothing but a picture."""
    drawn = pymupdf.open()
    page = drawn.new_page(width=400, height=300)
    for x, lines in ((20, LEFT), (210, RIGHT)):
        for n, text in enumerate(lines):
            page.insert_text((x, 80 + 24 * n), text, fontsize=16)
    picture = page.get_pixmap(dpi=150).tobytes("png")
    document = pymupdf.open()
    for _ in range(pages):
        scan = document.new_page(width=400, height=300)
        scan.insert_image(scan.rect, stream=picture)
    document.save(path)
    return path


class FakeReader:
    """Reads the same lines in every picture."""

    name = "fake"

    def __init__(self, lines: list[RecognisedLine]) -> None:
        self.lines, self.calls = lines, 0

    def read_text(self, _: object) -> list[RecognisedLine]:
        self.calls += 1
        return self.lines


def lines(confidence: float) -> list[RecognisedLine]:
    return [
        (text, (x, 0.2 + 0.08 * n, x + 0.43, 0.26 + 0.08 * n), confidence)
        for x, column in ((0.05, LEFT), (0.52, RIGHT))
        for n, text in enumerate(column)
    ]


def use(models: TestModels, confidence: float) -> FakeReader:
    reader = FakeReader(lines(confidence))
    models._loaded["page text"] = reader
    return reader


def labels(workspace: Workspace) -> set[str]:
    data = graph_data(workspace, workspace.documents.collection("c").id)
    return {str(node["label"]) for node in data["nodes"]}


def test_a_scan_becomes_text_like_any_other(
    workspace: Workspace, models: TestModels, tmp_path: Path
) -> None:
    use(models, 0.98)
    document = ingest(workspace, [write_scan(tmp_path / "s.pdf")], "c", models=models).documents[0]
    assert (document.status, document.figures) == ("whole", 0)
    assert any("Morvane" in label for label in labels(workspace))
    passages = workspace.content.passages(document.collection)
    assert passages[0].text.startswith("The Morvane valve regulates the water of the Quenby dam")
    row = ledger(workspace.content.pages(document.id))[0]
    assert (row["ocr"], row["figures"], row["failed"], row["missing"]) == (0.98, 0, "", "")
    assert row["blocks"] == 2
    kept = [path for path in (workspace.folder / "images").rglob("*") if path.is_file()]
    assert not kept


def test_noise_makes_no_node_and_the_page_says_so(
    workspace: Workspace, models: TestModels, tmp_path: Path
) -> None:
    reader = use(models, 0.7)
    path = write_scan(tmp_path / "s.pdf", pages=5)
    document = ingest(workspace, [path], "c", models=models).documents[0]
    assert document.status == "partial"
    assert document.reason.startswith("page 1: Not readable here")
    assert document.reason.endswith("and 2 more pages")
    assert labels(workspace) == set()
    assert workspace.content.pages(document.id)[0].confidence == 0.7
    calls = reader.calls
    ingest(workspace, [path], "c", models=models)
    assert reader.calls == calls


def test_a_page_can_be_read_again(workspace: Workspace, models: TestModels, tmp_path: Path) -> None:
    use(models, 0.7)
    path = write_scan(tmp_path / "s.pdf", pages=2)
    document = ingest(workspace, [path], "c", models=models).documents[0]
    use(models, 0.98)
    half = read_again(workspace, document.id, [2], models=models)
    assert (half.id, half.status) == (document.id, "partial")
    assert half.reason.startswith("page 1")
    first = {block.id for block in workspace.content.blocks(document.id)}
    assert len(first) == 2
    whole = read_again(workspace, document.id, [1], models=models)
    assert (whole.status, whole.pages) == ("whole", 2)
    assert first < {block.id for block in workspace.content.blocks(document.id)}
    before = graph_data(workspace, document.collection)
    read_again(workspace, document.id, [1, 2], models=models)
    after = graph_data(workspace, document.collection)
    assert {n["id"] for n in after["nodes"]} == {n["id"] for n in before["nodes"]}
    assert len(after["edges"]) == len(before["edges"]) > 0


def test_what_a_new_reading_no_longer_says_leaves_the_graph(
    workspace: Workspace, models: TestModels, tmp_path: Path
) -> None:
    use(models, 0.98)
    document = ingest(workspace, [write_scan(tmp_path / "s.pdf")], "c", models=models).documents[0]
    assert labels(workspace)
    use(models, 0.7)
    read_again(workspace, document.id, [1], models=models)
    assert labels(workspace) == set()
    assert workspace.content.passages(document.collection) == []


@pytest.mark.parametrize(("turn", "quarters"), [(None, 0), (Transpose.ROTATE_180, 2)])
def test_the_reader_reads_two_columns_whichever_way_up(
    tmp_path: Path, turn: Transpose | None, quarters: int
) -> None:
    with pymupdf.open(write_scan(tmp_path / "s.pdf")) as document:
        png = document[0].get_pixmap(dpi=150).tobytes("png")
    picture: Picture = open_picture(io.BytesIO(png)).convert("RGB")
    reader = RapidOcrReader(960, min_confidence=0.0)
    read, turned = read_upright(reader, picture.transpose(turn) if turn else picture)
    assert turned == quarters
    assert {"of the Quenby dam", "Quenby dam in 1987"} <= {text for text, _, _ in read}


def test_an_unlocked_page_can_be_drawn_without_its_password(
    workspace: Workspace, models: TestModels, brochure: Path, tmp_path: Path
) -> None:
    locked = tmp_path / "locked.pdf"
    with pymupdf.open(brochure) as document:
        document.save(locked, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="u", owner_pw="o")
    wrong = ingest(workspace, [locked], "c", models=models, password="no").documents[0]
    assert (wrong.status, wrong.reason.split(";")[0]) == ("password", "The password is wrong")
    right = ingest(workspace, [locked], "c", models=models, password="u").documents[0]
    assert right.status == "whole"
    assert page_image(workspace, right.id, 2).startswith(b"\x89PNG")
    workspace.documents.delete(right.id)
    assert not [path for path in (workspace.folder / "originals").rglob("*") if path.is_file()]
