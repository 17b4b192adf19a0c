"""The deterministic checker on sentences of an ingested collection, true and falsified.

    python -m benchmarks.claims WORKSPACE [--sentences 400] [--half A|B] [--show CASE]

Evidence is the six best passages of the whole collection by BM25. Cases: the sentence with its own
passage among them (true); the same without its passage (true, but nothing need say so: a
contradiction is a false alarm); one number changed; one name changed for a name of another document
(false). Halves are every other document.
"""

from __future__ import annotations

import argparse
import random
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from brit.types import Claim, Finding
from brit.verification.facts import check_fact
from brit.verification.wording import cut_sentences, names, words

EVIDENCE = 6
Row = tuple[str, str, str]  # passage id, document, text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workspace", type=Path)
    parser.add_argument("--sentences", type=int, default=400)
    parser.add_argument("--half", choices=("A", "B"))
    parser.add_argument("--show", choices=("present", "absent", "number", "name"))
    options = parser.parse_args()
    db = sqlite3.connect(f"file:{options.workspace}/brit.sqlite?mode=ro", uri=True)
    sample = sentences(db, options.half)
    random.Random(0).shuffle(sample)
    everywhere = [(row[1], name) for row, text in sample for name in names(text)]
    counts: dict[str, Counter[str]] = {}
    for row, text in sample[: options.sentences]:
        found = evidence(db, text)
        for case, claim, passages in cases(row, text, found, everywhere):
            findings = [Finding("passage", each[2], source=each[0]) for each in passages]
            check = check_fact(Claim(claim), findings)
            counts.setdefault(case, Counter())[check.support] += 1
            wrong = check.support == (
                "contradicted" if case in ("present", "absent") else "supported"
            )
            if case == options.show and wrong:
                print(f"- {claim}\n  {check.reason}")
    for case, counted in counts.items():
        total = counted.total()
        shares = "  ".join(f"{kind} {counted[kind] / total:.3f}" for kind in sorted(counted))
        print(f"{case:8} {total:5}  {shares}")


def sentences(db: sqlite3.Connection, half: str | None) -> list[tuple[Row, str]]:
    """Statements of 6 to 40 words in Latin letters."""
    documents = [row[0] for row in db.execute("SELECT id FROM documents ORDER BY name")]
    kept = set(documents[{"A": 0, "B": 1}[half] :: 2]) if half else set(documents)
    found = []
    for row in db.execute("SELECT id, document, text FROM passages ORDER BY id"):
        for start, end in cut_sentences(row[2]) if row[1] in kept else ():
            text = row[2][start:end]
            if text.endswith(".") and 6 <= len(words(text)) <= 40 and text[0].isupper():
                found.append((row, text))
    return found


def evidence(db: sqlite3.Connection, text: str) -> list[Row]:
    """The passages that share most with the text, best first."""
    query = " OR ".join(f'"{word}"' for word in dict.fromkeys(re.findall(r"\w+", text)))
    return list(db.execute(
        "SELECT p.id, p.document, p.text FROM passage_words w JOIN passages p ON p.number = w.rowid"
        " WHERE passage_words MATCH ? ORDER BY rank LIMIT ?", (query, EVIDENCE + 1),
    ))  # fmt: skip


def cases(
    row: Row, text: str, found: list[Row], everywhere: list[tuple[str, str]]
) -> Iterator[tuple[str, str, list[Row]]]:
    others = [each for each in found if each[0] != row[0] and text not in each[2]]
    present = [row, *others][:EVIDENCE]
    yield "present", text, present
    yield "absent", text, others[:EVIDENCE]
    chance = random.Random(text)
    if numbers := list(re.finditer(r"(?<![\w.,-])\d+(?![\w.,-]*\w)", text)):
        number = chance.choice(numbers)
        other = str(int(number[0]) + chance.choice((1, 2, 3, 10)))
        yield "number", text[: number.start()] + other + text[number.end() :], present
    if own := names(text):
        name = chance.choice(own)
        foreign = [each for document, each in everywhere if document != row[1] and each not in text]
        yield "name", text.replace(name, chance.choice(foreign)), present


if __name__ == "__main__":
    main()
