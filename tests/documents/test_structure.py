"""Sections and furniture: pure functions over pages made by hand."""

from __future__ import annotations

from brit.documents.furniture import keep_edge_text, mark_furniture
from brit.documents.sections import build_sections
from brit.types import BBox, Block, ImageBlock, OutlineEntry, Page, TextBlock


def _heading(text: str, level: int = 1, y: float = 300) -> TextBlock:
    return TextBlock(text, "heading", (50, y, 300, y + 20), level)


def _prose(text: str = "Prose.") -> TextBlock:
    return TextBlock(text, "paragraph", (50, 400, 500, 440))


def _page(number: int, *blocks: Block) -> Page:
    return Page(number, 600, 800, blocks)


def test_sections_nest_and_last_until_the_next_of_their_depth() -> None:
    pages = [
        _page(1, _prose("Before."), _heading("One"), _prose(), _heading("One A", 2), _prose()),
        _page(2, _prose(), _heading("Two"), _prose()),
    ]
    sections, ids = build_sections(pages, ())
    assert [s.path for s in sections] == [("One",), ("One", "One A"), ("Two",)]
    one, one_a, two = (s.id for s in sections)
    assert ids == [["", one, one, one_a, one_a], [one_a, two, two]]


def test_bookmarks_give_levels_and_open_sections_without_a_heading() -> None:
    outline = (OutlineEntry(1, "Part", 1), OutlineEntry(2, "1.1 Kettles", 1))
    sections, ids = build_sections([_page(1, _heading("1.1  Kettles", 4), _prose())], outline)
    assert [(s.title, s.level) for s in sections] == [("Part", 1), ("1.1  Kettles", 2)]
    assert sections[1].path == ("Part", "1.1  Kettles")
    assert ids == [[sections[1].id, sections[1].id]]


def test_running_titles_open_nothing() -> None:
    pages = [_page(n, _heading("Annual report", 1, 20), _prose()) for n in range(1, 5)]
    sections, ids = build_sections([_page(0, _heading("Start")), *pages], ())
    assert [s.title for s in sections] == ["Start"]
    assert {id for row in ids for id in row} == {sections[0].id}


def test_large_headings_that_differ_in_numbers_are_headings() -> None:
    pages = [_page(n, _heading(f"Chapter {n}", 1, 20), _prose()) for n in range(1, 5)]
    assert len(build_sections(pages, ())[0]) == 4
    small = [_page(n, _heading(f"Report, page {n}", 4, 20), _prose()) for n in range(1, 5)]
    assert build_sections(small, ())[0] == []


def test_wiki_pages_have_sections_without_boxes() -> None:
    blocks = (TextBlock("Tea", "heading", level=1), TextBlock("Hot.", "paragraph"))
    sections, ids = build_sections([Page(1, 0, 0, blocks)], ())
    assert ids == [[sections[0].id] * 2]


def _image(file: str, box: BBox | None, caption: str = "") -> ImageBlock:
    return ImageBlock(file, box, caption=caption)


def _furniture(pages: list[Page]) -> set[str]:
    blocks = [block for page in mark_furniture(pages) for block in page.blocks]
    return {b.file for b in blocks if isinstance(b, ImageBlock) and b.furniture}


def test_picture_on_every_page_is_furniture_and_a_photo_is_not() -> None:
    banner, photo = (0.0, 300.0, 600.0, 360.0), (100.0, 200.0, 400.0, 500.0)
    pages = [_page(n, _image("banner", banner), _image(f"photo{n}", photo)) for n in range(1, 5)]
    assert _furniture(pages) == {"banner"}


def test_picture_on_two_pages_is_no_furniture() -> None:
    pages = [_page(n, _image("twice", (100, 200, 400, 500))) for n in (1, 2)]
    assert _furniture(pages) == set()


def test_small_picture_at_the_edge_is_a_logo_unless_it_has_a_caption() -> None:
    page = _page(
        1,
        _image("logo", (20, 20, 120, 60)),
        _image("named", (20, 20, 120, 60), "Our founder"),
        _image("photo", (100, 200, 200, 300)),
    )
    assert _furniture([page]) == {"logo"}


def test_wiki_pictures_are_no_furniture() -> None:
    assert _furniture([Page(1, 0, 0, (_image("a", None), _image("a", None)))]) == set()


def test_text_at_the_edges_is_text_where_there_is_no_other() -> None:
    header, prose = TextBlock("Zorvex 7", "header"), TextBlock("It runs.", "paragraph")
    alone = keep_edge_text([Page(1, 600, 800, (header,)), Page(2, 600, 800, ())])
    assert alone[0].blocks == (TextBlock("Zorvex 7", "paragraph"),)
    pages = [Page(1, 600, 800, (header,)), Page(2, 600, 800, (prose,))]
    assert keep_edge_text(pages) == pages
