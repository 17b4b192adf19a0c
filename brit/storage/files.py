"""Files by content hash: the same bytes are kept once, and a file is whole or not there at all."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from brit.errors import DocumentError

CHUNK = 1 << 20
# Bytes of a file name that are no UTF-8, as Python stands them in (PEP 383).
NOT_UNICODE = re.compile("[\ud800-\udfff]")


class FileStore:
    """`folder/ab/abcdef….ext`; the id of a file is its hash with its suffix, « abcdef….png »."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, id: str) -> Path:
        """Where the file of that id stands."""
        return self.folder / id[:2] / id

    def put(self, content: bytes, suffix: str = ".png") -> str:
        """Keep `content`; → id."""
        id = hashlib.sha256(content).hexdigest()[:32] + suffix
        if not self.path(id).exists():
            self._place(id, lambda temporary: temporary.write_bytes(content))
        return id

    @staticmethod
    def identify(source: Path) -> str:
        """The id of a file's content, kept or not. Memory does not grow with its size.

        Raises DocumentError for a file that cannot be read.
        """
        if NOT_UNICODE.search(source.name):
            raise DocumentError("The file's name is not valid UTF-8. Rename the file.")
        digest = hashlib.sha256()
        try:
            with source.open("rb") as stream:
                while chunk := stream.read(CHUNK):
                    digest.update(chunk)
        except OSError as error:
            raise DocumentError(
                f"The file cannot be read ({error.strerror}). Check that it is there and yours."
            ) from error
        return digest.hexdigest()[:32] + source.suffix.lower()

    def put_file(self, source: Path) -> str:
        """Keep a copy of the file `source`; → id."""
        id = self.identify(source)
        if not self.path(id).exists():
            self._place(id, lambda temporary: shutil.copyfile(source, temporary))
        return id

    def put_under(self, id: str, write: Callable[[Path], object]) -> None:
        """Keep what `write` puts into the file it is given in place of the file `id` names."""
        if not self.path(id).exists():
            self._place(id, write)

    def _place(self, id: str, fill: Callable[[Path], object]) -> None:
        target = self.path(id)
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".new-")
        os.close(handle)
        temporary = Path(name)
        try:
            fill(temporary)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)

    def remove(self, ids: Iterable[str]) -> None:
        """Delete files; what is not there is passed over."""
        for id in ids:
            self.path(id).unlink(missing_ok=True)
