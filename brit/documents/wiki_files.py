"""The markup of a wiki's pictures: `[[File:…|thumb|caption]]`.

After MediaWiki's Help:Images: every field but the first is an option or, when it is none, the
caption; of several captions the last counts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from brit.documents.pictures import ICON_PIXELS

FILE_NAMESPACES = frozenset((
    "file", "image", "datei", "bild", "fichier", "archivo", "imagen", "ficheiro", "arquivo",
    "imagem", "immagine", "bestand", "afbeelding", "plik", "grafika", "файл", "изображение",
    "зображення", "soubor", "fil", "tiedosto", "kuva", "dosya", "文件", "檔案", "图像", "圖像",
    "ファイル", "画像", "파일", "그림", "ملف", "תמונה",
))  # fmt: skip

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
