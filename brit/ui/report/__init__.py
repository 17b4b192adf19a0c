"""A chat as a file that can be handed on: Markdown, or one HTML page with pictures and paths."""

from brit.ui.report.chat import Report, report_of
from brit.ui.report.written import as_html, as_markdown

__all__ = ["Report", "as_html", "as_markdown", "report_of"]
