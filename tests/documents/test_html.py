"""HTML and Markdown pages: what a reader sees becomes blocks, the frame does not."""

from __future__ import annotations

import io
import time
from pathlib import Path

import pytest
from PIL import Image as Pillow

from brit.documents.html import HtmlReader, decode_text
from brit.documents.html_blocks import parse_html, read_blocks
from brit.documents.html_links import link_title
from brit.documents.markdown import MarkdownReader
from brit.documents.pictures import (
    PictureFolder,
    PictureLoader,
    join_address,
    names_in_address,
)
from brit.errors import DocumentError
from brit.models import ReadRequest
from brit.types import Block, DocumentHead, ImageBlock, Page, TableBlock, TextBlock

REAL = Path(__file__).parents[3] / "shared/data/wiki/html"


def png(size: tuple[int, int] = (60, 40)) -> bytes:
    out = io.BytesIO()
    Pillow.new("RGB", size, "red").save(out, "PNG")
    return out.getvalue()


def nowhere(_: str) -> None:
    return None


def parse(body: str, title: str = "Kelpie") -> list[Block]:
    root = parse_html(f"<body>{body}</body>".encode())
    return read_blocks(root, title, PictureLoader(nowhere, str, 1_000_000))[1:]


def texts(body: str) -> list[tuple[str, str]]:
    return [(b.text, b.kind) for b in parse(body) if isinstance(b, TextBlock)]


def images(body: str) -> list[tuple[str | None, str, float]]:
    blocks = (block for block in parse(body) if isinstance(block, ImageBlock))
    return [(b.name, b.caption, b.caption_confidence) for b in blocks]


def table(body: str) -> TableBlock:
    (block,) = (block for block in parse(body) if isinstance(block, TableBlock))
    return block


def read(reader: HtmlReader, path: Path) -> tuple[DocumentHead, Page]:
    ((head, pages),) = ((head, list(pages)) for head, pages in reader.read(path, ReadRequest(size)))
    return head, pages[0]


def size(data: bytes) -> str:
    return f"{len(data)} bytes"


# --- text ----------------------------------------------------------------------------------------


def test_flow_headings_lists_and_program_text() -> None:
    body = (
        "<h2>Parts <span class='mw-editsection'>[edit]</span></h2><p>One<br>two <b>bold</b>s.</p>"
        "loose<ul><li>a<ul><li><p>b</p></li></ul></li></ul><pre>x = 1\n  y = 2</pre>"
        "<dl><dt>T</dt><dd>D &amp; E</dd></dl><ol class='references'><li>Note</li></ol>"
    )
    assert texts(body) == [
        ("Parts", "heading"),
        ("One two bolds.", "paragraph"),
        ("loose", "paragraph"),
        ("a", "list-item"),
        ("b", "list-item"),
        ("x = 1\n  y = 2", "paragraph"),
        ("T", "list-item"),
        ("D & E", "list-item"),
        ("Note", "footnote"),
    ]


@pytest.mark.parametrize(
    "frame",
    [
        "<script>alert(1)</script>", "<style>p{}</style>", "<nav>Menu</nav>", "<!-- note -->",
        "<div id='toc'><li>1</li></div>", "<div class='x navbox'>Box</div>", "<?php echo 1 ?>",
        "<p hidden>no</p>", "<p style='display: none'>no</p>", "<form><input value='q'>go</form>",
        "<footer>(c)</footer>", "<sup class='reference'>[1]</sup>", "<svg><text>s</text></svg>",
        "<div role='navigation'>Up</div>", "<template><p>t</p></template>",
    ],
)  # fmt: skip
def test_the_frame_is_left_out(frame: str) -> None:
    assert texts(f"<p>Kept{frame} text.</p>{frame}") in (
        [("Kept text.", "paragraph")],
        [("Kept", "paragraph"), ("text.", "paragraph")],
    )


