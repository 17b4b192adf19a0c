"""Every format but PDF, from the file to a picture found through its caption."""

from __future__ import annotations

import bz2
import gzip
import io
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from PIL import Image as Pillow

from brit.config import RetrievalConfig
from brit.errors import DocumentError, InputError
from brit.pipeline import ingest, page_image, read_again, retrieve
from brit.pipeline.again import replace_pages
from brit.storage import Workspace
from brit.storage.export import graph_data
from brit.types import Page, Retrieval, RetrievedImage
from tests.pipeline.conftest import TestModels, picture, write_brochure

CAPTION = "The Zorvex pump seen from the harbour side"
TEXT = "The Zorvex pump moves water through a valve. Engineers in Tromsø built it in 2021."
OTHER = "The Quillon lamp lights the lane at night. Its owner paints it green."

Write = Callable[[Path], list[Path]]


def html_page(title: str, text: str, figure: str = "") -> str:
    return (
        f"<!DOCTYPE html><title>{title} - Wiki</title><nav>Menu Login</nav>"
        f"<main><h1>{title}</h1><p>{text}</p><h2>Views</h2>{figure}</main>"
    )


def figure(src: str, caption: str = CAPTION) -> str:
    return f'<figure><img src="{src}" width="320"><figcaption>{caption}</figcaption></figure>'


