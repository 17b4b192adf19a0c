"""The sample brochure: what the repository holds, and that the script still makes it."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from PIL import Image

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "assets" / "samples"
PAGES = 10


@pytest.fixture(scope="module")
def brochure() -> pymupdf.Document:
    return pymupdf.open(SAMPLES / "nerivane.pdf")


@pytest.fixture(scope="module")
def questions() -> list[dict[str, Any]]:
    loaded: list[dict[str, Any]] = json.loads((SAMPLES / "questions.json").read_text("utf-8"))
    return loaded


def texts_of(document: pymupdf.Document) -> list[str]:
    return [" ".join(page.get_text().split()) for page in document]


def test_pages_pictures_and_size(brochure: pymupdf.Document) -> None:
    assert brochure.page_count == PAGES
    assert (SAMPLES / "nerivane.pdf").stat().st_size < 2_000_000
    pictures = {image[0]: image for page in brochure for image in page.get_images()}
    # The logo, and fourteen pictures that stand once.
    assert len(pictures) == 15
    assert all(image[2] <= 900 for image in pictures.values())


def test_the_logo_stands_on_every_page(brochure: pymupdf.Document) -> None:
    per_page = [{image[0] for image in page.get_images()} for page in brochure]
    (logo,) = set.intersection(*per_page)
    assert brochure.extract_image(logo)["width"] == 420


def test_bookmarks_lead_to_their_pages(brochure: pymupdf.Document) -> None:
    outline = {title: page for _, title, page in brochure.get_toc()}
    assert outline["Tellune"] == 4
    assert outline["People"] == PAGES


def test_one_question_of_each_type(questions: list[dict[str, Any]]) -> None:
    assert [q["type"] for q in questions] == ["text-image", "image-text", "image-image"]


def test_words_and_pictures_of_the_questions_are_where_they_say(
    brochure: pymupdf.Document, questions: list[dict[str, Any]]
) -> None:
    for question in questions:
        page = brochure[question["page"] - 1]
        assert question["words"] in " ".join(page.get_text().split())
        box = pymupdf.Rect(question["bbox"])
        if question["type"] == "image-text":
            assert question["words"] in " ".join(page.get_textbox(box).split())
        else:
            boxes = [info["bbox"] for info in page.get_image_info()]
            assert max(abs(box & inner) / abs(box | inner) for inner in boxes) > 0.9


def test_the_code_word_and_the_picture_are_on_different_pages(brochure: pymupdf.Document) -> None:
    """Only the text on page 7 leads from the project to the product pictured on page 4."""
    texts = texts_of(brochure)
    assert [i + 1 for i, text in enumerate(texts) if "Brindlecove" in text] == [7]
    assert "amber" not in " ".join(texts).lower()
    assert "coral" not in " ".join(texts).lower()


def test_the_script_makes_the_same_pages(
    brochure: pymupdf.Document,
    questions: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With plain pictures of the same sizes: tracing the real ones takes minutes."""
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    import make_sample  # type: ignore[import-not-found]

    sizes = {"logo": (420, 110), "hero": (900, 1000), "drone": (900, 600), "buoy": (700, 860)}
    art = {}
    for name in make_sample.ART:
        out = io.BytesIO()
        Image.new("RGB", sizes.get(name, (90, 60))).save(out, "PNG")
        art[name] = out.getvalue()
    data, made = make_sample.make_brochure(art)
    again = pymupdf.open(stream=data)
    assert texts_of(again) == texts_of(brochure)
    assert again.get_toc() == brochure.get_toc()
    assert made == questions
    for module in [name for name in sys.modules if name.startswith(("make_sample", "sample_"))]:
        del sys.modules[module]
