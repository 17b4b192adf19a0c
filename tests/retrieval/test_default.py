"""The default preset on a small collection of two invented documents."""

from __future__ import annotations

import pytest
from memory_index import DictEncoder, MemoryIndex, NamesOf, Spec

from brit.config import RetrievalConfig
from brit.encoders.hashing import HashingEncoder
from brit.errors import UnknownName
from brit.retrieval import retrieve
from brit.retrieval.prune import match_names
from brit.retrieval.scope import open_scope
from brit.types import Retrieval

TEXTS = {
    "pump": "The Velo pump moves nine litres of water a minute.",
    "valve": "Its brass valve was cast in Trieste by Orso and Figli.",
    "mount": "QX-77 hangs from a steel bracket on the wall of the hall.",
    "garden": "The garden has roses, a pond and forty lemon trees.",
    "pond": "Carp and frogs live in the pond behind the lemon trees.",
    "fence": "A fence of chestnut wood keeps the deer away.",
}


def make_spec() -> Spec:
    blank = [0.0] * 128
    return Spec(
        triplets=[
            ("Velo pump", "moves", "water", "pump"),
            ("brass valve", "cast by", "Orso and Figli", "valve"),
            ("Velo pump", "has", "brass valve", "valve"),
            ("QX-77", "hangs from", "steel bracket", "mount"),
            ("garden", "has", "pond", "garden"),
            ("carp", "live in", "pond", "pond"),
        ],
        images={
            "photo": ("Seen from the left", 3, blank),
            "drawing": ("Figure 2: Cut through the pump", 1, blank),
            "map": ("Plan of the garden", 1, blank),
            "roses": ("Roses in June", 2, blank),
        },
        links=[
            ("photo", "QX-77", "CA", 1.0),
            ("drawing", "Velo pump", "CA", 1.0),
            ("map", "garden", "CA", 1.0),
            ("map", "pond", "LP", 1.0),
            ("roses", "carp", "LP", 1.0),
        ],
        passages={
            "pump": (TEXTS["pump"], 1),
            "valve": (TEXTS["valve"], 2),
            "mount": (TEXTS["mount"], 3),
            "garden": (TEXTS["garden"], 1),
            "pond": (TEXTS["pond"], 2),
            "fence": (TEXTS["fence"], 3),
        },
        document_of=dict.fromkeys(
            ["garden", "pond", "carp", "map", "roses", "fence", "block garden"], "g"
        ),
        documents={"doc": "machine.pdf", "g": "lemon garden.pdf"},
    )


@pytest.fixture(scope="module")
def index() -> MemoryIndex:
    return MemoryIndex(make_spec(), HashingEncoder())


def ask(index: MemoryIndex, question: str, *names: str, documents=(), **settings) -> Retrieval:
    return retrieve(
        index,
        question,
        extractor=NamesOf(*names),
        config=RetrievalConfig(**settings),
        documents=documents,
    )


def test_passages_pages_and_triplets_of_a_plain_question(index) -> None:
    found = ask(index, "How much water moves the Velo pump a minute?", "Velo pump", "water")
    assert found.passages[0].id == "pump"
    assert (found.pages[0].document, found.pages[0].page) == ("machine.pdf", 1)
    assert ("Velo pump", "moves", "water") in {
        (t.subject, t.relation, t.object) for t in found.triplets
    }
    assert not found.low_relevance


def test_a_code_word_finds_its_picture_through_its_caption() -> None:
    # The encoder knows no text at all: only the name, word for word, and the CA link are left.
    nothing = MemoryIndex(make_spec(), DictEncoder({}, 128))
    found = ask(nothing, "What colour is the housing of QX-77?", "QX-77")
    image = found.images[0]
    assert (image.id, image.via, image.link) == ("photo", "QX-77", "CA")
    assert image.reason == "text-to-image"
    assert any(match.method == "lexical" for match in found.trace.matches)
    path = [hop for hop in found.trace.hops if hop.image == "photo" and hop.kept]
    assert path[0].node in {node.id for node in found.trace.nodes}


