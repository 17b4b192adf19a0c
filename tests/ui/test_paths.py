"""The path of a sentence: from the question to what it rests on, read off the trace alone."""

from dataclasses import replace

import fake_backend
import pytest

from brit.types import Hop, Retrieval, TraceNode
from brit.ui.answer_text import Verdict, below, blocks_of
from brit.ui.evidence import list_evidence
from brit.ui.evidence_place import path_evidence
from brit.ui.graph_layout import extent, layered
from brit.ui.graph_spec import GraphEdge, GraphNode, GraphSpec, NodeKind, path_spec
from brit.ui.graph_view import Light, vis_data
from brit.ui.lit import Paths, mark_of_evidence, sentences_of
from brit.ui.path_words import steps_of
from brit.ui.theme import PALETTES
from brit.ui.ways import Ways

FOUND = fake_backend.retrieval()
ANSWERED = fake_backend.answer_of(FOUND)
PATHS = Paths(FOUND, ANSWERED)


def told(found: Retrieval, mark: str) -> list[tuple[str, str, str]]:
    return [(leg.kind, leg.source, leg.target) for leg in Ways(found).to(mark)]


def test_a_picture_is_reached_through_entity_node_triplet_and_link() -> None:
    assert told(FOUND, "i:i0-doc") == [
        ("entity", "q", "n:n2-doc"), ("triplet", "n:n2-doc", "n:n3-doc"),
        ("link", "n:n3-doc", "i:i0-doc"),
    ]  # fmt: skip
    entity, triplet, link = Ways(FOUND).to("i:i0-doc")
    assert (entity.label, entity.score) == ("milk system", 0.97)
    assert (triplet.label, triplet.score, triplet.forward) == ("is cleaned with", 0.7, True)
    assert (link.link, link.score) == ("CA", 0.79)


def test_a_passage_is_reached_through_what_it_says_or_by_likeness() -> None:
    assert told(FOUND, "p:p0-doc")[-1] == ("stated", "n:n3-doc", "p:p0-doc")
    assert told(FOUND, "p:p2-doc") == [("similar", "q", "p:p2-doc")]
    assert told(FOUND, "i:i2-doc") == [("similar", "q", "i:i2-doc")]


def test_what_the_trace_does_not_know_has_no_way() -> None:
    for mark in ("n:x", "i:x", "p:x", "e:x", "q", "", "s:1", "<img>"):
        assert Ways(FOUND).to(mark) == ()


def test_a_name_that_a_picture_brought_is_reached_through_the_picture() -> None:
    node = TraceNode("n9-doc", "Spout", "PRODUCT", 0.3, "image")
    back = Hop("image-to-text", 1, "n9-doc", "i0-doc", "CA", 1.0, True, "followed")
    on = Hop("text-to-image", 2, "n9-doc", "i2-doc", "LP", 0.5, True, "second round")
    trace = replace(
        FOUND.trace, nodes=(*FOUND.trace.nodes, node), hops=(*FOUND.trace.hops, back, on)
    )
    found = replace(FOUND, trace=trace)
    assert [kind for kind, *_ in told(found, "i:i2-doc")] == [
        "entity", "triplet", "link", "back", "link",
    ]  # fmt: skip


def test_pictures_that_lead_to_each_other_end_nowhere_but_in_the_question() -> None:
    nodes = tuple(TraceNode(f"n{i}", f"N{i}", "TERM", 0.1, "image") for i in (1, 2))
    hops = tuple(
        Hop(kind, 1, node, image, "CA", 0.5, True, "")  # type: ignore[arg-type]
        for node, other, image in (("n1", "n2", "i0-doc"), ("n2", "n1", "i1-doc"))
        for kind, node in (("text-to-image", node), ("image-to-text", other))
    )
    trace = replace(FOUND.trace, nodes=nodes, edges=(), matches=(), hops=hops)
    way = Ways(replace(FOUND, trace=trace)).to("i:i0-doc")
    assert way[0].source == "q"
    assert way[-1].target == "i:i0-doc"


def test_sentences_are_cut_with_their_numbers_and_quotes_stay_whole() -> None:
    text = "It is red [1]. It is large [2, 3].\n\n- “A. B. C.” (x.pdf, p. 3) [4]\nPlain."
    cut = sentences_of(text)
    assert [(text[s.start : s.end], s.markers) for s in cut] == [
        ("It is red [1].", (1,)), ("It is large [2, 3].", (2, 3)),
        ("- “A. B. C.” (x.pdf, p. 3) [4]", (4,)), ("Plain.", ()),
    ]  # fmt: skip


def test_a_sentence_lights_up_all_it_cites_and_a_node_what_leads_through_it() -> None:
    lit = PATHS.light("s:1")
    assert lit is not None
    assert lit.targets == ("p:p0-doc", "i:i0-doc")
    assert {"q", "n:n2-doc", "n:n3-doc", "i:i0-doc", "p:p0-doc"} == lit.marks
    node = PATHS.light("n:n3-doc")
    assert node is not None
    assert (node.targets, node.sentences) == (lit.targets, {1})
    aside = PATHS.light("n:n5-doc")
    assert aside is not None
    assert (aside.targets, aside.sentences) == (("n:n5-doc",), frozenset())


@pytest.mark.parametrize("made_up", ["s:0", "s:99", "s:-1", "s:²", "i:nothing", "", "~", "s:"])
def test_what_cites_nothing_or_is_not_there_lights_up_nothing(made_up: str) -> None:
    assert PATHS.light(made_up) is None


