"""What a spot of the graph shows: its marks laid out, and the way that is told."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import streamlit as st

from brit.errors import UnknownName
from brit.exploring import (
    Admitted,
    Step,
    View,
    admit,
    around,
    overview,
    shortest_path,
    within_part,
)
from brit.pipeline.collection import ReadGraph
from brit.pipeline.explore import Explorer
from brit.storage import Workspace
from brit.types import Image
from brit.ui.explore.address import WHOLE, Spot, pair_id
from brit.ui.explore.scene import Scene, build_scene, with_way
from brit.ui.pictures import data_uri
from brit.ui.safe import one_line
from brit.ui.theme import PALETTES, ThemeName
from brit.ui.wording import language, t


class Opened(Protocol):
    """A version of a collection, opened to be walked through or to be reviewed."""

    @property
    def workspace(self) -> Workspace: ...

    @property
    def read(self) -> ReadGraph: ...

    @property
    def documents(self) -> dict[str, str]:
        """Document id → name."""
        ...


@dataclass(frozen=True, eq=False)
class Stage:
    """`way` is None where none is asked for or none exists."""

    admitted: Admitted
    view: View
    scene: Scene
    way: list[Step] | None


def stage_of(explorer: Explorer, spot: Spot, theme: ThemeName) -> Stage:
    """The stage of a spot, kept: what is picked on it changes nothing."""
    kept = explorer.collection
    version = (str(explorer.workspace.folder), kept.id, kept.version, language())
    return _stage(explorer, version, replace(spot, pick=""), theme)


@st.cache_resource(max_entries=24, show_spinner=False)
def _stage(
    _explorer: Explorer,
    version: tuple[str, str, int, str],  # noqa: ARG001 - by it the stage is kept
    spot: Spot,
    theme: ThemeName,
) -> Stage:
    ties = _explorer.ties
    ends = [mark for id in (spot.node, spot.to) if (mark := ties.mark_at(id)) is not None]
    admitted = admit(ties, spot.wanted, ends)
    way = shortest_path(ties, admitted, *ends) if len(ends) == 2 else None
    view = _view(_explorer, spot, admitted, ends, way)
    main = _on(way) if way else ends
    scene = build_scene(
        _explorer,
        view,
        main,
        lambda mark: mark_name(_explorer, mark),
        lambda id: _thumbnail(_explorer, id, theme),
        as_way=bool(way),
    )
    if way:
        pairs = [(ties.mark_id(step.start), ties.mark_id(step.end)) for step in way]
        scene = with_way(scene, [pair_id(*p) for pair in pairs for p in (pair, pair[::-1])])
    return Stage(admitted, view, scene, way)


def _view(
    explorer: Explorer, spot: Spot, admitted: Admitted, ends: list[int], way: list[Step] | None
) -> View:
    ties = explorer.ties
    if not ends:
        return overview(ties, admitted, spot.size)
    if len(ends) == 2:
        marks = _on(way) if way else ends
        steps = [step.tie for step in way or ()]
        return View(np.array(marks, np.int32), np.array(steps, np.int32), 0)
    if spot.hops == WHOLE:
        return within_part(ties, admitted, ends[0], spot.size)
    return around(ties, admitted, ends[0], spot.hops, spot.size)


def _on(way: list[Step]) -> list[int]:
    return [way[0].start, *(step.end for step in way)]


def mark_name(explorer: Explorer, mark: int) -> str:
    """What a mark is called: a node's label, a picture's caption or the like."""
    ties = explorer.ties
    if mark < ties.nodes:
        return ties.graph.node_labels[mark]
    found = image_of(explorer, mark)
    return image_name(found) if found else t("picture.unnamed")


def image_of(explorer: Explorer, mark: int) -> Image | None:
    """None where its document was deleted this moment."""
    with suppress(UnknownName):
        id = explorer.ties.graph.image_ids[mark - explorer.ties.nodes]
        return explorer.workspace.content.image(id)
    return None


def image_name(image: Image) -> str:
    """Its caption, section, text or file name, whichever comes first."""
    named = image.caption or image.section_title or image.text or image.name
    return one_line(named or t("picture.unnamed"), 120)


def image_path(opened: Opened, image: Image) -> str:
    """The file of its pixels, "" where the document lacks it."""
    return str(opened.workspace.images.path(image.file)) if image.file else ""


def _thumbnail(explorer: Explorer, id: str, theme: ThemeName) -> str:
    with suppress(UnknownName):
        path = image_path(explorer, explorer.workspace.content.image(id))
        return data_uri(path, PALETTES[theme].surface) if path else ""
    return ""
