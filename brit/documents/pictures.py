"""Pictures that pages refer to: finding their files, and decoding them safely.

A page names a picture by an address or by its name only; the file lies anywhere in the upload.
Names are equal when they differ only in spaces, underscores and the case of the first letter.
"""

from __future__ import annotations

import base64
import binascii
import io
import os
import posixpath
import re
import struct
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote, urlsplit

from PIL import Image as Pillow
from PIL import ImageOps

from brit.models import ImageSink
from brit.types import Block, ImageBlock

PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
ICON_PIXELS = 25

_BROKEN = (OSError, ValueError, SyntaxError, EOFError, struct.error, Pillow.DecompressionBombError)
_FORMATS = ("PNG", "JPEG", "GIF", "WEBP")
_PLAIN_MODES = ("1", "L", "LA", "P", "RGB", "RGBA")
# How MediaWiki names a picture made smaller: the last part of `…/thumb/5/59/NAME/120px-NAME`.
_THUMBNAIL = re.compile(r"^(?:[a-z]+\d*-)*\d+px-")
MAX_PICTURE_BYTES = 200_000_000

PictureFile = tuple[str, bytes]
"""A picture's own file name, and its bytes as they are in the file."""


def normalise_file_name(name: str) -> str:
    """One spelling for all the ways in which a wiki writes a file's name."""
    plain = unicodedata.normalize("NFC", unquote(name)).replace("_", " ")
    plain = " ".join(plain.split())
    return plain[:1].upper() + plain[1:]


def names_in_address(address: str) -> list[str]:
    """The file names an address may mean, the picture's own first: of a thumbnail's address that of
    the full picture, then the thumbnail's."""
    parts = [unquote(part) for part in _path_of(address).split("/") if part]
    if not parts:
        return []
    names = [parts[-1], _THUMBNAIL.sub("", parts[-1])]
    if len(parts) > 1 and "thumb" in parts[:-2] and _THUMBNAIL.match(parts[-1]):
        names.insert(0, parts[-2])
    elif names[0] != names[1]:
        names.reverse()
    return list(dict.fromkeys(names))


def _path_of(address: str) -> str:
    try:
        return urlsplit(address.strip()).path
    except ValueError:
        return ""


class PictureFolder:
    """The pictures under some folders, at any depth; links are not followed.

    The folders are looked through when the first picture is asked for.
    """

    def __init__(self, folders: Iterable[Path], max_pixels: int) -> None:
        self.max_pixels = max_pixels
        self._folders = tuple(dict.fromkeys(each.absolute() for each in folders))

    @cached_property
    def paths(self) -> dict[Path, None]:
        return dict.fromkeys(path for each in self._folders for path in sorted(_walk(each)))

    @cached_property
    def _by_name(self) -> dict[str, Path]:
        found: dict[str, Path] = {}
        for path in self.paths:
            found.setdefault(normalise_file_name(path.name), path)
        return found

    def find(self, name: str) -> Path | None:
        return self._by_name.get(normalise_file_name(name))

    def read(self, address: str, base: Path) -> PictureFile | None:
        """The picture at an address seen from the folder `base`: there, or by its name anywhere."""
        path = self._at(address, base)
        for name in () if path else names_in_address(address):
            path = path or self.find(name)
        try:
            if path is None or path.stat().st_size > MAX_PICTURE_BYTES:
                return None
            return path.name, path.read_bytes()
        except OSError:
            # A picture that may not be opened costs that picture only.
            return None

    def _at(self, address: str, base: Path) -> Path | None:
        relative = unquote(_path_of(address))
        places = self._folders if relative.startswith("/") else (base,)
        absolute = (place.absolute() / relative.lstrip("/") for place in places)
        paths = (Path(os.path.normpath(path)) for path in absolute)
        return next((path for path in paths if path in self.paths), None)


def _walk(folder: Path) -> Iterator[Path]:
    for parent, _, names in os.walk(folder):
        for name in names:
            path = Path(parent, name)
            if path.suffix.lower() in PICTURE_SUFFIXES and not path.is_symlink():
                yield path


def _read_data(address: str) -> PictureFile | None:
    """The bytes of a `data:` address (RFC 2397) in base 64; it has no name."""
    head, _, body = address.partition(",")
    if not head.endswith(";base64"):
        return None
    try:
        return "", base64.b64decode(unquote(body))
    except (binascii.Error, ValueError):
        return None


@dataclass(frozen=True)
class ShownPicture:
    """`name` is the picture's own, "" where it has none; `file` is "" where it is missing."""

    name: str
    file: str


@dataclass(frozen=True)
class PictureLoader:
    """Brings the pictures of one page into the image store; `read` finds them by address."""

    read: Callable[[str], PictureFile | None]
    save_image: ImageSink
    max_pixels: int

    def load(self, address: str, *, sized: bool = False) -> ShownPicture | None:
        """The picture at an address, missing ones by name; None for an icon.

        `sized` says that the page gives it a size: then a small file is no icon.
        """
        embedded = address.startswith("data:")
        found = _read_data(address) if embedded else self.read(address)
        if found is None:
            names = [] if embedded else names_in_address(address)
            return ShownPicture(names[0] if names else "", "")
        name, data = found
        if not sized and is_icon_sized(data):
            return None
        pixels = decode_picture(data, self.max_pixels)
        return ShownPicture(name, self.save_image(pixels) if pixels else "")


def tell_missing(blocks: Iterable[Block]) -> str:
    """What to say of the pictures of a page that are not there, "" where all are."""
    count = sum(isinstance(block, ImageBlock) and not block.file for block in blocks)
    kinds = "damaged, not in the file, or of a kind that is not read"
    return f"{count} picture{'s are' if count > 1 else ' is'} {kinds}." if count else ""


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


def join_address(page: str, address: str) -> str:
    """The path of `address` as seen from the path `page` of an archive, without `..`."""
    folder = posixpath.dirname(page)
    return posixpath.normpath(posixpath.join(folder, unquote(_path_of(address)))).lstrip("/")
