"""Evidence in the order of the citations, and the steps in words."""

from dataclasses import replace

import fake_backend

from brit.ui.evidence import answer_markdown, list_evidence, picture_label
from brit.ui.page_view import position
from brit.ui.pictures import picture_name
from brit.ui.steps import describe_steps, status_line

FOUND = fake_backend.retrieval()
ANSWERED = fake_backend.answer_of(FOUND)


def test_cited_evidence_comes_first_in_the_order_of_markers() -> None:
    evidence = list_evidence(FOUND, ANSWERED)
    assert [e.key for e in evidence[:4]] == [
        "passage:p0-doc", "image:i0-doc", "image:i1-doc", "passage:p2-doc",
    ]  # fmt: skip
    assert [e.marker for e in evidence] == [1, 2, 3, 4] + [0] * 7
    assert len({e.key for e in evidence}) == len(evidence)


def test_markers_become_badges_and_unknown_ones_stay_text() -> None:
    text = answer_markdown("Blue [1][2]. Odd [9]", ANSWERED)
    assert text == "Blue :blue-badge[1] :green-badge[:material/image: 2]. Odd \\[9\\]"
    assert answer_markdown("Both [1, 2]", None) == "Both :blue-badge[1] :blue-badge[2]"


def test_an_answer_cannot_write_badges_pictures_or_links_itself() -> None:
    text = answer_markdown(":red-badge[9] ![x](https://e.example) \ue0007\ue001", ANSWERED)
    assert ":red" not in text
    assert "![" not in text
    assert "badge[7]" not in text


def test_the_status_line_counts_what_the_trace_holds() -> None:
    assert status_line(FOUND) == "7 of 10 nodes · 3 links followed · 3 pictures · 84 ms"


def test_the_steps_name_entities_matches_parts_and_what_fell_back() -> None:
    steps = {step.title: step for step in describe_steps(FOUND)}
    assert len(steps) == 8
    assert steps["3 · Parts of the graph worth a look"].summary == "1 of 4 separate parts kept"
    assert steps["5 · Steps between text and pictures"].summary == "3 taken, 1 dropped"
    assert "our own solver" in steps["What fell back"].lines[0]


def test_long_lists_are_cut_with_the_number_left_out() -> None:
    many = replace(FOUND, trace=replace(FOUND.trace, matches=FOUND.trace.matches * 5))
    matches = describe_steps(many)[1]
    assert matches.lines[-1] == "… and 9 more"


def test_what_is_cited_is_counted_apart_from_what_was_found_besides() -> None:
    evidence = list_evidence(FOUND, ANSWERED)
    assert [position(evidence, at) for at in (0, 3, 4, 10)] == [
        "Cited 1 of 4", "Cited 4 of 4", "Also found 1 of 7", "Also found 7 of 7",
    ]  # fmt: skip
    assert position(list_evidence(FOUND, None), 1) == "Evidence 2 of 11"


def test_a_picture_without_caption_is_named_after_its_place_and_no_heading() -> None:
    bare = replace(FOUND.images[0], caption="", section="Spare parts", text="AB 12", name=None)
    assert picture_label(bare) == f"Picture on page 1 of {fake_backend.NAME}"
    assert picture_label(replace(bare, page=None)) == f"Picture in {fake_backend.NAME}"
    assert picture_label(replace(bare, name="pump.png")) == "pump.png"
    assert picture_name("", None, 7) == "Picture, p. 7"
    assert picture_name("", None) == "Picture"
