"""Objects, colours, positions and lettering beside boxes and lines; boxes drawn by hand."""

import pytest
from PIL import Image

from brit.types import Claim, Finding, NamedObject
from brit.verification.colours import colour_share
from brit.verification.sights import check_attributes, check_objects, check_scene_text

# Upper left a dog, in the middle two cats, at the lower right a ball.
SEEN = (
    Finding("object", "dog", (0.05, 0.05, 0.25, 0.3), 0),
    Finding("object", "cat", (0.4, 0.4, 0.5, 0.6), 0),
    Finding("object", "cat", (0.52, 0.4, 0.6, 0.6), 0),
    Finding("object", "ball", (0.8, 0.8, 0.9, 0.9), 0),
    Finding("colour", "red", (0.8, 0.8, 0.9, 0.9), 0, score=0.6, subject="ball"),
    Finding("colour", "blue", (0.8, 0.8, 0.9, 0.9), 0, score=0.0, subject="ball"),
    Finding("colour", "blue", None, 0, score=0.4),
    Finding("scene-text", "MARENKA", (0.1, 0.1, 0.2, 0.2), 0),
    Finding("scene-text", "Built 1996", (0.1, 0.2, 0.2, 0.3), 0),
    Finding("scene-text", "in Lind", (0.1, 0.3, 0.2, 0.4), 0),
)


def claim(text, *objects, quotes=()):
    return Claim(text, objects=objects, quotes=quotes)


@pytest.mark.parametrize(
    ("thing", "support"),
    [
        (NamedObject("cat", 2), "supported"),
        (NamedObject("cat", 3), "contradicted"),
        (NamedObject("cat", 1), "contradicted"),
        (NamedObject("cat"), "supported"),
        (NamedObject("surfboard"), "contradicted"),
        (NamedObject("surfboard", 0), "supported"),
    ],
)
def test_existence_and_number(thing, support):
    assert check_objects(claim("x", thing), SEEN, {"object"}).support == support


def test_one_missing_thing_is_enough():
    check = check_objects(claim("x", NamedObject("cat", 2), NamedObject("bird")), SEEN, {"object"})
    assert (check.support, "bird" in check.reason) == ("contradicted", True)


def test_where_nothing_looked_nothing_is_missing():
    assert check_objects(claim("x", NamedObject("bird")), SEEN, set()).support == "unverifiable"


@pytest.mark.parametrize(
    ("text", "support"),
    [
        ("The dog is to the left of the ball.", "supported"),
        ("The ball is on the left side of the dog.", "contradicted"),
        ("The dog is on the right.", "contradicted"),
        ("The dog is above the cat.", "supported"),
        ("The dog lies under the ball.", "contradicted"),
        ("The dog runs.", "unverifiable"),
        ("The dog is left of the bird.", "unverifiable"),
    ],
)
def test_position_by_boxes(text, support):
    things = (NamedObject("dog"), NamedObject("cat"), NamedObject("ball"), NamedObject("bird"))
    assert check_attributes(claim(text, *things), SEEN).support == support


@pytest.mark.parametrize(
    ("thing", "support"),
    [
        (NamedObject("ball", colour="red"), "supported"),
        (NamedObject("ball", colour="blue"), "contradicted"),
        (NamedObject("dog", colour="blue"), "unverifiable"),  # somewhere in the picture
        (NamedObject("dog", colour="green"), "unverifiable"),  # not measured
    ],
)
def test_colours_of_objects(thing, support):
    assert check_attributes(claim("x", thing), SEEN).support == support


@pytest.mark.parametrize(
    ("colour", "pixel"),
    [
        ("red", (210, 30, 30)), ("green", (40, 140, 60)), ("blue", (30, 60, 190)),
        ("yellow", (240, 220, 40)), ("orange", (240, 140, 20)), ("black", (15, 15, 18)),
        ("white", (250, 250, 248)), ("grey", (128, 128, 130)), ("brown", (110, 70, 35)),
        ("purple", (120, 40, 160)), ("pink", (250, 170, 200)), ("rot", (210, 30, 30)),
    ],
)  # fmt: skip
def test_what_a_person_calls_a_colour_is_measured_as_it(colour, pixel):
    picture = Image.new("RGB", (60, 40), pixel)
    assert colour_share(picture, colour) == 1.0
    other = "blue" if colour not in ("blue", "purple") else "yellow"
    assert colour_share(picture, other) == 0.0


def test_a_box_is_measured_alone():
    picture = Image.new("RGB", (100, 100), "white")
    picture.paste((200, 20, 20), (50, 50, 100, 100))
    assert colour_share(picture, "red") == pytest.approx(0.25, abs=0.01)
    assert colour_share(picture, "red", (0.5, 0.5, 1.0, 1.0)) == 1.0
    assert colour_share(picture, "red", (0.0, 0.0, 0.4, 0.4)) == 0.0


@pytest.mark.parametrize(
    ("quote", "support"),
    [
        ("Marenka", "supported"),
        ("Marenko", "contradicted"),
        ("Maren", "contradicted"),
        ("Built 1996 in Lind", "supported"),
        ("Built 1998 in Lind", "contradicted"),
        ("No smoking", "contradicted"),
    ],
)
def test_one_letter_decides(quote, support):
    check = check_scene_text(claim("x", quotes=(quote,)), SEEN, {"scene-text"})
    assert check.support == support
    assert check.evidence


def test_a_picture_without_text_contradicts_nothing():
    for looked in ({"scene-text"}, set()):
        check = check_scene_text(claim("x", quotes=("EXIT",)), SEEN[:6], looked)
        assert check.support == "unverifiable"
