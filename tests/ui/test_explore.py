"""The Graph page: every way through it, hostile names and hostile addresses."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree
from zipfile import ZipFile

import fake_backend
import networkx as nx
import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from brit.exploring import GraphFilter, admit, join_ties, overview, place_marks
from brit.pipeline import explore
from brit.pipeline.explore import Explorer, export_bytes, extract_of, open_explorer
from brit.storage import Workspace
from brit.storage.export import graph_data
from brit.types import Link
from brit.ui.explore.address import Spot, pair_id, read_spot
from brit.ui.explore.canvas import Click, read_click, scene_data
from brit.ui.explore.facts import links_of, mentions_of, relations_of
from brit.ui.explore.stage import Stage, stage_of
from brit.ui.explore.svg import scene_svg
from brit.ui.explore.told import chain
from brit.ui.explore.where import after_click
from brit.ui.theme import PALETTES

App = Callable[..., AppTest]
PAGE = "pages/2_Graph.py"
HOSTILE = "</script><img src=x onerror=alert(1)>"


@pytest.fixture
def filled(workspace: Workspace, tmp_path: Path) -> str:
    """A document of ten nodes, nine in one component, three linked to pictures; → its id."""
    id = fake_backend.fill(workspace, tmp_path)
    links = [
        Link(f"i0-{id}", f"n3-{id}", "CA", 1.0, "in the caption"),
        Link(f"i0-{id}", f"n8-{id}", "LP", 0.5, "on page 1"),
        Link(f"i1-{id}", f"n4-{id}", "SI", 0.3, "looks alike"),
    ]
    workspace.graph.put_document_graph(id, mentions=[], edges=[], links=links)
    return id


@pytest.fixture
def explorer(workspace: Workspace, filled: str) -> Explorer:
    assert filled
    return open_explorer(workspace, "Coffee")


def words(test: AppTest) -> str:
    shown = [*test.markdown, *test.caption, *test.info, *test.error]
    labels = [each.label for each in test.button]
    said = "\n".join([*(str(each.value) for each in shown), *labels])
    return said.replace("\\", "").replace("\u00a0", " ")


def drawn(test: AppTest) -> dict[str, object]:
    args: dict[str, object] = json.loads(test.get("component_instance")[0].proto.json_args)
    return args


def marks(test: AppTest) -> set[str]:
    return {row[0] for row in drawn(test)["marks"]}  # type: ignore[attr-defined]


# --- the page ---


def test_the_whole_graph_comes_with_its_components(app: App, filled: str) -> None:
    test = app(PAGE)
    assert not test.exception
    assert "n:n0-" + filled in marks(test)
    assert "i:i0-" + filled in marks(test)
    assert "1 component" in words(test)
    assert "Most connected" in words(test)


def test_a_name_is_found_as_it_is_typed_and_opened(app: App, filled: str) -> None:
    test = app(PAGE)
    test.text_input(key="explore-search").set_value("MILK").run()
    hit = test.button(key=f"explore-search-hit-n:n2-{filled}")
    assert "Milk system" in hit.label
    hit.click().run()
    assert test.query_params["node"] == f"n:n2-{filled}"
    assert marks(test) == {f"n:n{i}-{filled}" for i in (0, 2, 3)}
    assert "Around **Milk system**" in words(test)
    assert "is cleaned with →] Blue container" in words(test)


def test_nothing_found_is_said(app: App, filled: str) -> None:
    test = app(PAGE)
    test.text_input(key="explore-search").set_value("zzz").run()
    assert "No name holds “zzz”." in words(test)
    assert filled


def test_hops_size_and_filters_stand_in_the_address(app: App, filled: str) -> None:
    test = app(PAGE, node=f"n:n2-{filled}")
    test.segmented_control(key="explore-hops").set_value(2).run()
    assert test.query_params["hops"] == "2"
    assert f"i:i0-{filled}" in marks(test)
    test.pills(key="explore-links").set_value(["SI"]).run()
    assert test.query_params["links"] == "SI"
    assert f"i:i0-{filled}" not in marks(test)
    test.multiselect(key="explore-kinds").set_value(["PRODUCT"]).run()
    assert f"n:n0-{filled}" not in marks(test)
    test.button(key="explore-reset").click().run()
    assert "links" not in test.query_params
    assert "kinds" not in test.query_params


def test_an_address_leads_to_the_way_and_tells_it(app: App, filled: str) -> None:
    test = app(PAGE, node=f"n:n7-{filled}", to=f"i:i0-{filled}")
    assert not test.exception
    said = words(test)
    assert "**Descaling** → :gray[follows] → **System cleaning**" in said
    assert "named in the caption" in said
    assert f"{fake_backend.NAME} · p. 1" in said
    assert marks(test) == {*(f"n:n{i}-{filled}" for i in (7, 0, 2, 3)), f"i:i0-{filled}"}


def test_no_way_is_said(app: App, filled: str) -> None:
    test = app(PAGE, node=f"n:n7-{filled}", to=f"n:n8-{filled}", links="CA")
    assert "Nothing joins “Descaling” and “Bean hopper”" in words(test)


def test_a_picture_and_a_line_have_cards(app: App, filled: str) -> None:
    test = app(PAGE, node=f"n:n3-{filled}", pick=f"i:i0-{filled}")
    assert "Blue container" in words(test)
    assert "Bean hopper" in words(test)
    test = app(PAGE, pick=pair_id(f"n:n2-{filled}", f"n:n3-{filled}"))
    assert "“Milk system” is cleaned with “Blue container”" in words(test)


def test_mentions_open_their_page(app: App, filled: str) -> None:
    test = app(PAGE, node=f"n:n8-{filled}")
    test.segmented_control(key=f"explore-tab-n:n8-{filled}").set_value("mentions").run()
    row = next(each for each in test.button if (each.key or "").startswith("explore-open-"))
    assert "p. 1" in row.label.replace("\\", "")
    row.click().run()
    assert not test.exception
    assert "Clean the milk system" in words(test)


@pytest.mark.parametrize(
    "params",
    [
        {"node": HOSTILE, "pick": HOSTILE, "to": "n:nobody"},
        {"node": "i:../../etc/passwd", "hops": "999999999", "size": "-1", "score": "NaN"},
        {"links": "XX,;DROP", "kinds": HOSTILE, "documents": "\x00", "relations": "9" * 5000},
        {"hops": "0x1", "score": "1e9", "pick": "~~~~", "size": "5000.0"},
        {"hops": "0", "score": "0.37", "pick": "n:a~n:b~n:c", "links": ","},
    ],
)
def test_hostile_addresses_do_nothing(app: App, filled: str, params: dict[str, str]) -> None:
    test = app(PAGE, **params)
    assert not test.exception
    assert len(marks(test)) >= 10
    assert filled


def test_a_picture_has_no_component(app: App, filled: str) -> None:
    test = app(PAGE, node=f"i:i0-{filled}", hops="0")
    assert not test.exception
    assert marks(test) == {f"i:i0-{filled}", f"n:n3-{filled}", f"n:n8-{filled}"}


def test_empty_states_are_one_sentence(app: App, workspace: Workspace) -> None:
    assert "There is no collection yet" in words(app(PAGE))
    workspace.documents.create_collection("Coffee")
    assert "Nothing in this collection has been read" in words(app(PAGE))
    fake_backend.fill_wiki(workspace)
    assert "No names were found in these documents" in words(app(PAGE))


# --- address, clicks, drawing, exports ---


def test_a_spot_comes_back_from_its_address(explorer: Explorer, filled: str) -> None:
    wanted = GraphFilter((filled,), ("TERM",), ("cleans",), ("CA", "LP"), 0.35)
    spot = Spot(f"n:n0-{filled}", f"i:i1-{filled}", f"n:n2-{filled}", 3, 500, wanted)
    params = {k: v if isinstance(v, list) else [v] for k, v in spot.params.items()}
    assert read_spot(params, explorer.ties) == spot
    assert Spot().params == {}
    nothing = Spot(wanted=GraphFilter(links=()))
    assert read_spot({"links": ["none"]}, explorer.ties) == nothing
    assert nothing.params == {"links": ["none"]}


def test_clicks_lead_where_they_point(explorer: Explorer, filled: str) -> None:
    spot, node = Spot(f"n:n0-{filled}"), f"n:n2-{filled}"
    ties = explorer.ties
    assert after_click(Click("pick", node), spot, ties).pick == node
    assert after_click(Click("open", node), spot, ties).node == node
    assert after_click(Click("ground"), Spot(pick=node), ties).pick == ""
    pair = pair_id(node, f"n:n3-{filled}")
    assert after_click(Click("pick", pair), spot, ties).pick == pair
    for gone in (Click("pick", "n:gone"), Click("open", HOSTILE), Click("pick", "a~b")):
        assert after_click(gone, spot, ties) == spot


@pytest.mark.parametrize("value", [None, "x", 3, {}, {"event": "run", "id": "x"},
                                   {"event": "pick", "id": 7}])  # fmt: skip
def test_what_a_browser_makes_up_is_no_click(value: object) -> None:
    assert read_click(value) is None


def test_a_card_knows_relations_mentions_and_links(explorer: Explorer, filled: str) -> None:
    node = explorer.ties.graph.node_at[f"n0-{filled}"]
    stage = stage_of(explorer, Spot(), "light")
    relations = relations_of(explorer, node, stage.admitted)
    assert {(row.relation, row.forward) for row in relations} == {
        ("cleans", True), ("needs", True), ("causes", True), ("starts", False),
        ("sets", False), ("follows", False),
    }  # fmt: skip
    (mention,) = mentions_of(explorer, node)
    assert (mention.document, mention.page, mention.bbox) == (
        fake_backend.NAME,
        1,
        fake_backend.BOX,
    )
    linked = explorer.ties.graph.node_at[f"n3-{filled}"]
    (row,) = links_of(explorer, linked, stage.admitted)
    assert (row.kind, row.score, row.evidence.document_id) == ("CA", 1.0, filled)
    assert "in the caption" in row.evidence.why


def hostile_stage(workspace: Workspace) -> tuple[Explorer, Stage]:
    target = workspace.documents.collection("Coffee")
    nodes = workspace.graph.nodes(target.id)
    bad = f"={HOSTILE}\x00\x1b\u202e"
    changed = [type(node)(node.id, node.name, bad, node.kind, (bad,)) for node in nodes]
    workspace.graph.put_nodes(target.id, changed)
    explorer = open_explorer(workspace, "Coffee")
    return explorer, stage_of(explorer, Spot(size=500), "dark")


def test_hostile_names_stay_text(workspace: Workspace, filled: str) -> None:
    explorer, stage = hostile_stage(workspace)
    svg = scene_svg(stage.scene, "dark")
    root = ElementTree.fromstring(svg)
    tags = {each.tag.rpartition("}")[2] for each in root.iter()}
    assert tags <= {"svg", "rect", "line", "circle", "image", "text"}
    assert b"<img" not in svg
    assert b"<script" not in svg
    assert all("title" not in str(row) for row in scene_data(stage.scene, PALETTES["dark"], "dark"))
    way = stage_of(explorer, Spot(f"n:n7-{filled}", to=f"n:n2-{filled}"), "dark").way
    assert way
    assert "<img" not in chain(explorer, way).replace("\\<", "")


def test_the_svg_shows_every_mark_and_its_picture(explorer: Explorer, filled: str) -> None:
    stage = stage_of(explorer, Spot(f"n:n3-{filled}"), "light")
    root = ElementTree.fromstring(scene_svg(stage.scene, "light"))
    kinds = [each.tag.rpartition("}")[2] for each in root.iter()]
    assert kinds.count("circle") == 2
    assert kinds.count("image") == 1
    (image,) = (each for each in root.iter() if each.tag.endswith("image"))
    assert image.attrib["href"].startswith("data:image/jpeg;base64,")
    assert "Milk system" in {each.text for each in root.iter() if each.tag.endswith("text")}


def test_an_extract_is_exported_and_read_by_networkx(explorer: Explorer, filled: str) -> None:
    wanted = GraphFilter(kinds=("PRODUCT",), links=("CA",))
    stage = stage_of(explorer, Spot(wanted=wanted), "light")
    extract = extract_of(explorer.ties, stage.admitted)
    collection = explorer.collection.id
    data = json.loads(export_bytes(explorer.workspace, collection, "json", extract))
    assert {node["kind"] for node in data["nodes"]} == {"PRODUCT"}
    assert [edge["relation"] for edge in data["edges"]] == ["is cleaned with"]
    assert [link["kind"] for link in data["links"]] == ["CA"]
    whole = export_bytes(explorer.workspace, collection, "graphml")
    graph = nx.read_graphml(BytesIO(whole), force_multigraph=True)
    assert graph.number_of_nodes() == 10 + 4
    assert graph.number_of_edges() == 8 + 3
    ids = [
        each.attrib["id"]
        for each in ElementTree.fromstring(whole).iter()
        if "source" in each.attrib
    ]
    assert len(set(ids)) == len(ids) == 11
    assert filled


def test_everything_in_an_extract_is_the_whole_graph(explorer: Explorer) -> None:
    stage = stage_of(explorer, Spot(), "light")
    extract = extract_of(explorer.ties, stage.admitted)
    id = explorer.collection.id
    assert graph_data(explorer.workspace, id, extract) == graph_data(explorer.workspace, id)


def test_csv_is_a_zip_whose_cells_are_no_formulas(workspace: Workspace, filled: str) -> None:
    explorer, _ = hostile_stage(workspace)
    archive = ZipFile(BytesIO(export_bytes(workspace, explorer.collection.id, "csv")))
    assert sorted(archive.namelist()) == [
        "graph-edges.csv", "graph-images.csv", "graph-links.csv", "graph-nodes.csv",
    ]  # fmt: skip
    rows = archive.read("graph-nodes.csv").decode().splitlines()[1:]
    assert all(f",'={HOSTILE}" in row or f",\"'={HOSTILE}" in row for row in rows)
    assert filled


def test_places_of_large_views_are_kept(
    workspace: Workspace, filled: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    explorer = open_explorer(workspace, "Coffee")
    view = overview(explorer.ties, admit(explorer.ties, GraphFilter()), 50)
    monkeypatch.setattr(explore, "WORTH_KEEPING", 2)
    sizes = np.full((len(view.marks), 2), 30.0)
    first = explorer.place(view, sizes, 1.5)
    monkeypatch.setattr(explore, "place_marks", lambda *_: pytest.fail("laid out again"))
    assert np.allclose(explorer.place(view, sizes, 1.5), first, atol=0.01)
    (file,) = (workspace.folder / "indexes").rglob("layouts/*.npy")
    file.write_bytes(b"broken")
    monkeypatch.setattr(explore, "place_marks", place_marks)
    assert np.allclose(explorer.place(view, sizes, 1.5), first)
    workspace.documents.delete(filled)
    assert not file.exists()
    assert join_ties(open_explorer(workspace, "Coffee").read.graph).marks == 0
