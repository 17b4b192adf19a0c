"""Figures and captions of real documents against labels made by eye, beside pymupdf4llm alone.

    python -m benchmarks.figures [--labelled-pages-only] [FILE ...]

The labels (tests/documents/figure_labels.jsonl) are boxes in points of the unrotated page. A figure
found counts when its IoU with a labelled one is at least 0.7, each once; page furniture is left out
of ours as it is left out of the graph, and counts as wrong when it is not marked. A caption counts
for every matched figure: the right box (IoU at least 0.5, or its centre inside the labelled one),
or none where none is labelled. «Joined» is the share of all labelled captions that were found with
their figures. `pymupdf4llm.to_json` has pictures and captions but does not join them: its captions
are those nearest to each picture within 60 points.

Development was done on one half of the files only; both halves are shown. All pages of a file are
read, since furniture is what recurs; the option saves that time where a rough figure will do.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from brit.config import ReadingConfig  # noqa: E402
from brit.documents.furniture import mark_furniture  # noqa: E402
from brit.documents.geometry import gaps, inside, iou  # noqa: E402
from brit.documents.pdf import PdfReader  # noqa: E402
from brit.documents.process import close_idle  # noqa: E402
from brit.models import ReadRequest  # noqa: E402
from brit.types import BBox, ImageBlock, Page  # noqa: E402

DATA = ROOT.parent / "shared" / "data" / "pdf"
LABELS = ROOT / "tests" / "documents" / "figure_labels.jsonl"
DEVELOPMENT = (
    "ar_rtl_01.pdf",
    "arxiv_2303.05039.pdf",
    "de_geotopo_textbook.pdf",
    "diodes_ap3012k_evb_user_guide.pdf",
    "faa_amt_handbook_sample.pdf",
    "hamilton_county_historic_survey.pdf",
    "honor_watch_gs_pro_manual.pdf",
    "ko_nars_issue_paper.pdf",
    "nus_bba_brochure_2024.pdf",
    "zh_chemistry_mindmap_longpage.pdf",
)
"""The files the code was worked on with; the others were held back."""
MATCH = 0.7
NEAR = 60.0
"""Points within which a caption of to_json is taken to be a picture's."""


@dataclass(frozen=True)
class Figure:
    box: BBox
    caption: BBox | None


@dataclass(frozen=True)
class Score:
    """Counts of labelled, found and matched figures and of captions, over some pages."""

    labelled: int = 0
    found: int = 0
    matched: int = 0
    captions_right: int = 0
    captions_labelled: int = 0
    captions_joined: int = 0

    def __add__(self, other: Score) -> Score:
        return Score(*(a + b for a, b in zip(self._counts(), other._counts(), strict=True)))

    def _counts(self) -> tuple[int, ...]:
        return tuple(vars(self).values())

    @property
    def row(self) -> str:
        precision = self.matched / self.found if self.found else 1.0
        recall = self.matched / self.labelled if self.labelled else 1.0
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        right = self.captions_right / self.matched if self.matched else float("nan")
        joined = (
            self.captions_joined / self.captions_labelled
            if self.captions_labelled
            else float("nan")
        )
        return f"{precision:6.2f}{recall:6.2f}{f1:6.2f}{right:10.2f}{joined:8.2f}"


def read_labels() -> dict[str, dict[int, list[Figure]]]:
    labels: dict[str, dict[int, list[Figure]]] = {}
    for line in LABELS.read_text().splitlines():
        raw = json.loads(line)
        figures = [_figure(f["bbox"], f["caption_bbox"]) for f in raw["figures"]]
        labels.setdefault(raw["file"], {})[raw["page"]] = figures
    return labels


def _figure(box: Sequence[float], caption: Sequence[float] | None) -> Figure:
    x0, y0, x1, y1 = box
    return Figure((x0, y0, x1, y1), (*caption,) if caption else None)  # type: ignore[arg-type]


def ours(name: str, wanted: Iterable[int], all_pages: bool) -> dict[int, list[Figure]]:
    """What BRIT finds on the pages: figures that are not furniture, with their captions."""
    pages: list[Page] = []
    # The limit of time is for hangs; on a busy machine it would cost pages here.
    request = ReadRequest(
        save_image=lambda data: hashlib.sha256(data).hexdigest(),
        done=lambda head: set() if all_pages else set(range(1, head.page_count + 1)) - {*wanted},
    )
    for _, read in PdfReader(ReadingConfig(page_seconds=300)).read(DATA / name, request):
        pages = mark_furniture(list(read))
    return {page.number: [_of(b) for b in page.blocks if _is_shown(b)] for page in pages}


