"""Reading order and running titles, on pages laid out here."""

from __future__ import annotations

from brit.documents.furniture import mark_furniture
from brit.documents.layout import Layout, Line, Region
from brit.documents.order import mend_order
from brit.types import BBox, Page, TextBlock, TextKind


def _region(text: str, box: BBox, kind: str = "text") -> Region:
    return Region(kind, box, (Line(text, box, 10.0),))


def _order(*regions: Region) -> list[str]:
    layout = Layout(600, 800, regions, (), 10.0)
    return [region.text for region in mend_order(layout).regions]


def test_a_column_is_read_to_its_end_before_the_one_beside_it() -> None:
    assert _order(
        _region("heading", (70, 100, 140, 112), "section-header"),
        _region("left one", (70, 120, 290, 180)),
        _region("right one", (310, 115, 530, 135)),
        _region("right two", (310, 150, 530, 170)),
        _region("left two", (70, 196, 290, 220)),
    ) == ["heading", "left one", "left two", "right one", "right two"]


def test_rows_and_what_follows_a_heading_keep_their_order() -> None:
    rows = (
        _region("name", (70, 120, 290, 132)),
        _region("Zorvex", (310, 120, 530, 132)),
        _region("place", (70, 136, 290, 148)),
        _region("Tromsø", (310, 136, 530, 148)),
    )
    assert _order(*rows) == ["name", "Zorvex", "place", "Tromsø"]
    bands = (
        _region("left", (70, 120, 290, 180)),
        _region("right", (310, 115, 530, 180)),
        _region("title over both", (70, 182, 530, 190), "section-header"),
        _region("left below", (70, 196, 290, 220)),
    )
    assert _order(*bands) == ["left", "right", "title over both", "left below"]


def test_a_text_in_the_row_of_the_footer_is_a_part_of_it() -> None:
    regions = (
        _region("left one", (70, 120, 290, 180)),
        _region("© Zorvex", (310, 770, 530, 780)),
        _region("7", (70, 768, 80, 780), "page-footer"),
    )
    layout = mend_order(Layout(600, 800, regions, (), 10.0))
    assert [r.kind for r in layout.regions] == ["text", "page-footer", "page-footer"]


def _page(number: int, *blocks: tuple[str, TextKind, float]) -> Page:
    made = (TextBlock(text, kind, (70, y, 300, y + 12)) for text, kind, y in blocks)
    return Page(number, 600, 800, tuple(made))


def test_texts_that_recur_at_the_edge_are_running_titles_but_for_the_first_heading() -> None:
    pages = [
        _page(1, ("Zorvex guide", "heading", 40), ("About", "heading", 80), ("© 1", "footer", 770)),
        _page(
            2, ("Zorvex guide", "heading", 40), ("About", "heading", 300), ("© 2", "footer", 770)
        ),
        _page(3, ("Zorvex guide", "paragraph", 40), ("© 3", "footnote", 770)),
        *(_page(number, ("Prose", "paragraph", 400)) for number in (4, 5)),
    ]
    kinds = [[block.kind for block in page.blocks] for page in mark_furniture(pages)]
    assert kinds[:3] == [
        ["heading", "heading", "footer"],
        ["header", "heading", "footer"],
        ["header", "footer"],
    ]


def test_a_heading_that_recurs_on_few_pages_is_none() -> None:
    pages = [_page(n, ("Parameters" if n < 4 else f"x{n}", "heading", 40)) for n in range(1, 9)]
    assert [page.blocks[0].kind for page in mark_furniture(pages)] == ["heading"] * 8
