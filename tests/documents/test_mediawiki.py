"""MediaWiki exports: markup to blocks, pictures by name, and files that are refused."""

from __future__ import annotations

import bz2
import gzip
import io
import re
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from PIL import Image as Pillow

from brit.documents.mediawiki import MediaWikiReader
from brit.documents.pictures import decode_picture
from brit.documents.wikitext import WikiContext, parse_wikitext
from brit.errors import Cancelled, DocumentError
from brit.models import ReadRequest
from brit.types import Block, DocumentHead, ImageBlock, Page, TableBlock, TextBlock

REAL = Path(__file__).parents[3] / "shared/data/wiki/mediawiki_export"


def parse(markup: str) -> list[Block]:
    return parse_wikitext(markup, WikiContext("Kelpie"))


def texts(markup: str) -> list[str]:
    return [block.text for block in parse(markup) if isinstance(block, TextBlock)]


def image(markup: str) -> ImageBlock:
    (block,) = (block for block in parse(markup) if isinstance(block, ImageBlock))
    return block


def table(markup: str) -> TableBlock:
    (block,) = (block for block in parse(markup) if isinstance(block, TableBlock))
    return block


# --- text ----------------------------------------------------------------------------------------


def test_headings_paragraphs_and_lists() -> None:
    blocks = parse(
        "Intro\nstill intro.\n\nNext.\n== Parts ''here'' ==\n* one\n** two '''b'''\n# three\nEnd."
    )
    assert [(b.text, b.kind, b.level) for b in blocks if isinstance(b, TextBlock)] == [
        ("Intro still intro.", "paragraph", 0),
        ("Next.", "paragraph", 0),
        ("Parts here", "heading", 2),
        ("one", "list-item", 0),
        ("two b", "list-item", 0),
        ("three", "list-item", 0),
        ("End.", "paragraph", 0),
    ]


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("A [[Hull|strong hull]] and a [[Keel (ship)|]].", "A strong hull and a Keel."),
        ("See [[Deep_sea]], [[:Category:B]].[[Category:X]][[de:Bo]]", "See Deep sea, Category:B."),
        ("It weighs {{convert|9|kg|lb|abbr=on}}, {{cvt|5|to|10|m}}.", "It weighs 9 kg, 5 to 10 m."),
        ("{{w|Ada Lovelace|Ada}} said {{lang|fr|bonjour}}.", "Ada said bonjour."),
        ("Before{{Unknown|12px|it floats}} after {{reflist|2}}.", "Beforeit floats after ."),
        ("a<!-- gone --> b &amp; c&nbsp;d<br>e '''''f'''''", "a b & c d e f"),
        ("x {{#if: {{{1|}}} | y }} {{PAGENAME}}", "x Kelpie"),
        ("<nowiki>{{kept}}</nowiki> {{{1|default}}}", "{{kept}} default"),
        ("[http://a.example site] __NOTOC__ ''open", "site open"),
        ("-{zh-hans:网络;zh-hant:網路}-", "网络"),
    ],
)  # fmt: skip
def test_inline_markup(markup: str, expected: str) -> None:
    assert texts(markup) == [expected]


def test_references_follow_their_paragraph() -> None:
    markup = "It dives.<ref>{{cite book|title=Deep|author=Ann Sund|year=2031}}</ref> Well.\n\nNext."
    assert texts(markup) == ["It dives. Well.", "Ann Sund. Deep. 2031", "Next."]


def test_program_text_keeps_its_lines() -> None:
    assert texts("<pre>a {{x}}\n  b [[y]]</pre>") == ["a {{x}}\n  b [[y]]"]


# --- tables --------------------------------------------------------------------------------------


def test_table_with_caption_spans_and_header() -> None:
    block = table(
        '{| class="wikitable" style="color:red"\n|+ Technical data\n! Model !! Depth !! Mass\n'
        '|-\n| rowspan="2" | Kelpie || 300 m || [[Kilogram|9 kg]]\n|-\n| 500 m || 10 kg\n|}'
    )
    assert block.caption == "Technical data"
    assert block.header == ("Model", "Depth", "Mass")
    assert block.rows == (("Kelpie", "300 m", "9 kg"), ("Kelpie", "500 m", "10 kg"))


def test_a_layout_table_is_text_and_its_pictures_stay() -> None:
    blocks = parse("{|\n| Only column\n|-\n| [[File:A.png|thumb|A map]] Second\n|}")
    assert [type(b).__name__ for b in blocks] == ["ImageBlock", "TextBlock", "TextBlock"]


def test_html_table() -> None:
    block = table(
        "<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td colspan=x>2</td></tr></table>"
    )
    assert (block.header, block.rows) == (("A", "B"), (("1", "2"),))


def test_infobox_is_a_row_of_facts_with_its_picture() -> None:
    markup = (
        "{{Infobox drone\n| name = Kelpie\n| image = Kelpie front.jpg\n| caption = At sea\n"
        "| depth = {{convert|300|m}}\n| maker = [[Sund]]\n}}\nText."
    )
    block = table(markup)
    assert block.header == ("", "depth", "maker")
    assert block.rows == (("Kelpie", "300 m", "Sund"),)
    assert (image(markup).name, image(markup).caption) == ("Kelpie front.jpg", "At sea")


