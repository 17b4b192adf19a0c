"""Names are found by a part of them in any script; mentions are shown by their sentence."""

from __future__ import annotations

import pytest

from brit.exploring import NameIndex, sentence_around

NAMES = [
    ("Milk system",), ("System cleaning",), ("milk",), ("Skimmed milk powder",),
    ("Alder One", "Milk machine"), ("奶泡系统",), ("Müller GmbH", "Mueller"), ("ecosystem",),
]  # fmt: skip
INDEX = NameIndex(NAMES, [3, 2, 1, 5, 9, 1, 1, 1])


def found(query: str, most: int = 9) -> list[str]:
    return [NAMES[hit.node][0] for hit in INDEX.find(query, most)]


def test_whole_names_come_before_beginnings_before_insides() -> None:
    assert found("milk") == ["milk", "Milk system", "Alder One", "Skimmed milk powder"]
    assert found("system") == ["System cleaning", "Milk system", "ecosystem"]


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("MILK  SYS", "Milk system"), ("奶泡", "奶泡系统"), ("系统", "奶泡系统"),
        ("muller", "Müller GmbH"), ("Ｍüller", "Müller GmbH"), ("mueller", "Müller GmbH"),
        ("powder milk", "Skimmed milk powder"),
    ],
)  # fmt: skip
def test_case_width_accents_and_order_do_not_matter(query: str, name: str) -> None:
    assert found(query)[0] == name


def test_an_alias_is_said() -> None:
    (hit, *_) = INDEX.find("milk machine", 3)
    assert (hit.node, hit.alias) == (4, "Milk machine")
    assert INDEX.find("alder", 3)[0].alias == ""


@pytest.mark.parametrize("query", ["", "   ", "xyzzy", "%", "'; DROP TABLE nodes;--", "\x00"])
def test_what_is_nobodys_name_finds_nothing(query: str) -> None:
    assert found(query) == []


def test_no_more_than_asked_for() -> None:
    assert len(found("m", 2)) == 2


def test_the_sentence_of_a_mention() -> None:
    text = "Rinse it. Clean the milk system daily! It lasts 3.5 hours."
    assert sentence_around(text, "Milk system") == "Clean the milk system daily!"
    assert sentence_around("先关机。清洁奶泡系统。完成。", "奶泡系统") == "清洁奶泡系统。"
    assert sentence_around("part | hose\nadapter | blue", "adapter") == "adapter | blue"
    assert sentence_around("Nothing of it", "pump") == "Nothing of it"
    assert sentence_around("", "pump") == ""


def test_a_long_sentence_is_cut_around_the_name() -> None:
    long = " ".join(["word"] * 200) + " the pump " + " ".join(["word"] * 200)
    cut = sentence_around(long, "pump", 100)
    assert "pump" in cut
    assert len(cut) <= 102
    assert cut.startswith("…")
    assert cut.endswith("…")
