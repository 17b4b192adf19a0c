"""Files from the browser on their way to a job: put on disk at once, in folders of our naming."""

from __future__ import annotations

import os
import re
import shutil
import uuid
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import BinaryIO, Protocol

from brit.config import home_path
from brit.errors import InputError, WorkspaceError
from brit.storage.jobs import UPLOADS
from brit.ui import state
from brit.ui.limits import take_uploads
from brit.ui.wording import t

_LONGEST = 120


class NamedFile(Protocol):
    """What Streamlit hands out for an uploaded file."""

    name: str

    def seek(self, position: int, /) -> int: ...

    def read(self, size: int = ..., /) -> bytes: ...


def safe_name(name: str) -> str:
    """A file's name without folders, control characters and what file systems cannot hold."""
    last = re.split(r"[/\\]", name)[-1]
    clean = re.sub(r"[\x00-\x1f\x7f\ud800-\udfff]", "", last).strip(" .") or "document"
    suffix = Path(clean).suffix[:10]
    stem = clean[: len(clean) - len(suffix)] if suffix else clean
    while len((stem + suffix).encode()) > _LONGEST:
        stem = stem[:-1]
    return stem + suffix


def spool(folder: Path, files: Iterable[NamedFile]) -> list[str]:
    """Copy files under `folder`/uploads, each in a folder of its own; → their paths.

    Raises InputError for too many within an hour, WorkspaceError where they cannot be written;
    nothing of them is kept then.
    """
    files = list(files)
    take_uploads(len(files))
    paths: list[Path] = []
    try:
        for file in files:
            paths.append(folder / UPLOADS / uuid.uuid4().hex / safe_name(file.name))
            paths[-1].parent.mkdir(parents=True)
            file.seek(0)
            with paths[-1].open("wb") as stream:
                shutil.copyfileobj(_binary(file), stream)
    except OSError as error:
        for path in paths:
            shutil.rmtree(path.parent, ignore_errors=True)
        raise WorkspaceError(t("upload.cannot", why=error.strerror or str(error))) from error
    return [str(path) for path in paths]


def _binary(file: NamedFile) -> BinaryIO:
    return file  # type: ignore[return-value]  # has the one method copyfileobj calls


def submit_ingestion(paths: list[str], collection: str, replaces: Sequence[str] = ()) -> int:
    """→ the job's number. Where a language model is to read, it ends when it can say what that
    would cost, and goes on when resumed. `replaces`: the documents that go when it is done."""
    more: dict[str, object] = {"replaces": list(replaces)} if replaces else {}
    if state.settings().extraction.configured:
        more["estimate"] = True
    return state.runner().submit("ingest", {"paths": paths, "collection": collection, **more})


def named_path(text: str) -> str:
    """A file or folder on this computer as somebody typed it. Raises InputError."""
    path = home_path(text.strip().strip("\"'"))
    # Not `Path.exists`, which raises for what is too long or holds a NUL.
    if not text.strip() or not os.path.exists(path):
        raise InputError(t("library.no_path", path=str(path)))
    return str(path.resolve())
