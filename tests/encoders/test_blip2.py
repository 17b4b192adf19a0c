"""transformers' own BLIP-2 for retrieval, small and with random weights, made here."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from brit.encoders.blip2 import REPOSITORY, Blip2Encoder, find_blip2
from brit.errors import ModelError, WeightsMissing

TOKENS, DIM = 4, 24
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "red", "blue", "pump", "valve"]


@pytest.fixture(scope="module")
def model() -> Any:
    import torch
    from transformers import Blip2Config, Blip2ForImageTextRetrieval

    torch.manual_seed(3)
    config = Blip2Config(
        vision_config={
            "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
            "num_attention_heads": 2, "image_size": 28, "patch_size": 14,
        },
        qformer_config={
            "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
            "num_attention_heads": 2, "encoder_hidden_size": 32, "vocab_size": len(WORDS),
            "max_position_embeddings": 64, "use_qformer_text_input": True,
        },
        num_query_tokens=TOKENS,
        image_text_hidden_size=DIM,
    )  # fmt: skip
    made = Blip2ForImageTextRetrieval(config).eval()
    # The tokens start as zeros, and would all see the same.
    torch.nn.init.normal_(made.query_tokens)
    return made


@pytest.fixture(scope="module")
def saved(model: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from transformers import BertTokenizer, BlipImageProcessor

    home = tmp_path_factory.mktemp("weights")
    folder = home / REPOSITORY.replace("/", "--")
    model.save_pretrained(folder)
    (home / "vocab.txt").write_text("\n".join(WORDS))
    BertTokenizer(str(home / "vocab.txt")).save_pretrained(folder)
    BlipImageProcessor(size={"height": 28, "width": 28}).save_pretrained(folder)
    return folder


def test_a_score_is_that_of_the_model_itself(model: Any, saved: Path) -> None:
    import torch
    from transformers import AutoImageProcessor, AutoTokenizer

    texts = ["a red pump", "blue valve"]
    pictures = [Image.new("RGB", (40, 20), color) for color in ("red", "blue", "green")]
    encoder = Blip2Encoder(saved)
    rows = encoder.encode_images(pictures, ["ignored"]).reshape(3, TOKENS, DIM)
    ours = (rows @ encoder.encode_texts(texts).T).max(axis=1)
    for at, text in enumerate(texts):
        tokens = AutoTokenizer.from_pretrained(saved)([text] * 3, return_tensors="pt")
        pixels = AutoImageProcessor.from_pretrained(saved)(pictures, return_tensors="pt")
        with torch.inference_mode():
            theirs = model(
                pixel_values=pixels["pixel_values"], input_ids=tokens["input_ids"],
                attention_mask=tokens["attention_mask"], use_image_text_matching_head=False,
            ).logits_per_image  # fmt: skip
        np.testing.assert_allclose(ours[:, at], theirs[:, at].numpy(), atol=1e-5)


def test_rows_do_not_depend_on_their_batch(saved: Path) -> None:
    encoder = Blip2Encoder(saved)
    rows = encoder.encode_texts(["a pump", "", "pump " * 900])
    assert rows.shape == (3, encoder.dim) == (3, DIM)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), [1, 0, 1], atol=1e-5)
    np.testing.assert_allclose(encoder.encode_texts(["a pump"])[0], rows[0], atol=1e-5)
    assert encoder.encode_images([]).shape[0] == 0
    many = encoder.encode_images([Image.new("L", (9, 9))] * 9)
    assert many.shape == (9, TOKENS * DIM)
    np.testing.assert_allclose(many[0], many[8], atol=1e-5)


def test_it_is_found_in_a_folder_and_never_fetched(saved: Path, empty_cache: Path) -> None:
    assert find_blip2(saved.parent).name == f"blip2-{saved.name}"
    with pytest.raises(WeightsMissing, match="not on this machine"):
        find_blip2(empty_cache)
    with pytest.raises(WeightsMissing):
        find_blip2(None)


def test_a_broken_model_is_one_sentence(saved: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelError, match="cannot be loaded"):
        Blip2Encoder(tmp_path).encode_texts(["x"])
    shutil.copytree(saved, tmp_path, dirs_exist_ok=True)
    tensors = load_file(tmp_path / "model.safetensors")
    del tensors["text_projection.weight"]
    save_file(tensors, tmp_path / "model.safetensors", {"format": "pt"})
    with pytest.raises(ModelError, match="weights are missing"):
        Blip2Encoder(tmp_path).encode_texts(["x"])


def test_loading_is_quiet(saved: Path, caplog: pytest.LogCaptureFixture) -> None:
    Blip2Encoder(saved).encode_texts(["x"])
    assert not caplog.records
