"""What counts as a hit, by numbers worked out by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from brit.errors import InputError
from brit.evaluation.metrics import (
    image_hit,
    iou,
    page_recall,
    returned_texts,
    score,
    text_hit,
)
from brit.evaluation.questions import Question, half_of, read_questions
from brit.types import BBox, RetrievedImage, RetrievedPage, RetrievedPassage, RetrievedTriplet

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data"


def image(
    page: int, bbox: BBox | None, document: str = "a.pdf", name: str | None = None
) -> RetrievedImage:
    return RetrievedImage("i", name, document, page, bbox, "", "", 1.0, "similarity", None, None)


def test_iou() -> None:
    assert iou((0, 0, 10, 10), (0, 0, 10, 10)) == 1.0
    # 50 shared of 100 + 100 - 50.
    assert iou((0, 0, 10, 10), (5, 0, 15, 10)) == pytest.approx(1 / 3)
    assert iou((0, 0, 10, 10), (10, 0, 20, 10)) == 0.0
    assert iou((0, 0, 0, 0), (0, 0, 0, 0)) == 0.0


def test_an_image_counts_among_the_first_two_on_its_page() -> None:
    question = Question("q", "a.pdf", "text-image", "?", page=2, bbox=(0, 0, 10, 10))
    right, wrong = image(2, (0, 0, 10, 12)), image(1, (0, 0, 10, 10))
    assert image_hit(question, [wrong, right])
    assert not image_hit(question, [wrong, wrong, right])
    assert not image_hit(question, [replace(right, document="b.pdf")])
    # 100 of 400: 0.25, under 0.3.
    assert not image_hit(question, [image(2, (0, 0, 20, 20))])
    named = Question("q", "TNT.html", "text-image", "?", image_name="TNT.png")
    assert image_hit(named, [image(1, None, name="TNT.png")])
    assert not image_hit(named, [image(1, None)])


def test_the_picture_of_a_page_counts_when_the_image_is_on_it() -> None:
    question = Question("q", "a.pdf", "text-image", "?", page=2, bbox=(0, 0, 10, 10))
    page = image(2, None)
    assert image_hit(question, [page], whole_pages=True)
    assert not image_hit(question, [page])
    assert not image_hit(question, [image(3, None)], whole_pages=True)
    named = Question("q", "a.html", "text-image", "?", image_name="TNT.png")
    assert not image_hit(named, [page], whole_pages=True)


def test_what_a_method_does_not_return_is_not_measured() -> None:
    picture = Question("q", "a.pdf", "image-image", "?", page=2, bbox=(0, 0, 10, 10))
    text = Question("q", "a.pdf", "image-text", "?", evidence_text="one")
    pages = Question("q", "a.pdf", "pages", "?", pages=(1, 2))
    assert score(picture, [image(2, (0, 0, 10, 10))], None, None) == {"image": 1.0}
    assert score(picture, [], [], []) == {"image": 0.0}
    assert score(picture, None, ["one"], []) == {}
    assert score(text, [], ["one"], []) == {"text": 1.0}
    assert score(text, [], None, []) == {}
    found = [RetrievedPage("a.pdf", 2, 1.0)]
    assert score(pages, [], [], found) == {"page@1": 0.5, "page@3": 0.5, "page@5": 0.5}
    assert score(replace(pages, pages=()), [], [], found) == {}


def test_text_counts_within_three_hundred_words_in_one_piece() -> None:
    evidence = "one two three four five"
    assert text_hit(evidence, ["Four, three; TWO one."])  # 4 of 5 words are 0.8
    assert not text_hit(evidence, ["one two three"])
    assert not text_hit(evidence, ["one two three", "four five"])
    filler = " ".join(["word"] * 296)
    assert text_hit(evidence, [filler, "one two three four five"])
    assert not text_hit(evidence, [filler + " word", "one two three four five"])


def test_passages_come_before_triplets_and_no_text_twice() -> None:
    passage = RetrievedPassage("a.pdf", 1, None, "A pump runs.", 1.0)
    triplets = [
        RetrievedTriplet("pump", "has", side, 1.0, "a.pdf", 1, "It has two sides.")
        for side in ("left", "right")
    ]
    assert returned_texts([passage], triplets) == ["A pump runs.", "It has two sides."]


def test_page_recall_is_the_share_of_the_evidence_pages() -> None:
    question = Question("q", "a.pdf", "pages", "?", pages=(7, 9))
    pages = [RetrievedPage("a.pdf", page, 1.0) for page in (4, 7, 1, 2, 9)]
    assert page_recall(question, pages) == {"1": 0.0, "3": 0.5, "5": 1.0}
    elsewhere = [RetrievedPage("b.pdf", 7, 1.0), *pages]
    assert page_recall(question, elsewhere) == {"1": 0.0, "3": 0.5, "5": 0.5}


def test_the_question_files_are_read_as_they_are() -> None:
    if not DATA.exists():
        pytest.skip("../shared/data is not here")
    questions = read_questions(DATA / "questions.jsonl")
    assert len(questions) == 25
    assert sum(question.bbox is not None for question in questions) == 21
    pages = read_questions(DATA / "mmlongbench" / "questions.jsonl")
    assert len(pages) == 279
    assert sum(bool(question.pages) for question in pages) == 229


def test_halves_are_every_other_document() -> None:
    questions = [Question(str(n), name, "pages", "?") for n, name in enumerate("dacbaed")]
    assert [question.document for question in half_of(questions, "A")] == ["a", "c", "a", "e"]
    assert [question.document for question in half_of(questions, "B")] == ["d", "b", "d"]


PICTURE = {"id": "a", "doc": "x/d.pdf", "type": "text-image", "question": "?",
           "evidence_page": 2, "bbox": [0, 0, 10, 12.5]}  # fmt: skip
TEXT = {"id": 2, "doc": "d.pdf", "type": "image-text", "question": "?", "evidence_text": "12 kg"}
PAGES = {"id": "c", "doc": "d.pdf", "question": "?", "evidence_pages": [1, 3]}


def test_each_type_has_its_evidence(tmp_path: Path) -> None:
    named = {**PICTURE, "type": "image-image", "bbox": None, "evidence_image_file": "img/TNT.png"}
    path = tmp_path / "q.jsonl"
    rows = [PICTURE, TEXT, PAGES, named, {**PAGES, "evidence_pages": []}]
    # What Windows writes: a byte order mark, and two characters at the end of a line.
    path.write_text("\ufeff" + "\r\n".join(map(json.dumps, rows)), encoding="utf-8", newline="")
    picture, text, pages, image, open_ = read_questions(path)
    assert (picture.document, picture.page, picture.bbox) == ("d.pdf", 2, (0, 0, 10, 12.5))
    assert (text.id, text.kind, text.evidence_text) == ("2", "image-text", "12 kg")
    assert (pages.kind, pages.pages) == ("pages", (1, 3))
    assert (image.kind, image.image_name) == ("image-image", "TNT.png")
    assert (open_.kind, open_.pages) == ("pages", ())


def test_the_example_in_the_documentation_is_one(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "questions.md").read_text(encoding="utf-8")
    path = tmp_path / "q.jsonl"
    path.write_text(text.partition("```json\n")[2].partition("```")[0], encoding="utf-8")
    assert [each.kind for each in read_questions(path)] == ["text-image", "image-text", "pages"]


@pytest.mark.parametrize("sign", ["\u2028", "\u2029", "\x85", "\x0b"])
def test_a_line_ends_at_its_end_only(tmp_path: Path, sign: str) -> None:
    path = tmp_path / "q.jsonl"
    text = json.dumps({**PAGES, "question": f"a{sign}b"}, ensure_ascii=sign == "\x0b")
    path.write_text(text, encoding="utf-8")
    assert read_questions(path)[0].text == f"a{sign}b"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ({**PICTURE, "type": "picture"}, "type: Input should be 'text-image'"),
        ({**PICTURE, "type": None}, "neither `evidence_pages` nor a `type`"),
        ({**PICTURE, "bbox": None}, "of type text-image it needs `evidence_page` and `bbox`, or"),
        ({**PICTURE, "evidence_page": None}, "it needs `evidence_page` and `bbox`, or"),
        ({**PICTURE, "bbox": [10, 0, 0, 10]}, "left, top, right, bottom"),
        ({**PICTURE, "bbox": [0, 0, float("nan"), 1]}, "bbox.2: Input should be a finite number"),
        ({**PICTURE, "evidence_page": 0}, "evidence_page: Input should be greater"),
        ({**PICTURE, "evidence_page": True}, "evidence_page: Input should be a valid integer"),
        ({**TEXT, "evidence_text": " –"}, "of type image-text it needs `evidence_text` with words"),
        ({**TEXT, "type": "pages"}, "of type pages it needs `evidence_pages`"),
        ({**PAGES, "evidence_pages": [0]}, "evidence_pages.0: Input should be greater"),
        ({**PAGES, "question": " "}, "question: String should have at least 1 character"),
        ({**PAGES, "doc": None}, "doc: Input should be a valid string"),
        ({**PAGES, "id": {}}, "id.*: Input should be a valid string"),
        ({"doc": "d", "question": "?", "evidence_pages": []}, "id: Field required"),
        ('{"id": "\\ud800", "doc": "d", "question": "?", "evidence_pages": []}', "Invalid JSON"),
        ('{"id": ' + "9" * 5000, "Invalid JSON: number out of range"),
        ("[" * 100_000, "Invalid JSON: recursion limit exceeded at column"),
        ('{"id": "a', "Invalid JSON: EOF while parsing a string at column 9"),
    ],
)
def test_what_cannot_be_scored_is_refused_with_its_line(
    tmp_path: Path, line: dict[str, Any] | str, reason: str
) -> None:
    path = tmp_path / "q.jsonl"
    text = line if isinstance(line, str) else json.dumps(line)
    path.write_text(f"{json.dumps(PAGES)}\n\n{text}\n")
    with pytest.raises(InputError, match=f"^Line 3 of “{path}” is no question: .*{reason}"):
        read_questions(path)


def test_a_line_that_is_no_question_is_named(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text(json.dumps(PICTURE) + "\n[1]\n")
    with pytest.raises(InputError, match=r"^Line 2 of"):
        read_questions(path)
    path.write_text("\n")
    with pytest.raises(InputError, match="holds no questions"):
        read_questions(path)
    path.write_bytes(bytes(range(256)))
    for each in (tmp_path / "missing.jsonl", tmp_path, path):
        with pytest.raises(InputError, match="cannot be read"):
            read_questions(each)
