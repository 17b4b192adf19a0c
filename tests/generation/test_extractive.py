"""Answers without a model: what is quoted, what is left out, and when nothing is found."""

import re

import numpy as np
import pytest
from makers import WEIGHT, WHOLE, ask, found, passage, picture, triplet

from brit.generation.language import are_alike, detect_language, gives_kind, wanted_kinds
from brit.generation.units import is_row, refers_back, split_passage
from brit.types import EntityMatch, RetrievalTrace, RetrievedPage

FAR = "Not found in these documents. The nearest that was found:"
PROJECT = (
    "Project Wrenfold\nFour people worked on it for a year. The work ran under the name Wrenfold "
    "and cost a fortune. Its result has been sold as the Nimbus 40 since May."
)


class Encoder:
    """Texts that hold one of `near` have the cosine `close` with every question, others 0."""

    name, dim, same_entity = "near", 2, 0.5

    def __init__(self, *near, close=1.0):
        self.near, self.close = near, close

    def encode_texts(self, texts, role="passage"):
        if role == "query":
            return np.array([[1, 0]] * len(texts), np.float32)
        cosines = [self.close * any(near in text for near in self.near) for text in texts]
        return np.array([[c, (1 - c * c) ** 0.5] for c in cosines], np.float32)


def quotes(text):
    return [line[2:] for line in text.splitlines() if line.startswith("- ")]


def test_the_answer_quotes_with_sources():
    text, answer = ask(WHOLE)
    assert text == (
        "The documents say:\n\n"
        "- “The Nimbus 40 is a tabletop kiln. It weighs 12 kg and holds 40 litres.” [1]\n"
    )
    assert answer.model == "extractive"
    assert [(c.marker, c.kind) for c in answer.citations] == [(1, "passage")]
    assert "No language model is configured" in answer.notes[0]
    assert answer.usage == {}


def test_a_pronoun_brings_the_sentence_it_refers_to_and_both_are_cited():
    text, answer = ask(found("Who opened the factory in Tarnwick?", WHOLE.passages))
    assert quotes(text) == [
        "“The factory stands in Tarnwick. It was opened in 1987 by Oda Brandt.” [1]"
    ]
    assert [c.index for c in answer.citations] == [1]


@pytest.mark.parametrize(
    ("text", "back"),
    [
        ("It weighs 12 kg.", True),
        ("At its side stands a lamp.", True),
        ("Since the spring of 2034 its result has been sold.", True),
        ("When the lid opens, it lights a lamp.", False),
        ("Er wiegt 12 kg.", True),
        ("Elle pèse 12 kg.", True),
        ("The kiln weighs 12 kg.", False),
    ],
)
def test_pronouns_that_need_the_sentence_before(text, back):
    assert refers_back(text) is back


def test_words_a_question_is_built_with_do_not_count():
    texts = [passage("What is the use of it? That is what the people of the town ask."),
             passage("● Mass without stand: 12 kg in all.")]  # fmt: skip
    text, _ = ask(found("What is the mass of it?", texts))
    assert quotes(text) == ["“Mass without stand: 12 kg in all.” [1]"]


def test_sentences_that_add_nothing_are_left_out():
    texts = [
        passage("The door of the Nimbus 40 opens to the left. Tarnwick has a harbour."),
        passage("The Nimbus 40 opens its door to the left. The Nimbus 40 is blue."),
    ]
    text, _ = ask(found("Where does the door of the Nimbus 40 open?", texts))
    assert len(quotes(text)) == 1
    assert "opens to the left" in text


def test_several_sentences_stay_where_each_holds_another_part_of_the_question():
    texts = [
        passage("The lid is made of steel. Tarnwick is a town."),
        passage("The hinge is made of brass."),
    ]
    text, answer = ask(found("What are the lid and the hinge made of?", texts))
    assert {line[:-4] for line in quotes(text)} == {
        "“The hinge is made of brass.”", "“The lid is made of steel.”",
    }  # fmt: skip
    assert [line[-3:] for line in quotes(text)] == ["[1]", "[2]"]
    assert sorted(c.index for c in answer.citations) == [0, 1]