def _is_shown(block: object) -> bool:
    return isinstance(block, ImageBlock) and block.bbox is not None and not block.furniture


def _of(block: object) -> Figure:
    assert isinstance(block, ImageBlock)
    assert block.bbox is not None
    return Figure(block.bbox, block.caption_bbox)


def alone(name: str, wanted: Iterable[int]) -> dict[int, list[Figure]]:
    """What pymupdf4llm finds on the pages: its pictures with their nearest captions."""
    import pymupdf4llm

    found = {}
    for number in wanted:
        raw = json.loads(pymupdf4llm.to_json(str(DATA / name), pages=[number - 1], use_ocr=False))
        boxes = raw["pages"][0]["boxes"]
        places = [(b["boxclass"], (b["x0"], b["y0"], b["x1"], b["y1"])) for b in boxes]
        captions = [place for kind, place in places if kind == "caption"]
        found[number] = [Figure(p, _nearest(p, captions)) for k, p in places if k == "picture"]
    return found


def _nearest(picture: BBox, captions: Sequence[BBox]) -> BBox | None:
    def distance(caption: BBox) -> float:
        dx, dy = gaps(picture, caption)
        return (max(0.0, dx) ** 2 + max(0.0, dy) ** 2) ** 0.5

    best = min(captions, key=distance, default=None)
    return best if best is not None and distance(best) <= NEAR else None


def compare(labelled: Sequence[Figure], found: Sequence[Figure]) -> Score:
    """The score of one page; pairs are taken best first, each figure once."""
    scored = [
        (iou(a.box, b.box), i, j) for i, a in enumerate(labelled) for j, b in enumerate(found)
    ]
    pairs: dict[int, int] = {}
    for value, i, j in sorted(scored, reverse=True):
        if value >= MATCH and i not in pairs and j not in pairs.values():
            pairs[i] = j
    right = [same_caption(labelled[i].caption, found[j].caption) for i, j in pairs.items()]
    joined = [r for i, r in zip(pairs, right, strict=True) if labelled[i].caption]
    captions = sum(figure.caption is not None for figure in labelled)
    return Score(len(labelled), len(found), len(pairs), sum(right), captions, sum(joined))


def same_caption(labelled: BBox | None, found: BBox | None) -> bool:
    if labelled is None or found is None:
        return labelled is found
    x, y = (found[0] + found[2]) / 2, (found[1] + found[3]) / 2
    centre: BBox = (x - 0.5, y - 0.5, x + 0.5, y + 0.5)
    return iou(labelled, found) >= 0.5 or inside(centre, labelled) > 0.5


def total(labels: dict[int, list[Figure]], found: dict[int, list[Figure]]) -> Score:
    return sum((compare(labels[n], found.get(n, [])) for n in labels), Score())


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--labelled-pages-only", action="store_true")
    options.add_argument("files", nargs="*")
    asked = options.parse_args()
    labels = {n: v for n, v in read_labels().items() if not asked.files or n in asked.files}
    half = f"{'P':>6}{'R':>6}{'F1':>6}{'captions':>10}{'joined':>8}"
    print(f"{'':44}{'ours':^36}{'pymupdf4llm alone':^36}")
    print(f"{'file':34}{'pages':>5}{'fig.':>5}{half}{half}")
    sums: dict[str, tuple[Score, Score, int]] = {}
    for name in sorted(labels, key=lambda n: (n not in DEVELOPMENT, n)):
        mine = total(labels[name], ours(name, labels[name], not asked.labelled_pages_only))
        theirs = total(labels[name], alone(name, labels[name]))
        show(name, mine, theirs, len(labels[name]))
        for part in ("development" if name in DEVELOPMENT else "held back", "all"):
            a, b, pages = sums.get(part, (Score(), Score(), 0))
            sums[part] = (a + mine, b + theirs, pages + len(labels[name]))
    for part in sorted(sums, key=["development", "held back", "all"].index):
        show(part, *sums[part])
    close_idle()


def show(name: str, mine: Score, theirs: Score, pages: int) -> None:
    print(f"{name[:33]:34}{pages:5}{mine.labelled:5}{mine.row}{theirs.row}", flush=True)


if __name__ == "__main__":
    main()