def write_pictures(folder: Path, *names: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for seed, name in enumerate(names):
        (folder / name).write_bytes(picture(seed))


def export(files: bool = True) -> str:
    pages = {
        "Zorvex": f"{TEXT}\n== Views ==\n[[File:Zorvex side.png|thumb|{CAPTION}]] See [[Quillon]].",
        "Quillon": OTHER + ("[[File:Lamp.png|thumb|The Quillon lamp]]" if files else ""),
    }
    body = "".join(
        f"<page><title>{title}</title><ns>0</ns><id>{n}</id><revision><id>{n}</id>"
        f"<timestamp>2020-01-01T00:00:00Z</timestamp><text>{escape(text)}</text></revision></page>"
        for n, (title, text) in enumerate(pages.items(), start=1)
    )
    return (
        '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11">'
        "<siteinfo><sitename>W</sitename><namespaces><namespace key='6'>File</namespace>"
        f"</namespaces></siteinfo>{body}</mediawiki>"
    )


# --- one writer a format -------------------------------------------------------------------------


def write_html_folder(folder: Path) -> list[Path]:
    write_pictures(folder / "images", "Zorvex_side.png", "Lamp.png")
    pages = folder / "pages"
    pages.mkdir()
    thumb = figure("/images/thumb/1/1f/Zorvex_side.png/120px-Zorvex_side.png")
    (pages / "Zorvex.html").write_text(html_page("Zorvex", TEXT, thumb))
    (pages / "Quillon.html").write_text(html_page("Quillon", OTHER, figure("../images/Lamp.png")))
    return [folder]


def write_html_zip(folder: Path) -> list[Path]:
    (source,) = write_html_folder(folder)
    with zipfile.ZipFile(folder / "wiki.zip", "w") as archive:
        for path in [p for p in source.rglob("*.*") if p.suffix in (".html", ".png")]:
            archive.write(path, path.relative_to(source))
    return [folder / "wiki.zip"]


def write_markdown(folder: Path) -> list[Path]:
    write_pictures(folder / "images", "side.png", "lamp.png")
    (folder / "Zorvex.md").write_text(
        f"# Zorvex\n\n{TEXT}\n\n![{CAPTION}](images/side.png)\n\nSee [[Quillon]].\n"
    )
    (folder / "Quillon.md").write_text(f"{OTHER}\n\n[[images/lamp.png|alt=The Quillon lamp]]\n")
    (folder / "_Sidebar.md").write_text("[[Quillon]]")
    return [folder]


def write_xml_7z(folder: Path) -> list[Path]:
    import py7zr

    write_pictures(folder, "Zorvex side.png", "Lamp.png")
    (folder / "dump.xml").write_text(export())
    with py7zr.SevenZipFile(folder / "wiki.7z", "w") as archive:
        for name in ("Zorvex side.png", "Lamp.png", "dump.xml"):
            archive.write(folder / name, f"w/{name}")
    return [folder / "wiki.7z"]


def write_xml(suffix: str, pack: Callable[[bytes], bytes]) -> Write:
    def write(folder: Path) -> list[Path]:
        write_pictures(folder / "pictures", "Zorvex_side.png", "Lamp.png")
        (folder / f"dump.xml{suffix}").write_bytes(pack(export().encode()))
        return [folder]

    return write


def write_zim(folder: Path) -> list[Path]:
    from libzim.writer import Creator, Hint, Item, StringProvider

    class Entry(Item):  # type: ignore[misc]
        def __init__(self, path: str, title: str, kind: str, content: bytes) -> None:
            super().__init__()
            self.parts = (path, title, kind, content)

        def get_path(self) -> str:
            return self.parts[0]

        def get_title(self) -> str:
            return self.parts[1]

        def get_mimetype(self) -> str:
            return self.parts[2]

        def get_contentprovider(self) -> StringProvider:
            return StringProvider(self.parts[3])

        def get_hints(self) -> dict[Hint, bool]:
            return {Hint.FRONT_ARTICLE: self.parts[2] == "text/html"}

    path = folder / "wiki.zim"
    with Creator(path).config_indexing(False, "eng") as creator:
        creator.set_mainpath("Zorvex")
        page = html_page("Zorvex", TEXT, figure("./_img_/side.png")).encode()
        creator.add_item(Entry("Zorvex", "Zorvex", "text/html", page))
        page = html_page("Quillon", OTHER, figure("_img_/lamp.png", "The Quillon lamp")).encode()
        creator.add_item(Entry("Quillon", "Quillon", "text/html", page))
        for seed, name in enumerate(("side.png", "lamp.png")):
            creator.add_item(Entry(f"_img_/{name}", name, "image/png", picture(seed)))
        creator.add_redirection("Old_Zorvex", "Zorvex Mk I", "Zorvex", {})
    return [path]


def write_wikiweb2m(folder: Path) -> list[Path]:
    """Records byte by byte, after the wire format of protocol buffers and of TFRecord."""
    from crc32c import crc32c

    def number(value: int) -> bytes:
        low = value & 0x7F
        return bytes([low | 0x80]) + number(value >> 7) if value > 0x7F else bytes([low])

    def field(tag: int, content: bytes) -> bytes:
        return number(tag << 3 | 2) + number(len(content)) + content

    def feature(values: list[bytes]) -> bytes:
        return field(1, b"".join(field(1, value) for value in values))

    def mask(data: bytes) -> bytes:
        crc = crc32c(data)
        return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)

    def record(title: str, text: str, address: str, caption: str) -> bytes:
        context = field(1, field(1, b"page_title") + field(2, feature([title.encode()])))
        rows: dict[str, list[list[bytes]]] = {
            "section_title": [[title.encode()], [b"Views"]],
            "section_text": [[text.encode()], [b"Pictures of it."]],
            "section_image_url": [[], [address.encode()]],
            "section_image_raw_ref_desc": [[], [caption.encode()]],
        }
        lists = b""
        for name, sections in rows.items():
            entries = b"".join(field(1, feature(values)) for values in sections)
            lists += field(1, field(1, name.encode()) + field(2, entries))
        levels = field(1, field(3, field(1, b"\x02")))  # packed int64
        lists += field(1, field(1, b"section_heading_level") + field(2, levels + levels))
        data = field(1, context) + field(2, lists)
        length = struct.pack("<Q", len(data))
        return length + mask(length) + data + mask(data)

    write_pictures(folder, "Zorvex_side.png", "Lamp.png")
    thumb = "https://upload.example.org/w/commons/thumb/1/1f/Zorvex_side.png/300px-Zorvex_side.png"
    records = record("Zorvex", TEXT, thumb, CAPTION)
    records += record("Quillon", OTHER, "https://upload.example.org/w/1/1f/Lamp.png", "The lamp")
    path = folder / "wikiweb2m-val.tfrecord.gz-00000-of-00001"
    path.write_bytes(gzip.compress(records))
    return [folder]


def write_picture(folder: Path) -> list[Path]:
    for seed, name in enumerate(("Quillon lamp.png", "Zorvex_pump.jpg")):
        with Pillow.open(io.BytesIO(picture(seed))) as image:
            image.convert("RGB").save(folder / name)
    return [folder]


