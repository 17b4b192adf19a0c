"""Pictures of a wiki: their markup (`[[File:…|thumb|caption]]`) and the files themselves.

Markup after MediaWiki's Help:Images: every field but the first is an option or, when it is none,
the caption; of several captions the last counts. Names are equal when they differ only in spaces,
underscores and the case of the first letter.
"""

from __future__ import annotations

import io
import os
import re
import struct
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import unquote

from PIL import Image as Pillow
from PIL import ImageOps

FILE_NAMESPACES = frozenset((
    "file", "image", "datei", "bild", "fichier", "archivo", "imagen", "ficheiro", "arquivo",
    "imagem", "immagine", "bestand", "afbeelding", "plik", "grafika", "файл", "изображение",
    "зображення", "soubor", "fil", "tiedosto", "kuva", "dosya", "文件", "檔案", "图像", "圖像",
    "ファイル", "画像", "파일", "그림", "ملف", "תמונה",
))  # fmt: skip
PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
ICON_PIXELS = 25

_OPTION = re.compile(
    r"thumb(nail)?|frame(d|less)?|border|left|right|cent(er|re)|none|baseline|middle|sub|super|top"
    r"|text-top|bottom|text-bottom|upright(\s*=?\s*[\d.]+)?|\d*\s*(x\s*\d+)?\s*(px)+"
    r"|(thumb|alt|link|page|lang|class|start|end|thumbtime|loop|muted)\s*=.*"
    r"|mini(atur)?(\s*=.*)?|hochkant(\s*=?\s*[\d.,]+)?|rechts|links|zentriert|ohne|gerahmt|rahmenlos"
    r"|rand|(alternativtext|verweis|seite|klasse|sprache)\s*=.*"
    r"|vignette|gauche|droite|centré|néant|cadre|sans_cadre|bordure|redresse(\s*=?\s*[\d.,]+)?"
    r"|miniatura?(deimagen)?|derecha|izquierda|centro|ninguna?|marco|sinmarco|borde"
    r"|destra|sinistra|riquadrato|(mini|справа|слева|центр|без|обрамить|граница)"
    r"|缩略图|縮圖|有框|无框|無框|右|左|居中|置中|サムネイル|フレーム|フレームなし|中央|なし|섬네일|오른쪽|왼쪽|가운데",
    re.IGNORECASE,
)
_WIDTH = re.compile(r"(\d+)?\s*(?:x\s*(\d+))?\s*px", re.IGNORECASE)
_BRACKETS = re.compile(r"\[\[|\]\]|\{\{|\}\}|\||\n")
_BROKEN = (OSError, ValueError, SyntaxError, EOFError, struct.error, Pillow.DecompressionBombError)
_FORMATS = ("PNG", "JPEG", "GIF", "WEBP")
_PLAIN_MODES = ("1", "L", "LA", "P", "RGB", "RGBA")


def split_fields(markup: str) -> list[str]:
    """The fields of a link, cut at those bars that stand in no inner link or template."""
    fields, depth, start = [], 0, 0
    for mark in _BRACKETS.finditer(markup):
        if mark[0] in ("[[", "{{"):
            depth += 1
        elif mark[0] in ("]]", "}}"):
            depth = max(0, depth - 1)
        elif mark[0] == "|" and not depth:
            fields.append(markup[start : mark.start()])
            start = mark.end()
    return [field.strip() for field in (*fields, markup[start:])]


def find_caption(fields: Sequence[str]) -> str:
    """The last field that is no option, still as markup; "" where there is none."""
    captions = [field for field in fields if field and not _OPTION.fullmatch(field)]
    return captions[-1] if captions else ""


def is_icon(fields: Sequence[str]) -> bool:
    """Whether an option shrinks the picture to at most `ICON_PIXELS`."""
    sizes = [match for field in fields if (match := _WIDTH.fullmatch(field))]
    return any(int(side) <= ICON_PIXELS for match in sizes for side in match.groups() if side)


def normalise_file_name(name: str) -> str:
    """One spelling for all the ways in which a wiki writes a file's name."""
    plain = unicodedata.normalize("NFC", unquote(name)).replace("_", " ")
    plain = " ".join(plain.split())
    return plain[:1].upper() + plain[1:]


class PictureFolder:
    """The pictures under a folder, at any depth, by file name; links are not followed."""

    def __init__(self, folder: Path, max_pixels: int) -> None:
        self.max_pixels = max_pixels
        self._paths: dict[str, Path] = {}
        for path in sorted(_walk(folder)):
            self._paths.setdefault(normalise_file_name(path.name), path)

    def find(self, name: str) -> Path | None:
        return self._paths.get(normalise_file_name(name))


def _walk(folder: Path) -> Iterator[Path]:
    for parent, _, names in os.walk(folder):
        for name in names:
            path = Path(parent, name)
            if path.suffix.lower() in PICTURE_SUFFIXES and not path.is_symlink():
                yield path


def is_icon_sized(data: bytes) -> bool:
    """Whether a file is a picture of at most `ICON_PIXELS` either way."""
    try:
        with Pillow.open(io.BytesIO(data), formats=_FORMATS) as picture:
            return max(picture.size) <= ICON_PIXELS
    except _BROKEN:
        return False


def decode_picture(data: bytes, max_pixels: int) -> bytes | None:
    """Bytes of a file → PNG or JPEG that is known to decode, or None.

    A JPEG over `max_pixels` is decoded at a fraction of its size; any other is given up on before
    its pixels are unpacked.
    """
    try:
        with Pillow.open(io.BytesIO(data), formats=_FORMATS) as picture:
            if picture.width * picture.height > max_pixels:
                picture.draft(None, (4000, 4000))
            if picture.width * picture.height > max_pixels:
                return None
            full_size = picture.size
            picture.load()
            turned = picture.getexif().get(0x0112, 1) != 1
            as_it_is = picture.format in ("PNG", "JPEG") and picture.mode in _PLAIN_MODES
            if as_it_is and not turned and full_size == picture.size:
                return data
            return _encode_png(ImageOps.exif_transpose(picture))
    except _BROKEN:
        # A broken picture costs that picture only: the block stays, without pixels.
        return None


def _encode_png(picture: Pillow.Image) -> bytes:
    out = io.BytesIO()
    alpha = picture.has_transparency_data
    picture.convert("RGBA" if alpha else "RGB").save(out, "PNG")
    return out.getvalue()
