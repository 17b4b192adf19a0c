"""The only package that joins the stages: `ingest`, `retrieve`, `answer` and what they need.

Each name is loaded when it is first asked for: a page that only shows itself needs no stage.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from brit.pipeline.again import read_again
    from brit.pipeline.ask import (
        answer,
        document_id,
        open_collection,
        page_image,
        page_places,
        quote,
        retrieve,
    )
    from brit.pipeline.ingestion import ingest
    from brit.pipeline.models import Models
    from brit.pipeline.report import IngestReport
    from brit.pipeline.saved import save_copy
    from brit.pipeline.verify import grade_answer, verify_answer, verify_picture

_MODULES = {
    "IngestReport": "report",
    "Models": "models",
    "answer": "ask",
    "document_id": "ask",
    "grade_answer": "verify",
    "ingest": "ingestion",
    "open_collection": "ask",
    "page_image": "ask",
    "page_places": "ask",
    "quote": "ask",
    "read_again": "again",
    "retrieve": "ask",
    "save_copy": "saved",
    "verify_answer": "verify",
    "verify_picture": "verify",
}

__all__ = [
    "IngestReport",
    "Models",
    "answer",
    "document_id",
    "grade_answer",
    "ingest",
    "open_collection",
    "page_image",
    "page_places",
    "quote",
    "read_again",
    "retrieve",
    "save_copy",
    "verify_answer",
    "verify_picture",
]


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