def test_a_number_is_preferred_where_one_is_asked_for():
    texts = [passage("The kiln is heavy for its size. Heavy as the kiln is: 12 kg.")]
    text, _ = ask(found("How heavy is the kiln?", texts))
    assert "12 kg" in quotes(text)[0]


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("How heavy is it?", ["number"]),
        ("How does it work?", []),
        ("Wie viele Türen gibt es?", ["number"]),
        ("Combien de portes ?", ["number"]),
        ("Wann wurde sie gebaut?", ["date"]),
        ("¿Quién la fundó?", ["person"]),
        ("工厂在哪里?", ["place"]),
        ("When and where was it?", ["date", "place"]),
    ],
)
def test_kinds_of_answers(question, kinds):
    assert wanted_kinds(question) == kinds


def test_what_the_question_names_itself_is_no_answer():
    assert gives_kind("date", "It opened in 1987.", "When was it?")
    assert not gives_kind("date", "It opened in 1987.", "What came after 1987?")
    assert gives_kind("person", "It was Oda Brandt.", "Who was it?")


def test_of_a_table_row_the_cells_asked_for():
    row = "Weight; Nimbus: 12 kg; Cirrus: 9 kg; Stratus: 7 kg"
    text, _ = ask(found("What is the weight of the Cirrus?", [passage(f"Depth; 3 m\n{row}")]))
    assert quotes(text) == ["Weight; Cirrus: 9 kg [1]"]
    text, _ = ask(found("Which weight?", [passage(row)]))
    assert quotes(text) == [f"{row} [1]"]


def test_a_row_is_no_sentence_and_stands_without_quotation_marks():
    assert is_row("Weight; Cirrus: 9 kg; Stratus: 7 kg")
    assert is_row("Depth; 3 m")
    assert not is_row("Open the lid; it lights a lamp.")
    assert not is_row("It weighs 12 kg")


def test_a_title_that_says_the_question_again_brings_what_follows():
    texts = [passage("Saving energy\nClose the lid early.\nKeep the seals clean.")]
    text, _ = ask(found("How can I save energy?", texts), text_encoder=Encoder("energy"))
    assert quotes(text) == ["“Saving energy Close the lid early. Keep the seals clean.” [1]"]


def test_headings_stand_above_sentences():
    units = list(split_passage("The kiln\nIt weighs 12 kg. It is blue.\nLamp; 3 W", 1, 0))
    assert [(u.kind, u.text, u.heading) for u in units] == [
        ("heading", "The kiln", "The kiln"),
        ("text", "It weighs 12 kg.", "The kiln"),
        ("text", "It is blue.", "The kiln"),
        ("text", "Lamp; 3 W", "The kiln"),
    ]


def test_a_number_of_something_else_is_no_answer():
    deep = "In 2032 the harbour stood two metres deep in the workshop."
    other = RetrievalTrace(matches=(EntityMatch("Nimbus 40", "n", "Nimbus 40", 1.0, "lexical"),))
    retrieval = found("How deep is the Nimbus 40?", [passage(deep)])
    text, _ = ask(type(retrieval)(**{**vars(retrieval), "trace": other}))
    assert text.startswith("Not found in these documents")
    told = "The Nimbus 40 is 60 cm deep."
    retrieval = found("How deep is the Nimbus 40?", [passage(told)])
    text, _ = ask(type(retrieval)(**{**vars(retrieval), "trace": other}))
    assert text.startswith("The documents say:")
    assert not gives_kind("number", "Figure 6. Endurance at depth.", "How deep is it?")


# --- pictures and paths --------------------------------------------------------------------------


def test_a_picture_is_named_only_when_asked_for():
    images = [picture(reason="similarity", via=None, link=None)]
    said, _ = ask(found("How heavy is the Nimbus 40?", [passage(WEIGHT)], images))
    assert "Picture" not in said
    for question in ("Which colour is the door?", "What does the kiln look like?"):
        said, answer = ask(found(question, [passage(WEIGHT)], images))
        assert "Picture: “The Nimbus 40 with its door open” (Kilns.pdf, page 4) [1]" in said
        assert answer.citations[-1].kind == "image"


def test_of_two_documents_the_one_found_best_is_quoted_first():
    texts = {"Alba.pdf": "The engine has four cylinders.", "Berta.pdf": "The engine has a belt."}
    passages = [passage(text, document) for document, text in texts.items()]
    retrieval = found("What does the engine have?", passages)
    for document, text in texts.items():
        pages = (RetrievedPage(document, 3, 1.0),)
        said, _ = ask(type(retrieval)(**{**vars(retrieval), "pages": pages}))
        assert text in quotes(said)[0]


