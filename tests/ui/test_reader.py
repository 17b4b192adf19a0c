"""Any page of any document: its regions, their names, their mentions, and what it says."""

from pathlib import Path
from typing import Any

import fake_backend
import pymupdf
import pytest
from streamlit.testing.v1 import AppTest
from test_pages import App, words

from brit import pipeline
from brit.documents.drawing import draw_page, find_places
from brit.errors import DocumentError
from brit.storage import Workspace
from brit.storage.pages import Named, blocks_saying, names_of_images, names_on, page_numbers
from brit.types import Link, Node, Patch
from brit.ui.page_regions import corrected, page_content
from brit.ui.reader import Spot

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_words_and_boxes_are_found_where_they_are_seen(rotation: int) -> None:
    with pymupdf.open() as doc:
        page = doc.new_page(width=400, height=800)
        page.insert_text((40, 80), "Ostrel lamp", fontsize=20)
        box = tuple(page.search_for("Ostrel lamp")[0])
        page.set_rotation(rotation)
        (seen,), ((word,),) = find_places(doc, 1, [box], ["Ostrel lamp"])
        assert word == pytest.approx(seen, abs=0.01)
        across, down = (word[0] + word[2]) / 2, (word[1] + word[3]) / 2
        upright = {0: (across, down), 90: (down, 1 - across), 180: (1 - across, 1 - down),
                   270: (1 - down, across)}[rotation]  # fmt: skip
        assert upright[0] < 0.4
        assert upright[1] < 0.12
        with pytest.raises(DocumentError, match="no page 2"):
            find_places(doc, 2, [], [])


def test_only_what_is_around_the_marked_place_is_drawn() -> None:
    with pymupdf.open() as doc:
        doc.new_page(width=400, height=800)
        whole = pymupdf.Pixmap(draw_page(doc, 1, [], 72, 10**7))
        part = pymupdf.Pixmap(draw_page(doc, 1, [(40, 700, 90, 900)], 72, 10**7, around=True))
        assert (whole.width, whole.height) == (400, 800)
        assert part.width == 400
        assert 100 < part.height < 200


@pytest.fixture
def document(workspace: Workspace, tmp_path: Path) -> str:
    id = fake_backend.fill(workspace, tmp_path)
    link = Link(f"i0-{id}", f"n3-{id}", "CA", 1.0, "in the caption")
    workspace.graph.put_document_graph(id, mentions=[], edges=[], links=[link])
    return id


def test_what_stands_on_a_page_is_read_with_its_names(workspace: Workspace, document: str) -> None:
    assert page_numbers(workspace, document) == [1, 2, 3]
    named = names_on(workspace, document, 1)
    assert {each.label for each in named} == {label for label, _ in fake_backend.NODES}
    assert names_on(workspace, document, 2) == []
    (linked,) = names_of_images(workspace, [f"i0-{document}"])
    assert (linked.label, linked.link, linked.score) == ("Blue container", "CA", 1.0)
    content = page_content(workspace, workspace.documents.document(document), 1)
    kinds = [region.kind for region in content.regions if region.kind != "name"]
    assert sorted(kinds) == ["figure", "text"]
    assert [each.label for each in content.names_at(f"i:i0-{document}")] == ["Blue container"]
    marked = {region.label for region in content.regions if region.kind == "name"}
    assert {"Blue container", "Milk system"} <= marked
    assert all(0 <= side <= 1 for region in content.regions for side in region.box or ())


