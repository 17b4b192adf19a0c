"""Grids with words in them → the tables a person reads; checked by eye against the pages."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from brit.documents.layout import read_layout
from brit.documents.tables import Word, read_table
from brit.types import BBox

DATASHEET = (
    Path(__file__).resolve().parents[3] / "shared/data/pdf/case_cx57c_excavator_datasheet.pdf"
)
WIDE, HIGH = 60.0, 12.0


def grid(columns: int, rows: int) -> list[list[BBox | None]]:
    """Cells of 60 x 12 points."""
    return [
        [(x * WIDE, y * HIGH, (x + 1) * WIDE, (y + 1) * HIGH) for x in range(columns)]
        for y in range(rows)
    ]


def words(row: int, x: float, text: str) -> list[Word]:
    """Words of 4 points a letter, 2 apart, from `x` on."""
    found = []
    for word in text.split():
        found.append((x, row * HIGH + 2, x + 4 * len(word), row * HIGH + 10, word))
        x += 4 * len(word) + 2
    return found


def test_a_title_over_several_columns_names_each_of_them() -> None:
    """«Load» stands over the middle of four columns, «7 ft» and «10 ft» over that of two."""
    placed = [
        *words(0, 172, "Load"),
        *words(1, 4, "Height"), *words(1, 113, "7 ft"), *words(1, 231, "10 ft"),
        *[w for n, side in enumerate(("end", "side") * 2) for w in words(2, 64 + n * WIDE, side)],
        *words(3, 4, "+3 ft"), *words(3, 64, "61 lb"), *words(3, 184, "52 lb"),
        *words(4, 4, "(1 m)"), *words(4, 64, "(28 kg)"), *words(4, 184, "(24 kg)"),
    ]  # fmt: skip
    table = read_table(grid(5, 5), placed)
    names = ("7 ft end", "7 ft side", "10 ft end", "10 ft side")
    assert table.header == ("Height", *(f"Load {name}" for name in names))
    assert table.rows == (("+3 ft (1 m)", "61 lb (28 kg)", "", "52 lb (24 kg)", ""),)


def test_a_list_of_labels_and_values_has_no_header() -> None:
    placed = [*words(0, 4, "Model"), *words(0, 64, "Yam 4T"), *words(1, 4, "Fuel"),
              *words(1, 64, "Diesel")]  # fmt: skip
    table = read_table(grid(2, 2), placed)
    assert (table.header, table.rows) == (("", ""), (("Model", "Yam 4T"), ("Fuel", "Diesel")))
    years = [*words(0, 4, "Item"), *words(0, 64, "2019"), *words(1, 4, "Fuel"), *words(1, 64, "7")]
    assert read_table(grid(2, 2), years).header == ("Item", "2019")


def test_rows_moved_in_below_a_sub_heading_carry_it() -> None:
    placed = [
        *words(0, 4, "Fuel"), *words(0, 64, "20 l"),
        *words(1, 4, "Boom:"),
        *words(2, 10, "Swing"), *words(2, 64, "80 deg"),
        *words(3, 4, "Oil"), *words(3, 64, "3 l"),
    ]  # fmt: skip
    assert read_table(grid(2, 4), placed).rows == (
        ("Fuel", "20 l"), ("Boom:", ""), ("Boom Swing", "80 deg"), ("Oil", "3 l"))  # fmt: skip


def test_words_across_a_border_stay_whole_where_they_begin() -> None:
    placed = [
        *words(0, 4, "Name"), *words(0, 70, "Arm"), *words(0, 130, "Leg"),
        *words(1, 4, "Vertical wall dig"), *words(1, 84, "9 in"), *words(1, 130, "8 in"),
        *words(2, 30, "Second part of it"),
    ]  # fmt: skip
    assert read_table(grid(3, 3), placed).rows == (
        ("Vertical wall dig", "9 in", "8 in"), ("Second part of it", "", ""))  # fmt: skip


def test_letters_of_a_drawing_are_no_column() -> None:
    placed = [word for n in range(4) for word in words(n, 4, f"Arm {n} m")]
    letters = [*words(0, 64, "P"), *words(2, 64, "Q")]
    table = read_table(grid(2, 4), [*placed, *letters])
    assert (table.header, len(table.rows)) == (("Arm 0 m",), 3)


def by_names(cells: tuple[tuple[str, ...], ...]) -> dict[tuple[str, str], str]:
    header, *rows = cells
    return {(row[0], name): cell for row in rows for name, cell in zip(header, row, strict=True)}


@pytest.mark.skipif(not DATASHEET.is_file(), reason="the data folder is not here")
def test_the_tables_of_a_data_sheet() -> None:
    """Values read from the printed pages by eye."""
    with pymupdf.open(DATASHEET) as doc:
        tables = {
            number: [r for r in read_layout(doc, number).regions if r.kind == "table"]
            for number in (1, 2, 3)
        }
    specifications = {row[0]: row[1] for table in tables[1] for row in table.cells}
    assert specifications["Model"] == "Yanmar 4TNV98C"
    assert specifications["Net horsepower – SAE J1349 @ 2400 RPM:"] == "65.1 hp (48.5 kW)"
    assert specifications["Hydraulic tank Refill capacity"] == "18.5 gal (70 L)"
    assert specifications["Engine oil w/filter change"] == "3.1 gal (11.6 L)"
    assert specifications["Boom Length"] == "9 ft 10 in (3.0 m)"
    (performance,) = tables[2]
    assert performance.title == "PERFORMANCE SPECS"
    assert performance.cells[0] == ("", "5 ft 3 in (1.6 m) Arm", "6 ft 3 in (1.9 m) Arm")
    assert (
        "R. Vertical straight wall dig depth", "10 ft 6 in (3 200 mm)", "11 ft 4 in (3 460 mm)",
    ) in performance.cells  # fmt: skip
    short, long = (by_names(table.cells) for table in tables[3])
    assert short["+7 ft (2.0 m)", "LOAD RADIUS 7 ft (2.0 m) END"] == "6,610 lb* (3 000 kg)*"
    assert short["Groundline", "LOAD RADIUS 16 ft (5.0 m) SIDE"] == "1,320 lb (600 kg)"
    assert short["-10 ft (-3.0 m)", "LOAD RADIUS 10 ft (3.0 m) END"] == ""
    assert long["+3 ft (1.0 m)", "MAXIMUM REACH CAPACITY SIDE"] == "1,120 lb (510 kg)"
