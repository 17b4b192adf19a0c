"""Evidence in the order of the citations, and the steps in words."""

from dataclasses import replace

import fake_backend

from brit.ui.evidence import answer_markdown, list_evidence
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