def test_what_people_put_right_is_read_so() -> None:
    read = [
        Named("a", "Pump", "TERM", "b1", "pump"),
        Named("a", "Pump", "TERM", "b1", "lamp"),
        Named("c", "Pmp", "TERM", "b2", "pmp"),
        Named("a", "Pump", "TERM", "i1", "", "LP", 0.4),
        Named("c", "Pmp", "TERM", "i1", "", "SI", 0.3),
        Named("d", "Valve", "TERM", "i1", "", "CA", 0.9),
    ]
    patch = Patch(
        split={("a", "lamp"): "l"}, merged={"c": "a"},
        nodes={"l": Node("l", "lamp", "Lamp", "TERM"), "a": Node("a", "pump", "Pumps", "TERM")},
        links=(Link("i1", "l", "CA", 1.0, "said"), Link("i9", "l", "CA", 1.0, "elsewhere")),
        unlinked=frozenset({("i1", "a", "LP")}), reviews={("i1", "d"): "rejected"},
    )  # fmt: skip
    shown = [(each.label, each.at, each.link) for each in corrected(read, patch, ["i1"])]
    assert shown == [
        ("Pumps", "b1", None), ("Lamp", "b1", None), ("Pumps", "b2", None),
        ("Pumps", "i1", "SI"), ("Lamp", "i1", "CA"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("said", "pages"),
    [
        ("BLUE  container", [1]),
        ("the", [1, 2, 3]),
        ("100%", []),
        ("_", []),
        ("", []),
        ("'; --", []),
    ],
)
def test_a_document_is_searched_by_its_own_words(
    workspace: Workspace, document: str, said: str, pages: list[int]
) -> None:
    assert [block.page for block in blocks_saying(workspace, document, said, 9)] == pages
    assert len(blocks_saying(workspace, document, "the", 2)) == 2


def regions(test: AppTest) -> list[dict[str, Any]]:
    import json

    drawn = [each.proto for each in test.get("bidi_component")]
    (page,) = [each for each in drawn if each.component_name == "brit_page"]
    rows: list[dict[str, Any]] = json.loads(page.json)["regions"]
    return rows


def reader() -> None:
    """A page of its own for the reader: a whole run, as AppTest makes them, closes a dialog."""
    from brit.ui.reader import show_reader
    from brit.ui.state import current_place

    show_reader(current_place())


@pytest.mark.usefixtures("app")
def test_from_a_page_to_a_name_its_mentions_and_back(document: str) -> None:
    test = AppTest.from_function(reader, default_timeout=20)
    test.session_state["reader"] = Spot(document, 1)
    test.run()
    assert not test.exception
    assert {row["kind"] for row in regions(test)} == {"figure", "name"}
    next(b for b in test.button if b.label == "Blue container").click().run()
    assert "named in 1 place" in words(test)
    assert {row["label"] for row in regions(test) if row["on"]} == {"Blue container"}
    next(b for b in test.button if b.key and b.key.startswith("reader-mention-")).click().run()
    assert [row["kind"] for row in regions(test) if row["on"] and row["kind"] != "name"] == ["text"]
    next(b for b in test.button if b.label == "Back").click().run()
    test.text_input(key="reader-find").set_value("hose").run()
    (hit,) = [b for b in test.button if b.key and b.key.startswith("reader-hit-")]
    assert "takes the place of the milk hose" in hit.label.replace("\\", "")
    hit.click().run()
    assert test.number_input[0].value == 2
    test.text_input(key="reader-find").set_value("nowhere").run()
    assert "does not say that" in words(test)
    next(b for b in test.button if b.label == "Next page").click().run()
    assert test.number_input[0].value == 3
    assert next(b for b in test.button if b.label == "Next page").disabled


def test_a_document_without_pages_is_read_by_its_text_and_hostile_text_stays_text(
    app: App, workspace: Workspace
) -> None:
    id = fake_backend.fill_wiki(workspace)
    block = workspace.content.blocks(id)[0]
    workspace.content.update_blocks(
        [type(block)(block.id, id, None, 0, type(block.block)(HOSTILE, "paragraph"))]  # type: ignore[call-arg,arg-type]
    )
    test = app("pages/1_Library.py", doc=id)
    next(b for b in test.button if b.label == "Read").click().run()
    assert not test.exception
    rows = regions(test)
    assert [row["text"] for row in rows] == [HOSTILE, "Every machine wants care.",
                                             fake_backend.TEXTS[0]]  # fmt: skip
    assert all("<img src" not in str(each.value) for each in test.markdown)


def test_a_document_deleted_meanwhile_is_said_to_be_gone(
    app: App, document: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    test = app("pages/1_Library.py", doc=document)
    monkeypatch.setattr(pipeline, "page_image", _gone)
    next(b for b in test.button if b.label == "Read").click().run()
    assert not test.exception
    assert "cannot be drawn" in words(test)


def _gone(*_: object, **__: object) -> bytes:
    raise DocumentError("The page cannot be drawn.")