def test_a_wiki_s_own_text_is_found_in_its_skin() -> None:
    page = (
        "<body><div>Skin</div><div id='content'><h1>Kelpie</h1><div class='mw-parser-output'>"
        "<p>It dives.</p></div></div><div>Privacy</div></body>"
    )
    assert texts(page) == [("It dives.", "paragraph")]


def test_links_lead_to_pages_of_the_wiki_only() -> None:
    (block,) = parse(
        "<p><a href='/wiki/Deep_sea' title='Deep sea'>x</a> <a href='Hull%20plan.html'>y</a>"
        "<a href='/index.php?title=Z&redlink=1' class='new' title='Z'>z</a> <a href='#top'>t</a>"
        "<a href='https://a.example/B'>b</a> <a href='/File:A.png' class='image'>i</a>"
        "<a href='/Category:C' title='Category:C'>c</a> <a href='Kelpie.html'>self</a></p>"
    )
    assert isinstance(block, TextBlock)
    assert block.links == ("Deep sea", "Hull plan")


@pytest.mark.parametrize(
    "href", ["javascript:alert(1)", "mailto:a@b.example", "http://[", "", "?q"]
)
def test_other_addresses_lead_nowhere(href: str) -> None:
    assert link_title(href, None) == ""


# --- pictures ------------------------------------------------------------------------------------


def test_captions_of_figures_thumbs_and_galleries() -> None:
    body = (
        "<figure><img src='a.png'><figcaption>A <b>boat</b></figcaption></figure>"
        "<div class='thumb tright'><div class='thumbinner'><a><img src='b.png' width='300'></a>"
        "<div class='thumbcaption'><div class='magnify'>+</div>A keel</div></div></div>"
        "<ul class='gallery'><li class='gallerybox'><div class='thumb'><img src='c.png'></div>"
        "<div class='gallerytext'><p>A sail</p></div></li><li class='gallerybox'>"
        "<div class='thumb'><img src='d.png'></div>"
        "<div class='gallerytext'><p>A mast</p></div></li></ul>"
        "<figure><a class='new' title='File:Gone.png'>up</a><figcaption>Lost</figcaption></figure>"
    )
    assert images(body) == [
        ("a.png", "A boat", 1.0),
        ("b.png", "A keel", 1.0),
        ("c.png", "A sail", 1.0),
        ("d.png", "A mast", 1.0),
        ("Gone.png", "Lost", 1.0),
    ]
    assert texts(body) == []


def test_captions_from_what_stands_around_the_picture() -> None:
    assert images("<img src='a.png' alt='A red boat'><img src='b.png' alt='b.png'>") == [
        ("a.png", "A red boat", 0.6),
        ("b.png", "", 0.0),
    ]
    assert images("<p><img src='x.png'></p><p>x</p>") == [("x.png", "Kelpie", 0.3)]
    assert images("<img src='a.png'><p>Figure 2. Hull.</p><p>Bild 3 b</p><img src='b.png'>") == [
        ("a.png", "Figure 2. Hull.", 0.8),
        ("b.png", "Bild 3 b", 0.8),
    ]
    row = "<tr><td><a href='/Oak' title='Oak'><img src='o.png'></a></td><td>3</td></tr>"
    named = "<tr><td>Elm</td><td><img src='e.png'></td></tr>"
    assert images(f"<table>{row}{named}</table>") == [("o.png", "Oak", 0.6), ("e.png", "Elm", 0.5)]


def test_icons_are_left_out_by_their_size_on_the_page_or_their_own(tmp_path: Path) -> None:
    for name, pixels in [("big.png", (60, 60)), ("tiny.png", (16, 16)), ("pixel.png", (16, 16))]:
        (tmp_path / name).write_bytes(png(pixels))
    (tmp_path / "p.html").write_text(
        "<h1>P</h1><img src='big.png' width='25' height='20'><img src='tiny.png'>"
        "<img src='pixel.png' width='150'><img src='big.png' width='60px' height='9'>"
    )
    _, page = read(HtmlReader(), tmp_path / "p.html")
    shown = [block.name for block in page.blocks if isinstance(block, ImageBlock)]
    assert shown == ["pixel.png", "big.png"]


