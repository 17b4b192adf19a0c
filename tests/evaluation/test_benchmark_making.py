"""Test sets: sampling, the embedded generator, the checks, and the model's way by a script."""

from __future__ import annotations

from collections import Counter
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from brit.encoders.hashing import HashingEncoder
from brit.errors import Cancelled, InputError
from brit.evaluation.benchmark.embedded import EmbeddedGenerator, leave_out
from brit.evaluation.benchmark.making import Made, make_questions
from brit.evaluation.benchmark.material import Catalogue
from brit.evaluation.benchmark.records import (
    BenchmarkQuestion,
    BenchmarkSet,
    Making,
    read_set,
    write_set,
)
from brit.evaluation.benchmark.sampling import Slot, draw_slots, fit_documents, quotas
from brit.evaluation.benchmark.validation import find_fault, max_similarity
from brit.evaluation.benchmark.written import Examiner, WrittenGenerator
from brit.lmm.scripted import ScriptedModel
from brit.types import TextBlock
from tests.evaluation.benchmark_makers import BUILDER, HARBOUR, SAID, material

ENCODER = HashingEncoder()


def check(draft: BenchmarkQuestion, slot: Slot) -> Any:
    return find_fault(draft, slot.image.caption, ENCODER, 0.9) or draft


def slot(image: str, type: Any, source: Any) -> Slot:
    document = material()
    return Slot(document, {each.id: each for each in document.images}[image], type, source)


def drafts(*what: Any) -> list[Any]:
    return list(EmbeddedGenerator(Catalogue([material()]))(slot(*what)))


def test_the_shares_are_the_papers() -> None:
    assert list(quotas(500).values()) == [100] * 5
    assert sum(quotas(7).values()) == 7
    few = replace(material(), id="e", images=material().images[:2])
    assert [each.id for each in fit_documents([material(), few])] == ["d"]


def test_three_types_get_three_images_in_a_round_and_a_seed_repeats() -> None:
    first = list(draw_slots([material()], seed=3))
    assert first == list(draw_slots([material()], seed=3))
    round_one = {(each.type, each.image.id) for each in first[:5]}
    assert len({image for _, image in round_one}) == 3
    assert Counter(each.type for each in first) == {
        "text-image": 6, "image-text": 6, "image-image": 3,
    }  # fmt: skip


def test_a_text_image_question_names_the_text_side_and_not_the_caption() -> None:
    [draft] = drafts("a", "text-image", "caption")
    assert draft.image == "a"
    assert draft.image_hash == "file-a"
    assert "rebuilt by Ottoline Marsh" in draft.question
    assert "ferry" not in draft.question
    assert (draft.answer, draft.facts, draft.blocks) == ("north ferry", (SAID,), ("t1",))
    assert draft.as_question().bbox == (0, 0, 100, 100)


def test_a_text_image_question_by_section_needs_a_section_of_one_image() -> None:
    [draft] = drafts("b", "text-image", "section")
    assert "“Tarnwick harbour” together with “seven berths”" in draft.question
    document = material()
    twin = replace(document.images[1], id="z")
    crowded = replace(document, images=(*document.images, twin))
    generate = EmbeddedGenerator(Catalogue([crowded]))
    assert list(generate(Slot(crowded, twin, "text-image", "section"))) == ["several right"]


def test_an_image_text_question_names_the_picture_by_what_is_written_in_it() -> None:
    told, cell = drafts("c", "image-text", "section")
    assert "“timetable” and “cargo” are written. What does" in told.question
    assert "say of “yard”?" in told.question
    assert (told.answer, told.evidence_text, told.blocks) == ("Ottoline Marsh", BUILDER, ("t3",))
    assert (cell.answer, cell.evidence_text) == ("40 kg", "anchor 40 kg")
    [caption] = drafts("a", "image-text", "caption")
    assert caption.evidence_text == "The north ferry at its old quay in winter"
    assert "ferry" not in caption.question


