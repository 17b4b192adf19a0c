"""The readers of every format but PDF, made by name: it is in the sandbox that they work."""

from __future__ import annotations

from brit.config import ReadingConfig
from brit.documents.epub import EpubReader
from brit.documents.html import HtmlReader
from brit.documents.markdown import MarkdownReader
from brit.documents.mediawiki import MediaWikiReader
from brit.documents.office import DocxReader, PptxReader
from brit.documents.picture import PictureReader
from brit.documents.pictures import PictureFolder
from brit.documents.wikiweb2m import WikiWeb2MReader
from brit.documents.zim import ZimReader
from brit.models import DocumentReader

LOOSE = (HtmlReader, MarkdownReader, WikiWeb2MReader, MediaWikiReader)
"""Readers of pages whose pictures lie beside them; the first that knows a suffix reads it."""
WHOLE = (ZimReader, DocxReader, PptxReader, EpubReader, PictureReader)
"""Readers of files that hold their own pictures."""

KEPT: dict[str, type[DocumentReader]] = {
    "zim": ZimReader,
    "docx": DocxReader,
    "pptx": PptxReader,
    "epub": EpubReader,
}
"""Those of files that can be read again when nothing is left but the file, by format."""


def make_reader(name: str, config: ReadingConfig, pictures: PictureFolder) -> DocumentReader:
    """The reader whose class has that name. Raises KeyError."""
    loose = {cls.__name__: cls for cls in LOOSE}
    if name in loose:
        return loose[name](config, pictures)
    return {cls.__name__: cls for cls in WHOLE}[name](config)
