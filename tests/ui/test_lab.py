"""The Retrieval Lab: two settings, what each finds, what changed, and the collection's own."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import fake_backend
import pytest
from streamlit.testing.v1 import AppTest

from brit import pipeline
from brit.config import RetrievalConfig
from brit.errors import WeightsMissing
from brit.storage import Workspace
from brit.types import Hop, Prize, Retrieval
from brit.ui import lab_settings, lab_view
from brit.ui.lab_changes import changes, compare
from brit.ui.lab_settings import first_setting
from brit.ui.lab_steps import STEPS, Names, longest, look_at

App = Callable[..., AppTest]
PAGE = "pages/3_Retrieval_Lab.py"
HOSTILE = "<img src=x onerror=alert(1)> ![x](https://e.example/p.png) :material/home: $x$.pdf"
NAMES = Names(picture=lambda id: f"picture {id}", passage=lambda id: f"passage {id}")
PAPER = RetrievalConfig.paper()


class Found:
    """Stands in for retrieval: the paper preset finds one picture less and one passage."""

    def __init__(self, document: str, id: str, name: str = fake_backend.NAME) -> None:
        self.asked: list[tuple[str, RetrievalConfig, tuple[str, ...]]] = []
        self.document, self.id, self.name = document, id, name

    def __call__(
        self, workspace: Workspace, question: str, _: str, *, config: RetrievalConfig, **more: Any
    ) -> Retrieval:
        self.asked.append((question, config, tuple(more.get("documents", ()))))
        found = with_settings(fake_backend.retrieval(workspace, self.document, self.id), config)
        if config.preset == "paper":
            found = replace(found, images=found.images[1:], passages=found.passages[:1])
        return found


def with_settings(found: Retrieval, config: RetrievalConfig) -> Retrieval:
    threshold = 0.56 if config.threshold is None else config.threshold
    return replace(
        found,
        preset=config.preset,
        trace=replace(found.trace, parameters={"threshold": threshold, "solver": "pcst_fast"}),
    )


@pytest.fixture
def lab(
    request: pytest.FixtureRequest,
    workspace: Workspace,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Found:
    request.getfixturevalue("app")  # its stand-in for retrieval gives way to this one
    id = fake_backend.fill(workspace, tmp_path)
    found = Found(fake_backend.NAME, id)
    monkeypatch.setattr(pipeline, "retrieve", found)
    monkeypatch.setattr(lab_settings, "own_threshold", lambda _: 0.56)
    monkeypatch.setattr(lab_view, "_warm", lambda *_: None)
    return found


def words(test: AppTest) -> str:
    shown = [*test.markdown, *test.caption, *test.error]
    return "\n".join(str(each.value) for each in shown).replace("\\", "").replace("\u00a0", " ")


def key(test: AppTest, side: str, field: str) -> str:
    return f"lab-{side}-{test.session_state['collection']}-{field}"


# --- the page ---


def test_nothing_to_look_into_leads_to_the_library(app: App) -> None:
    test = app(PAGE)
    assert not test.exception
    assert "add a document first" in words(test)
    assert not test.text_input


def test_without_a_question_those_asked_last_are_offered(
    app: App, lab: Found, workspace: Workspace
) -> None:
    collection = workspace.documents.collection("Coffee")
    chat = workspace.chats.create(collection.id, "short")
    workspace.chats.add_turn(chat.id, "How hot is the spout?")
    test = app(PAGE)
    assert "no language model is asked" in words(test)
    test.button(key="lab-suggestion-0").click().run()
    assert {question for question, _, _ in lab.asked} == {"How hot is the spout?"}


def test_the_collections_own_setting_stands_beside_the_papers(app: App, lab: Found) -> None:
    test = app(PAGE, question="How do I clean it?")
    assert not test.exception
    assert [config for _, config, _ in lab.asked] == [RetrievalConfig(), PAPER]
    shown = words(test)
    assert "3 pictures · 3 passages · 5 triplets · 214 words · 7 of 10 nodes" in shown
    assert "2 pictures · 1 passage · 5 triplets" in shown
    assert "preset Default → Paper · links CA SI LP LS → CA SI LS · threshold 0.56 → 0.75" in shown
    assert "**Pictures** :red-badge[−1] :gray[:small[2 in both]]" in shown
    assert ":red[:material/remove:] Blue container" in shown
    assert ":blue-badge[only A]" in shown
    assert ":violet-badge[only B]" not in shown


def test_a_change_retrieves_again_and_what_was_found_is_kept(app: App, lab: Found) -> None:
    test = app(PAGE, question="How?")
    lab.asked.clear()
    test.slider(key=key(test, "A", "k")).set_value(9).run()
    assert [config for _, config, _ in lab.asked] == [RetrievalConfig(k=9)]
    assert "prizes 9 → 5" in words(test)
    test.slider(key=key(test, "A", "k")).set_value(5).run()
    assert len(lab.asked) == 1


def test_every_widget_reaches_the_retrieval(app: App, lab: Found) -> None:
    test = app(PAGE, question="How?")
    test.button_group(key=key(test, "B", "links")).set_value(["PG", "CA"])
    test.slider(key=key(test, "B", "threshold")).set_value(0.3)
    test.slider(key=key(test, "B", "cost")).set_value(1.25)
    test.slider(key=key(test, "B", "rounds")).set_value(3)
    test.multiselect(key=key(test, "B", "documents")).set_value([fake_backend.NAME])
    test.run()
    _, config, documents = lab.asked[-1]
    assert config == replace(PAPER, links=("CA", "PG"), threshold=0.3, edge_cost=1.25, max_rounds=3)
    assert documents == (fake_backend.NAME,)


@pytest.mark.usefixtures("lab")
def test_a_preset_brings_its_own_values(app: App) -> None:
    test = app(PAGE, question="How?")
    test.button_group(key=key(test, "A", "preset")).set_value("paper").run()
    assert test.slider(key=key(test, "A", "threshold")).value == 0.75
    assert "both settings are the same" in words(test)


@pytest.mark.usefixtures("lab")
def test_a_setting_becomes_the_collections_own_and_goes_again(
    app: App, workspace: Workspace
) -> None:
    collection = workspace.documents.collection("Coffee").id
    test = app(PAGE, question="How?")
    test.button(key="lab-keep-B").click().run()
    assert workspace.settings.retrieval(collection) == PAPER
    assert [each for each in test.button if each.key == "lab-keep-B"] == []
    test.button(key="lab-reset-A").click().run()
    assert test.slider(key=key(test, "A", "threshold")).value == 0.75
    again = app(PAGE, question="How?")
    assert again.slider(key=key(again, "A", "threshold")).value == 0.75
    assert again.slider(key=key(again, "B", "threshold")).value == 0.56
    assert "own retrieval setting" in words(again)
    workspace.documents.delete_collection(collection)
    assert workspace.settings.retrieval(collection) == RetrievalConfig()


@pytest.mark.usefixtures("lab")
def test_every_step_is_drawn_for_both_sides(app: App) -> None:
    test = app(PAGE, question="How?")
    for step in STEPS:
        test.button_group(key="lab-step").set_value(step).run()
        assert not test.exception
        assert words(test).count(":blue-badge[**A**]") == 3
        graphs = test.get("component_instance")
        assert len(graphs) == (2 if step in ("path", "subgraph") else 0)


@pytest.mark.usefixtures("lab")
def test_the_graph_of_a_side_can_be_enlarged(app: App) -> None:
    test = app(PAGE, question="How?")
    test.button(key="lab-enlarge-B").click().run()
    assert not test.exception
    assert [each.proto.dialog.title for each in test.get("dialog")] == ["Retrieval path · B"]


def test_hostile_text_stays_text(
    app: App, lab: Found, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hostile(*_: object, config: RetrievalConfig, **__: object) -> Retrieval:
        found = with_settings(
            fake_backend.retrieval(workspace, fake_backend.NAME, lab.id, (HOSTILE,) * 4), config
        )
        trace = replace(
            found.trace,
            entities=(HOSTILE,),
            matches=tuple(replace(m, entity=HOSTILE, label=HOSTILE) for m in found.trace.matches),
            components=tuple(replace(c, reason=HOSTILE) for c in found.trace.components),
            node_prizes=(Prize("n", HOSTILE, 0.5, 2.0),),
            edge_prizes=(Prize("e", HOSTILE, 0.5, 2.0),),
            nodes=tuple(replace(n, label=HOSTILE) for n in found.trace.nodes),
            hops=tuple(replace(h, reason=HOSTILE) for h in found.trace.hops),
            fallbacks=(HOSTILE,),
        )
        triplets = tuple(replace(tr, subject=HOSTILE, text=HOSTILE) for tr in found.triplets)
        passages = tuple(replace(p, text=HOSTILE) for p in found.passages)
        if config.preset == "paper":
            return replace(found, trace=trace, images=(), passages=(), triplets=(), entities=())
        return replace(
            found, trace=trace, triplets=triplets, passages=passages, entities=(HOSTILE,)
        )

    monkeypatch.setattr(pipeline, "retrieve", hostile)
    test = app(PAGE, question=HOSTILE)
    for step in STEPS:
        test.button_group(key="lab-step").set_value(step).run()
        assert not test.exception
        shown = [*test.markdown, *test.caption]
        raw = "\n".join([*(str(each.value) for each in shown), *(b.label for b in test.button)])
        for live in (r"<img src", r"!\[x\]\(", r"https://e\.", r":material/home:", r"\$x\$"):
            assert not re.search(r"(?<!\\)" + live, raw)
        assert all("onerror" not in str(each.proto) for each in test.get("html"))


def test_what_is_missing_on_one_side_is_said_there(
    app: App, lab: Found, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*args: Any, config: RetrievalConfig, **more: Any) -> Retrieval:
        if config.preset == "paper":
            raise WeightsMissing("The weights of CLIP are not here: fetch them in Settings.")
        return lab(*args, config=config, **more)

    monkeypatch.setattr(pipeline, "retrieve", missing)
    test = app(PAGE, question="How?")
    assert not test.exception
    assert "fetch them in Settings" in words(test)
    assert "3 pictures · 3 passages" in words(test)


@pytest.mark.usefixtures("lab")
def test_the_answer_leads_into_the_lab(app: App, workspace: Workspace) -> None:
    collection = workspace.documents.collection("Coffee")
    chat = workspace.chats.create(collection.id, "short")
    turn = workspace.chats.add_turn(chat.id, "How hot is the spout?")
    test = app("app.py", chat=chat.id)
    test.button(key=f"lab-{turn.id}").click().run()
    assert not test.exception
    assert test.text_input(key="question").value == "How hot is the spout?"


@pytest.mark.usefixtures("lab")
def test_another_collection_is_looked_into_with_its_own_setting(
    app: App, workspace: Workspace, tmp_path: Path
) -> None:
    test = app(PAGE, question="How?")
    fake_backend.fill(workspace, tmp_path, collection="Tea")
    test.run()
    tea = workspace.documents.collection("Tea").id
    test.sidebar.selectbox[0].set_value(tea).run()
    assert not test.exception
    assert test.session_state["collection"] == tea


# --- what is read off two retrievals ---


def test_gained_lost_and_moved_are_told_apart() -> None:
    change = compare({"a": "A", "b": "B", "c": "C"}, {"c": "C", "d": "D", "a": "A"})
    assert (change.gained, change.lost, change.shared, change.moved) == (("D",), ("B",), 2, True)
    same = compare({"a": "A"}, {"a": "A"})
    assert (same.gained, same.lost, same.shared, same.moved) == ((), (), 1, False)


def test_triplets_lost_are_named() -> None:
    found = fake_backend.retrieval()
    told = changes(found, replace(found, triplets=found.triplets[1:]))["triplets"]
    assert told.gained == ()
    assert len(told.lost) == 1
    assert told.lost[0].startswith("Milk system · is cleaned with · Blue container")


def test_b_begins_with_what_a_is_not() -> None:
    assert first_setting("A", PAPER) == PAPER
    assert first_setting("B", PAPER) == RetrievalConfig()
    assert first_setting("B", RetrievalConfig(k=9)) == PAPER


# --- steps ---


def look(step: Any, found: Retrieval) -> Any:
    return look_at(step, with_settings(found, RetrievalConfig()), NAMES, longest([found]))


def test_a_match_outside_the_subgraph_is_dropped_and_says_so() -> None:
    (group,) = look("names", fake_backend.retrieval()).groups
    assert [(row.name, row.kept) for row in group.rows] == [
        ("**Milk system**", True), ("**System cleaning**", True), ("**Bean hopper**", False),
    ]  # fmt: skip
    assert "not in the sub\\-graph" in group.rows[2].note.replace("sub-graph", "sub\\-graph")
    assert group.mark == 0.56


def test_components_dropped_unseen_are_counted() -> None:
    told = look("components", fake_backend.retrieval())
    assert told.summary == "1 of 4 separate parts kept · 2 more dropped unseen"
    assert [row.note for row in told.groups[0].rows] == [
        "taken · above 0\\.75",
        "dropped · below 0\\.75",
    ]


def test_edges_of_one_relation_share_a_row_and_prizes_set_the_bars() -> None:
    found = fake_backend.retrieval()
    prizes = (Prize("a", "is", 0.5, 2.0), Prize("b", "is", 0.5, 2.0), Prize("c", "has", 0.9, 4.0))
    found = replace(found, trace=replace(found.trace, edge_prizes=prizes, edge_cost=0.25))
    told = look("prizes", found)
    assert told.summary == "An edge costs 0.25 · pcst\\_fast"
    assert [(r.name, r.value, r.shown) for r in told.groups[1].rows] == [
        ("**has**", 1.0, "4"), ("**is** :gray[× 2]", 0.5, "2"),
    ]  # fmt: skip


def test_links_tell_taken_from_dropped_and_gather_what_a_picture_leads_to() -> None:
    found = fake_backend.retrieval()
    onward = tuple(
        Hop("image-to-text", 2, f"n{i}-doc", "i0-doc", "LS", 0.5, True, "followed")
        for i in range(6)
    )
    found = replace(found, trace=replace(found.trace, hops=(*found.trace.hops, *onward)))
    told = look("links", found)
    towards, back = told.groups
    assert told.summary == "9 taken, 1 dropped"
    assert [row.kept for row in towards.rows] == [True, True, True, False]
    assert towards.rows[3].note == "dropped · on the same page · too weak"
    assert towards.rows[2].name == "question → picture i2-doc"
    (row,) = back.rows
    assert "and 2 more" in row.name
    assert row.note == "in the same section · round 2 · followed"


def test_bars_of_time_share_one_scale() -> None:
    fast, slow = fake_backend.retrieval(), fake_backend.retrieval()
    slow = replace(slow, timings_ms={"search": 80.0, "total": 90.0})
    told = look_at("time", with_settings(fast, RetrievalConfig()), NAMES, longest([fast, slow]))
    assert [(row.value, row.shown) for row in told.groups[0].rows] == [
        (0.15, "12 ms"), (0.5, "40 ms"), (0.1125, "9 ms"), (0.075, "6 ms"),
    ]  # fmt: skip
    assert told.groups[1].rows[0].name.startswith("pcst\\_fast is missing")
