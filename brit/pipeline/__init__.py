"""The only package that joins the stages: `ingest`, `retrieve`, `answer` and what they need."""

from brit.pipeline.again import read_again
from brit.pipeline.ask import answer, document_id, open_collection, page_image, retrieve
from brit.pipeline.ingest import ingest
from brit.pipeline.models import Models
from brit.pipeline.report import IngestReport
from brit.pipeline.verify import verify_answer, verify_picture

__all__ = [
    "IngestReport",
    "Models",
    "answer",
    "document_id",
    "ingest",
    "open_collection",
    "page_image",
    "read_again",
    "retrieve",
    "verify_answer",
    "verify_picture",
]