def test_a_fact_with_its_source_in_words_is_known_by_its_text() -> None:
    answer = replace(ANSWERED, text=f"- “{fake_backend.TEXTS[0]}” (handbook, page 1)", citations=())
    lit = Paths(FOUND, answer).light("s:0")
    assert lit is not None
    assert lit.targets[0] == "e:e0-doc"


def test_the_steps_say_kind_and_score_and_name_their_places() -> None:
    lit = PATHS.light("i:i0-doc")
    assert lit is not None
    steps = steps_of(FOUND, lit)
    assert [(step.mark, step.evidence) for step in steps] == [
        ("q", ""), ("n:n2-doc", ""), ("n:n3-doc", "triplet:e0-doc"),
        ("i:i0-doc", "image:i0-doc"),
    ]  # fmt: skip
    assert [step.note for step in steps] == [
        "Your question",
        "name, by its words · nearness to the question 0.97 of 1",
        "said in the documents · nearness to the question 0.70 of 1",
        "from text to picture · score of the picture 0.79 of 1 · Alder One handbook.pdf · p. 1",
    ]
    assert steps[2].text == "Milk system · is cleaned with · Blue container"
    row = path_evidence(FOUND, list_evidence(FOUND, ANSWERED), lit, steps)
    assert [each.key for each in row] == ["image:i0-doc", "triplet:e0-doc"]
    assert [mark_of_evidence(each.key) for each in row] == ["i:i0-doc", "e:e0-doc"]


def test_every_leg_of_every_cited_way_is_drawn() -> None:
    spec = path_spec(FOUND, ANSWERED)
    drawn = {frozenset((edge.source, edge.target)) for edge in spec.edges}
    for number in range(len(PATHS.sentences)):
        lit = PATHS.light(f"s:{number}")
        assert lit is None or lit.pairs <= drawn
    assert "n:n5-doc" in {node.id for node in path_spec(FOUND, ANSWERED, "n:n5-doc").nodes}


def test_the_rest_is_muted_and_nothing_moves() -> None:
    spec, lit = layered(path_spec(FOUND, ANSWERED)), PATHS.light("i:i0-doc")
    assert lit is not None
    light = Light(lit.marks, lit.pairs, "i:i0-doc", frozenset(("n:n3-doc", "i:i0-doc")))
    plain, shown = (
        vis_data(spec, PALETTES["light"], lambda _: "", layered=True, light=each)
        for each in (None, light)
    )
    assert [(n["id"], n["x"], n["y"]) for n in plain["nodes"]] == [
        (n["id"], n["x"], n["y"]) for n in shown["nodes"]
    ]
    marks = {n["id"]: n["opacity"] for n in shown["nodes"] if ">" not in n["id"]}
    assert marks["n:n2-doc"] == marks["i:i0-doc"] == 1.0
    assert marks["p:p2-doc"] < 0.3
    assert [set(n) for n in plain["nodes"]] == [set(n) for n in shown["nodes"]]
    assert [set(e) for e in plain["edges"]] == [set(e) for e in shown["edges"]]


def test_no_line_runs_behind_what_it_has_nothing_to_do_with() -> None:
    kinds: dict[str, NodeKind] = {"q": "question", "i": "image", "p": "passage", "n": "node"}
    ids = ("q", *(f"n:{i}" for i in range(6)), *(f"i:{i}" for i in range(4)), "p:0", "p:1", "p:2")
    nodes = tuple(GraphNode(id, kinds[id[0]], id, "kept") for id in ids)
    pairs = [("q", f"n:{i}") for i in range(6)] + [(f"n:{i}", f"i:{i}") for i in range(4)]
    pairs += [("q", f"p:{i}") for i in range(3)]
    edges = tuple(GraphEdge(source, target, "", "kept") for source, target in pairs)
    spec = layered(GraphSpec(nodes, edges))
    for edge in spec.edges:
        for x, y in edge.via:
            for node in spec.nodes:
                above, under = extent(node)
                assert node.x != x or not node.y - above < y < node.y + under
    assert all(edge.via for edge in spec.edges if edge.target.startswith("p:"))
    assert len({point for edge in spec.edges for point in edge.via}) == sum(
        len(edge.via) for edge in spec.edges
    )


def test_an_answer_becomes_runs_of_text_and_nothing_else() -> None:
    text = "# Title\nOne **two *three***\n\n1. ![x](https://e) <b> \u202e[1] [9]\n2) *a* 3*4*5"
    answer = replace(ANSWERED, text=text)
    paths = Paths(FOUND, answer)
    signs = [Verdict(len("# Title"), "check", "red", "supported")]
    blocks = blocks_of(text, paths, {1: "Source 1"}, signs, frozenset({"p:p0-doc"}))
    assert [block["item"] for block in blocks] == ["", "1.", "2)"]
    runs = [run for block in blocks for each in block["sentences"] for run in each["runs"]]
    assert [run["text"] for run in runs if "text" in run][:2] == ["Title", "One "]
    assert {"cite": 1, "mark": "p:p0-doc", "image": False, "label": "Source 1", "on": True} in runs
    said = "".join(run.get("text", "") for run in runs)
    assert "![x](https://e) <b>" in said
    assert "[9]" in said
    assert "\u202e" not in said
    assert "3*4*5" in said
    assert {"verdict": "supported", "icon": "check", "colour": "red"} in runs


def test_the_path_is_told_beneath_what_was_chosen() -> None:
    blocks = blocks_of(ANSWERED.text, PATHS, {}, [], frozenset())
    for chosen, block in (("s:1", 1), ("s:2", 2), ("i:i1-doc", 2), ("n:n5-doc", 3)):
        lit = PATHS.light(chosen)
        assert lit is not None
        assert below(blocks, lit) == block