# --- pictures in the markup ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("markup", "caption"),
    [
        ("[[File:A.png|thumb|right|135px|alt=An alt|link=|The ''hull'']]", "The hull"),
        ("[[File:A.png|200x100px|A [[H|h]] with {{w|Foo|bar}}, [[Keel]]]]", "A h with bar, Keel"),
        ("[[Image:A.png|first|second]]", "second"),
        ("[[Datei:A.png|mini|hochkant=1.2|links|Der Rumpf]]", "Der Rumpf"),
        ("[[Fichier:A.png|vignette|gauche|La coque]]", "La coque"),
        ("[[ファイル:A.png|サムネイル|船]]", "船"),
        ("[[Файл:A.png|мини|справа|Корпус]]", "Корпус"),
        ("[[文件:A.png|缩略图|右|upright|船体]]", "船体"),
        ("[[File:A.png|thumb|upright=0.7]]", ""),
    ],
)  # fmt: skip
def test_captions_are_the_last_field_that_is_no_option(markup: str, caption: str) -> None:
    block = image(f"Before {markup} after.")
    assert (block.name, block.caption) == ("A.png", caption)
    assert texts(f"Before {markup} after.") == ["Before after."]


def test_gallery_captions() -> None:
    blocks = parse("<gallery mode=packed>\nFile:A b.jpg|The [[sea|deep sea]]\nB.png\n\n</gallery>")
    pairs = [(b.name, b.caption) for b in blocks if isinstance(b, ImageBlock)]
    assert pairs == [("A b.jpg", "The deep sea"), ("B.png", "")]


def test_icons_are_left_out() -> None:
    assert parse("[[File:Icon.svg|16px|link=Home]] [[File:Dot.png|x20px]]") == []


# --- exports -------------------------------------------------------------------------------------

SITE = (
    '<siteinfo><sitename>T</sitename><namespaces><namespace key="0" />'
    '<namespace key="6">Bilddatei</namespace></namespaces></siteinfo>'
)


def page(title: str, text: str, ns: int = 0, redirect: str = "") -> str:
    to = f'<redirect title="{redirect}" />' if redirect else ""
    return (
        f"<page><title>{title}</title><ns>{ns}</ns><id>1</id>{to}<revision><id>1</id>"
        "<timestamp>2031-01-01T00:00:00Z</timestamp><contributor><username>A</username><id>1</id>"
        f'</contributor><text xml:space="preserve">{escape(text)}</text></revision></page>'
    )


def export(*pages: str) -> str:
    return (
        '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11">'
        f"{SITE}{''.join(pages)}</mediawiki>"
    )


def png(size: tuple[int, int] = (60, 40), format: str = "PNG") -> bytes:
    out = io.BytesIO()
    Pillow.new("RGB", size, (20, 90, 160)).save(out, format)
    return out.getvalue()


def read(path: Path) -> tuple[dict[str, Page], list[bytes], list[DocumentHead]]:
    saved: list[bytes] = []

    def save(data: bytes) -> str:
        saved.append(data)
        return f"f{len(saved)}"

    found, heads = {}, []
    for head, pages in MediaWikiReader().read(path, ReadRequest(save)):
        heads.append(head)
        (found[head.name],) = pages
    return found, saved, heads


def pictures_of(page: Page) -> list[ImageBlock]:
    return [block for block in page.blocks if isinstance(block, ImageBlock)]


def test_pages_are_documents_and_redirects_are_sentences(tmp_path: Path) -> None:
    path = tmp_path / "wiki.xml"
    path.write_text(
        export(
            page("Old name", "#REDIRECT [[Kelpie]]", redirect="Kelpie"),
            page("Kelpie", "It dives."),
            page("Talk:Kelpie", "Chatter", ns=1),
            page("K1", "#REDIRECT [[Kelpie#Top]]", redirect="Kelpie#Top"),
        )
    )
    found, _, heads = read(path)
    (head,) = heads
    assert (head.name, head.source, head.paged, head.page_count) == ("Kelpie", "wiki.xml", False, 1)
    blocks = [block for block in found["Kelpie"].blocks if isinstance(block, TextBlock)]
    assert [b.text for b in blocks] == [
        "Kelpie",
        "Kelpie is also called Old name and K1.",
        "It dives.",
    ]
    assert (blocks[0].kind, blocks[0].level) == ("heading", 1)