def test_a_name_the_question_says_outweighs_its_common_words() -> None:
    # «Brolvanok» and «carp» each stand on the page of a picture.
    spec = make_spec()
    spec.triplets.append(("Brolvanok", "stands beside", "steel bracket", "mount"))
    spec.links.append(("photo", "Brolvanok", "LP", 1.0))
    index = MemoryIndex(spec, HashingEncoder())
    question = "Is there a carp behind {}?"
    assert ask(index, question.format("Brolvanok"), "Brolvanok").images[0].id == "photo"
    assert ask(index, question.format("it")).images[0].id == "roses"


def test_a_word_is_a_name_where_the_question_writes_it_so() -> None:
    spec = make_spec()
    spec.triplets.append(("ACROSS", "is a", "programme", "garden"))
    index = MemoryIndex(spec, HashingEncoder())
    scope = open_scope(index.graph, ())

    def named(text: str) -> dict[str, bool]:
        return {m.entity: m.distinctive for m in match_names(index, scope, text, text)}

    assert named("what runs across it?") == {"ACROSS": True}  # no capital at all
    assert named("What runs across It?") == {"ACROSS": False}
    assert named("What does ACROSS offer?") == {"ACROSS": True}
    assert named("is the qx-77 here?")["QX-77"]
    assert named("Wie groß ist İt across It?") == {"ACROSS": False}  # folded, two signs longer
    assert named("Wie groß ist ACROSS?") == {"ACROSS": True}


def test_a_picture_is_found_by_the_name_its_passage_tells(index) -> None:
    # The question names no node; the passage found first says «QX-77», whose caption link leads on.
    found = ask(index, "What hangs on the wall of the hall?")
    assert found.passages[0].id == "mount"
    assert (found.images[0].id, found.images[0].via) == ("photo", "QX-77")
    assert found.trace.node_prizes == ()


def test_switching_a_link_off_closes_its_way(index) -> None:
    question = "Where is the carp?"
    on = ask(index, question, "carp", links=("LP",))
    off = ask(index, question, "carp", links=("CA",))
    assert next(i for i in on.images if i.id == "roses").via == "carp"
    assert all(image.via != "carp" for image in off.images)


def test_only_what_stands_in_the_documents_is_found(index) -> None:
    found = ask(index, "What has the Velo pump?", "Velo pump", documents=["g"])
    assert {passage.document for passage in found.passages} == {"lemon garden.pdf"}
    assert {image.document for image in found.images} == {"lemon garden.pdf"}
    assert {page.document for page in found.pages} == {"lemon garden.pdf"}
    assert {triplet.document for triplet in found.triplets} <= {"lemon garden.pdf"}
    assert "Velo pump" not in {node.label for node in found.trace.nodes}
    assert found.trace.images_total == 2


def test_an_unknown_document_is_refused(index) -> None:
    with pytest.raises(UnknownName, match="list its documents"):
        ask(index, "Where?", documents=["h"])


def test_a_page_that_is_named_comes_first(index) -> None:
    found = ask(index, "What is on page 3?", documents=["g"])
    assert found.pages[0].page == 3
    assert found.passages[0].id == "fence"


def test_a_page_without_any_text_is_found_by_its_number() -> None:
    spec = make_spec()
    spec.passages["mount"] = (TEXTS["mount"], 9)
    found = ask(MemoryIndex(spec, HashingEncoder()), "Who is on page 8?", documents=["doc"])
    assert found.pages[0].page == 8


def test_a_page_the_document_does_not_have(index) -> None:
    found = ask(index, "Who is on page 4711?", documents=["doc"])
    assert {page.page for page in found.pages} == {1, 2, 3}


def test_the_last_page(index) -> None:
    found = ask(index, "What is on the last page?", documents=["doc"])
    assert found.pages[0].page == 3


def test_a_figure_that_is_named_is_found(index) -> None:
    found = ask(index, "How many parts does Figure 2 show?")
    assert found.images[0].id == "drawing"
    assert found.trace.parameters["references"] == ["figure 2"]


def test_a_document_that_is_named_is_preferred(index) -> None:
    found = ask(index, "What stands in lemon garden about a pump?")
    assert found.passages[0].document == "lemon garden.pdf"
    assert found.trace.parameters["named_documents"] == ["lemon garden.pdf"]


