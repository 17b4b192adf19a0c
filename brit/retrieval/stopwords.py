"""Words that say how a question is put, not what it is about, in five languages.

Left out of the search by words: they only favour passages that hold many common words.
"""

from __future__ import annotations

import re

_ENGLISH = """a about according after all an and any are as at be been before being between both but
by can could did do does doing during each either every for from had has have having he her his how
i if in into is it its me my of off on one only or other our out over please shall she should so
some such than that the their them then there these they this those through to two under up us was
we were what when where which while who whom whose why will with would you your"""
_REQUESTS = """answer answers directly document documents fig figure figures float format formatted
give integer list listed many mention mentioned much number page pages report show shown shows slide
slides string table tables write"""
_GERMAN = """aber alle als am an auf aus bei bis das dass dem den der des die durch ein eine einem
einen einer eines er es für gibt hat haben hatte ich ihr im in ist kann können man mit nach nicht
noch oder seite seiten sich sie sind so über um und uns unter viel viele vom von vor wann war waren
warum was welche welchem welchen welcher welches wenn wer werden wie wieviel wird wo worden zu zum
zur zwischen"""
_FRENCH = """au aux avec ce ces cette combien comment dans de des du elle elles en est et il ils la
le les leur leurs lui mais ne nous on ou où par pas pour pourquoi quand que quel quelle quelles
quels qui quoi sa se ses son sont sur un une vous"""
_SPANISH = """al como con cómo cuando cuál cuáles cuándo cuánto cuántos de del donde dónde el ella
ellos en entre es esta este la las lo los más no o para pero por porque que quién qué se ser sin
sobre son su sus un una y"""

STOP_WORDS = frozenset(
    word for words in (_ENGLISH, _REQUESTS, _GERMAN, _FRENCH, _SPANISH) for word in words.split()
)
_WORD = re.compile(r"\w+(?:[-'’]\w+)*")


def keywords(text: str) -> str:
    """The words of a question that say what it is about; all of them if none does.

    A stop word written in capitals (IT, US) is a name and stays.
    """
    words = _WORD.findall(text)
    kept = [
        word
        for word in words
        if word.casefold() not in STOP_WORDS or (word.isupper() and len(word) > 1)
    ]
    return " ".join(kept or words)
