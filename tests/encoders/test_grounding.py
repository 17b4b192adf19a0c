"""GroundingDINO through transformers, with a tiny model of random weights saved here: what it finds
is chance, the way from names to boxes is the real one."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from brit.encoders import grounding
from brit.encoders.grounding import GroundingDino, best_name, find_detector, phrase_of
from brit.errors import ModelError, WeightsMissing

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", "dog", "red", "ball", "box"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import torch
    from transformers import (
        BertConfig,
        BertTokenizer,
        GroundingDinoConfig,
        GroundingDinoForObjectDetection,
        GroundingDinoImageProcessor,
        GroundingDinoProcessor,
        SwinConfig,
    )

    torch.manual_seed(0)
    path = tmp_path_factory.mktemp("detector")
    (path / "vocab.txt").write_text("\n".join(WORDS))
    small = {"intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = GroundingDinoConfig(
        backbone_config=SwinConfig(
            image_size=64, embed_dim=8, depths=[1, 1, 1, 1], num_heads=[1, 1, 2, 2],
            window_size=4, out_features=["stage2", "stage3", "stage4"],
        ),
        text_config=BertConfig(vocab_size=len(WORDS), hidden_size=16,
                               max_position_embeddings=64, **small),
        num_queries=5, d_model=32, max_text_len=32, encoder_layers=1, decoder_layers=2,
        encoder_ffn_dim=16, decoder_ffn_dim=16, encoder_attention_heads=2,
        decoder_attention_heads=2,
    )  # fmt: skip
    GroundingDinoForObjectDetection(config).save_pretrained(path)
    pixels = GroundingDinoImageProcessor(size={"shortest_edge": 64, "longest_edge": 96})
    tokenizer = BertTokenizer(str(path / "vocab.txt"))
    GroundingDinoProcessor(pixels, tokenizer).save_pretrained(path)
    return path


def test_names_become_boxes_in_fractions(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grounding, "BOX_THRESHOLD", 0.0)
    monkeypatch.setattr(grounding, "TEXT_THRESHOLD", 0.0)
    detector = GroundingDino(str(folder))
    found = detector.detect(Image.new("RGBA", (90, 60), "red"), ["dog", "Red ball!", ".", "dog"])
    assert found
    assert {name for name, _, _ in found} <= {"dog", "Red ball!"}
    for _, box, score in found:
        assert 0 <= box[0] <= box[2] <= 1
        assert 0 <= box[1] <= box[3] <= 1
        assert 0 < score <= 1
    assert [score for *_, score in found] == sorted((score for *_, score in found), reverse=True)
    assert detector.detect(Image.new("RGB", (9, 9)), []) == []


def test_what_is_not_sure_is_not_found(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grounding, "BOX_THRESHOLD", 1.0)
    assert GroundingDino(str(folder)).detect(Image.new("RGB", (90, 60)), ["dog"]) == []


def test_weights_are_looked_for_on_this_machine_only(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "made--up").symlink_to(folder)
    assert find_detector("made/up", tmp_path) == tmp_path / "made--up"
    for name in ("made/elsewhere", str(tmp_path / "nowhere"), "../x"):
        with pytest.raises(WeightsMissing, match="BRIT_DETECTOR"):
            GroundingDino(name, tmp_path)


def test_files_that_are_no_model_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "grounding-dino"}')
    (tmp_path / "model.safetensors").write_bytes(b"junk")
    with pytest.raises(ModelError, match="cannot be loaded"):
        GroundingDino(str(tmp_path)).detect(Image.new("RGB", (9, 9)), ["dog"])


def test_labels_are_parts_of_names() -> None:
    phrases = {phrase_of(name): name for name in ("Traffic light", "dog", "hot dog")}
    assert phrases == {"traffic light": "Traffic light", "dog": "dog", "hot dog": "hot dog"}
    assert best_name("light", phrases) == "Traffic light"
    assert best_name("dog", phrases) == "dog"
    assert best_name("hot dog", phrases) in ("dog", "hot dog")
    assert best_name("", phrases) is None
    assert best_name("cat", phrases) is None
