"""Text inside pictures: read last, once for identical pixels, while questions can be asked."""

from __future__ import annotations

from brit.pipeline.memory import give_back
from brit.pipeline.models import Models
from brit.pipeline.report import Run
from brit.pipeline.vectors import caption_texts, encode_pictures, open_picture
from brit.storage import Workspace
from brit.storage.jobs import LAST_STAGE
from brit.storage.ledger import Collection

BATCH = 25


def read_scene_texts(
    workspace: Workspace, collection: Collection, models: Models, run: Run
) -> None:
    """Read what is written in the pictures of a collection that were not looked at yet.

    Each text is kept at once; after every `BATCH` pictures what was found is embedded and becomes
    visible to questions.
    """
    reader = models.scene_text
    files = workspace.content.files_without_text(collection.id, reader.name)
    for start in range(0, len(files), BATCH):
        batch = files[start : start + BATCH]
        found: list[str] = []
        for number, file in enumerate(batch, start=start):
            run.check()
            run.tell(LAST_STAGE, number, len(files), "")
            with run.stage("scene text"):
                try:
                    picture = open_picture(workspace, file)
                except FileNotFoundError:
                    continue  # it went with its document, or is lost: `doctor` says so
                lines = reader.read_text(picture)
            text = "\n".join(line[0] for line in lines)
            workspace.content.put_scene_text(file, reader.name, text, lines)
            if text:
                found.append(file)
        with run.stage("embedding"):
            _embed_again(workspace, collection, models, found)
        give_back()


def _embed_again(
    workspace: Workspace, collection: Collection, models: Models, files: list[str]
) -> None:
    """New vectors for the images with these pixels: their text is part of what they show."""
    changed = set(files)
    images = [
        image
        for image in workspace.content.images(collection.id)
        if image.file in changed and not image.furniture
    ]
    if not images:
        return
    hints = {image.file: image.text for image in images}
    captions = caption_texts(images)
    encoder, image_encoder = models.text_encoder, models.image_encoder
    caption_vectors = encoder.encode_texts(list(captions.values()))
    vectors = encode_pictures(workspace, image_encoder, list(hints), list(hints.values()))
    with workspace.write():
        graph = workspace.graph
        graph.drop_vectors("caption", captions)
        graph.drop_vectors("image", hints)
        graph.put_vectors(encoder.name, "caption", list(captions), caption_vectors)
        graph.put_vectors(image_encoder.name, "image", list(hints), vectors)
        pictured = {image.document for image in images}
        workspace.documents.touch(collection.id, pictured=pictured)
        if not all(map(workspace.documents.exists, pictured)):
            graph.drop_unowned_vectors()