def test_what_something_looks_like_is_shown_where_no_sentence_says_it():
    images = [picture("", reason="similarity", via=None, link=None)]
    heading = [passage("Nimbus 40\nTABLETOP KILN")]
    said, answer = ask(found("What does the kiln look like?", heading, images))
    assert said.startswith("No sentence says this; it may be seen here:")
    assert [citation.kind for citation in answer.citations] == ["image"]
    for question, low in (
        ("What does the raft look like?", False),
        ("… the kiln look like?", True),
    ):
        said, _ = ask(found(question, heading, images, low=low))
        assert said.startswith("Not found")


def test_a_caption_is_evidence_and_cited_by_its_picture():
    images = [picture(caption="The works at Tarnwick in 1987")]
    text, answer = ask(found("When were the works at Tarnwick built?", [passage(WEIGHT)], images))
    assert quotes(text) == ["Picture: “The works at Tarnwick in 1987” (Kilns.pdf, page 4) [1]"]
    assert [c.kind for c in answer.citations] == ["image"]


def asked_of_project(facts=()):
    """The second picture is the one that the project's last sentence names."""
    images = [picture("The town hall", id="i0", via="Tarnwick"), picture()]
    trace = RetrievalTrace(matches=(EntityMatch("Wrenfold", "n", "Wrenfold", 1.0, "lexical"),))
    retrieval = found("Which colour has the product of project Wrenfold?", [passage(PROJECT)],
                      images, facts)  # fmt: skip
    return ask(type(retrieval)(**{**vars(retrieval), "trace": trace}))


def test_a_code_word_leads_to_the_name_and_its_picture():
    text, answer = asked_of_project()
    assert text.startswith("No sentence says this; it may be seen here:")
    assert quotes(text) == [
        "Picture: “The Nimbus 40 with its door open” (Kilns.pdf, page 4) [1]",
        "“The work ran under the name Wrenfold and cost a fortune. Its result has been sold as "
        "the Nimbus 40 since May.” [2]",
    ]
    assert [(c.marker, c.kind) for c in answer.citations] == [(1, "image"), (2, "passage")]


def test_a_colour_that_a_sentence_says_is_quoted_first():
    told = "The kiln has been sold in amber since May."
    text, _ = ask(found("Which colour has the kiln?", [passage(told)], [picture()]))
    assert text.startswith("The documents say:")
    assert quotes(text)[0] == f"“{told}” [1]"


def test_the_chain_of_triplets_to_the_picture_is_told():
    facts = [
        triplet("work", "ran under", "Wrenfold", text=PROJECT),
        triplet("work", "gave", "Nimbus 40", text=PROJECT),
    ]
    text, _ = asked_of_project(facts)
    assert quotes(text)[0] == (
        "Picture: “The Nimbus 40 with its door open” (Kilns.pdf, page 4) – "
        "work ran under Wrenfold; work gave Nimbus 40 [1]"
    )


# --- nothing found -------------------------------------------------------------------------------


def test_low_relevance_is_said_first():
    text, answer = ask(found("Who weighs the kiln?", WHOLE.passages, [picture()], low=True))
    assert text.startswith(FAR)
    assert len(quotes(text)) == len(answer.citations) == 1


def test_what_shares_one_word_is_only_the_nearest():
    question = "How much does a ticket to the harbour of Tarnwick cost in winter?"
    text, _ = ask(found(question, WHOLE.passages), text_encoder=Encoder("Tarnwick", close=0.3))
    assert text.startswith(FAR)
    assert len(quotes(text)) == 1


def test_nothing_is_quoted_where_nothing_is_about_the_question():
    text, answer = ask(found("Who won the cup?", WHOLE.passages), text_encoder=Encoder())
    assert (text, answer.citations) == ("Not found in these documents.", ())
    text, answer = ask(found())
    assert (text, answer.citations) == ("Not found in these documents.", ())


