"""The import order of ARCHITECTURE.md, read from the sources."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
COMMON = {"types", "errors", "config", "models", "prompts"}
STAGES = {
    "documents", "extraction", "graph", "linking", "index", "retrieval", "generation",
    "exploring", "verification", "evaluation",
}  # fmt: skip
IMPLEMENTATIONS = {"encoders", "lmm", "storage"}
JOINERS = {"pipeline", "jobs"}
TOP = {"cli", "ui", "__main__"}
ALLOWED: dict[str, set[str]] = {
    "types": set(),
    "errors": set(),
    "config": {"types", "errors"},
    "models": {"types", "errors"},
    "prompts": {"errors"},
    "journal": {"errors"},
    **dict.fromkeys(STAGES | IMPLEMENTATIONS, COMMON),
    "storage": COMMON | {"journal"},
    "pipeline": COMMON | STAGES | IMPLEMENTATIONS | {"journal"},
    "jobs": COMMON | STAGES | IMPLEMENTATIONS | {"journal", "pipeline"},
    **dict.fromkeys(TOP, COMMON | STAGES | IMPLEMENTATIONS | JOINERS | TOP | {"journal"}),
}


def part_of(path: Path) -> str:
    return path.relative_to(ROOT / "brit").parts[0].removesuffix(".py")


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def sources() -> list[Path]:
    return sorted((ROOT / "brit").rglob("*.py"))


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_part_imports_only_what_stands_below_it(path: Path) -> None:
    part = part_of(path)
    if part == "__init__":
        return
    wanted = {name.split(".")[1] for name in imports(path) if name.startswith("brit.")}
    parts = {each for each in wanted if (ROOT / "brit" / each).exists() or _module(each)}
    assert parts - {part} <= ALLOWED[part]


def _module(name: str) -> bool:
    return (ROOT / "brit" / f"{name}.py").exists()


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_streamlit_stands_in_the_ui_only(path: Path) -> None:
    if part_of(path) != "ui":
        assert not any(name.split(".")[0] == "streamlit" for name in imports(path))


def test_every_part_has_its_place_in_the_order() -> None:
    parts = {part_of(path) for path in sources()} - {"__init__"}
    assert parts <= set(ALLOWED)


HEAVY = {
    "torch", "open_clip", "spacy", "pymupdf", "pymupdf4llm", "faiss", "transformers", "rapidocr",
    "sentence_transformers", "openai", "efficientnet_lite_pytorch", "huggingface_hub",
}  # fmt: skip


def test_heavy_packages_are_not_imported_at_start() -> None:
    """Each of them would cost every start of the app and of the command line seconds."""
    code = (
        "import brit.cli, brit.jobs, brit.storage, brit.encoders, brit.lmm, sys;"
        "from brit.pipeline import Models, answer, ingest, retrieve;"
        f"print(sorted({HEAVY!r} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert run.stdout.strip() == "[]", run.stdout + run.stderr


def test_a_page_that_only_shows_itself_needs_no_stage() -> None:
    code = (
        "import brit.ui.ask_view, brit.ui.start_view, sys;"
        "print([m for m in ('brit.retrieval', 'brit.linking', 'networkx') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert run.stdout.strip() == "[]", run.stdout + run.stderr
