"""What each verification tool contributes without a model, on the sample's pictures and text.

    python -m benchmarks.tools WORKSPACE [--collection Sample]

The workspace holds the sample brochure. Claims were written beside its pictures, a true one and a
false one of the same form; the knowledge is what the collection's own retrieval finds for a claim.
Each row leaves one tool out, the last ones leave all others out.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from brit.config import Settings
from brit.errors import WeightsMissing
from brit.models import EvidenceTool
from brit.pipeline import Models, retrieve
from brit.storage import Workspace
from brit.types import Finding, Support
from brit.verification import (
    ColourTool,
    KnowledgeTool,
    ObjectTool,
    SceneTextTool,
    Sights,
    verify_text,
)
from brit.verification.claims import read_claim

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

# The beginning of a picture's caption, a true claim, a false one.
CLAIMS = (
    ("Figure 3", "The float has a yellow band.", "The float has a purple band."),
    ("Figure 2", "The thrusters have orange rings.", "The thrusters have purple rings."),
    ("Figure 4", "The lighthouse is red.", "The lighthouse is green."),
    ("Teo", "The man wears a green hat.", "The man wears a purple hat."),
    ("Idris", "The man wears a yellow pullover.", "The man wears a blue pullover."),
    ("Figure 5", "A bar is labelled '21.8'.", "A bar is labelled '28.1'."),
    ("Figure 5", "The title reads 'Revenue, million crowns'.",
     "The title reads 'Revenue, million euros'."),
    ("Figure 6", "A line is labelled 'previous model'.", "A line is labelled 'precious model'."),
    ("Figure 7", "A room is labelled 'Test basin'.", "A room is labelled 'Test basil'."),
    ("Figure 7", "The door is labelled 'Main door'.", "The door is labelled 'Moon door'."),
    ("Figure 3", "The Tellune weighs 24 kg.", "The Tellune weighs 42 kg."),
    ("Figure 2", "The Ossimar has a depth rating of 300 m.",
     "The Ossimar has a depth rating of 500 m."),
    ("Lanthe", "The Lanthe gives 6 500 lm at full power.",
     "The Lanthe gives 5 600 lm at full power."),
    ("Maren", "Maren Tosk repaired church organs.", "Idris Falcovar repaired church organs."),
    ("Figure 4", "The first instrument was moored at Skerry light in 2024.",
     "The first instrument was moored at Skerry light in 2014."),
    ("Figure 3", "Brindlecove has been sold as the Tellune since the spring of 2034.",
     "Brindlecove has been sold as the Quillo since the spring of 2034."),
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workspace", type=Path)
    parser.add_argument("--collection", default="Sample")
    options = parser.parse_args()
    workspace = Workspace.open(options.workspace)
    models = Models(Settings(workspace=options.workspace))
    images = workspace.content.images(workspace.documents.collection(options.collection).id)
    counts: dict[tuple[str, bool], Counter[Support]] = {}
    for caption, *claims in CLAIMS:
        image = next(each for each in images if each.caption.startswith(caption))
        for claim, true in zip(claims, (True, False), strict=True):
            found = retrieve(workspace, claim, options.collection, models=models)
            pixels = opened(workspace.images.path(image.file))
            read = read_claim(claim, models.parser.extract_entities, of_picture=True)
            tools = [Kept(tool, tool.look([read], [pixels]))
                     for tool in (*seeing(models), KnowledgeTool(found))]  # fmt: skip
            for name, kept in choices(tools):
                support = check(claim, pixels, kept, models)
                counts.setdefault((name, true), Counter())[support] += 1
    for (name, true), counted in counts.items():
        told = "  ".join(f"{kind} {counted[kind]}" for kind in sorted(counted))
        print(f"{name:26} {'true' if true else 'false':6} {told}")


def seeing(models: Models) -> list[EvidenceTool]:
    tools: list[EvidenceTool] = [ColourTool(), SceneTextTool(models.scene_text)]
    try:
        return [ObjectTool(models.detector), *tools]
    except WeightsMissing:
        return tools


class Kept:
    """A tool that has looked already."""

    def __init__(self, tool: EvidenceTool, found: list[Finding]) -> None:
        self.name = tool.name
        self.kinds = tool.kinds
        self._found = found

    def look(self, *_: object) -> list[Finding]:
        return self._found


def choices(tools: Sequence[Kept]) -> list[tuple[str, list[Kept]]]:
    without = [(f"without {one.name}", [t for t in tools if t is not one]) for one in tools]
    return [("all", list(tools)), *without, *((f"only {one.name}", [one]) for one in tools)]


def opened(path: Path) -> Picture:
    from PIL import Image

    with Image.open(path) as picture:
        return picture.convert("RGBA" if picture.has_transparency_data else "RGB")


def check(claim: str, pixels: Picture, tools: Sequence[EvidenceTool], models: Models) -> Support:
    done = verify_text(
        claim,
        mode="image-to-text",
        tools=tools,
        name_phrases=models.parser.extract_entities,
        sights=Sights([pixels], [], ["picture"]),
        claims=[claim],
    )
    return done.verdicts[0].support


if __name__ == "__main__":
    main()
