"""A collection's graph as one file of arrays, read in one go: no SQL, no sorting, no pickle."""

from __future__ import annotations

import json
import os
import zipfile
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from brit.errors import WorkspaceError
from brit.types import CollectionGraph, Rows

FORMAT = 1


def save_graph(path: Path, graph: CollectionGraph, versions: dict[str, int]) -> None:
    """Write `graph`, as it was read, and for each document it holds, the version it was read at.

    Raises WorkspaceError where the folder cannot be written.
    """
    arrays: dict[str, Any] = {"format": np.array([FORMAT])}
    parts: dict[str, Any] = {name: getattr(graph, name) for name in _names()}
    parts |= {"read": list(versions), "versions": np.array([*versions.values()], np.int64)}
    for name, value in parts.items():
        if isinstance(value, Rows):
            arrays[f"{name}.start"], arrays[f"{name}.items"] = value.start, value.items
        else:
            arrays[name] = _pack(value) if isinstance(value, list) else value
    temporary = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as stream:
            np.savez(stream, **arrays)
        os.replace(temporary, path)
    except OSError as error:
        raise WorkspaceError(
            f"The graph file {path.name} cannot be written: free space or the folder."
        ) from error


def load_graph(path: Path) -> tuple[CollectionGraph, dict[str, int]]:
    """Read what `save_graph` wrote.

    Raises WorkspaceError when it is damaged, missing or of another BRIT (it can always be made
    again from the workspace's database).
    """
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
            held = {name: arrays[name] for name in arrays.files}
        if held.pop("format").tolist() != [FORMAT]:
            raise ValueError("another format")
        versions = dict(zip(_unpack(held.pop("read")), held.pop("versions").tolist(), strict=True))
        graph = CollectionGraph(**{name: _part(held, name) for name in _names()})
    except (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
        raise WorkspaceError(
            f"The graph file {path.name} cannot be read: it is made again from the database."
        ) from error
    return graph, versions


def _names() -> list[str]:
    """What stands in a file: not what people corrected, nor what is worked out."""
    beside = ("reviewed", "derived")
    return [field.name for field in fields(CollectionGraph) if field.name not in beside]


def _part(held: dict[str, Any], name: str) -> Any:
    if name not in held:
        return Rows(held[f"{name}.start"], held[f"{name}.items"])
    return _unpack(held[name]) if held[name].dtype == np.uint8 else held[name]


def _pack(texts: list[str]) -> Any:
    return np.frombuffer(json.dumps(texts).encode("ascii"), np.uint8)


def _unpack(packed: Any) -> list[str]:
    texts: list[str] = json.loads(bytes(packed))
    return texts