# --- languages -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "told", "start"),
    [
        ("Wie schwer ist der Ofen?", "Der Ofen wiegt 12 kg.", "In den Dokumenten steht:\n\n- „"),
        ("Combien pèse le four ?", "Le four pèse 12 kg.", "Les documents disent :\n\n- «"),
        ("¿Cuánto pesa el horno?", "El horno pesa 12 kg.", "Los documentos dicen:\n\n- «"),
        ("Quanto pesa il forno?", "Il forno pesa 12 kg.", "The documents say:\n\n- “"),
    ],
)
def test_a_question_is_answered_in_its_language(question, told, start):
    text, _ = ask(found(question, [passage(told)]))
    assert text.startswith(start + told)


def test_german_pictures_and_nothing_found():
    text, _ = ask(found("Wie sieht der Ofen aus?", [passage("Der Ofen ist alt.")], [picture()]))
    assert re.search(r"- Bild: „.*“ \(Kilns.pdf, Seite 4\) \[2\]", text)
    text, _ = ask(found("Wer hat gewonnen?", low=True))
    assert text == "In diesen Dokumenten nicht gefunden."


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("How heavy is the Nimbus 40?", "en"),
        ("Welche Farbe hat das Gehäuse?", "de"),
        ("Gewicht des Geräts?", "de"),
        ("Quelle est la couleur du four ?", "fr"),
        ("¿Qué color tiene el horno?", "es"),
        ("Nimbus 40", "en"),
        ("这台机器有多重？", "en"),
        ("What does die casting mean in the manual?", "en"),
    ],
)
def test_language_of_a_question(question, language):
    assert detect_language(question) == language


@pytest.mark.parametrize(
    ("a", "b", "alike"),
    [
        ("founded", "founding", True),
        ("licence", "license", True),
        ("lizenz", "lizenziert", True),
        ("flood", "floor", False),
        ("1987", "1988", False),
        ("is", "it", False),
        ("minetest", "minecraft", False),
    ],
)
def test_inflections_are_told_by_beginnings(a, b, alike):
    assert are_alike(a, b) is are_alike(b, a) is alike


def test_languages_without_spaces():
    texts = [passage("工厂位于柏林。"), passage("这台窑炉重十二公斤。它有四十升。")]
    text, _ = ask(found("窑炉有多重？", texts), text_encoder=Encoder("公斤"))
    assert quotes(text) == ["“这台窑炉重十二公斤。” [1]"]


# --- other evidence ------------------------------------------------------------------------------


def test_facts_are_quoted_where_no_passage_holds_them():
    text, answer = ask(found(triplets=[triplet(text="")]))
    assert quotes(text) == ["“Nimbus 40 weighs 12 kg.” (Kilns.pdf, page 3)"]
    assert answer.citations == ()


def test_an_encoder_finds_what_shares_no_word():
    texts = [passage("Tarnwick ist ein Ort."), passage("Offen von Mai bis Juni."),
             passage("The kiln weighs 12 kg.")]  # fmt: skip
    text, _ = ask(found("Masse?", texts), text_encoder=Encoder("12 kg"))
    assert quotes(text) == ["“The kiln weighs 12 kg.” [1]"]


def test_long_rows_are_cut():
    text, _ = ask(found(passages=[passage("Nimbus heavy " + "cell " * 200)]))
    assert len(text.split()) < 70
    assert "…" in text


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Its president was W. H. Streeter. T. E. Williams arrived in 1872.", 2),
        ("It was drawn by Dr. Abel of St. Gall. He left it there.", 2),
        ("The plant is in the U.S. Department of Energy list. It runs every day.", 2),
        ("It costs 3.5 euros a day. See lamp No. 4 for more.", 2),
    ],
)
def test_initials_and_titles_end_no_sentence(text, sentences):
    units = [unit.text for unit in split_passage(text, 1, 0)]
    assert len(units) == sentences
    assert " ".join(units) == text


def test_why_no_model_answered_stands_beside_the_quotes():
    pump = found("How much does the pump move?", [passage("The pump moves forty litres.")])
    text, answer = ask(pump, why_none="It is down.")
    assert "forty litres" in text
    assert answer.notes == ("It is down.",)


def test_a_question_of_marks_only_is_answered():
    for question in ("?!.,;:", "---", "\u202e", "😀😀"):
        text, _ = ask(found(question, [passage("The kiln weighs 12 kg.")]))
        assert text