def test_pictures_are_found_by_name_at_any_depth(tmp_path: Path) -> None:
    nested = tmp_path / "images" / "a" / "ab"
    nested.mkdir(parents=True)
    (nested / "Red_boat.png").write_bytes(png())
    (nested / "Broken.jpg").write_bytes(png(format="JPEG")[:200])
    (nested / "Tiny.gif").write_bytes(png((16, 16), "GIF"))
    (nested / "Photo.webp").write_bytes(png(format="WEBP"))
    markup = (
        "[[Bilddatei:red boat.png|thumb|A boat]] [[File:Gone.png|thumb|Lost]] [[File:Broken.jpg|x]]"
        " [[File:Tiny.gif]] [[File:Photo.webp]] [[File:../../etc/passwd|y]]"
    )
    (tmp_path / "wiki.xml").write_text(export(page("P", markup)))
    found, saved, _ = read(tmp_path / "wiki.xml")
    assert [(b.name, b.caption, bool(b.file)) for b in pictures_of(found["P"])] == [
        ("Red_boat.png", "A boat", True),
        ("Gone.png", "Lost", False),
        ("Broken.jpg", "x", False),
        ("Photo.webp", "", True),
        ("../../etc/passwd", "y", False),
    ]
    assert saved[0] == png()
    assert Pillow.open(io.BytesIO(saved[1])).format == "PNG"


def test_bz2_and_gz(tmp_path: Path) -> None:
    text = export(page("P", "[[File:Boat.png|thumb|A boat]]")).encode()
    (tmp_path / "Boat.png").write_bytes(png())
    packed = {"dump.xml.bz2": bz2.compress(text), "dump2.xml.gz": gzip.compress(text)}
    for name, content in packed.items():
        (tmp_path / name).write_bytes(content)
        found, _, (head,) = read(tmp_path / name)
        assert pictures_of(found["P"])[0].file
        assert head.source == name


def test_internal_links_are_kept_with_their_text() -> None:
    markup = (
        "A [[Keel (ship)|keel]] and [[hull#Top|it]], [[Deep_sea]]s, [[Kelpie]], [[:File:A.png]]"
        " [[de:Bo]] [http://a.example x].\n\nNo link.\n* ''[[Dune: Part Two]]''"
        "\n{| \n| [[Cell]]\n|}\nEnd."
    )
    blocks = [block for block in parse(markup) if isinstance(block, TextBlock)]
    assert [(b.text[:4], b.links) for b in blocks] == [
        ("A ke", ("Keel (ship)", "hull", "Deep sea")),
        ("No l", ()),
        ("Dune", ("Dune: Part Two",)),
        ("Cell", ()),
        ("End.", ()),
    ]


def test_pages_that_are_done_are_skipped_and_cancel_is_heard(tmp_path: Path) -> None:
    path = tmp_path / "wiki.xml"
    path.write_text(export(page("A", "x"), page("B", "y")))
    pages = [list(p) for _, p in MediaWikiReader().read(path, ReadRequest(str, done=lambda _: {1}))]
    assert pages == [[], []]
    with pytest.raises(Cancelled):
        list(MediaWikiReader().read(path, ReadRequest(str, cancelled=lambda: True)))


def test_damage_costs_what_follows_it_only(tmp_path: Path) -> None:
    path = tmp_path / "wiki.xml"
    path.write_text(export(page("A", "x"), page("B", "y"))[:-60])
    reading = MediaWikiReader().read(path, ReadRequest(str))
    head, _ = next(reading)
    assert head.name == "A"
    with pytest.raises(DocumentError, match="The file is damaged"):
        next(reading)


def test_damage_inside_a_packed_export_is_said(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(export(page("A", "x" * 9)).encode()))
    packed[20:24] = b"\xff\xff\xff\xff"
    (tmp_path / "w.xml.gz").write_bytes(packed)
    with pytest.raises(DocumentError):
        list(MediaWikiReader().read(tmp_path / "w.xml.gz", ReadRequest(str)))


@pytest.mark.parametrize(
    "text",
    [
        "<html><body/></html>",
        "",
        '<?xml version="1.0"?><!DOCTYPE m [<!ENTITY a "b">]>' + export(page("A", "x")),
        "\x00\x01\x02",
    ],
)  # fmt: skip
def test_other_xml_and_entities_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "wiki.xml"
    path.write_text(text)
    with pytest.raises(DocumentError, match="no MediaWiki export"):
        read(path)


def test_pictures_beyond_the_limit_are_not_unpacked() -> None:
    assert decode_picture(png((300, 300)), max_pixels=1000) is None
    assert decode_picture(b"not a picture", max_pixels=1000) is None


@pytest.mark.skipif(not REAL.is_dir(), reason="the real export (../shared/data) is not here")
def test_real_export_leaves_no_markup() -> None:
    found, _, _ = read(REAL / "minetest_devwiki_export.xml")
    # Counted in the file: 86 of its 116 pages are in the main namespace.
    assert len(found) == 86
    blocks = [b for p in found.values() for b in p.blocks]
    prose = [b.text for b in blocks if isinstance(b, TextBlock) and "\n" not in b.text]
    cells = [cell for b in blocks if isinstance(b, TableBlock) for row in b.rows for cell in row]
    captions = [b.caption for b in blocks if isinstance(b, ImageBlock)]
    markup = re.compile(r"\{\{|\[\[|<ref|\|thumb|style=|\|\d+px|'''")
    leftovers = [t for t in (*prose, *cells, *captions) if markup.search(t)]
    assert leftovers == []
    assert "Rough overview of merge chances per code area" in captions
    assert sum(bool(b.file) for b in blocks if isinstance(b, ImageBlock)) == 12
