"""What a question names: entities, places, documents."""

from __future__ import annotations

import pytest
from memory_index import NamesOf

from brit.retrieval.query import (
    FIRST_PAGE,
    LAST_PAGE,
    DocumentNames,
    Reference,
    find_documents,
    find_entities,
    find_references,
    names_place,
)


@pytest.mark.parametrize(
    ("question", "kind", "number"),
    [
        ("What stands on page 7?", "page", "7"),
        ("the map on Page no. 12", "page", "12"),
        ("the title of slide eleven", "page", "11"),
        ("the 4th slide", "page", "4"),
        ("the date on the second page", "page", "2"),
        ("Wie viele Hunde sind auf Seite 3?", "page", "3"),
        ("第5页的图是什么？", "page", "5"),
        ("3ページの写真", "page", "3"),
        ("the people on the cover", "page", FIRST_PAGE),
        ("named on the first page", "page", FIRST_PAGE),
        ("named on the last page", "page", LAST_PAGE),
        ("How many bars are in Figure 3?", "figure", "3"),
        ("see Fig. 2.1 for it", "figure", "2.1"),
        ("Was zeigt Abbildung 4?", "figure", "4"),
        ("图3显示了什么", "figure", "3"),
        ("the papers in Table 2", "table", "2"),
    ],
)
def test_references(question: str, kind: str, number: str) -> None:
    assert find_references(question) == (Reference(kind, number),)


@pytest.mark.parametrize(
    "question",
    ["How many pages are there?", "a figure of speech", "7 people", "Who discovered it?", ""],
)
def test_no_reference(question: str) -> None:
    assert find_references(question) == ()


def test_several_references_each_once() -> None:
    found = find_references("Compare Figure 2 on page 4 with Figure 2 and Table 1.")
    assert [(reference.kind, reference.number) for reference in found] == [
        ("page", "4"),
        ("figure", "2"),
        ("table", "1"),
    ]


def test_captions_are_known_by_their_beginning() -> None:
    third = Reference("figure", "3")
    assert names_place(third, "Figure 3: The pump")
    assert names_place(third, "Fig. 3. The pump")
    assert names_place(third, "图3 水泵")
    assert not names_place(third, "Figure 31: The pump")
    assert not names_place(third, "Figure 3.1: The pump")
    assert not names_place(third, "As Figure 3 shows")
    assert not names_place(third, "Table 3: Pumps")


def test_documents_are_named_by_the_words_of_their_names() -> None:
    documents = {
        "1": "annual_report-2023.pdf", "2": "annual-X17-pump.pdf", "3": "at.pdf", "4": "Annual.pdf",
    }  # fmt: skip
    names = DocumentNames.read(documents)
    # «annual» stands in three names and says nothing, «report» is a word of requests.
    assert find_documents("What does the Annual Report 2023 say?", names, ()) == {"1": 1 / 3}
    assert find_documents("Is the pump blue?", names, ()) == {"2": 1 / 3}
    assert find_documents("Is the pump blue?", names, ("1",)) == {}
    assert find_documents("Is it at home?", names, ()) == {}


def test_entities_count_once_whatever_their_case() -> None:
    class Names(NamesOf):
        def extract_entities(self, text: str) -> list[str]:
            return ["Falke", "falke", "  the\nlogo ", "", text]

    assert find_entities("FALKE", Names()) == ("Falke", "the logo")