@pytest.mark.parametrize(
    ("address", "names"),
    [
        ("/images/thumb/5/59/Logo.png/120px-Logo.png", ["Logo.png", "120px-Logo.png"]),
        ("//w.example/thumb/a/ab/M.svg/lang-de-9px-M.svg.png?x#y",
         ["M.svg", "lang-de-9px-M.svg.png", "M.svg.png"]),
        ("Page_files/120px-Boat.jpg", ["Boat.jpg", "120px-Boat.jpg"]),
        ("a/Red%20boat.png", ["Red boat.png"]),
        ("http://[bad", []),
    ],
)  # fmt: skip
def test_the_names_in_an_address(address: str, names: list[str]) -> None:
    assert names_in_address(address) == names


def test_pictures_of_one_name_are_told_apart_by_their_folder(tmp_path: Path) -> None:
    for number, folder in enumerate(("a", "b")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "fig 1.png").write_bytes(png((50 + number, 40)))
    outside = tmp_path / "secret.png"
    outside.write_bytes(png((90, 90)))
    folder = PictureFolder([tmp_path / "a", tmp_path / "b"], 1_000_000)
    assert folder.read("fig%201.png", tmp_path / "b") == ("fig 1.png", png((51, 40)))
    assert folder.read("../a/fig%201.png", tmp_path / "b") == ("fig 1.png", png((50, 40)))
    assert folder.read("/img/Fig_1.png", tmp_path / "b") == ("fig 1.png", png((50, 40)))
    assert folder.read("../secret.png", tmp_path / "a") is None
    assert folder.read(outside.as_uri(), tmp_path / "a") is None


def test_addresses_inside_archives_stay_inside() -> None:
    assert join_address("A/x.html", "../I/m/a%20b.png") == "I/m/a b.png"
    assert join_address("A/x.html", "../../../etc/passwd.png") == "../../etc/passwd.png"


def test_pictures_written_into_the_page(tmp_path: Path) -> None:
    import base64

    data = base64.b64encode(png()).decode()
    (tmp_path / "p.html").write_text(
        f"<h1>P</h1><img alt='Inside' src='data:image/png;base64,{data}'>"
        "<img alt='Broken' src='data:image/png;base64,@@@'>"
    )
    _, page = read(HtmlReader(), tmp_path / "p.html")
    shown = [(b.name, b.caption, b.file) for b in page.blocks if isinstance(b, ImageBlock)]
    assert shown == [(None, "Inside", size(png())), (None, "Broken", "")]


# --- tables --------------------------------------------------------------------------------------


def test_an_infobox_is_one_row_about_its_subject() -> None:
    box = (
        "<table><tr><th colspan='2'>Gold Ore</th></tr>"
        "<tr><th colspan='2'><img src='g.png'></th></tr>"
        "<tr><td>Type:</td><td>Solid</td></tr><tr><td>Drops</td><td>Lump</td></tr></table>"
    )
    assert table(box) == TableBlock(
        ("", "Type", "Drops"), (("Gold Ore", "Solid", "Lump"),), caption="Gold Ore"
    )
    assert images(box) == [("g.png", "Gold Ore", 0.5)]
    classed = "<tr><th>Built</th><td>1921</td></tr><tr><th>Crew</th><td>4</td></tr>"
    assert table(f"<table class='infobox vcard'>{classed}</table>").rows == (
        ("Kelpie", "1921", "4"),
    )


def test_a_table_keeps_header_spans_and_caption() -> None:
    body = (
        "<table><caption>Sizes</caption><thead><tr><th>Boat</th><th>m</th></tr></thead><tbody>"
        "<tr><td rowspan='2'>Kelpie</td><td>9</td></tr><tr><td>10</td></tr></tbody></table>"
    )
    assert table(body) == TableBlock(("Boat", "m"), (("Kelpie", "9"), ("Kelpie", "10")),
                                     caption="Sizes")  # fmt: skip


