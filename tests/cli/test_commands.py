"""The command line's contract: JSON on stdout, progress on stderr, exit codes 0, 1, 2."""

from __future__ import annotations

import csv
import gc
import io
import json
import os
import re
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import networkx
import pytest

from brit.cli import main
from brit.cli.questions import parse_links
from brit.cli.terminal import (
    ProgressPrinter,
    one_line,
    print_retrieval,
    print_sources,
    print_table,
)
from brit.config import RetrievalConfig, Settings
from brit.pipeline import ask
from brit.storage import Workspace
from brit.types import (
    Answer,
    Citation,
    Progress,
    Retrieval,
    RetrievalTrace,
    RetrievedPassage,
)
from tests.pipeline.conftest import TestModels, write_brochure


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run a command with hashing encoders; → exit code, stdout, stderr."""
    made: dict[str, TestModels] = {}

    def models(settings: Settings, *_: object) -> TestModels:
        return made.setdefault("one", TestModels(settings))

    monkeypatch.setattr("brit.pipeline.Models", models)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    ask._open.clear()

    def call(*arguments: str) -> tuple[int, str, str]:
        code = main([*arguments, "--workspace", str(tmp_path / "ws")])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


@pytest.fixture(scope="session")
def pdf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_brochure(tmp_path_factory.mktemp("cli") / "zorvex.pdf")


LEDGER = {"document", "source", "status", "reason", "pages", "figures", "captions", "triplets",
          "nodes", "seconds"}  # fmt: skip
RETRIEVAL = {"question", "preset", "encoder", "entities", "low_relevance", "triplets", "images",
             "passages", "pages", "words", "timings_ms", "trace"}  # fmt: skip
IMAGE = {"id", "name", "document", "page", "bbox", "path", "caption", "score", "reason", "via",
         "link"}  # fmt: skip


def test_without_a_preset_the_collections_own_setting_is_used(
    run: Any, pdf: Path, tmp_path: Path
) -> None:
    def settings(*options: str) -> tuple[str, list[str], int]:
        found = json.loads(run("retrieve", "Zorvex?", "--collection", "c", "--json", *options)[1])
        used = found["trace"]["parameters"]
        return found["preset"], used["links"], used["k"]

    run("ingest", str(pdf), "--collection", "c")
    workspace = Workspace.open(tmp_path / "ws")
    collection = workspace.documents.collection("c").id
    assert settings() == ("default", ["CA", "SI", "LP", "LS"], 5)
    workspace.settings.keep_retrieval(collection, replace(RetrievalConfig.paper(), k=9))
    assert settings() == ("paper", ["CA", "LS", "SI"], 9)
    assert settings("--links", "LP") == ("paper", ["LP"], 9)
    assert settings("--preset", "default") == ("default", ["CA", "SI", "LP", "LS"], 5)


def test_from_a_file_to_an_answer(run: Any, pdf: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.pdf"
    bad.write_bytes(b"junk")
    code, out, err = run("ingest", str(pdf), str(bad), "--collection", "c", "--json")
    report = json.loads(out)
    assert code == 1
    assert [d["status"] for d in report["documents"]] == ["whole", "refused"]
    assert set(report["documents"][0]) >= LEDGER
    assert report["stages"]["reading"] > 0
    assert report["peak_mb"] > 0
    assert err.splitlines()[-1].startswith("bad.pdf: The file is no PDF")

    code, out, _ = run("documents", "--collection", "c", "--json")
    rows = [(d["status"], d["pages"]) for d in json.loads(out)["documents"]]
    assert (code, rows) == (0, [("whole", 3), ("refused", 0)])

    for preset in ("default", "paper"):
        code, out, _ = run(
            "retrieve", "What does the Zorvex pump look like?", "--collection", "c", "--preset",
            preset, "--document", "zorvex.pdf", "--json",
        )  # fmt: skip
        found = json.loads(out)
        assert code == 0
        assert set(found) == RETRIEVAL
        assert set(found["images"][0]) >= IMAGE
        assert Path(found["images"][0]["path"]).exists()
        assert set(found["timings_ms"]) >= {"encode", "search", "pcst", "traverse", "total"}
        assert {page["page"] for page in found["pages"]} == {1, 2, 3}

    code, out, _ = run("ask", "Where was the Zorvex pump built?", "--collection", "c", "--json")
    asked = json.loads(out)
    assert code == 0
    assert "Tromsø" in asked["answer"]
    assert set(asked["citations"][0]) == {"marker", "kind", "document", "page", "bbox"}
    assert asked["model"] == "extractive"
    assert [(c["claim"], c["reason"]) for c in asked["claims"] if c["support"] != "supported"] == []
    assert asked["claims"][0]["evidence"][0]["document"] == "zorvex.pdf"

    code, out, _ = run("delete", "zorvex.pdf", "bad.pdf", "--collection", "c")
    assert code == 0
    code, out, _ = run("documents", "--collection", "c", "--json")
    assert json.loads(out) == {"documents": []}


def test_exports_are_read_by_other_tools(run: Any, pdf: Path, tmp_path: Path) -> None:
    run("ingest", str(pdf), "--collection", "c")
    for format in ("json", "graphml", "csv"):
        code, _, _ = run("export", "--collection", "c", "--format", format, "-o",
                         str(tmp_path / f"graph.{format}"))  # fmt: skip
        assert code == 0
    data = json.loads((tmp_path / "graph.json").read_text())
    assert set(data) == {"nodes", "edges", "links", "images"}
    assert {edge["page"] for edge in data["edges"]} <= {1, 2, 3}
    graph = networkx.read_graphml(tmp_path / "graph.graphml")
    assert graph.number_of_nodes() == len(data["nodes"]) + len(data["images"])
    with (tmp_path / "graph-nodes.csv").open(newline="") as stream:
        assert len(list(csv.DictReader(stream))) == len(data["nodes"])
    _, out, _ = run("export", "--collection", "c", "--format", "csv", "-o", str(tmp_path / "g"))
    written = [Path(line.removeprefix("wrote ")) for line in out.splitlines()]
    names = ["g-nodes.csv", "g-edges.csv", "g-links.csv", "g-images.csv"]
    assert [(path.name, path.parent) for path in written] == [(name, tmp_path) for name in names]
    assert all(path.is_file() for path in written)
    for place in (tmp_path, Path("/dev/null"), tmp_path / "x" / "y", tmp_path / ("x" * 999)):
        for format in ("csv", "json"):
            code, out, err = run("export", "--collection", "c", "--format", format, "-o",
                                 str(place))  # fmt: skip
            assert (code, out, err.count("\n")) == (1, "", 1)
            assert "Name a file" in err


def test_a_name_stands_for_all_documents_that_have_it(run: Any, tmp_path: Path) -> None:
    for folder, product in (("a", "Zorvex"), ("b", "Qunter"), ("other", "Kestrel")):
        (tmp_path / folder).mkdir()
        name = "other.pdf" if folder == "other" else "same.pdf"
        write_brochure(tmp_path / folder / name, product, pages=1)
    run("ingest", *(str(tmp_path / each) for each in ("a", "b", "other")), "--collection", "c")
    for product in ("Zorvex", "Qunter"):
        _, out, _ = run("retrieve", f"Who built the {product} pump?", "--collection", "c",
                        "--document", "same.pdf", "--json")  # fmt: skip
        assert any(product in passage["text"] for passage in json.loads(out)["passages"])
    code, _, err = run("delete", "same.pdf", "gone.pdf", "--collection", "c")
    assert (code, err.count("\n")) == (1, 1)
    code, out, _ = run("delete", "same.pdf", "same.pdf", "--collection", "c")
    assert (code, out) == (0, "deleted same.pdf (2 documents of that name)\n")
    left = json.loads(run("documents", "--collection", "c", "--json")[1])["documents"]
    assert [document["document"] for document in left] == ["other.pdf"]


def test_an_answer_in_the_terminal_ends_with_its_sources(run: Any, pdf: Path) -> None:
    run("ingest", str(pdf), "--collection", "c")
    _, out, _ = run("ask", "Where was the Zorvex pump built?", "--collection", "c")
    answer, _, sources = out.rpartition("\n\n")
    assert "Tromsø" in answer
    listed = re.findall(r"^\[(\d+)\] zorvex\.pdf p\. [123]  \S.*$", sources, re.MULTILINE)
    assert listed
    assert set(listed) == set(re.findall(r"\[(\d+)\]", answer))
    assert len(sources.splitlines()) == len(listed)


def test_sources_are_cut_without_spaces_too(capsys: pytest.CaptureFixture[str]) -> None:
    passage = RetrievedPassage("图.pdf", None, None, "泵" * 500, 1.0)
    nothing = Retrieval("?", "default", "e", (), False, (), (), (passage,), (), 0, {},
                        RetrievalTrace())  # fmt: skip
    answer = Answer("a [3]", (Citation(3, "passage", "图.pdf", None, None),), "extractive")
    print_sources(answer, nothing)
    assert capsys.readouterr().out == f"[3] 图.pdf  {'泵' * 90} …\n"


def test_what_is_set_to_no_effect_is_said(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BRIT_MODEL", raising=False)
    monkeypatch.setenv("BRIT_BASE_URL", "http://127.0.0.1:9/v1")
    code, out, err = run("models", "list", "--json")
    assert (code, err.count("\n")) == (0, 1)
    assert err.startswith("BRIT_BASE_URL is set but not used")
    assert json.loads(out)["encoders"]
    code, out, err = run("doctor", "--json")
    assert code == 1
    assert json.loads(out)["problems"] == [err.strip()]


def test_faults_of_the_user_end_in_one_sentence(run: Any, pdf: Path, tmp_path: Path) -> None:
    run("ingest", str(pdf), "--collection", "c")
    for arguments, sentence in (
        (("documents", "--collection", "none"), "There is no collection “none”"),
        (("ingest", "/nowhere.pdf", "--collection", "c"), "There is no file or folder"),
        (("retrieve", "x", "--collection", "none"), "There is no collection “none”"),
        (("ask", " \n", "--collection", "none"), "The question is empty"),
        (("ingest", str(pdf), "--collection", "a\0b"), "control characters"),
        (("ingest", "/dev/null", "--collection", "c"), "is a device"),
        (("ingest", f"/{'x' * 300}", "--collection", "c"), "cannot be read"),
        (("documents", "--collection", "x" * 10_000), "Collections here: “c”"),
        (("documents", "--collection", "a\u2028b"), "“a b”"),
        (("retrieve", "\u200b", "--collection", "c"), "The question is empty"),
        (("retrieve", "x", "--collection", "c", "--document", ""), "There is no document “”"),
        (("models", "fetch", "Nonsense"), "as ViT-B-32/laion2b_s34b_b79k"),
        (("models", "list", "x"), "takes no name"),
        (("verify", str(pdf)), "no text in UTF-8"),
        (("verify", str(tmp_path)), "cannot be read (Is a directory)"),
        (("verify", str(pdf), "--images", "/nowhere"), "There is no folder “/nowhere”"),
        (("evaluate", str(pdf), "--collection", "c"), "no text in UTF-8"),
    ):
        code, out, err = run(*arguments)
        assert (code, out) == (1, "")
        assert sentence in err
        assert len(err.strip().splitlines()) == 1
    code, _, err = run("delete", "other.pdf", "--collection", "c")
    assert (code, err.count("\n")) == (1, 1)
    questions = tmp_path / "questions.jsonl"
    whole = {"id": "a", "doc": "zorvex.pdf", "question": "x", "type": "image-text"}
    for changes in (
        {"question": 5}, {"type": ["x"]}, {"bbox": [1, 2]}, {"evidence_text": 3},
        {"evidence_pages": 5}, {"evidence_pages": ["one"]}, {"doc": None},
    ):  # fmt: skip
        questions.write_text(json.dumps(whole | changes) + "\n")
        code, _, err = run("evaluate", str(questions), "--collection", "c")
        assert (code, err.count("\n")) == (1, 1)
        assert "Line 1 of" in err


def test_a_path_that_is_not_there_costs_itself_only(run: Any, pdf: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    code, out, err = run("ingest", str(tmp_path / "nix"), str(pdf), str(tmp_path / "empty"),
                         "--collection", "c", "--json")  # fmt: skip
    assert code == 1
    assert [d["status"] for d in json.loads(out)["documents"]] == ["whole", "refused", "refused"]
    assert "nix: There is no file or folder" in err
    assert "empty: The folder" in err


def test_what_documents_say_cannot_steer_the_terminal(
    run: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "red\x1b[31m\nline\u202efdp.pdf"
    (tmp_path / name).write_bytes(b"junk")
    code, _, err = run("ingest", str(tmp_path / name), "--collection", "c")
    assert code == 1
    assert err.splitlines()[-1].startswith("red[31m linefdp.pdf: The file is no PDF")
    assert one_line("a\tb\r\n\x9b2J") == "a b 2J"
    print_table([{"pages": 2, "document": name}, {"pages": None, "document": "b"}])
    assert capsys.readouterr().out == "pages  document\n    2  red[31m linefdp.pdf\n    -  b\n"


def test_progress_is_a_line_a_stage_where_nobody_watches() -> None:
    stream = io.StringIO()
    printer = ProgressPrinter(stream)
    for done in range(3):
        printer(Progress("reading", done, 3, "a\x1b[2J.pdf"))
    printer(Progress("building", 0, 1, "a\x1b[2J.pdf"))
    printer.close()
    assert stream.getvalue() == "reading 0/3 a[2J.pdf\nbuilding a[2J.pdf\n"


def test_progress_in_a_terminal_stays_on_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: True)
    printer = ProgressPrinter(stream)
    printer(Progress("reading", 9, 10, "long.pdf"))
    printer(Progress("building", 0, 1, "x"))
    printer.close()
    assert stream.getvalue() == "\rreading 9/10 long.pdf\rbuilding x           \n"


@pytest.mark.parametrize(
    "command", [("documents",), ("retrieve", "What?"), ("delete", "a.pdf")], ids=lambda c: c[0]
)
def test_a_mistyped_workspace_is_named_and_not_made(
    run: Any, tmp_path: Path, command: tuple[str, ...]
) -> None:
    missing = tmp_path / "ws"
    code, _, err = run(*command, "--collection", "c")
    assert code == 1
    assert err.startswith(f"There is no workspace in {missing} yet: add documents")
    assert not missing.exists()


def test_doctor_asks_the_configured_server(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIT_MODEL", "some-model")
    monkeypatch.setenv("BRIT_BASE_URL", "http://127.0.0.1:9/v1")
    code, out, err = run("doctor", "--json")
    assert code == 1
    assert len(json.loads(out)["problems"]) == 1
    assert "127.0.0.1:9" in err


def test_a_name_that_is_no_unicode_is_refused(run: Any, tmp_path: Path) -> None:
    folder = tmp_path / "odd"
    folder.mkdir()
    with open(os.fsencode(folder) + b"/\xff.pdf", "wb") as file:
        file.write(b"%PDF-1.4")
    code, _, err = run("ingest", str(folder), "--collection", "c")
    assert (code, err.count("\n")) == (1, 1)
    assert "Rename the file" in err


def test_a_damaged_database_is_one_sentence(run: Any, pdf: Path, tmp_path: Path) -> None:
    run("ingest", str(pdf), "--collection", "c")
    file = tmp_path / "ws" / "brit.sqlite"
    Workspace(tmp_path / "ws").read.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    damaged = bytearray(file.read_bytes())
    damaged[4096:] = b"\xaa" * (len(damaged) - 4096)
    file.unlink()
    file.write_bytes(damaged)
    for suffix in ("-wal", "-shm"):
        file.with_name(file.name + suffix).unlink(missing_ok=True)
    code, out, err = run("documents", "--collection", "c")
    assert (code, out, err.count("\n")) == (1, "", 1)
    code, out, err = run("doctor", "--json")
    assert code == 1
    assert any("malformed" in problem for problem in json.loads(out)["problems"])
    assert "malformed" in err


def test_a_torn_workspace_is_mended(run: Any, pdf: Path, tmp_path: Path) -> None:
    run("ingest", str(pdf), "--collection", "c")
    before = run("retrieve", "Zorvex?", "--collection", "c", "--json")[1]
    db = sqlite3.connect(tmp_path / "ws" / "brit.sqlite")
    with db:
        db.execute("DELETE FROM passage_words")
    db.close()
    (tmp_path / "ws" / "images" / "ab").mkdir(exist_ok=True)
    (tmp_path / "ws" / "images" / "ab" / "stray.png").write_bytes(b"x")
    # A test is one process: what it has open it keeps others out of.
    ask._open.clear()
    for each in _workspaces():
        each.close()
    code, out, err = run("doctor", "--json")
    assert (code, err.count("\n")) == (1, 1)
    assert "the search by words lacks a passage" in json.loads(out)["problems"][0]
    for each in _workspaces():
        each.close()
    code, out, err = run("doctor", "--repair", "--json")
    report = json.loads(out)
    assert (code, report["problems"]) == (0, [])
    assert [each.split()[0] for each in report["repaired"]] == ["The", "Removed", "The"]
    assert "reading the damaged database" in err
    code, out, _ = run("retrieve", "Zorvex?", "--collection", "c", "--json")
    assert _evidence(out) == _evidence(before)


def test_a_backup_answers_as_its_workspace_does(run: Any, pdf: Path, tmp_path: Path) -> None:
    run("ingest", str(pdf), "--collection", "c")
    before = run("retrieve", "Zorvex side 2?", "--collection", "c", "--json")[1]
    export = ("export", "--collection", "c", "--format", "json", "-o")
    run(*export, str(tmp_path / "before.json"))
    file = tmp_path / "saved.brit"
    code, out, err = run("backup", str(file), "--json")
    saved = json.loads(out)
    assert code == 0
    assert (saved["documents"], saved["pictures"], saved["missing"]) == (1, 3, 0)
    assert "copying files" in err
    code, _, err = run("restore", str(file))
    assert (code, err.count("\n")) == (1, 1)
    assert "is not empty" in err
    (tmp_path / "ws").rename(tmp_path / "old")
    ask._open.clear()
    code, out, _ = run("restore", str(file), "--json")
    assert code == 0
    assert json.loads(out)["bytes"] == saved["bytes"]
    after = run("retrieve", "Zorvex side 2?", "--collection", "c", "--json")[1]
    assert _evidence(after) == _evidence(before)
    run(*export, str(tmp_path / "after.json"))
    assert (tmp_path / "after.json").read_bytes() == (tmp_path / "before.json").read_bytes()
    (tmp_path / "foreign").write_bytes(pdf.read_bytes())
    for name in ("foreign", "none"):
        command = ("restore", str(tmp_path / name), "--workspace", str(tmp_path / "new"))
        assert main(command) == 1
    assert not (tmp_path / "new").exists()


def _evidence(found: str) -> dict[str, Any]:
    return {name: value for name, value in json.loads(found).items()
            if name not in ("timings_ms", "trace")}  # fmt: skip


def _workspaces() -> list[Workspace]:
    return [each for each in gc.get_objects() if type(each) is Workspace]


def test_a_reader_that_leaves_ends_it_quietly(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "brit", "models", "list", "--workspace", str(tmp_path)]
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert ended.returncode == 1
    assert ended.stderr == b"Whoever read the output has closed it.\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no full device")
def test_where_nothing_can_be_written_it_says_so(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "brit", "models", "list", "--workspace", str(tmp_path)]
    with open("/dev/full", "w") as full:
        ended = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert ended.returncode == 1
    assert ended.stderr.startswith(b"A file, or the output, cannot be read or written (No space")
    assert ended.stderr.count(b"\n") == 1
    closed = subprocess.run(["sh", "-c", '"$@" >&-', "sh", *command], stderr=-1, check=False)
    assert (closed.returncode, closed.stderr) == (0, b"")


def test_json_is_utf_8_whatever_the_locale(tmp_path: Path) -> None:
    Workspace.open(tmp_path).documents.create_collection("图")
    command = [sys.executable, "-m", "brit", "doctor", "--json", "--workspace", str(tmp_path)]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    told = json.loads(subprocess.run(command, stdout=-1, env=environment, check=True).stdout)
    assert told["workspace"]["collections"][0]["name"] == "图"


def test_usage_faults_exit_with_2(run: Any) -> None:
    for arguments in (
        ("retrieve", "x"),
        ("dance",),
        ("ingest", "--collection", "c"),
        ("documents", "--collection", "\udcff"),
        ("ingest", "", "--collection", "c"),
        ("export", "--collection", "c", "--format", "csv", "-o", ""),
        ("verify", "x.jsonl", "--images", ""),
        ("evaluate", "a\0b", "--collection", "c"),
        ("grade", "x", "--limit", "9" * 5000 + "x"),
    ):
        with pytest.raises(SystemExit) as stop:
            run(*arguments)
        assert stop.value.code == 2


def test_links_are_named_in_any_order() -> None:
    assert parse_links("LS, ca") == ("CA", "LS")
    assert parse_links("") == ()


def test_questions_are_scored_by_the_published_rules(run: Any, pdf: Path, tmp_path: Path) -> None:
    """One question of each kind with its evidence where the brochure has it, one elsewhere."""
    rows = [
        {"id": "a", "doc": "pdf/zorvex.pdf", "type": "text-image", "question": "Zorvex side 2?",
         "evidence_page": 2, "bbox": [72, 220, 372, 445]},
        {"id": "b", "doc": "pdf/zorvex.pdf", "type": "image-text", "question": "Who built Zorvex?",
         "evidence_page": 1, "bbox": [72, 220, 372, 445],
         "evidence_text": "Engineers in Tromsø built the Zorvex pump"},
        {"id": "c", "doc": "m/zorvex.pdf", "question": "chapter 3", "evidence_pages": [3]},
        {"id": "d", "doc": "m/elsewhere.pdf", "question": "x", "evidence_pages": [1]},
    ]  # fmt: skip
    questions = tmp_path / "questions.jsonl"
    questions.write_text("\n".join(map(json.dumps, rows)))
    run("ingest", str(pdf), "--collection", "c")
    code, out, _ = run("evaluate", str(questions), "--collection", "c", "--json")
    result = json.loads(out)
    assert code == 0
    assert (result["questions"], result["skipped"]) == (3, 1)
    assert result["text_recall"] == 1.0
    assert set(result["page_recall"]) == {"1", "3", "5"}
    assert result["page_recall"]["3"] == 1.0
    assert set(result["by_type"]) == {"text-image", "image-text", "pages"}
    assert {"similarity", "bm25", "dense"} == set(result["baselines"])


def test_what_failed_is_complained_of_once(run: Any, pdf: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.pdf"
    bad.write_bytes(b"junk")
    code, out, err = run("ingest", str(pdf), str(bad), "--collection", "c")
    assert code == 1
    assert (out + err).count("The file is no PDF") == 1
    assert "The file is no PDF" in err
    assert "refused  bad.pdf" in out
    assert run("documents", "--collection", "c")[1].count("The file is no PDF") == 1


def test_where_nothing_belongs_the_scores_are_said_to_order_only(
    capsys: pytest.CaptureFixture[str],
) -> None:
    passage = RetrievedPassage("a.pdf", 1, None, "A kiln is hot.", 0.98)
    found = Retrieval(
        "Who won?", "default", "e", (), True, (), (), (passage,), (), 4, {}, RetrievalTrace()
    )
    print_retrieval(found)
    said = capsys.readouterr().out
    assert "shares few words with this question" in said
    assert "Scores only order what was found." in said
    assert "close" not in said
    print_retrieval(replace(found, low_relevance=False))
    assert "Scores only" not in capsys.readouterr().out