def test_only_the_picture_tells_which_section_is_meant() -> None:
    document = material()

    def told(*texts: str) -> int:
        said = (replace(each, block=replace(each.block, text=texts[at]))
                if at < len(texts) and isinstance(each.block, TextBlock) else each
                for at, each in enumerate(document.blocks))  # fmt: skip
        changed = replace(document, blocks=tuple(said))
        where = Slot(changed, changed.images[2], "image-text", "section")
        found = EmbeddedGenerator(Catalogue([changed]))(where)
        return sum("say of" in each.question for each in found if not isinstance(each, str))

    third = document.blocks[2].block
    assert isinstance(third, TextBlock)
    assert told() == 1
    assert told(SAID, "Of this harbour little is known to anybody at all.") == 0  # no other yard
    assert told(SAID, HARBOUR, f"{third.text} The yard was sold again.") == 0  # named twice
    far = replace(document, images=(*document.images[:2], replace(document.images[2], page=9)))
    generate = EmbeddedGenerator(Catalogue([far]))
    drafts = generate(Slot(far, far.images[2], "image-text", "section"))
    assert not any(not isinstance(each, str) and each.blocks == ("t3",) for each in drafts)


def test_what_the_eye_found_wrong_is_not_asked() -> None:
    document = material()
    first, second, third = document.images
    badge = replace(document, images=(first, second, replace(third, bbox=(0, 0, 90, 30))))
    assert "c" not in {each.image.id for each in draw_slots([badge], seed=0)}
    written = replace(first, text=f"sailing timetable {first.caption}")  # nothing to be crossed
    said = replace(document, images=(written, second, third))
    generate = EmbeddedGenerator(Catalogue([said]))
    assert list(generate(Slot(said, written, "image-text", "caption"))) == []
    later = replace(second, page=2)  # its section ends on the page before
    after = replace(document, images=(first, later, third))
    generate = EmbeddedGenerator(Catalogue([after]))
    assert list(generate(Slot(after, later, "text-image", "section"))) == []


def test_making_goes_on_where_it_was_cancelled() -> None:
    generate = EmbeddedGenerator(Catalogue([material()]))
    whole = make_questions([material()], generate, check, wanted=quotas(5), seed=0)
    kept: list[Made] = []
    with pytest.raises(Cancelled):
        make_questions(
            [material()], generate, check, wanted=quotas(5), seed=0,
            save=lambda made: kept.append(deepcopy(made)),
            cancelled=iter([False] * 4 + [True]).__next__,
        )  # fmt: skip
    assert 0 < len(kept[-1].questions) < len(whole.questions)
    again = make_questions([material()], generate, check, wanted=quotas(5), seed=0, begun=kept[-1])
    assert again == whole


def test_pictures_without_telling_words_are_not_asked_about() -> None:
    document = material()
    twins = replace(document, id="e", images=(replace(document.images[0], id="y"),))
    catalogue = Catalogue([document, twins])
    assert catalogue.telling_words(document.images[0]) == ()
    assert Catalogue([document]).telling_words(document.images[0]) == ("sailing", "timetable")


@pytest.mark.parametrize(
    ("label", "sentence", "cloze"),
    [
        ("ferry", "A ferry that is on its way", "A ____ that is on its way"),
        ("ferry", "A ferry is a ferry and no boat", ""),  # twice
        ("ferry", "A ferryman is on his way", ""),  # not a word of its own
        ("ferry", "The ferry left", ""),  # too little
    ],
)
def test_a_name_is_left_out_of_its_sentence(label: str, sentence: str, cloze: str) -> None:
    assert leave_out(label, sentence) == cloze


def made() -> Any:
    generate = EmbeddedGenerator(Catalogue([material()]))
    return make_questions([material()], generate, check, wanted=quotas(5), seed=0)


def test_every_dropped_draft_is_counted_and_a_seed_repeats() -> None:
    result = made()
    kinds = {(each.type, each.source) for each in result.questions}
    assert ("image-image", "picture") in kinds
    assert len(result.questions) == len({each.id for each in result.questions})
    assert {each.made_by for each in result.questions} == {"embedded"}
    assert sum(result.rejected.values()) > 0
    assert made() == result


