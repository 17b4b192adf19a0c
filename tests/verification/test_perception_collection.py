"""Files of the Perception-Collection's form: the card's fields, one record at a time."""

import json
import tracemalloc

import pytest

from brit.errors import InputError
from brit.verification.perception_collection import (
    BrokenRecord,
    picture_path,
    read_objects,
    try_records,
)

# The fields named by the data set's card.
CARD = {
    "image": "coco/1.jpg", "instruction": "###Task", "output": "good [RESULT] 4",
    "orig_instruction": "i", "orig_response": "r", "orig_reference_answer": "a",
    "orig_criteria": "c", "orig_score1_description": "1", "orig_score2_description": "2",
    "orig_score3_description": "3", "orig_score4_description": "4", "orig_score5_description": "5",
    "orig_feedback": "f", "orig_score": 4,
}  # fmt: skip


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_all_fields_of_the_card(tmp_path):
    (record,) = try_records(write(tmp_path / "p.json", json.dumps([CARD], indent=1)))
    assert {name: getattr(record, name) for name in CARD} == CARD
    assert record.levels == ("1", "2", "3", "4", "5")


@pytest.mark.parametrize(
    "join",
    [
        lambda rows: json.dumps(rows),
        lambda rows: json.dumps(rows, indent=4, ensure_ascii=False),
        lambda rows: "\n".join(map(json.dumps, rows)),
        lambda rows: "\ufeff" + "\r\n\r\n".join(map(json.dumps, rows)) + "\r\n",
    ],
)
def test_arrays_and_lines(tmp_path, join):
    rows = [{**CARD, "orig_feedback": f"ü [,]{n}", "orig_score": str(n % 5 + 1)} for n in range(40)]
    found = list(try_records(write(tmp_path / "p", join(rows))))
    assert [each.orig_feedback for each in found] == [row["orig_feedback"] for row in rows]
    assert [each.orig_score for each in found] == [n % 5 + 1 for n in range(40)]
    assert found[6].id == "7"


def test_a_long_file_is_never_in_memory(tmp_path):
    row = json.dumps({**CARD, "output": "x" * 2000})
    with (tmp_path / "p.json").open("w") as file:
        file.write("[" + ",\n".join([row] * 10_000) + "]")
    tracemalloc.start()
    assert sum(1 for _ in try_records(tmp_path / "p.json")) == 10_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2_000_000  # of 25 MB


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "holds no records"),
        ("[]", "holds no records"),
        ('[{"image": "a"', "Record 1 of .* cannot be read"),
        ("[1]", "Record 1 .* no object"),
        ("nonsense", "Record 1 of"),
        ('{"instruction": "a"}\n{"instruction": ', "Record 2 of"),
        ('{"a":' * 5000, "Record 1 of .* nests too deep"),
        ('{"a": ' + "9" * 5000 + "}", "Record 1 of .* a number is too long"),
        ('{"instruction": "\\ud800"}', "Record 1 of .* half of an escaped character"),
        ('{"instruction": "a"}\n{"instruction": x}', r"Record 2 of .*value \(character 17 of"),
    ],
)
def test_what_is_none_is_named(tmp_path, text, reason):
    with pytest.raises(InputError, match=reason):
        list(try_records(write(tmp_path / "p", text)))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"instruction": 5}', "instruction must be text"),
        ('{"image": "a"}', "it needs `instruction`"),
        ('{"instruction": "a", "orig_score": 6}', "whole number from 1 to 5"),
        ('{"instruction": "a", "orig_score": true}', "whole number from 1 to 5"),
        ('{"instruction": "a", "orig_score": 4.5}', "whole number from 1 to 5"),
        ('{"instruction": "a", "id": []}', "`id` is neither"),
    ],
)
def test_a_broken_record_keeps_no_other_from_being_read(tmp_path, text, reason):
    rows = '{"instruction": "a"}\n' + text + '\n{"instruction": "c", "id": 7}'
    first, broken, last = try_records(write(tmp_path / "p", rows))
    assert (first.instruction, last.instruction, last.id) == ("a", "c", "7")
    assert isinstance(broken, BrokenRecord)
    assert "Record 2 of" in broken.reason
    assert reason in broken.reason


def test_files_that_cannot_be_read(tmp_path):
    (tmp_path / "latin").write_bytes(b'{"instruction": "\xff"}')
    for name in ("latin", "missing", "."):
        with pytest.raises(InputError, match="cannot be read"):
            list(read_objects(tmp_path / name))


def test_pictures_stay_inside_their_folder(tmp_path):
    folder = tmp_path / "images"
    (folder / "coco").mkdir(parents=True)
    (folder / "coco" / "1.jpg").write_bytes(b"x")
    (tmp_path / "secret.png").write_bytes(b"x")
    (folder / "link.png").symlink_to(tmp_path / "secret.png")
    assert picture_path(folder, "coco/1.jpg") == folder / "coco" / "1.jpg"
    for name in ("", "coco/2.jpg", "../secret.png", str(tmp_path / "secret.png"), "link.png",
                 "coco", "a\0b", "x" * 5000):  # fmt: skip
        assert picture_path(folder, name) is None
