"""A document of three pictures with invented names, for the benchmark's tests."""

from __future__ import annotations

from brit.evaluation.benchmark.material import Fact, Material
from brit.types import Image, StoredBlock, TableBlock, TextBlock

SAID = "The north ferry was rebuilt by Ottoline Marsh after the flood of the river."
HARBOUR = "In this part Tarnwick harbour is described with its yard, seven cranes and two quays."
BUILDER = "The yard was led by Ottoline Marsh for eleven years before it was sold."


def _text(id: str, text: str, section: str, kind: str = "paragraph") -> StoredBlock:
    return StoredBlock(id, "d", 1, 0, TextBlock(text, kind, section=section))  # type: ignore[arg-type]


def _image(id: str, section: str, caption: str, text: str) -> Image:
    return Image(
        id=id, document="d", file=f"file-{id}", page=1, bbox=(0, 0, 100, 100), caption=caption,
        text=text, section=section, section_title=section, block=f"block-{id}",
    )  # fmt: skip


def material() -> Material:
    """Picture a has a caption that names the north ferry; b stands alone in its section; c has a
    table beside it; words are written in all."""
    table = TableBlock(("part", "weight"), (("anchor", "40 kg"),), section="three")
    return Material(
        id="d",
        name="ferries.pdf",
        images=(
            _image("a", "one", "The north ferry at its old quay in winter", "sailing timetable"),
            _image("b", "two", "", "cranes quays"),
            _image("c", "three", "", "timetable anchor cargo"),
        ),
        blocks=(
            _text("t1", SAID, "one"),
            _text("t2", HARBOUR, "two"),
            _text("t3", f"{BUILDER} Its sailing timetable and its cargo were lost.", "three"),
            StoredBlock("t4", "d", 1, 0, table),
        ),
        facts=(
            Fact("north ferry", "was rebuilt by", "Ottoline Marsh", SAID, "t1"),
            Fact("Tarnwick harbour", "has", "seven berths", HARBOUR, "t2"),
            Fact("yard", "was led by", "Ottoline Marsh", BUILDER, "t3"),
        ),
        captioned={"a": ("north ferry", "quay")},
    )