def write_epub(folder: Path) -> list[Path]:
    chapters = {
        "a.xhtml": html_page("Zorvex", TEXT, figure("p/side.png")),
        "b.xhtml": html_page("Quillon", OTHER, figure("p/lamp.png", "The Quillon lamp")),
    }
    items = "".join(
        f'<item id="{name[0]}" href="{name}" media-type="application/xhtml+xml"/>'
        for name in chapters
    )
    with zipfile.ZipFile(folder / "book.epub", "w") as book:
        book.writestr(
            "META-INF/container.xml",
            '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
            '<rootfile full-path="OEBPS/c.opf"/></rootfiles></container>',
        )
        book.writestr(
            "OEBPS/c.opf",
            f'<package xmlns="http://www.idpf.org/2007/opf"><manifest>{items}</manifest>'
            '<spine><itemref idref="a"/><itemref idref="b"/></spine></package>',
        )
        for name, chapter in chapters.items():
            book.writestr(f"OEBPS/{name}", chapter)
        for seed, name in enumerate(("side.png", "lamp.png")):
            book.writestr(f"OEBPS/p/{name}", picture(seed))
    return [folder / "book.epub"]


W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
DRAWING = (
    '<w:p><w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/'
    'wordprocessingDrawing"><a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/'
    'main"><a:graphicData><pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/'
    'picture"><pic:blipFill><a:blip r:embed="{}"/></pic:blipFill></pic:pic></a:graphicData>'
    "</a:graphic></wp:inline></w:drawing></w:r></w:p>"
)


def write_docx(folder: Path) -> list[Path]:
    def paragraph(text: str, style: str = "Normal") -> str:
        return f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>'

    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    rels = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    names = {"Normal": "Normal", "Heading1": "heading 1", "Caption": "caption"}
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="{id}"><w:name w:val="{name}"/></w:style>'
        for id, name in names.items()
    )
    body = (
        paragraph("Zorvex", "Heading1") + paragraph(TEXT) + DRAWING.format("r1")
        + paragraph(CAPTION, "Caption") + paragraph("Quillon", "Heading1") + paragraph(OTHER)
        + DRAWING.format("r2") + paragraph("Figure 2. The Quillon lamp")
    )  # fmt: skip
    with zipfile.ZipFile(folder / "report.docx", "w") as file:
        file.writestr(
            "[Content_Types].xml",
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            '<Default Extension="png" ContentType="image/png"/></Types>',
        )
        file.writestr(
            "_rels/.rels",
            f'{rels}<Relationship Id="d" Type="{relations}/officeDocument" '
            'Target="word/document.xml"/></Relationships>',
        )
        pictures = "".join(
            f'<Relationship Id="r{n}" Type="{relations}/image" Target="media/{n}.png"/>'
            for n in (1, 2)
        )
        file.writestr(
            "word/_rels/document.xml.rels",
            f'{rels}{pictures}<Relationship Id="s" Type="{relations}/styles" Target="styles.xml"/>'
            "</Relationships>",
        )
        file.writestr("word/styles.xml", f"<w:styles {W}>{styles}</w:styles>")
        file.writestr(
            "word/document.xml",
            f'<w:document {W} xmlns:r="{relations}"><w:body>{body}</w:body></w:document>',
        )
        for n in (1, 2):
            file.writestr(f"word/media/{n}.png", picture(n))
    return [folder / "report.docx"]


def write_pptx(folder: Path) -> list[Path]:
    from pptx import Presentation
    from pptx.util import Inches

    deck = Presentation()
    texts = [("Zorvex", TEXT, CAPTION), ("Quillon", OTHER, "The Quillon lamp")]
    for seed, (title, text, caption) in enumerate(texts):
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        slide.shapes.title.text = title
        boxes = [(text, 1.5), (caption, 6.1)]
        for words, top in boxes:
            box = slide.shapes.add_textbox(Inches(1), Inches(top), Inches(6), Inches(0.4))
            box.text_frame.text = words
        slide.shapes.add_picture(
            io.BytesIO(picture(seed)), Inches(1), Inches(2.5), Inches(4.8), Inches(3.5)
        )
    deck.save(str(folder / "deck.pptx"))
    return [folder / "deck.pptx"]


