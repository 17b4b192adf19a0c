from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from brit.encoders import scene_text
from brit.encoders.embedded import (
    ConseEncoder,
    as_pixels,
    class_names,
    class_probabilities,
    says_something,
    weights,
)
from brit.encoders.hashing import HashingEncoder
from brit.encoders.scene_text import RapidOcrReader, as_fractions
from brit.encoders.vectors import on_white
from brit.errors import WeightsMissing
from brit.models import ImageTextEncoder, SceneTextReader
from brit.types import FloatArray


def traffic_light() -> Image.Image:
    picture = Image.new("RGB", (300, 300), (120, 170, 220))
    draw = ImageDraw.Draw(picture)
    draw.rounded_rectangle((105, 25, 195, 275), 20, fill=(25, 25, 25))
    for top, colour in ((35, (255, 40, 30)), (115, (90, 70, 10)), (195, (10, 70, 20))):
        draw.ellipse((115, top, 185, top + 70), fill=colour)
    return picture


def lettering(lines: list[str], size: tuple[int, int] = (640, 240)) -> Image.Image:
    picture = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(picture)
    for row, line in enumerate(lines):
        draw.text((30, 30 + 90 * row), line, fill="black", font=ImageFont.load_default(44))
    return picture


def test_class_names_are_those_of_imagenet() -> None:
    names = class_names()
    assert len(names) == 1000
    assert (names[0], names[920], names[999]) == ("tench", "traffic light", "toilet paper")


def test_classifier_sees_what_is_drawn() -> None:
    probabilities = class_probabilities([traffic_light()])
    assert class_names()[int(probabilities.argmax())] == "traffic light"
    assert probabilities.sum() == pytest.approx(1.0, abs=1e-4)


def test_picture_lies_near_its_name_and_its_text(tmp_path: Path) -> None:
    conse = ConseEncoder(HashingEncoder(), tmp_path)
    assert isinstance(conse, ImageTextEncoder)
    plain, read = conse.encode_images([traffic_light(), traffic_light()], ["", "harbour timetable"])
    light, harbour, cow = conse.encode_texts(["traffic light", "harbour", "a cow"])
    assert plain @ light > max(plain @ harbour, plain @ cow)
    assert read @ harbour > plain @ harbour + 0.2
    assert np.linalg.norm([plain, read], axis=1) == pytest.approx([1.0, 1.0], abs=1e-5)
    assert conse.encode_images([]).shape == (0, 128)


def test_class_vectors_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = ConseEncoder(HashingEncoder(), tmp_path).encode_images([traffic_light()])
    assert len(list(tmp_path.iterdir())) == 1
    again = ConseEncoder(HashingEncoder(), tmp_path)

    def nothing(texts: Sequence[str], role: str = "passage") -> FloatArray:
        assert role == "passage"
        return np.zeros((len(texts), 128), np.float32)

    monkeypatch.setattr(again._text_encoder, "encode_texts", nothing)
    np.testing.assert_allclose(again.encode_images([traffic_light()]), first, atol=1e-6)


def test_odd_pictures_are_taken() -> None:
    conse = ConseEncoder(HashingEncoder())
    odd = [
        Image.new("1", (1, 1)),
        Image.new("P", (3, 400)),
        Image.new("RGBA", (50, 50)),
        Image.new("I;16", (20, 30)),
        Image.new("CMYK", (900, 2)),
    ]
    rows = conse.encode_images(odd)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert as_pixels(odd[0]).shape == (3, 260, 260)


def test_transparent_parts_are_white() -> None:
    assert on_white(Image.new("RGBA", (2, 2), (0, 0, 0, 0))).getpixel((0, 0)) == (255, 255, 255)


def test_weights_keep_the_ten_best() -> None:
    row = weights(np.linspace(0, 1, 1000, dtype=np.float32)[None])[0]
    assert np.flatnonzero(row).tolist() == list(range(990, 1000))
    assert row[999] == pytest.approx(1.0)


def test_a_letter_or_two_say_nothing() -> None:
    assert not says_something("A 12 b")
    assert says_something("GND")


def test_text_is_read_with_its_place() -> None:
    reader: SceneTextReader = RapidOcrReader()
    found = reader.read_text(lettering(["Valve A17 closed", "Pressure 4.2 bar"]))
    assert [text.replace(" ", "") for text, _, _ in found] == ["ValveA17closed", "Pressure4.2bar"]
    (x0, y0, x1, y1), confidence = found[0][1], found[0][2]
    assert 0 < x0 < 0.1 < x1 < 1
    assert 0 < y0 < 0.2 < y1 < 0.5
    assert 0.8 < confidence <= 1


def test_nothing_is_read_where_nothing_stands(capfd: pytest.CaptureFixture[str]) -> None:
    reader = RapidOcrReader()
    assert reader.read_text(lettering(["no"], (200, 39))) == []
    assert reader.read_text(Image.new("RGB", (300, 200), "white")) == []
    assert capfd.readouterr() == ("", "")


def test_missing_ocr_models_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scene_text, "packaged_file", lambda *_: None)
    with pytest.raises(WeightsMissing, match="rapidocr"):
        RapidOcrReader()


def test_boxes_stay_inside() -> None:
    corners = [[-3, 10], [50, 10], [50, 130], [-3, 130]]
    assert as_fractions(corners, (100, 100)) == (0.0, 0.1, 0.5, 1.0)