# --- files ---------------------------------------------------------------------------------------


def test_title_source_and_encodings(tmp_path: Path) -> None:
    pages = {
        "a.html": ("<meta charset='iso-8859-1'><title>Tromsø - W</title><p>ö".encode("latin-1"),
                   "Tromsø - W"),
        "b.html": ("<p>plain €".encode("cp1252"), "b"),
        "c.htm": ("﻿<h1> Head\nline </h1>".encode("utf-16"), "Head line"),
        "d.html": (b"<meta charset='no-such'><h1>\xc3\xb6</h1>", "ö"),
    }  # fmt: skip
    for name, (content, title) in pages.items():
        (tmp_path / name).write_bytes(content)
        head, page = read(HtmlReader(), tmp_path / name)
        assert (head.name, head.source, head.paged) == (title, name, False)
        assert page.blocks[0] == TextBlock(title, "heading", level=1)
    assert decode_text(b"\xff\xfe\x00") != ""


def test_hostile_pages_are_read_fast_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.html"
    start = time.process_time()
    for content in (
        b"<div>" * 300_000,
        b"<table><tr><td>" * 50_000,
        b"<!DOCTYPE x [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><p>&a;</p>",
        b"\x00<p>\x00a\x00</p>",
        b"<p " + b"a='" * 100_000,
    ):
        path.write_bytes(content)
        _, page = read(HtmlReader(), path)
        assert "root:" not in str(page)
    assert time.process_time() - start < 5
    path.write_bytes(b"")
    with pytest.raises(DocumentError, match="is empty"):
        read(HtmlReader(), path)


def test_markdown(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "boat.png").write_bytes(png())
    path = tmp_path / "Set-up-guide.md"
    path.write_text(
        "---\nlayout: x\n---\n## Steps\n\n"
        "See [[Deep sea]] and [[the hull|Hull Plan]], `[[code]]`.\n\n"
        "- [x](Sails.md)\n\n![A boat](images/boat.png)\n\n[[boat.png|alt=Boat again]]\n\n"
        "| Part | m |\n|---|---|\n| Keel | 9 |\n\n```\nif a:\n    b\n```\n<script>x</script>\n"
    )
    head, page = read(MarkdownReader(), path)
    assert (head.name, head.source, head.format) == ("Set up guide", "Set-up-guide.md", "markdown")
    assert page.blocks == (
        TextBlock("Set up guide", "heading", level=1),
        TextBlock("Steps", "heading", level=2),
        TextBlock(
            "See Deep sea and the hull, [[code]].", "paragraph", links=("Deep sea", "Hull Plan")
        ),
        TextBlock("x", "list-item", links=("Sails",)),
        ImageBlock(size(png()), name="boat.png", caption="A boat", caption_confidence=0.6),
        ImageBlock(size(png()), name="boat.png", caption="Boat again", caption_confidence=0.6),
        TableBlock(("Part", "m"), (("Keel", "9"),)),
        TextBlock("if a:\n    b", "paragraph"),
    )
    path.write_text("# Own title\n\ntext")
    assert read(MarkdownReader(), path)[0].name == "Own title"


@pytest.mark.skipif(not REAL.is_dir(), reason="../shared/data is not there")
def test_real_pages() -> None:
    """Counted by eye: pictures with their captions, missing ones included."""
    pictures = PictureFolder([REAL], 16_000_000)
    counts = {}
    for name in ("Map_Generator_Evolution", "Gold_Ore", "Hotbar"):
        head, page = read(HtmlReader(pictures=pictures), REAL / "pages" / f"{name}.html")
        found = [block for block in page.blocks if isinstance(block, ImageBlock)]
        assert head.source == f"{name}.html"
        assert all(block.caption for block in found)
        counts[head.name] = (len(found), sum(bool(block.file) for block in found))
    assert counts == {"Map Generator Evolution": (33, 16), "Gold Ore": (1, 1), "Hotbar": (3, 0)}