FORMATS: dict[str, tuple[Write, str]] = {
    "html": (write_html_folder, "Zorvex"),
    "html in a ZIP": (write_html_zip, "Zorvex"),
    "markdown": (write_markdown, "Zorvex"),
    "xml": (write_xml("", bytes), "Zorvex"),
    "xml.bz2": (write_xml(".bz2", bz2.compress), "Zorvex"),
    "xml.gz": (write_xml(".gz", gzip.compress), "Zorvex"),
    "xml in a 7z": (write_xml_7z, "Zorvex"),
    "zim": (write_zim, "Zorvex"),
    "wikiweb2m": (write_wikiweb2m, "Zorvex"),
    "picture": (write_picture, "Zorvex_pump.jpg"),
    "epub": (write_epub, "book.epub"),
    "docx": (write_docx, "report.docx"),
    "pptx": (write_pptx, "deck.pptx"),
}


def find(workspace: Workspace, models: TestModels, question: str) -> Retrieval:
    config = RetrievalConfig()
    return retrieve(workspace, question, "c", models=models, config=config)


@pytest.mark.parametrize("format", FORMATS)
def test_from_file_to_picture(
    format: str, tmp_path: Path, workspace: Workspace, models: TestModels
) -> None:
    write, document = FORMATS[format]
    folder = tmp_path / "upload"
    folder.mkdir()
    report = ingest(workspace, write(folder), "c", models=models)
    assert {each.status for each in report.documents} == {"whole"}, report.documents
    assert len(report.documents) == (1 if format in ("epub", "docx", "pptx") else 2)
    assert sum(each.figures for each in report.documents) == 2
    first: RetrievedImage = find(workspace, models, CAPTION).images[0]
    assert first.document == document
    assert first.caption == (CAPTION if format != "picture" else "Zorvex pump")
    assert Path(first.path).is_file()
    assert first.page == (1 if format == "pptx" else None)
    assert (first.bbox is not None) == (format == "pptx")
    with pytest.raises(DocumentError, match="Only pages of PDF"):
        page_image(workspace, report.documents[0].id, 1)


def test_links_between_pages_are_edges_and_pages_without_numbers_are_cut(
    tmp_path: Path, workspace: Workspace, models: TestModels
) -> None:
    ingest(workspace, write_markdown(tmp_path), "c", models=models)
    data = graph_data(workspace, workspace.documents.collection("c").id)
    names = {node["id"]: node["label"] for node in data["nodes"]}
    edges = {(names[e["source"]], e["relation"], names[e["target"]]) for e in data["edges"]}
    assert ("Zorvex", "links to", "Quillon") in edges
    assert "LP" in {link["kind"] for link in data["links"]}
    assert {each["page"] for each in data["images"]} == {None}


def test_a_mixed_zip_is_read_file_by_file(
    tmp_path: Path, workspace: Workspace, models: TestModels
) -> None:
    """Pictures that a page names are its own; the other one is a document; archives in archives
    are named and left alone."""
    folder = tmp_path / "upload"
    write_html_folder(folder)
    write_brochure(folder / "kestrel.pdf", "Kestrel", pages=1)
    write_pictures(folder, "Harbour gate.png")
    (folder / "empty.txt").write_text("no document")
    with zipfile.ZipFile(folder / "inner.zip", "w") as inner:
        inner.writestr("a.txt", "x")
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for path in folder.rglob("*.*"):
            archive.write(path, path.relative_to(folder))
    for _ in range(2):
        report = ingest(workspace, [tmp_path / "all.zip"], "c", models=models)
        assert sorted((d.name, d.source, d.status) for d in report.documents) == [
            ("Harbour gate.png", "Harbour gate.png", "whole"),
            ("Quillon", "Quillon.html", "whole"),
            ("Zorvex", "Zorvex.html", "whole"),
            ("inner.zip", "inner.zip", "refused"),
            ("kestrel.pdf", "kestrel.pdf", "whole"),
        ]


