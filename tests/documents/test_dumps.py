"""ZIM and WikiWeb2M files, office files and single pictures, block by block."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

import pytest

from brit.config import ReadingConfig
from brit.documents.epub import EpubReader
from brit.documents.office import DocxReader, PptxReader
from brit.documents.picture import PictureReader
from brit.documents.sources import find_sources, suffixes, unpack
from brit.documents.wikiweb2m import WikiWeb2MReader
from brit.documents.zim import ZimReader
from brit.errors import Cancelled, DocumentError, InputError
from brit.models import DocumentReader, ReadRequest
from brit.types import ImageBlock, Page, TableBlock, TextBlock
from tests.pipeline import test_formats as writers

REAL = Path(__file__).parents[3] / "shared/data/wiki"
CONFIG = ReadingConfig()


def read(reader: DocumentReader, path: Path) -> dict[str, list[Page]]:
    return {head.name: list(pages) for head, pages in reader.read(path, ReadRequest(_size))}


def _size(data: bytes) -> str:
    return f"{len(data)} bytes"


def texts(page: Page) -> list[str]:
    return [block.text for block in page.blocks if isinstance(block, TextBlock)]


# --- dumps ---------------------------------------------------------------------------------------


def test_zim_redirects_are_names_of_their_page(tmp_path: Path) -> None:
    (path,) = writers.write_zim(tmp_path)
    pages = read(ZimReader(), path)
    assert list(pages) == ["Quillon", "Zorvex"]
    (zorvex,) = pages["Zorvex"]
    assert texts(zorvex)[:2] == ["Zorvex", "Zorvex is also called Zorvex Mk I."]
    with pytest.raises(Cancelled):
        next(ZimReader().read(path, ReadRequest(_size, cancelled=lambda: True)))


def test_wikiweb2m_sections_captions_and_damage(tmp_path: Path) -> None:
    writers.write_wikiweb2m(tmp_path)
    (path,) = tmp_path.glob("*.tfrecord*")
    (page,) = read(WikiWeb2MReader(), path)["Zorvex"]
    assert [(b.text, b.kind, b.level) for b in page.blocks if isinstance(b, TextBlock)] == [
        ("Zorvex", "heading", 1),
        (writers.TEXT, "paragraph", 0),
        ("Views", "heading", 2),
        ("Pictures of it.", "paragraph", 0),
    ]
    (image,) = (block for block in page.blocks if isinstance(block, ImageBlock))
    assert (image.name, image.caption, image.caption_confidence) == (
        "Zorvex_side.png", writers.CAPTION, 1.0)  # fmt: skip
    records = gzip.decompress(path.read_bytes())
    flipped = records[:-9] + bytes([records[-9] ^ 1]) + records[-8:]
    for name, content, reason in [
        ("cut.tfrecord", records[:-7], "checksum is wrong"),
        ("flipped.tfrecord", flipped, "checksum is wrong"),
        ("huge.tfrecord", records + b"\xff" * 12, "length is wrong"),
    ]:
        (tmp_path / name).write_bytes(content)
        reading = WikiWeb2MReader().read(tmp_path / name, ReadRequest(_size))
        assert next(reading)[0].name == "Zorvex"
        with pytest.raises(DocumentError, match=reason):
            list(reading)


@pytest.mark.skipif(not REAL.is_dir(), reason="../shared/data is not there")
def test_real_zim_archives() -> None:
    """66 articles by the archive's own count; one of them has a picture."""
    (name,) = REAL.glob("zim/wikibooks*")
    pages = read(ZimReader(), name)
    assert len(pages) == 66
    blocks = [block for each in pages.values() for page in each for block in page.blocks]
    assert sum(isinstance(block, ImageBlock) for block in blocks) == 1
    assert list(read(ZimReader(), REAL / "zim" / "small.zim")) == ["Test ZIM file"]


# --- office files and pictures -------------------------------------------------------------------


def test_docx_headings_text_and_captions(tmp_path: Path) -> None:
    (path,) = writers.write_docx(tmp_path)
    (page,) = read(DocxReader(), path)["report.docx"]
    assert [(b.text, b.kind) for b in page.blocks if isinstance(b, TextBlock)] == [
        ("Zorvex", "heading"),
        (writers.TEXT, "paragraph"),
        (writers.CAPTION, "caption"),
        ("Quillon", "heading"),
        (writers.OTHER, "paragraph"),
        ("Figure 2. The Quillon lamp", "caption"),
    ]
    images = [block for block in page.blocks if isinstance(block, ImageBlock)]
    assert [image.caption for image in images] == [writers.CAPTION, "Figure 2. The Quillon lamp"]
    data = bytearray(path.read_bytes())
    at = data.index(writers.picture(2)) + 5_000
    data[at : at + 4] = b"\0\0\0\0"
    path.write_bytes(data)
    (page,) = read(DocxReader(), path)["report.docx"]
    images = [block for block in page.blocks if isinstance(block, ImageBlock)]
    assert [bool(image.file) for image in images] == [True, False]
    assert page.missing.startswith("1 picture is damaged")


