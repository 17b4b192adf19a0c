"""A report as Markdown, and as one HTML page that fetches and runs nothing."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from brit.ui.report.chat import Asked, Report, Source
from brit.ui.safe import escape_markdown, soften_markdown, without_cuts
from brit.ui.wording import dotted, language, t

if TYPE_CHECKING:
    from jinja2 import Environment
    from markdown_it import MarkdownIt


def as_html(report: Report) -> str:
    """Pictures lie in the page itself; its own policy forbids it to load or run anything."""
    return str(_environment().get_template("chat.html").render(report=report))


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("brit.ui.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"markdown": _rendered, "inline": _rendered_inline}
    made.globals |= {"t": t, "language": language}
    return made


def _rendered(text: str) -> Any:
    """A model's answer as HTML: paragraphs, lists, bold and italic, nothing else."""
    from markupsafe import Markup

    return Markup(_reader().render(without_cuts(soften_markdown(text))))


def _rendered_inline(text: str) -> Any:
    """Our own Markdown, inert already, as HTML."""
    from markupsafe import Markup

    return Markup(_reader().renderInline(without_cuts(text)))


@cache
def _reader() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).disable(["link", "image", "autolink"])


def as_markdown(report: Report) -> str:
    """The words alone: pictures are named with their places."""
    return without_cuts("\n\n".join(_parts(report))) + "\n"


def _parts(report: Report) -> Iterator[str]:
    yield f"# {escape_markdown(report.title)}"
    yield dotted(escape_markdown(report.collection), t("report.made", when=report.made))
    for asked in report.asked:
        yield f"## {escape_markdown(asked.question)}"
        yield asked.when
        yield from _answered(asked)


def _answered(asked: Asked) -> Iterator[str]:
    if asked.answer:
        yield soften_markdown(asked.answer)
    for note in asked.notes:
        yield f"*{escape_markdown(note)}*"
    pictures = "pictures" if asked.cited else "all_pictures"
    for title, sources in (("cited", asked.cited), (pictures, asked.pictures)):
        if sources:
            yield f"### {t(f'report.{title}')}"
            yield "\n".join(map(_line, sources))
    if asked.steps:
        yield f"### {t('report.steps')}"
        yield "\n".join(f"- {dotted(f'**{title}**', told)}" for title, told in asked.steps)


def _line(source: Source) -> str:
    mark = f"\\[{source.marker}\\] " if source.marker else ""
    said = dotted(escape_markdown(source.where), source.score, escape_markdown(source.why))
    return f"- {mark}{said}: {escape_markdown(source.text)}"
