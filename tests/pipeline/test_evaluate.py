"""The whole measurement over a small brochure with hashing encoders."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image as PillowImage

from brit.cli import main
from brit.config import RetrievalConfig, Settings
from brit.encoders.hashing import HashingEncoder
from brit.errors import WeightsMissing
from brit.evaluation.questions import Question
from brit.pipeline import Models, compared_vectors, ingest, methods, open_collection
from brit.pipeline.compared_vectors import kept_vectors
from brit.pipeline.evaluate import evaluate, find_documents
from brit.storage import Workspace
from brit.types import no_progress
from tests.pipeline.conftest import TestModels

QUESTIONS = [
    Question("a", "zorvex.pdf", "text-image", "Zorvex pump from side 2?", 2, (72, 220, 372, 445)),
    Question("b", "zorvex.pdf", "image-text", "Who built the Zorvex pump?",
             evidence_text="Engineers in Tromsø built the Zorvex pump"),
    Question("c", "zorvex.pdf", "pages", "Zorvex chapter 3", pages=(3,), sources=("Table",)),
    Question("d", "zorvex.pdf", "pages", "What is the price of tea?"),
    Question("e", "elsewhere.pdf", "pages", "x", pages=(1,)),
]  # fmt: skip
COMBINATIONS = 12


class TwoRows(HashingEncoder):
    """Pictures of two rows each, as BLIP-2 has many."""

    name = "two rows"

    def encode_images(self, images: Any, hints: Any = ()) -> Any:
        rows = super().encode_images(images, hints)
        return np.concatenate([np.zeros_like(rows), rows], axis=1)


@pytest.fixture(scope="module")
def read(brochure: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace that has read the brochure, to copy."""
    workspace = Workspace.open(tmp_path_factory.mktemp("read") / "workspace")
    ingest(workspace, [brochure], "c", models=TestModels(Settings(workspace=workspace.folder)))
    return workspace.folder


@pytest.fixture
def here(read: Path, tmp_path: Path) -> dict[str, Any]:
    workspace = Workspace.open(Path(shutil.copytree(read, tmp_path / "workspace")))
    models = TestModels(Settings(workspace=workspace.folder))
    return {"workspace": workspace, "collection": "c", "models": models,
            "config": RetrievalConfig()}  # fmt: skip


@pytest.fixture
def no_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> object:
        raise WeightsMissing("No weights here.")

    monkeypatch.setattr(compared_vectors, "OpenClipEncoder", refuse)
    monkeypatch.setattr(methods, "find_blip2", refuse)


@pytest.mark.usefixtures("no_weights")
def test_the_ablation_has_every_row_of_table_2(here: dict[str, Any]) -> None:
    result = evaluate(questions=QUESTIONS, ablation=True, **here)
    rows = {row.method.name: row for row in result.rows}
    assert len(rows) == len(result.methods)
    for preset in ("default", "paper"):
        links = [row.method.links for row in result.rows if row.method.preset == preset]
        assert set(links) >= set(methods.LINK_COMBINATIONS)
        assert len(links) == COMBINATIONS + (preset == "default")
    for family in ("CLIP", "BLIP-2"):
        assert rows[family].cells == {}
        assert "weights" in rows[family].method.missing.lower()
    assert rows["bm25"].cells["image-text"].mean == 1.0
    assert rows["rank fusion"].cells["text-image"].mean == 1.0
    assert rows["rank fusion"].cells["table page@3"].mean == 1.0
    pages = rows["page images"].cells
    assert "image-text" not in pages
    assert pages["images"].mean == 2.0
    assert pages["page@5"].mean == 1.0  # the brochure has three pages
    told = result.summary(ablation=True)
    assert (told["questions"], told["skipped"]) == (4, 1)
    assert set(told["baselines"]) == {"similarity", "bm25", "dense"}
    assert told["bootstrap"]["seed"] == 0
    assert [row["method"] for row in told["ablation"]] == [row.method.name for row in result.rows]
    assert told["low_relevance_unanswerable"] in (0.0, 1.0)


@pytest.mark.usefixtures("no_weights")
def test_a_setting_of_ones_own_is_measured_beside_the_usual_one(here: dict[str, Any]) -> None:
    # It has the links of the default, and finds no word of text.
    here["config"] = RetrievalConfig(max_words=0)
    rows = evaluate(questions=QUESTIONS[:2], ablation=True, **here).rows
    usual = next(row for row in rows if row.method.name == "BRIT default CA+SI+LP+LS")
    assert rows[0].method.name == "BRIT default CA+SI+LP+LS, own setting"
    assert (rows[0].cells["words"].mean, rows[0].cells["image-text"].mean) == (0.0, 0.0)
    assert usual.cells["image-text"].mean == 1.0


def test_a_run_repeats_to_the_same_table(here: dict[str, Any]) -> None:
    first, again = (evaluate(questions=QUESTIONS, **here) for _ in range(2))
    assert [row.cells for row in first.rows] == [row.cells for row in again.rows]
    # Of the question without evidence only BRIT is asked.
    asked = [(score.method, score.question.id) for score in first.scores]
    assert [name for name, id in asked if id == "d"] == [first.methods[0].name]