def test_what_an_archive_could_not_give_is_in_the_ledger(
    tmp_path: Path, workspace: Workspace, models: TestModels
) -> None:
    write_brochure(tmp_path / "kestrel.pdf", "Kestrel", pages=1)
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.write(tmp_path / "kestrel.pdf", "kestrel.pdf")
        archive.writestr("../evil.pdf", b"%PDF-")
        archive.writestr("n" * 400 + ".pdf", b"%PDF-")
    ingest(workspace, [tmp_path / "all.zip"], "c", models=models)
    kept = workspace.documents.documents(workspace.documents.collection("c").id)
    assert sorted((d.name, d.status) for d in kept) == [
        ("evil.pdf", "refused"), ("kestrel.pdf", "whole"), ("n" * 76 + ".pdf", "refused")
    ]  # fmt: skip
    (reason,) = (d.reason for d in kept if d.name == "evil.pdf")
    assert reason.startswith("It was left out of all.zip: its path leaves the folder.")


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.zip", b"PK no zip", "cannot be unpacked"),
        ("a.7z", b"7z no archive", "cannot be unpacked"),
        ("a.zim", b"ZIM\x04 no archive", "damaged or no ZIM"),
        ("a.docx", b"PK", "damaged, encrypted, or no file of its kind"),
        ("a.pptx", b"\xd0\xcf\x11\xe0", "damaged, encrypted, or no file of its kind"),
        ("a.epub", b"", "damaged, encrypted, or no file of its kind"),
        ("a.png", b"\x89PNG\r\n\x1a\n", "damaged, no picture"),
        ("a.html", b"", "is empty"),
        ("a.tfrecord", b"12345678901234567", "length is wrong"),
        ("a.tfrecord.gz", b"\x1f\x8b\x08", "damaged"),
        ("a.xml", b"<other/>", "no MediaWiki export"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(
    name: str, content: bytes, reason: str, tmp_path: Path, workspace: Workspace, models: TestModels
) -> None:
    (tmp_path / name).write_bytes(content)
    (document,) = ingest(workspace, [tmp_path / name], "c", models=models).documents
    assert (document.name, document.status) == (name, "refused")
    assert reason in document.reason


@pytest.mark.parametrize("format", ["zim", "docx", "pptx", "epub"])
def test_a_page_of_a_file_that_holds_its_pictures_can_be_read_again(
    format: str, tmp_path: Path, workspace: Workspace, models: TestModels
) -> None:
    write, name = FORMATS[format]
    folder = tmp_path / "upload"
    folder.mkdir()
    found = ingest(workspace, write(folder), "c", models=models).documents
    document = next(each for each in found if each.name == name)
    before = workspace.content.read_pages(document.id)
    failed = Page(1, 0.0, 0.0, failure="The page took longer than 30 seconds.")
    workspace.content.put_page(document.id, failed)
    read_again(workspace, document.id, [1], models=models)
    after = workspace.content.read_pages(document.id)
    assert [page.blocks for page in after] == [page.blocks for page in before]
    assert find(workspace, models, CAPTION).images[0].document == name


@pytest.mark.parametrize("format", ["html", "markdown", "xml", "wikiweb2m", "zim"])
def test_a_page_that_failed_is_read_when_its_files_are_added_again(
    format: str, tmp_path: Path, workspace: Workspace, models: TestModels
) -> None:
    write, name = FORMATS[format]
    folder = tmp_path / "upload"
    folder.mkdir()
    files = write(folder)
    document = next(
        each for each in ingest(workspace, files, "c", models=models).documents if each.name == name
    )
    whole = workspace.content.read_pages(document.id)
    failed = Page(1, 0.0, 0.0, failure="The page took longer than 30 seconds.")
    replace_pages(workspace, document, [failed])
    # An interrupted reading goes on: the page that failed is not tried twice in it.
    ingest(workspace, files, "c", models=models)
    poor = workspace.documents.document(document.id)
    assert (poor.status, poor.figures) == ("partial", 0)
    found = find(workspace, models, CAPTION).images
    assert document.name not in {image.document for image in found}

    ingest(workspace, files, "c", models=models)
    again = workspace.documents.document(document.id)
    assert (again.status, again.figures) == ("whole", document.figures)
    pages = workspace.content.read_pages(document.id)
    assert [page.blocks for page in pages] == [page.blocks for page in whole]
    assert find(workspace, models, CAPTION).images[0].document == name
    stamp = workspace.documents.stamp_of(document.collection)
    ingest(workspace, files, "c", models=models)
    assert workspace.documents.stamp_of(document.collection) == stamp


def test_a_page_whose_pictures_lay_beside_it_is_to_be_added_again(
    tmp_path: Path, workspace: Workspace, models: TestModels
) -> None:
    document = ingest(workspace, write_markdown(tmp_path), "c", models=models).documents[0]
    with pytest.raises(InputError, match="add the files once more"):
        read_again(workspace, document.id, [1], models=models)
