"""Invented evidence about a kiln, and a way to ask it."""

import io

from PIL import Image

from brit.generation import answer_question
from brit.types import (
    Retrieval,
    RetrievalTrace,
    RetrievedImage,
    RetrievedPassage,
    RetrievedTriplet,
)

BOX = (10.0, 20.0, 200.0, 60.0)
WEIGHT = "The Nimbus 40 is a tabletop kiln. It weighs 12 kg and holds 40 litres."
WHEEL = "The factory stands in Tarnwick. It was opened in 1987 by Oda Brandt."


def passage(text, document="Kilns.pdf", page=3, **changes):
    return RetrievedPassage(**({"document": document, "page": page, "bbox": BOX, "text": text,
                                "score": 1.0} | changes))  # fmt: skip


def picture(caption="The Nimbus 40 with its door open", reason="text-to-image", **changes):
    fields = {"id": "i1", "name": None, "document": "Kilns.pdf", "page": 4, "bbox": BOX,
              "path": "p.png", "caption": caption, "score": 0.9, "reason": reason,
              "via": "Nimbus 40", "link": "CA"}  # fmt: skip
    return RetrievedImage(**(fields | changes))


def triplet(subject="Nimbus 40", relation="weighs", object_="12 kg", **changes):
    fields = {"subject": subject, "relation": relation, "object": object_, "score": 1.0,
              "document": "Kilns.pdf", "page": 3,
              "text": "It weighs 12 kg and holds 40 litres."}  # fmt: skip
    return RetrievedTriplet(**(fields | changes))


def found(question="How heavy is the Nimbus 40?", passages=(), images=(), triplets=(), low=False):
    return Retrieval(
        question, "default", "e", (), low, tuple(triplets), tuple(images), tuple(passages), (), 0,
        {}, RetrievalTrace(),
    )  # fmt: skip


def png(size=(30, 20), mode="RGB"):
    file = io.BytesIO()
    Image.new(mode, size).save(file, "PNG")
    return file.getvalue()


def ask(retrieval, model=None, **options):
    options = {"read_image": lambda _: png()} | options
    stream = answer_question(retrieval.question, retrieval, model, **options)
    return "".join(stream), stream.answer


OPENED = triplet("Oda Brandt", "opened", "factory", text="", page=None)
WHOLE = found(
    passages=[passage(WEIGHT), passage(WHEEL, page=7)],
    images=[picture()],
    triplets=[triplet(), OPENED],
)
