"""Passages: what is joined, what is kept apart, where long text is cut."""

from __future__ import annotations

from brit.config import PassageConfig
from brit.documents.passages import build_passages, count_words, split_sentences
from brit.types import BBox, Block, ImageBlock, Passage, StoredBlock, TableBlock, TextBlock

CONFIG = PassageConfig()


def stored(blocks: list[tuple[int | None, Block]]) -> list[StoredBlock]:
    return [StoredBlock(f"b{i}", "doc", page, i, block) for i, (page, block) in enumerate(blocks)]


def build(*blocks: tuple[int | None, Block], config: PassageConfig = CONFIG) -> list[Passage]:
    return build_passages("doc", stored(list(blocks)), config)


def words(n: int, word: str = "word") -> str:
    return " ".join([word] * n)


def text(content: str, section: str = "s", bbox: BBox | None = None) -> TextBlock:
    return TextBlock(content, "paragraph", bbox, section=section)


def test_short_paragraphs_of_a_section_are_joined_with_the_union_of_their_boxes() -> None:
    (passage,) = build(
        (1, text("One.", bbox=(10, 20, 30, 40))), (1, text("Two.", bbox=(5, 50, 20, 60)))
    )
    assert passage.text == "One.\nTwo."
    assert passage.bbox == (5, 20, 30, 60)
    assert passage.blocks == ("b0", "b1")
    assert (passage.page, passage.section) == (1, "s")


def test_pages_and_sections_are_never_mixed() -> None:
    passages = build((1, text("a", "s")), (1, text("b", "t")), (2, text("c", "t")))
    assert [(p.text, p.page, p.section) for p in passages] == [
        ("a", 1, "s"), ("b", 1, "t"), ("c", 2, "t"),
    ]  # fmt: skip


def test_headings_go_with_what_follows() -> None:
    passages = build(
        (1, TextBlock("Products", "heading", level=1, section="s")),
        (1, TextBlock("Kelpie", "heading", level=2, section="t")),
        (1, text("It dives.", "t")),
        (1, TextBlock("Next", "heading", level=2, section="u")),
        (2, text("On the next page.", "u")),
    )
    assert [p.text for p in passages] == [
        "Products\nKelpie\nIt dives.",
        "Next",
        "On the next page.",
    ]
    assert passages[0].section == "t"


def test_long_blocks_are_cut_at_sentence_ends() -> None:
    sentence = words(29) + " end."
    passages = build((1, text(" ".join([sentence] * 7))))
    assert [count_words(p.text) for p in passages] == [90, 90, 30]
    assert all(p.text.endswith("end.") for p in passages)


def test_a_sentence_without_end_is_cut_between_words() -> None:
    passages = build((1, text(words(200))))
    assert [len(p.text.split()) for p in passages] == [90, 90, 20]


def test_blocks_end_a_passage_once_it_is_long_enough() -> None:
    passages = build((1, text(words(65))), (1, text(words(20) + ". " + words(20))))
    assert [len(p.text.split()) for p in passages] == [65, 40]


def test_abbreviations_do_not_end_sentences_and_nothing_is_lost() -> None:
    content = "It runs at e.g. noon. Then it stops! «Why?» Nobody knows."
    parts = split_sentences(content, 90)
    assert "".join(parts) == content
    assert [p.strip() for p in parts] == [
        "It runs at e.g. noon.",
        "Then it stops!",
        "«Why?»",
        "Nobody knows.",
    ]


def test_two_characters_without_spaces_are_a_word() -> None:
    assert count_words("图像检索") == 2
    assert count_words("BRIT 图像检索 system") == 4
    content = "海" * 99 + "。"
    passages = build((1, text(content * 4)))
    assert [len(p.text) for p in passages] == [100, 100, 100, 100]
    assert "".join(p.text for p in passages) == content * 4


def test_running_heads_are_left_out() -> None:
    passages = build(
        (1, TextBlock("Report 2031", "header", section="s")),
        (1, text("Body.")),
        (1, TextBlock("3", "footer", section="s")),
    )
    assert [p.text for p in passages] == ["Body."]


def test_captions_are_small_passages_and_come_once() -> None:
    passages = build(
        (1, text("Before.")),
        (
            1,
            ImageBlock(
                "f", (0, 0, 50, 50), caption="Figure 1. A  seal", caption_bbox=(0, 55, 50, 60)
            ),
        ),
        (1, TextBlock("Figure 1. A seal", "caption", (0, 55, 50, 60), section="s")),
        (1, TextBlock("Chart of nothing", "caption", section="s")),
        (1, ImageBlock("logo", caption="Logo", furniture=True)),
        (1, text("After.")),
    )
    assert [p.text for p in passages] == ["Before.\nAfter.", "Figure 1. A seal", "Chart of nothing"]
    assert passages[1].bbox == (0, 0, 50, 60)


def test_a_table_row_can_be_understood_alone() -> None:
    table = TableBlock(
        ("", "Depth", "Weight"), (("Kelpie", "300 m", "9 kg"), ("Selkie", "", "4 kg")),
        (0, 0, 9, 9), "Technical data", "s",
    )  # fmt: skip
    (passage,) = build((4, table))
    assert passage.text == (
        "Technical data\nKelpie; Depth: 300 m; Weight: 9 kg\nSelkie; Weight: 4 kg"
    )
    assert passage.bbox == (0, 0, 9, 9)


def test_long_tables_repeat_the_caption() -> None:
    table = TableBlock(("n",), tuple((words(28, str(i)),) for i in range(6)), caption="Data")
    passages = build((1, table))
    assert [p.text.splitlines()[0] for p in passages] == ["Data", "Data"]
    assert all(count_words(p.text) <= CONFIG.max_words for p in passages)


def test_ids_do_not_depend_on_other_pages() -> None:
    first, second = (1, text("Page one.")), (2, text("Page two."))
    both = {p.id for p in build(first, second)}
    assert both == {p.id for p in (*build(first), *build(second))}


def test_repeated_text_gets_different_ids() -> None:
    passages = build((1, text("Same.", "s")), (1, text("Same.", "t")))
    assert len({p.id for p in passages}) == 2


def test_a_document_without_pages_or_text() -> None:
    assert build() == []
    (passage,) = build((None, text("Wiki text.")))
    assert passage.page is None
    assert passage.bbox is None