def test_an_encoder_whose_weights_are_here_is_measured(
    here: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compared_vectors, "OpenClipEncoder", lambda *_: HashingEncoder())
    monkeypatch.setattr(methods, "find_blip2", lambda *_: TwoRows())
    rows = {
        row.method.name: row for row in evaluate(questions=QUESTIONS, ablation=True, **here).rows
    }
    clip, blip2 = rows["CLIP (hashing)"], rows["BLIP-2 (two rows)"]
    # The collection's own encoder is the same one.
    assert clip.cells == rows["similarity"].cells
    assert blip2.cells["text-image"] == clip.cells["text-image"]
    index = open_collection(here["workspace"], "c", here["models"], here["config"])
    kept = sorted(
        path.name for path in (here["workspace"].folder / "indexes").rglob("compared/*.npz")
    )
    assert [name.split("-")[0] for name in kept] == ["images"] * 2 + ["pages"] + ["passages"] * 2
    here["workspace"].documents.delete(next(iter(index.documents)))
    assert not list((here["workspace"].folder / "indexes").rglob("compared/*.npz"))


def test_questions_are_asked_of_their_document_or_of_all(here: dict[str, Any]) -> None:
    def scopes(among: Any) -> list[bool]:
        return [bool(each.documents) for each in find_documents(
            here["workspace"], "c", QUESTIONS[:3], among)]  # fmt: skip

    assert scopes(None) == [False, False, True]
    assert scopes("own") == [True] * 3
    assert scopes("all") == [False] * 3


def test_vectors_of_comparisons_are_made_once(here: dict[str, Any]) -> None:
    index = open_collection(here["workspace"], "c", here["models"], here["config"])
    made: list[int] = []

    def make(ats: Any) -> Any:
        made.extend(ats)
        return np.array([[at, 1.0] for at in ats], dtype=np.float32)

    def kept(keys: list[str]) -> Any:
        return kept_vectors(index, "things", "enc/oder", keys, make, no_progress)

    assert kept([]).shape[0] == 0
    assert kept(["a", "b"]).tolist() == [[0, 1], [1, 1]]
    assert kept(["b", "c", "a"]).tolist() == [[1, 1], [1, 1], [0, 1]]
    assert made == [0, 1, 1]
    file = next((here["workspace"].folder / "indexes").rglob("things*"))
    file.write_bytes(b"damaged")
    assert kept(["a"]).tolist() == [[0, 1]]


def test_a_page_that_cannot_be_drawn_is_left_out(here: dict[str, Any]) -> None:
    index = open_collection(here["workspace"], "c", here["models"], here["config"])
    (document,) = index.documents
    drawn = compared_vectors.draw_page(index, (document, 1))
    assert isinstance(drawn, PillowImage.Image)
    assert compared_vectors.draw_page(index, (document, 99)) is None
    assert compared_vectors.draw_page(index, ("gone", 1)) is None


def test_the_configured_clip_comes_first(models: Models) -> None:
    encoders = dataclasses.replace(models.settings.encoders, image_encoder="ViT-B-32/laion2b")
    models.settings = dataclasses.replace(models.settings, encoders=encoders)
    assert compared_vectors.find_clip(models) is models.image_encoder


def test_the_command_prints_text_csv_or_json(
    here: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("brit.pipeline.Models", lambda *_: here["models"])
    file = tmp_path / "questions.jsonl"
    rows = [
        {"id": name, "doc": f"{name}.pdf", "question": "Zorvex chapter 3", "evidence_pages": [3]}
        for name in ("zorvex", "elsewhere")
    ]
    file.write_text("\n".join(map(json.dumps, rows)))
    command = ["evaluate", str(file), "--collection", "c", "--workspace",
               str(here["workspace"].folder)]  # fmt: skip

    def printed(*more: str) -> str:
        assert main([*command, *more]) == 0
        return capsys.readouterr().out

    text = printed("--among", "all").splitlines()
    assert text[0].split() == [
        "method",
        "page@1",
        "(1)",
        "page@3",
        "(1)",
        "page@5",
        "(1)",
        "words",
        "images",
    ]
    assert [line.split("  ")[0] for line in text[1:5]] == [
        "BRIT default CA+SI+LP+LS", "similarity", "bm25", "dense",
    ]  # fmt: skip
    assert "1 question asked, 1 skipped; encoder hashing." in text
    assert any(line.startswith("[ ]: 95% percentile bootstrap") for line in text)
    lines = list(csv.DictReader(io.StringIO(printed("--format", "csv"))))
    assert {line["links"] for line in lines} == {"CA+SI+LP+LS", ""}
    assert [line["mean"] for line in lines if line["measure"] == "page@5"] == ["1.0000"] * 4
    told = json.loads(printed("--json", "--format", "csv"))
    assert (told["questions"], told["skipped"]) == (1, 1)
    # The documents of the file are halved, whether or not they are in the collection.
    assert main([*command, "--half", "A"]) == 1
    assert "No question is about a document" in capsys.readouterr().err
    assert json.loads(printed("--json", "--half", "B"))["questions"] == 1
