"""Corrections a person makes to the graph of a collection, each one short transaction.

Every function raises UnknownName, in one sentence, where what it names went meanwhile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from brit.errors import InputError, UnknownName
from brit.linking import caption_links
from brit.storage import Workspace
from brit.types import Correction, Image, Link, LinkKind, TextGraph, stable_id

MOST_CAPTION = 2_000
NO_NODE = "That name is no longer there: its document was deleted."


@dataclass(frozen=True)
class Form:
    """A way a node is written, how often, and the node as read that it belongs to."""

    text: str
    count: int
    node: str


def confirm_link(
    workspace: Workspace, collection: str, image: str, node: str, kind: LinkKind
) -> int:
    """The image and the node belong together; `kind` is that of their strongest link."""
    with workspace.write():
        _check_nodes(workspace, collection, node)
        return workspace.corrections.add(collection, "confirm", image=image, node=node, value=kind)


def reject_link(
    workspace: Workspace, collection: str, image: str, node: str, kind: LinkKind
) -> int:
    """They do not."""
    with workspace.write():
        _check_nodes(workspace, collection, node)
        return workspace.corrections.add(collection, "reject", image=image, node=node, value=kind)


def move_link(
    workspace: Workspace, collection: str, image: str, node: str, other: str, kind: LinkKind
) -> int:
    """The image belongs to node `other` instead."""
    with workspace.write():
        _check_nodes(workspace, collection, node, other)
        if node == other:
            raise InputError("The picture is linked to that name already: choose another one.")
        return workspace.corrections.add(
            collection, "move", image=image, node=node, other=other, value=kind
        )


def merge_names(workspace: Workspace, collection: str, node: str, other: str) -> int:
    """`node` and `other` are one node from now on, which is called as `other` is."""
    with workspace.write():
        _check_nodes(workspace, collection, node, other)
        patch = workspace.corrections.patch(collection)
        if patch.now(node) == patch.now(other):
            raise InputError("These two are one name already.")
        return workspace.corrections.add(collection, "merge", node=node, other=other)


def split_name(workspace: Workspace, collection: str, node: str, form: str) -> int:
    """What is written as `form` is a node of its own from now on; a name that was merged into the
    node is taken out again. → the number of the correction made or undone."""
    with workspace.write():
        patch = workspace.corrections.patch(collection)
        forms = forms_of(workspace, collection, node)
        labels = {each.id: each.label for each in workspace.graph.nodes_by_id(patch.parts(node))}
        found = next((each for each in forms if each.text == form), None)
        if found is None:
            raise UnknownName("No document writes that name this way any more.")
        if found.node == node and labels.get(node, form) == form:
            raise InputError("The other forms are named after this one: split those off instead.")
        if labels.get(found.node) == form:
            return _take_out(workspace, collection, found.node)
        new = stable_id("node", collection, "split", found.node, form)
        return workspace.corrections.add(
            collection, "split", node=found.node, other=new, value=form
        )


def _take_out(workspace: Workspace, collection: str, part: str) -> int:
    merged = (
        each
        for each in workspace.corrections.entries(collection)
        if each.kind == "merge" and not each.undone and each.node == part
    )
    return workspace.corrections.undo(collection, next(merged).number).number


def forms_of(workspace: Workspace, collection: str, node: str) -> list[Form]:
    """How a node is written in its documents, the most frequent first."""
    patch = workspace.corrections.patch(collection)
    parts = patch.parts(node)
    counts: Counter[tuple[str, str]] = Counter()
    for part in parts:
        for surface, count in workspace.corrections.surfaces(part):
            if patch.split.get((part, surface), part) == part:
                counts[surface, part] += count
    for (read, surface), owner in patch.split.items():
        if owner in parts:
            counts[surface, owner] += dict(workspace.corrections.surfaces(read)).get(surface, 0)
    return [Form(text, count, part) for (text, part), count in counts.most_common()]


def fix_caption(workspace: Workspace, collection: str, image: str, caption: str) -> int:
    """The caption of an image from now on: for the search by words and vectors, and its links."""
    caption = " ".join(caption.split())
    if len(caption) > MOST_CAPTION:
        raise InputError(f"A caption has at most {MOST_CAPTION} characters: shorten it.")
    with workspace.write():
        number = workspace.corrections.add(collection, "caption", image=image, value=caption)
        _link_by_caption(workspace, image, fixed=True)
    return number


def mark_furniture(workspace: Workspace, collection: str, image: str) -> int:
    """The image is page decoration: it is neither found nor linked any more."""
    return workspace.corrections.add(collection, "furniture", image=image)


def undo_correction(workspace: Workspace, collection: str, number: int) -> Correction:
    """As if it had not been made; what was corrected after it stays."""
    with workspace.write():
        undone = workspace.corrections.undo(collection, number)
        if undone.kind == "caption":
            image = workspace.content.image(undone.image)
            fixed = undone.image in workspace.corrections.captions(image.document)
            _link_by_caption(workspace, undone.image, fixed=fixed)
    return undone


def undo_last(workspace: Workspace, collection: str) -> Correction | None:
    """The latest that is not undone; None where there is none."""
    active = (each for each in workspace.corrections.entries(collection) if not each.undone)
    last = next(active, None)
    return None if last is None else undo_correction(workspace, collection, last.number)


def _check_nodes(workspace: Workspace, collection: str, *nodes: str) -> None:
    patch = workspace.corrections.patch(collection)
    unknown = [id for id in nodes if id not in patch.nodes]
    if len(workspace.graph.nodes_by_id(unknown)) < len(set(unknown)):
        raise UnknownName(NO_NODE)


def _link_by_caption(workspace: Workspace, id: str, *, fixed: bool) -> None:
    """Links by caption of one image, as its caption is now. Names read in the place of a caption
    that was wrong do not count."""
    image = workspace.content.image(id)
    links = [link for link in _caption_links(workspace, image, fixed) if link.image == id]
    workspace.corrections.put_caption_links(id, links)


def _caption_links(workspace: Workspace, image: Image, fixed: bool) -> Sequence[Link]:
    mentions = workspace.graph.mentions(image.document)
    nodes = workspace.graph.nodes_by_id(list(dict.fromkeys(each.node for each in mentions)))
    there = [each for each in mentions if not (fixed and each.block == image.block)]
    shown = [
        each
        for each in workspace.content.document_images(image.document)
        if not each.furniture or each.id == image.id
    ]
    graph = TextGraph(tuple(nodes), (), tuple(there))
    return list(caption_links(shown, graph, workspace.content.blocks(image.document)))
