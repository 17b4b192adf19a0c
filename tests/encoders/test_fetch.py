"""Fetching, against a hub on this machine that keeps the hub's protocol."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from brit.encoders.fetch import fetch_weights, hub_reachable
from brit.encoders.weights import CONFIG
from brit.errors import Cancelled, ModelError, ModelUnreachable, UnknownName
from brit.types import Progress

NAME = "ViT-B-32/laion2b_s34b_b79k"
WEIGHTS = bytes(range(256)) * 4000
FILES = {
    "open_clip_pytorch_model.bin": WEIGHTS,
    CONFIG: b'{"model_cfg": {"embed_dim": 8}}',
    "merges.txt": b"a b",
    "README.md": b"not wanted",
}


class Hub(BaseHTTPRequestHandler):
    asked: list[str]
    digest: str

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.end_headers()

    def do_GET(self) -> None:
        if self.path.startswith("/api/models/"):
            self.reply(200, self.listing())
            return
        name = self.path.split("?")[0].rsplit("/", 1)[-1]
        if name not in FILES:
            self.reply(404, b"")
            return
        start = int(self.headers.get("Range", "bytes=0-")[6:].split("-")[0])
        self.asked.append(f"{name}@{start}")
        self.reply(206 if start else 200, FILES[name][start:])

    def listing(self) -> bytes:
        siblings = [
            {"rfilename": name, "size": len(data), "blobId": "0"} for name, data in FILES.items()
        ]
        siblings[0]["lfs"] = {"sha256": self.digest, "size": len(WEIGHTS), "pointerSize": 9}
        return json.dumps({"id": "x/y", "sha": "f" * 40, "siblings": siblings}).encode()

    def reply(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Hub]]:
    from huggingface_hub import constants

    handler = type("ThisHub", (Hub,), {"asked": [], "digest": hashlib.sha256(WEIGHTS).hexdigest()})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    here = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setattr(constants, "ENDPOINT", here)
    template = here + "/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", 100_000)
    yield handler
    server.shutdown()
    server.server_close()
    thread.join()


def test_model_is_fetched_with_progress(hub: type[Hub], tmp_path: Path) -> None:
    seen: list[Progress] = []
    folder = fetch_weights(NAME, tmp_path, seen.append)
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == {
        name: data for name, data in FILES.items() if name != "README.md"
    }
    total = sum(len(data) for name, data in FILES.items() if name != "README.md")
    assert [progress.done for progress in seen] == sorted(progress.done for progress in seen)
    assert len(seen) > 10
    assert (seen[-1].done, seen[-1].total, seen[-1].stage) == (total, total, "fetch")
    assert len(hub.asked) == 3
    fetch_weights(NAME, tmp_path)
    assert len(hub.asked) == 3


def test_cancelled_download_goes_on_where_it_stopped(hub: type[Hub], tmp_path: Path) -> None:
    seen: list[Progress] = []
    with pytest.raises(Cancelled):
        fetch_weights(NAME, tmp_path, seen.append, lambda: len(seen) > 4)
    folder = tmp_path / "ViT-B-32--laion2b_s34b_b79k"
    (part,) = folder.iterdir()
    kept = part.stat().st_size
    assert 0 < kept < len(WEIGHTS)
    fetch_weights(NAME, tmp_path)
    assert hub.asked[:2] == ["open_clip_pytorch_model.bin@0", f"open_clip_pytorch_model.bin@{kept}"]
    assert (folder / "open_clip_pytorch_model.bin").read_bytes() == WEIGHTS


def test_damaged_weights_are_thrown_away(hub: type[Hub], tmp_path: Path) -> None:
    hub.digest = "0" * 64
    with pytest.raises(ModelError, match="damaged"):
        fetch_weights(NAME, tmp_path)
    assert list((tmp_path / "ViT-B-32--laion2b_s34b_b79k").iterdir()) == []


@pytest.mark.usefixtures("no_network")
def test_without_network_it_says_so_soon(tmp_path: Path) -> None:
    start = time.perf_counter()
    assert not hub_reachable(timeout=1)
    with pytest.raises(ModelUnreachable, match="cannot be reached"):
        fetch_weights(NAME, tmp_path)
    assert time.perf_counter() - start < 5
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("name", ["Nonsense", "", "ViT-B-32/Nonsense", "../../etc/passwd", "a/b/c"])
def test_a_wrong_name_is_said_before_the_network_is_asked(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnknownName, match="as ViT-B-32/laion2b_s34b_b79k"):
        fetch_weights(name, tmp_path)
    assert list(tmp_path.iterdir()) == []