@pytest.mark.parametrize(
    ("reader", "write", "part"),
    [
        (PptxReader(), writers.write_pptx, b"ppt/media/image1.png"),
        (EpubReader(), writers.write_epub, b"OEBPS/p/side.png"),
    ],
    ids=["pptx", "epub"],
)
@pytest.mark.parametrize(("at", "value"), [(8, 1), (10, 97), (16, 255)], ids=["key", "way", "sum"])
def test_one_picture_that_cannot_be_unpacked_costs_that_picture(
    tmp_path: Path, reader: DocumentReader, write: writers.Write, part: bytes, at: int, value: int
) -> None:
    """Encrypted, packed in an unknown way, or with a wrong check sum (APPNOTE 4.3.12)."""
    (path,) = write(tmp_path)
    data = bytearray(path.read_bytes())
    data[data.rindex(part) - 46 + at] ^= value
    path.write_bytes(data)
    (pages,) = read(reader, path).values()
    assert [bool(b.file) for p in pages for b in p.blocks if isinstance(b, ImageBlock)] == [0, 1]
    assert [page.failure for page in pages] == ["", ""]
    assert [bool(page.missing) for page in pages] == [True, False]


def test_pptx_places_tables_charts_and_notes(tmp_path: Path) -> None:
    from pptx import Presentation
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE
    from pptx.util import Inches, Pt

    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Sales"
    data = CategoryChartData()
    data.categories = ["2020", "2021"]
    data.add_series("Pumps", (3, 4.5))
    box = (Inches(1), Inches(2), Inches(4), Inches(2))
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *box, data)
    grid = slide.shapes.add_table(2, 2, Inches(1), Inches(5), Inches(4), Inches(1)).table
    for at, text in enumerate(("Boat", "m", "Kelpie", "9")):
        grid.cell(at // 2, at % 2).text = text
    slide.notes_slide.notes_text_frame.text = "Say it slowly."
    deck.slide_width, deck.slide_height = Pt(720), Pt(540)
    deck.save(str(tmp_path / "d.pptx"))
    (page,) = read(PptxReader(), tmp_path / "d.pptx")["d.pptx"]
    assert (page.number, page.width, page.height) == (1, 720.0, 540.0)
    heading, chart, table, notes = page.blocks
    assert heading == TextBlock("Sales", "heading", heading.bbox, level=1)
    assert isinstance(chart, TableBlock)
    assert (chart.header, chart.rows) == (("", "Pumps"), (("2020", "3"), ("2021", "4.5")))
    assert chart.bbox == (72.0, 144.0, 360.0, 288.0)
    assert isinstance(table, TableBlock)
    assert (table.header, table.rows) == (("Boat", "m"), (("Kelpie", "9"),))
    assert notes == TextBlock("Say it slowly.", "footnote")


def test_epub_chapters_come_in_the_order_of_the_spine_and_fail_alone(tmp_path: Path) -> None:
    (path,) = writers.write_epub(tmp_path)
    first, second = read(EpubReader(), path)["book.epub"]
    assert (texts(first)[0], texts(second)[0]) == ("Zorvex", "Quillon")
    broken = tmp_path / "broken.epub"
    with zipfile.ZipFile(path) as book, zipfile.ZipFile(broken, "w") as copy:
        for name in book.namelist():
            if name != "OEBPS/a.xhtml":
                copy.writestr(name, book.read(name))
    first, second = read(EpubReader(), broken)["broken.epub"]
    assert "a.xhtml of the book is missing" in first.failure
    assert texts(second)[0] == "Quillon"


@pytest.mark.parametrize(
    ("name", "caption"),
    [("Harbour_gate-old.png", "Harbour gate old"), ("IMG_2031.png", ""), ("20210301 10.png", "")],
)  # fmt: skip
def test_a_picture_is_captioned_by_its_name_if_it_has_one(
    name: str, caption: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(writers.picture(1))
    (page,) = read(PictureReader(), tmp_path / name)[name]
    (image,) = (block for block in page.blocks if isinstance(block, ImageBlock))
    assert (image.name, image.caption) == (name, caption)


# --- what is in an upload ------------------------------------------------------------------------


def test_pictures_that_pages_name_are_no_documents(tmp_path: Path) -> None:
    names = ("My red boat.png", "Kelpie.png", "Alone.png", "Übung.png")
    writers.write_pictures(tmp_path / "i", *names)
    (tmp_path / "a.html").write_text("<img src='i/%C3%9Cbung.png'>")
    (tmp_path / "b.xml.gz").write_bytes(
        gzip.compress(b"<mediawiki>[[File:My red_boat.png|thumb|x]]</mediawiki>")
    )
    (tmp_path / "c.md").write_text("![](/x/thumb/1/Kelpie.png/99px-Kelpie.png)")
    (tmp_path / "other.xml").write_text("<other/>")
    (tmp_path / ".hidden.md").write_text("x")
    found = [source.path.name for source in find_sources([tmp_path], CONFIG)]
    assert found == ["a.html", "b.xml.gz", "c.md", "Alone.png"]
    assert {".pdf", ".zim", ".7z", ".docx", ".webp"} <= set(suffixes())


def test_folders_and_archives_with_nothing_to_read_say_so(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    with pytest.raises(InputError, match="holds nothing"):
        find_sources([tmp_path], CONFIG)
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.write(tmp_path / "a.txt", "a.txt")
    with pytest.raises(InputError, match=r"a\.zip holds"), unpack(tmp_path / "a.zip", CONFIG):
        pass
