"""Review links on the Graph page: judged, moved, merged, undone; other tabs and hostile names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import fake_backend
import pytest
from streamlit.testing.v1 import AppTest

from brit.pipeline.corrections import confirm_link, mark_furniture, reject_link
from brit.storage import Workspace
from brit.types import Link, Node

App = Callable[..., AppTest]
PAGE = "pages/2_Graph.py"
HOSTILE = "<img src=x onerror=alert(1)> \u202e" + "x" * 10_000


@pytest.fixture
def filled(workspace: Workspace, tmp_path: Path) -> str:
    """A document with pictures, three pairs of which are linked; → its id."""
    id = fake_backend.fill(workspace, tmp_path)
    links = [
        Link(f"i0-{id}", f"n3-{id}", "CA", 0.5, "in the caption “Blue container”"),
        Link(f"i0-{id}", f"n8-{id}", "LP", 0.5, "on page 1"),
        Link(f"i1-{id}", f"n4-{id}", "SI", 0.3, "looks alike"),
    ]
    workspace.graph.put_document_graph(id, mentions=[], edges=[], links=links)
    return id


def words(test: AppTest) -> str:
    shown = [*test.markdown, *test.caption, *test.info, *test.error]
    labels = [each.label for each in test.button]
    said = "\n".join([*(str(each.value) for each in shown), *labels])
    return said.replace("\\", "").replace("\u00a0", " ")


def target(workspace: Workspace) -> str:
    return workspace.documents.stamp("Coffee").id


def test_a_link_is_confirmed_rejected_and_undone(
    app: App, workspace: Workspace, filled: str
) -> None:
    assert filled
    test = app(PAGE)
    test.button_group(key="explore-mode").set_value("review").run()
    assert not test.exception
    assert test.query_params["view"] == "review"
    assert "0 of 3 links reviewed" in words(test)
    # The caption's link is the strongest of those that are unsure.
    assert "Does this picture belong to “Blue container”?" in words(test)
    assert "score 0.50" in words(test)
    test.button(key="review-confirm").click().run()
    assert "1 of 3 links reviewed" in words(test)
    assert "Confirmed: the picture belongs to “Blue container”." in words(test)
    test.button(key="review-reject").click().run()
    assert "2 of 3 links reviewed" in words(test)
    kinds = [each.kind for each in workspace.corrections.entries(target(workspace))]
    assert kinds == ["reject", "confirm"]
    test.button(key="review-undo").click().run()
    assert "1 of 3 links reviewed" in words(test)
    assert "“Blue container” belongs to **Blue container**" in words(test)
    test.selectbox(key="review-state").set_value("confirmed").run()
    assert "1–1 of 1" in words(test)
    test.button(key="review-undo-1").click().run()
    assert "0 of 3 links reviewed" in words(test)
    assert "No link of this choice is confirmed yet." in words(test)


def test_a_link_is_moved_and_names_are_merged(app: App, workspace: Workspace, filled: str) -> None:
    test = app(PAGE, view="review", link=f"i1-{filled}~n4-{filled}")
    assert "Does this picture belong to “Plug-in adapter”?" in words(test)
    key = f"review-move-i1-{filled}-n4-{filled}"
    test.text_input(key=key).set_value("hopper").run()
    test.button(key=f"{key}-n8-{filled}").click().run()
    assert "the picture belongs to “Bean hopper” now" in words(test)
    test = app(PAGE, view="review", link=f"i0-{filled}~n3-{filled}")
    key = f"review-merge-i0-{filled}-n3-{filled}"
    test.text_input(key=key).set_value("MILK").run()
    test.button(key=f"{key}-n2-{filled}").click().run()
    assert "“Blue container” and “Milk system” are one name now" in words(test)
    assert "Does this picture belong to “Milk system”?" in words(test)
    patch = workspace.corrections.patch(target(workspace))
    assert patch.merged == {f"n3-{filled}": f"n2-{filled}"}


def test_a_caption_is_put_right_and_decoration_marked(
    app: App, workspace: Workspace, filled: str
) -> None:
    test = app(PAGE, view="review", link=f"i0-{filled}~n3-{filled}")
    test.text_area[0].set_value("The blue one")
    next(each for each in test.button if each.label == "Save").click().run()
    assert workspace.content.image(f"i0-{filled}").caption == "The blue one"
    test.button(key="review-furniture").click().run()
    assert "Marked as page decoration" in words(test)
    assert "of 1 link reviewed" in words(test)


def test_what_another_tab_did_ends_in_a_sentence(
    app: App, workspace: Workspace, filled: str
) -> None:
    test = app(PAGE, view="review", link=f"i0-{filled}~n3-{filled}")
    reject_link(workspace, target(workspace), f"i0-{filled}", f"n3-{filled}", "CA")
    test.button(key="review-confirm").click().run()  # what was said last holds
    assert "1 of 3 links reviewed" in words(test)
    mark_furniture(workspace, target(workspace), f"i0-{filled}")
    test = app(PAGE, view="review", link=f"i0-{filled}~n3-{filled}")
    assert "That link is no longer there" in words(test)
    assert "Plug-in adapter" in words(test)
    workspace.documents.delete(filled)
    test.button(key="review-confirm").click().run()
    assert not test.exception
    assert "no longer there" in words(test)


@pytest.mark.parametrize("link", ["", "~", "<script>~x", "i:0~" + "y" * 5_000, HOSTILE])
def test_a_made_up_address_shows_the_first(app: App, filled: str, link: str) -> None:
    assert filled
    test = app(PAGE, view="review", link=link)
    assert not test.exception
    assert "Does this picture belong to “Blue container”?" in words(test)


def test_hostile_names_are_shown_and_not_obeyed(
    app: App, workspace: Workspace, filled: str
) -> None:
    workspace.graph.put_nodes(
        target(workspace), [Node(f"n3-{filled}", "blue container", HOSTILE, "TERM")]
    )
    workspace.documents.touch(target(workspace), built=filled)
    confirm_link(workspace, target(workspace), f"i0-{filled}", f"n3-{filled}", "CA")
    test = app(PAGE, view="review", link=f"i0-{filled}~n3-{filled}")
    assert not test.exception
    texts = [str(each.value) for each in (*test.markdown, *test.caption)]
    texts += [each.label for each in test.button]
    assert any("onerror" in text for text in texts)
    assert not [
        text
        for text in texts
        if "<img" in text.replace("\\<", "") or "\u202e" in text or len(text) > 4_000
    ]


def test_an_empty_collection_has_nothing_to_review(app: App, workspace: Workspace) -> None:
    workspace.documents.create_collection("Coffee")
    test = app(PAGE, view="review")
    assert not test.exception
    assert "Nothing in this collection has been read" in words(test)
