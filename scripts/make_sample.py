"""Makes assets/samples/: a brochure of an invented company, and questions on it.

Run by hand (`python scripts/make_sample.py`, about five minutes, nearly all of it tracing rays);
its output is in the repository. `--art FOLDER` keeps the pictures between runs. Company, products,
people and figures are invented; words and pictures are our own and under the project's licence.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pymupdf
import sample_drawings as drawings
import sample_scenes as scenes
from PIL import Image
from sample_layout import Brochure
from sample_pages import PAGES

SAMPLES = Path(__file__).parents[1] / "assets" / "samples"
NAME = "nerivane.pdf"

ART: dict[str, Callable[[], Image.Image]] = {
    "logo": drawings.draw_logo,
    "hero": scenes.draw_hero,
    "fjord": drawings.draw_fjord,
    "drone": scenes.draw_drone,
    "buoy": scenes.draw_buoy,
    "handset": scenes.draw_handset,
    "lamp": scenes.draw_lamp,
    "lighthouse": drawings.draw_lighthouse,
    "revenue": drawings.draw_revenue,
    "endurance": drawings.draw_endurance,
    "plan": drawings.draw_plan,
    **{name: scenes.draw_person(name) for name in scenes.PEOPLE},
}
FLAT = ("logo", "revenue", "endurance", "plan")


def draw_art(folder: Path | None) -> dict[str, bytes]:
    """Name → PNG (flat colours) or JPEG bytes; those already in `folder` are taken from it."""
    art = {}
    for name, draw in ART.items():
        kept = folder / f"{name}.png" if folder else None
        if kept and kept.exists():
            image = Image.open(kept).convert("RGB")
        else:
            print(f"drawing {name}", file=sys.stderr)
            image = draw()
            if kept:
                image.save(kept)
        art[name] = encode(image, flat=name in FLAT)
    return art


def encode(image: Image.Image, flat: bool) -> bytes:
    out = io.BytesIO()
    if flat:
        image.quantize(96, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
    else:
        image.save(out, "JPEG", quality=88, optimize=True)
    return out.getvalue()


def make_brochure(art: Mapping[str, bytes]) -> tuple[bytes, list[dict[str, object]]]:
    """The PDF, and the questions with the places of their answers."""
    brochure = Brochure(art)
    for draw_page in PAGES:
        draw_page(brochure)
    brochure.document.set_toc(brochure.outline)
    brochure.document.set_metadata(
        {"title": "Nerivane Ocean Instruments: company brochure 2036", "author": "Nerivane"}
    )
    brochure.document.subset_fonts()
    data = brochure.document.tobytes(garbage=4, deflate=True, no_new_id=True)
    return data, make_questions(brochure)


def make_questions(brochure: Brochure) -> list[dict[str, object]]:
    """One of each type (§4.1 of the paper); `words` stand on the page near the answer."""
    return [
        {
            "type": "text-image",
            "question": "Which colour is the band around the float of the product that project"
            " Brindlecove became?",
            **brochure.place("buoy"),
            "words": "Tellune",
            "answer": "Amber yellow",
        },
        {
            "type": "image-text",
            "question": "What did the woman with red hair and round glasses do before she founded"
            " Nerivane?",
            **brochure.place("maren-text"),
            "words": "repaired church organs",
            "answer": "She repaired church organs",
        },
        {
            "type": "image-image",
            "question": "One stick of the Quillo sits in a coral ring. Whose thrusters have rings"
            " of the same colour?",
            **brochure.place("drone"),
            "words": "Ossimar",
            "answer": "The Ossimar's",
        },
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--art", type=Path, help="a folder that keeps the pictures")
    folder = parser.parse_args().art
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    data, questions = make_brochure(draw_art(folder))
    SAMPLES.mkdir(parents=True, exist_ok=True)
    (SAMPLES / NAME).write_bytes(data)
    text = json.dumps(questions, indent=2, ensure_ascii=False)
    (SAMPLES / "questions.json").write_text(text + "\n", encoding="utf-8")
    pages = pymupdf.open(stream=data).page_count
    print(f"{NAME}: {pages} pages, {len(data) / 1e6:.2f} MB", file=sys.stderr)


if __name__ == "__main__":
    main()
