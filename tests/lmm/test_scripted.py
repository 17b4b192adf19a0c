"""The scripted model that other tests lean on."""

import pytest

from brit.errors import MalformedReply, ModelError
from brit.lmm import ScriptedModel


def test_says_what_it_was_told_and_remembers_what_it_was_asked():
    model = ScriptedModel("one", {"a": 1}, ["two ", "three"])
    question = [{"role": "user", "content": "?"}]
    assert model.complete(question).text == "one"
    assert model.complete(question, {"type": "object"}).data == {"a": 1}
    assert list(model.stream(question)) == ["two ", "three"]
    assert model.calls == [question] * 3
    assert model.closed == 1


def test_breaks_where_it_was_told_to():
    model = ScriptedModel(["a", ModelError("broke")], "no json", ModelError("gone"))
    stream = model.stream([])
    assert next(stream) == "a"
    with pytest.raises(ModelError, match="broke"):
        next(stream)
    with pytest.raises(MalformedReply):
        model.complete([], {"type": "object"})
    with pytest.raises(ModelError, match="gone"):
        model.complete([])
    with pytest.raises(LookupError):
        model.complete([])
