"""The layout of the sample brochure: A4 pages, frames of text, pictures and their places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pymupdf

WIDTH, HEIGHT, MARGIN = 595, 842, 48
INK, TEAL, CORAL, PALE = (
    (0.05, 0.17, 0.21),
    (0.04, 0.42, 0.47),
    (0.94, 0.33, 0.23),
    (0.93, 0.965, 0.97),
)
CSS = """
* { font-family: sans-serif; color: #23414b; }
p { font-size: 10.2px; line-height: 1.5; margin: 0 0 8px 0; }
h1 { font-size: 27px; line-height: 1.12; color: #0d2b36; margin: 0 0 4px 0; }
h2 { font-size: 14.5px; color: #0b6b78; margin: 6px 0 5px 0; }
.lead { font-size: 12.5px; line-height: 1.5; color: #0b6b78; }
.caption { font-size: 8.6px; line-height: 1.35; margin: 0; color: #5b727a; }
.label { font-size: 10px; line-height: 1.3; margin: 0; font-weight: bold; color: #0d2b36; }
.eyebrow { font-size: 8.6px; line-height: 1.3; margin: 0; font-weight: bold; color: #f0553a; }
.number { font-size: 25px; line-height: 1.1; font-weight: bold; color: #0b6b78; margin: 0; }
.small { font-size: 8.8px; line-height: 1.35; margin: 0; color: #5b727a; }
.cover { font-size: 37px; font-weight: bold; line-height: 1.08; color: #0d2b36; margin: 0; }
"""

Corners = tuple[float, float, float, float]


class Brochure:
    """A document under construction: its bookmarks, and where the things asked about stand."""

    def __init__(self, art: Mapping[str, bytes]) -> None:
        self.document = pymupdf.open()
        self.outline: list[list[int | str]] = []
        self._art = art
        self._xrefs: dict[str, int] = {}
        self._places: dict[str, dict[str, object]] = {}
        self.page: pymupdf.Page

    def start_page(self, title: str, level: int = 1) -> None:
        self.page = self.document.new_page(width=WIDTH, height=HEIGHT)
        self.outline.append([level, title, self.page.number + 1])

    def start_inner_page(self, title: str, eyebrow: str, level: int = 1) -> None:
        """A page with the logo above, a coral rule and the page number below."""
        self.start_page(title, level)
        self.picture((MARGIN, 28, MARGIN + 122, 60), "logo")
        self.html(
            (300, 38, WIDTH - MARGIN, 56),
            f'<p class="small" style="text-align:right">{eyebrow}</p>',
        )
        self.page.draw_rect((MARGIN, 804, MARGIN + 34, 806.5), color=None, fill=CORAL)
        self.html(
            (MARGIN, 811, 400, 828), '<p class="small">Nerivane Ocean Instruments, Hallskar</p>'
        )
        self.html(
            (500, 811, WIDTH - MARGIN, 828),
            f'<p class="small" style="text-align:right">{self.page.number + 1}</p>',
        )

    def html(self, corners: Corners, markup: str, place: str = "") -> None:
        """Sets text; words that do not fit their frame are an error, never shrunk or lost."""
        spare, _ = self.page.insert_htmlbox(corners, markup, css=CSS, scale_low=1)
        if spare < 0:
            raise ValueError(f"page {self.page.number + 1}: text does not fit {corners}")
        if place:
            self._note(place, (corners[0], corners[1], corners[2], corners[3] - spare))

    def picture(self, corners: Corners, name: str) -> None:
        xref = self._xrefs.get(name, 0)
        stream = None if xref else self._art[name]
        self._xrefs[name] = self.page.insert_image(corners, stream=stream, xref=xref)
        self._note(name, corners)

    def captioned(self, corners: Corners, name: str, caption: str, style: str = "caption") -> None:
        self.picture(corners, name)
        x0, _, x1, y1 = corners
        self.html((x0, y1 + 5, x1, y1 + 34), f'<p class="{style}">{caption}</p>')

    def panel(self, corners: Corners, colour: Sequence[float] = PALE) -> None:
        self.page.draw_rect(corners, color=None, fill=colour, radius=0.03)

    def numbers(self, y: float, facts: Sequence[tuple[str, str]]) -> None:
        """A strip of large numbers with what they count."""
        step = (WIDTH - 2 * MARGIN + 10) / len(facts)
        for i, (number, meaning) in enumerate(facts):
            x = MARGIN + i * step
            self.panel((x, y, x + step - 10, y + 74))
            self.html((x + 12, y + 8, x + step - 16, y + 42), f'<p class="number">{number}</p>')
            self.html((x + 12, y + 42, x + step - 16, y + 72), f'<p class="small">{meaning}</p>')

    def place(self, name: str) -> dict[str, object]:
        return self._places[name]

    def _note(self, name: str, corners: Corners) -> None:
        box = [round(side, 1) for side in corners]
        self._places[name] = {"page": self.page.number + 1, "bbox": box}
