"""Files by content hash: the same bytes are kept once, and a file is whole or not there at all.

What is not whole yet lies in a room, a locked folder of its own; a crash opens the lock, and the
next process to write sweeps the room away.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from brit.errors import DocumentError, WorkspaceError

CHUNK = 1 << 20
# Bytes of a file name that are no UTF-8, as Python stands them in (PEP 383).
NOT_UNICODE = re.compile("[\ud800-\udfff]")
ROOM = ".new-"
FULL = (errno.ENOSPC, errno.EDQUOT)


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
        self.put_under(id, lambda target: target.write_bytes(content))
        return id

    @contextmanager
    def bring_in(self, source: Path) -> Iterator[tuple[Path, str]]:
        """A copy of a file under its own name, there as long as the context, and its id.

        Whatever becomes of the file meanwhile, what is read of the copy is what the id stands for.
        Memory does not grow with its size. Raises DocumentError for a file that cannot be copied.
        """
        if NOT_UNICODE.search(source.name):
            raise DocumentError("The file's name is not valid UTF-8. Rename the file.")
        with self._room() as room:
            copy = room / source.name
            yield copy, _copy(source, copy) + source.suffix.lower()

    def keep(self, copy: Path, id: str) -> None:
        """Keep a file brought in."""
        self.put_under(id, partial(link_or_copy, copy))

    def put_under(self, id: str, write: Callable[[Path], object]) -> None:
        """Keep what `write` puts into the file it is given in place of the file `id` names."""
        target = self.path(id)
        if target.exists():
            return
        with self._room() as room:
            try:
                write(room / id)
                (room / id).chmod(0o600)
                target.parent.mkdir(exist_ok=True)
                (room / id).replace(target)
            except OSError as error:
                raise cannot_write(self.folder, error.strerror or str(error)) from error

    def remove(self, ids: Iterable[str]) -> None:
        """Delete files; what is not there is passed over."""
        for id in ids:
            self.path(id).unlink(missing_ok=True)

    @contextmanager
    def _room(self) -> Iterator[Path]:
        """A folder for a file on its way in, gone afterwards with what is left in it."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            # The lock of the whole keeps a new room from being swept before it has its own.
            with _locked(self.folder):
                self._sweep()
                room = Path(tempfile.mkdtemp(dir=self.folder, prefix=ROOM))
                handle = _lock(room)
        except OSError as error:
            raise cannot_write(self.folder, error.strerror or str(error)) from error
        try:
            yield room
        finally:
            shutil.rmtree(room)
            os.close(handle)

    def _sweep(self) -> None:
        """Delete the rooms of processes that ended without doing so."""
        for room in self.folder.glob(ROOM + "*"):
            try:
                handle = _lock(room, fcntl.LOCK_NB)
            except OSError:
                # Its process is at work in it, or has just deleted it.
                continue
            shutil.rmtree(room)
            os.close(handle)


def in_use(room: Path) -> bool:
    """Whether a process is at work in that room."""
    try:
        os.close(_lock(room, fcntl.LOCK_NB))
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


def _lock(folder: Path, flags: int = 0) -> int:
    """→ the handle that holds the lock until it is closed. Raises OSError."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | flags)
    except OSError:
        os.close(handle)
        raise
    return handle


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    handle = _lock(folder)
    try:
        yield
    finally:
        os.close(handle)


def _copy(source: Path, target: Path) -> str:
    """Copy a file; → the hash of what was copied."""
    digest = hashlib.sha256()
    try:
        with source.open("rb") as stream, target.open("wb") as sink:
            before = os.fstat(stream.fileno())
            while chunk := stream.read(CHUNK):
                digest.update(chunk)
                sink.write(chunk)
            after = os.fstat(stream.fileno())
    except OSError as error:
        if error.errno in FULL:
            raise DocumentError("The disk is full: free some space and add it again.") from error
        raise DocumentError(
            f"The file cannot be read ({error.strerror}). Check that it is there and yours."
        ) from error
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise DocumentError("The file changed while it was copied: add it again when it is done.")
    return digest.hexdigest()[:32]


def cannot_write(folder: Path, why: str) -> WorkspaceError:
    """The sentence for a full disk, or a folder that takes no files."""
    return WorkspaceError(
        f"{folder} cannot be written ({why}): free some space, or the folder, and try again. "
        "Nothing is half done, and what was finished stays."
    )


def link_or_copy(copy: Path, target: Path) -> None:
    """The same file under another name, or its copy where the file system has no such links."""
    try:
        os.link(copy, target)
    except OSError:
        shutil.copyfile(copy, target)