def test_the_text_beside_a_picture_is_shown_though_it_shares_no_word(index) -> None:
    # «Roses in June» is a caption on the page of which the passage tells of carp and frogs.
    beside = ask(index, "Roses in June", links=("LP",), max_words=30)
    without = ask(index, "Roses in June", links=(), max_words=30)
    assert beside.images[0].id == without.images[0].id == "roses"
    assert [passage.id for passage in beside.passages] == ["garden", "pond"]
    assert "pond" not in {passage.id for passage in without.passages}


def test_words_stay_within_their_bounds(index) -> None:
    found = ask(index, "Velo pump and garden", "Velo pump", "garden", max_words=30)
    assert 0 < found.words <= 30
    assert len(found.images) <= 4


def test_dropped_passages_stay_in_the_trace(index) -> None:
    found = ask(index, "Where are the lemon trees?", max_words=30)
    kept = {row.passage for row in found.trace.passages if row.kept}
    assert kept == {passage.id for passage in found.passages}
    assert any(not row.kept for row in found.trace.passages)
    best = found.trace.passages[0]
    assert best.ranks["dense"] == 1 or best.ranks["lexical"] == 1


def test_a_question_about_something_else(index) -> None:
    assert ask(index, "Quarterly inflation forecasts?").low_relevance


def test_more_rounds_follow_what_was_found(index, monkeypatch: pytest.MonkeyPatch) -> None:
    # Names in passages would lead on at once.
    monkeypatch.setattr("brit.retrieval.default.named_in_passages", lambda *_: {})
    # No name of a node stands in the question: in the first round the graph is silent. «Plan of
    # the garden» is found by its words; its nodes start the second round.
    question = "Which plan shows the estate?"
    once, more = ask(index, question), ask(index, question, max_rounds=9)
    assert once.images[0].id == more.images[0].id == "map"
    assert (once.trace.rounds, once.trace.node_prizes) == (1, ())
    assert 1 < more.trace.rounds < 9
    assert {"garden", "pond"} <= {prize.label for prize in more.trace.node_prizes}
    assert {hop.round for hop in more.trace.hops} > {1}


def test_an_empty_collection() -> None:
    found = ask(MemoryIndex(Spec(), HashingEncoder()), "Is anybody there?", "anybody")
    assert (found.images, found.passages, found.pages, found.triplets) == ((), (), (), ())
    assert found.low_relevance


def test_a_question_without_end_is_read_from_its_start(index) -> None:
    found = ask(index, "How does the Velo pump move water? " + "x" * 100_000, "Velo pump")
    assert found.passages[0].id == "pump"
    assert any("first 2000 characters" in note for note in found.trace.fallbacks)


def test_a_link_no_collection_has_is_told(index) -> None:
    question = "How does the Velo pump move water?"
    told = ask(index, question, "Velo pump", links=("CA", "PG")).trace.fallbacks
    assert any("pages as images" in note for note in told)
    told = ask(index, question, "Velo pump", links=("CA",)).trace.fallbacks
    assert not any("pages as images" in note for note in told)


def test_the_same_question_gives_the_same_answer(index) -> None:
    question = "How much water moves the Velo pump?"
    one, other = (ask(index, question, "Velo pump") for _ in range(2))
    assert (one.images, one.passages, one.pages, one.trace) == (
        other.images,
        other.passages,
        other.pages,
        other.trace,
    )


@pytest.mark.parametrize("preset", ["default", "paper"])
@pytest.mark.parametrize(
    "settings",
    [
        {"k": 0},
        {"k": 500},
        {"links": ()},
        {"threshold": 2.0},
        {"threshold": -1.0},
        {"max_words": 0},
        {"edge_cost": 0.0},
        {"edge_cost": 100.0},
        {"top_images": 0},
        {"max_rounds": 50},
    ],
)
def test_settings_at_their_ends(index, preset, settings) -> None:
    found = ask(index, "How does the Velo pump move water?", "Velo pump", preset=preset, **settings)
    assert found.preset == preset
    assert found.words <= settings.get("max_words", 300)
    assert found.trace.rounds <= 9
