"""Own sentences, worked by hand: what each must give, and what none may give."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from brit.errors import Cancelled
from brit.extraction.spacy_extractor import SpacyExtractor
from brit.models import TripletExtractor
from brit.types import StoredBlock, TableBlock, TextBlock, TextKind


@pytest.fixture(scope="module")
def extractor() -> SpacyExtractor:
    return SpacyExtractor()


def store(*blocks: TextBlock | TableBlock) -> list[StoredBlock]:
    return [StoredBlock(f"b{i}", "d", 1, i, block) for i, block in enumerate(blocks)]


def prose(*texts: str, kind: TextKind = "paragraph") -> list[StoredBlock]:
    return store(*(TextBlock(text, kind) for text in texts))


def triplets_of(extractor: SpacyExtractor, *texts: str) -> set[tuple[str, str, str]]:
    found = extractor.extract(prose(*texts)).triplets
    return {(t.subject.name, t.relation, t.object.name) for t in found}


def test_it_is_a_triplet_extractor(extractor: SpacyExtractor) -> None:
    assert isinstance(extractor, SpacyExtractor)
    protocol: TripletExtractor = extractor
    assert "spacy" in protocol.name


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Marie Keller founded Norwind in 1998.", ("Marie Keller", "founded", "Norwind")),
        ("Marie Keller founded Norwind in 1998.", ("Marie Keller", "founded Norwind in", "1998")),
        (
            "The bridge was designed by Jonas Falk and built in Hamburg.",
            ("bridge", "was designed by", "Jonas Falk"),
        ),
        (
            "The bridge was designed by Jonas Falk and built in Hamburg.",
            ("bridge", "was built in", "Hamburg"),
        ),
        (
            "Brindlecove has been sold as the Tellune since 2034.",
            ("Brindlecove", "has been sold as", "Tellune"),
        ),
        ("Bergwerk AG is a manufacturer of pumps.", ("Bergwerk AG", "is", "manufacturer")),
        ("Bergwerk AG is a manufacturer of pumps.", ("manufacturer", "of", "pumps")),
        (
            "Lena Voss, the director of Norwind, lives in Bremen.",
            ("Lena Voss", "is", "director"),
        ),
        ("Norwind's turbines are loud.", ("Norwind", "has", "turbines")),
        ("Anna and Boris built a boat.", ("Boris", "built", "boat")),
        ("Customers can order pumps and valves.", ("Customers", "can order", "valves")),
        ("The pump does not contain oil.", ("pump", "does not contain", "oil")),
        ("The crane weighs 5,565 kg.", ("crane", "weighs", "5,565 kg")),
        (
            "The telescope, which was built in Chile, is old.",
            ("telescope", "was built in", "Chile"),
        ),
        (
            "The workers like metals such as steel.",
            ("metals", "such as", "steel"),
        ),
        ("The SOT25 package is small and has a lid.", ("SOT25 package", "relates to", "SOT25")),
    ],
)
def test_a_sentence_gives_its_triplet(
    extractor: SpacyExtractor, sentence: str, expected: tuple[str, str, str]
) -> None:
    assert expected in triplets_of(extractor, sentence)


def test_triplets_carry_block_and_sentence(extractor: SpacyExtractor) -> None:
    extraction = extractor.extract(prose("Norwind makes turbines. Bergwerk AG sells pumps."))
    (pumps,) = [t for t in extraction.triplets if t.object.name == "pumps"]
    assert pumps.block == pumps.object.block == "b0"
    assert pumps.sentence == "Bergwerk AG sells pumps."
    assert {t.subject for t in extraction.triplets} <= set(extraction.entities)


class TestCoreference:
    def test_she_and_the_company(self, extractor: SpacyExtractor) -> None:
        found = triplets_of(
            extractor, "Marie Keller founded Norwind in 1998. She sold the company in 2011."
        )
        assert ("Marie Keller", "sold", "Norwind") in found

    def test_it_falls_back_to_the_heading(self, extractor: SpacyExtractor) -> None:
        blocks = store(
            TextBlock("Tarn X40 drill", "heading", level=1),
            TextBlock("It weighs 1.8 kg. The drill has a metal chuck.", "paragraph"),
        )
        found = {
            (t.subject.name, t.relation, t.object.name) for t in extractor.extract(blocks).triplets
        }
        assert ("Tarn X40 drill", "weighs", "1.8 kg") in found
        assert ("Tarn X40 drill", "has", "metal chuck") in found

    def test_its_is_possession(self, extractor: SpacyExtractor) -> None:
        found = triplets_of(extractor, "Bergwerk AG makes pumps. Its headquarters are in Graz.")
        assert ("Bergwerk AG", "has", "headquarters") in found

    def test_this_device_is_the_code_before(self, extractor: SpacyExtractor) -> None:
        found = triplets_of(extractor, "We recommend the QX3012K. This device supports 500 mA.")
        assert ("QX3012K", "supports", "500 mA") in found

    def test_of_two_equal_candidates_none(self, extractor: SpacyExtractor) -> None:
        found = triplets_of(extractor, "Anna and Boris met Clara. She painted a house.")
        assert not any(relation == "painted" for _, relation, _ in found)

    def test_empty_it_names_nothing(self, extractor: SpacyExtractor) -> None:
        found = triplets_of(extractor, "Norwind makes turbines.", "It is clear that oil burns.")
        assert not any(r.startswith("is clear") for _, r, _ in found)

    def test_a_new_heading_forgets(self, extractor: SpacyExtractor) -> None:
        blocks = store(
            TextBlock("Marie Keller founded Norwind.", "paragraph"),
            TextBlock("Rules for guests", "heading", level=1),
            TextBlock("She likes tea.", "paragraph"),
        )
        found = extractor.extract(blocks).triplets
        assert not any(t.object.name == "tea" for t in found)


class TestLayout:
    def test_table_cells(self, extractor: SpacyExtractor) -> None:
        table = TableBlock(
            ("Model", "Weight", "Colour"),
            (("Tarn X40", "1.8 kg", "red"), ("Tarn X60", "", "7"), ("", "2.9 kg", "blue")),
        )
        found = {
            (t.subject.name, t.relation, t.object.name)
            for t in extractor.extract(store(table)).triplets
        }
        assert found == {
            ("Tarn X40", "Weight", "1.8 kg"),
            ("Tarn X40", "Colour", "red"),
            ("Tarn X60", "Weight", "2.9 kg"),
            ("Tarn X60", "Colour", "blue"),
        }

    def test_numbered_rows_take_the_name_of_their_column(self, extractor: SpacyExtractor) -> None:
        table = TableBlock(("Step", "Tool"), (("1", "Wrench"),))
        (only,) = extractor.extract(store(table)).triplets
        assert (only.subject.name, only.relation, only.object.name) == ("Step 1", "Tool", "Wrench")

    def test_rows_named_by_a_measure_keep_its_sign(self, extractor: SpacyExtractor) -> None:
        table = TableBlock(("Lift Point", "Load"), (("-10 ft", "3,040 lb"), ("+10 ft", "970 lb")))
        found = {t.subject.name for t in extractor.extract(store(table)).triplets}
        assert found == {"Lift Point -10 ft", "Lift Point +10 ft"}

    def test_label_and_value(self, extractor: SpacyExtractor) -> None:
        found = triplets_of(
            extractor, "Operating weight: 5,565 kg", "Tail swing 2 ft 3 in (690 mm)"
        )
        assert ("Operating weight", "is", "5,565 kg") in found
        assert ("Tail swing", "is", "2 ft 3 in (690 mm)") in found

    def test_headers_and_footers_give_nothing(self, extractor: SpacyExtractor) -> None:
        blocks = store(
            TextBlock("Norwind makes turbines.", "header"),
            TextBlock("Bergwerk AG sells pumps.", "footer"),
        )
        assert extractor.extract(blocks).entities == ()

    def test_captions_give_entities(self, extractor: SpacyExtractor) -> None:
        found = extractor.extract(prose("Marie Keller opens the plant in Graz.", kind="caption"))
        assert {"Marie Keller", "Graz"} <= {e.name for e in found.entities}

    def test_contents_and_works_cited_say_nothing(self, extractor: SpacyExtractor) -> None:
        blocks = store(
            TextBlock(
                "Safety of pumps . . . . . . . 13 Care of valves . . . . . . 14", "paragraph"
            ),
            TextBlock("References", "heading"),
            TextBlock(
                "Keller, M. Wind shapes the coast of Holland. Graz Press, 1999.", "paragraph"
            ),
        )
        relations = {(t.subject.name, t.relation) for t in extractor.extract(blocks).triplets}
        assert relations == {("Safety", "of"), ("Care", "of")}

    def test_nothing_at_all(self, extractor: SpacyExtractor) -> None:
        assert extractor.extract([]).triplets == ()
        assert extractor.extract(prose("", "  \n", "•", "12", "— / —")).entities == ()


NOISE = "• https://norwind.example/a?b=1 mail@norwind.example 17 ★ – x"


def test_no_node_is_debris(extractor: SpacyExtractor) -> None:
    names = {
        e.name for e in extractor.extract(prose(NOISE, "It was of the which. Page 3 of 9")).entities
    }
    assert not any("norwind" in name or name in {"•", "17", "x", "3", "9"} for name in names)


class TestOtherLanguages:
    def test_german(self, extractor: SpacyExtractor) -> None:
        found = extractor.extract(
            prose(
                "Die Pumpe steht in der Halle, und das Ventil ist nicht für die Leitung geeignet."
            )
        )
        names = [e.name for e in found.entities]
        assert names == ["Pumpe", "Halle", "Ventil", "Leitung"]
        assert {t.relation for t in found.triplets} == {"is mentioned with"}
        assert len(found.triplets) == 3

    def test_chinese(self, extractor: SpacyExtractor) -> None:
        found = extractor.extract(prose("水泵和阀门是工厂的设备。"))
        assert [e.name for e in found.entities] == ["水泵", "阀门", "工厂", "设备"]

    def test_japanese(self, extractor: SpacyExtractor) -> None:
        names = {e.name for e in extractor.extract(prose("ポンプは工場の設備である。")).entities}
        assert names == {"ポンプ", "工場", "設備"}

    def test_korean_particles_go(self, extractor: SpacyExtractor) -> None:
        names = {
            e.name for e in extractor.extract(prose("펌프는 공장에서 설비를 움직인다.")).entities
        }
        assert {"펌프", "공장", "설비"} <= names

    def test_arabic(self, extractor: SpacyExtractor) -> None:
        names = {e.name for e in extractor.extract(prose("تعمل المضخة في المصنع الكبير.")).entities}
        assert {"المضخة", "المصنع"} <= names


@pytest.mark.parametrize(
    ("question", "wanted", "unwanted"),
    [
        (
            "Which pump did Marie Keller sell in Graz in 1998?",
            {"Marie Keller", "Graz", "1998", "pump"},
            {"Which"},
        ),
        (
            "How does the key in Figure 7-27 fit the slot?",
            {"Figure 7-27", "key", "slot"},
            {"How", "7-27"},
        ),
        ("What is the QX57C standing on in the photo?", {"QX57C"}, {"What", "photo"}),
        ("Who wrote “The Long Pier”?", {"The Long Pier"}, {"Who"}),
        ("Compare ViT-B/32 with RN50", {"ViT-B/32", "RN50"}, set()),
        (
            "Welche Farbe hat die Pumpe in Abbildung 2.7?",
            {"Farbe", "Pumpe", "Abbildung 2.7"},
            {"Welche"},
        ),
        ("水泵有什么作用？", {"水泵", "作用"}, set()),
        ("", set(), set()),
    ],
)
def test_entities_of_a_question(
    extractor: SpacyExtractor, question: str, wanted: set[str], unwanted: set[str]
) -> None:
    found = extractor.extract_entities(question)
    assert wanted <= set(found)
    assert not unwanted & set(found)
    assert len(found) == len(set(found))


HOSTILE = {
    "a word without end": "a" * 100_000,
    "a line without end": "internationalisation of hydrodynamics " * 2_600,
    "control characters": "The\x00 pump\x1b[31m moves\u202e water\ud800 in Graz.\x07" * 50,
    "dots": ". " * 50_000,
    "codes": "A1-" * 30_000,
    "brackets": "(" * 20_000 + "AB" + ")" * 20_000,
    "quotes": "«" * 30_000,
    "newlines": "A\n" * 30_000,
    "digits": "1," * 30_000,
    "endless list": "and ".join(["Anna "] * 1_000) + "met " + "and ".join(["Boris "] * 1_000),
    "mark-up": "<script>alert(1)</script> " * 500,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_ends_soon(extractor: SpacyExtractor, name: str) -> None:
    start = time.process_time()
    found = extractor.extract(prose(HOSTILE[name]))
    extractor.extract_entities(HOSTILE[name])
    assert time.process_time() - start < 12
    assert all(len(e.name) <= 80 and e.name.isprintable() for e in found.entities)
    assert all(len(e.name.split()) <= 8 for e in found.entities)
    assert len(found.triplets) < 20_000


def test_threads_may_share_it(extractor: SpacyExtractor) -> None:
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(extractor.extract_entities, ["Who sold the pump in Graz?"] * 12))
    assert found == [["Graz", "pump"]] * 12


def test_a_heading_that_is_one_long_name_is_read(extractor: SpacyExtractor) -> None:
    title = "The Harland Brenner Institute for Applied Ocean Research and Development"
    heading = TextBlock(title, "heading", level=1)
    found = extractor.extract(store(heading, TextBlock("It opened in 1998.", "paragraph")))
    assert any("Institute" in entity.name for entity in found.entities)


def test_a_long_document_tells_how_far_it_is_and_ends_when_asked(
    extractor: SpacyExtractor,
) -> None:
    blocks = prose(*(f"Bergwerk AG sells {n} pumps." for n in range(130)))
    told: list[tuple[int, int]] = []
    extractor.extract(blocks, lambda done, total: told.append((done, total)))
    assert told == [(0, 130), (64, 130), (128, 130)]

    def stop(done: int, _: int) -> None:
        if done:
            raise Cancelled("enough")

    with pytest.raises(Cancelled):
        extractor.extract(blocks, stop)
    assert extractor.extract(blocks[:1]).triplets  # the next document is read as ever