def question(**changes: Any) -> BenchmarkQuestion:
    base = BenchmarkQuestion(
        id="q", doc="ferries.pdf", type="image-text", source="section", question="Who led it?",
        answer="Ottoline Marsh", made_by="embedded", image="c", image_hash="f", page=1,
        bbox=(0, 0, 1, 1), evidence_text=BUILDER,
    )  # fmt: skip
    return replace(base, **changes)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({}, None),
        ({"question": BUILDER.replace("Ottoline Marsh", "whom")}, "too close to its source"),
        ({"question": "Did Ottoline Marsh lead it?"}, "gives the answer away"),
        ({"answer": "Somebody else"}, "not answerable from the gold"),
        ({"type": "text-image", "bbox": None, "answer": ""}, "cannot be pointed at"),
        ({"choices": ("Ottoline Marsh", "ottoline marsh!")}, "several right"),
        ({"choices": ("A", "B")}, "reply not usable"),
        ({"choices": ("Ottoline Marsh",)}, "reply not usable"),
    ],
)
def test_what_makes_a_question_no_good(changes: dict[str, Any], fault: str | None) -> None:
    assert find_fault(question(**changes), "", ENCODER, 0.9) == fault


def test_the_threshold_follows_the_encoder() -> None:
    assert ENCODER.same_entity < max_similarity(ENCODER) < 1


def written(model: ScriptedModel, what: Slot) -> Any:
    see = lambda _: "data:image/jpeg;base64,x"  # noqa: E731
    examine = Examiner(model, see, ENCODER, 0.6)
    [draft] = WrittenGenerator(model, see)(what)
    return draft if isinstance(draft, str) else examine(draft, what)


REPLY = {
    "question": "A clerk sorts papers: who was in charge?",
    "choices": ["Ottoline Marsh", "Ida Crane"], "answer": "Ottoline Marsh", "facts": [BUILDER],
}  # fmt: skip


def test_a_model_writes_revises_and_examines() -> None:
    close = {**REPLY, "question": BUILDER.replace("Ottoline Marsh", "whom")}
    model = ScriptedModel(
        close, {"question": REPLY["question"]}, {"letters": []}, {"letters": ["(A)"]}
    )
    got = written(model, slot("c", "image-text", "section"))
    assert got.question == REPLY["question"]
    assert (got.made_by, got.evidence_text) == ("model", BUILDER)
    first, *_, last = model.calls
    assert first[-1]["content"][1]["image_url"]["url"].startswith("data:")
    assert BUILDER in first[-1]["content"][0]["text"]
    assert isinstance(last[-1]["content"], str)  # an image-text question is answered from text


@pytest.mark.parametrize(
    ("replies", "reason"),
    [
        ([REPLY, {"letters": ["A"]}], "answered without the documents"),
        ([REPLY, {"letters": []}, {"letters": ["B"]}], "not answerable from the gold"),
        ([REPLY, {"letters": []}, {"letters": ["A", "B"]}], "several right"),
        ([{**REPLY, "facts": ["Never said there, ever."]}], "not answerable from the gold"),
        (["no JSON"], "reply not usable"),
        ([REPLY, "no JSON"], "reply not usable"),
    ],
)
def test_what_a_model_drops(replies: list[Any], reason: str) -> None:
    assert written(ScriptedModel(*replies), slot("c", "image-text", "section")) == reason


def test_an_image_image_question_keeps_the_phrase_that_tells_the_image() -> None:
    reply = {"question": "Which colour has the old ferry?", "choices": ["red", "blue"],
             "answer": "red", "phrase": "old ferry"}  # fmt: skip
    model = ScriptedModel(reply, {"letters": []}, {"letters": ["A"]})
    got = written(model, slot("a", "image-image", "picture"))
    assert (got.phrase, got.facts) == ("old ferry", ())
    assert "ferry at its old quay" not in str(model.calls)  # the caption is not shown


def test_a_set_is_read_as_it_was_written(tmp_path: Path) -> None:
    making = Making("c", 0, "hashing", 0.9, "embedded", rejected={"several right": 2})
    kept = BenchmarkSet(making, (question(), question(id="r", state="rejected")))
    write_set(tmp_path / "set.jsonl", kept)
    assert read_set(tmp_path / "set.jsonl") == kept
    assert [each.id for each in kept.asked] == ["q"]
    assert kept.changed(question(question="Who?", state="edited")).asked[0].question == "Who?"


@pytest.mark.parametrize(
    ("content", "said"),
    [("", "holds no questions"), ("{}\n{}\n", "Line 1"), ("x\ny\n", "Line 1")],
)
def test_a_file_that_is_no_set_is_told(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text(content)
    with pytest.raises(InputError, match=said):
        read_set(path)
