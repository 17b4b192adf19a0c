"""Files of texts to verify and of answers to grade: one result a record, and totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from brit.errors import InputError, ModelError, ModelUnreachable
from brit.generation.evidence import to_data_url
from brit.models import LanguageModel
from brit.pipeline.models import Models
from brit.pipeline.verify import NO_GRADER, verify_picture
from brit.types import (
    ASPECTS,
    Finding,
    Grade,
    Mode,
    OnProgress,
    Progress,
    Retrieval,
    Verdict,
    Verification,
    no_progress,
)
from brit.verification.grading import grade
from brit.verification.perception_collection import (
    BrokenRecord,
    GradingRecord,
    lies_inside,
    picture_path,
    try_records,
)
from brit.verification.records import VerifyRecord, read_verify_records
from brit.verification.scores import agreement, classification

MOST_FAILURES = 3
"""Records in a row a judge may fail at before the run ends: the next would fail too."""
Row = dict[str, Any]


def verify_file(
    path: Path,
    *,
    models: Models,
    mode: Mode = "image-to-text",
    images: Path | None = None,
    knowledge: Callable[[str], Retrieval] | None = None,
    strict: bool = False,
    on_progress: OnProgress = no_progress,
) -> Row:
    """Every record's verdicts, and precision, recall and F1 by class and aspect beside given
    labels (command-line contract).

    `images` is the folder of the pictures, the file's own by default; `knowledge` retrieves for a
    text. A record whose picture cannot be read has an `error`; the others go on. Raises InputError
    for a file of another form, ModelError.
    """
    folder = _picture_folder(images, path)
    rows: list[Row] = []
    done: list[tuple[VerifyRecord, Verification]] = []
    records = list(read_verify_records(path))  # a fault in the file is said before work begins
    for record in records:
        on_progress(Progress("verifying", len(rows), len(records), record.id))
        try:
            verification = verify_picture(
                record.text,
                _read_picture(folder, record.image),
                models=models,
                mode=mode,
                claims=record.claims,
                retrieval=knowledge(record.text) if knowledge else None,
                strict=strict,
            )
        except InputError as error:
            rows.append({"id": record.id, "error": str(error)})
            continue
        done.append((record, verification))
        rows.append(_verified(record, verification))
    return {"records": rows, "totals": _verify_totals(rows, done, strict)}


def _picture_folder(images: Path | None, path: Path) -> Path:
    """Raises InputError where the folder named is none."""
    if images is not None and not images.is_dir():
        raise InputError(f"There is no folder “{images}”: --images names that of the pictures.")
    return images or path.parent


def _read_picture(folder: Path, name: str) -> bytes | None:
    if not name:
        return None
    if not lies_inside(folder, name):
        raise InputError(
            f"The picture “{name}” lies outside {folder}; --images names the folder it is in."
        )
    found = picture_path(folder, name)
    if found is None:
        raise InputError(f"There is no picture “{name}” in {folder}; --images names its folder.")
    try:
        return found.read_bytes()
    except OSError as error:
        raise InputError(f"The picture “{name}” cannot be read ({error.strerror}).") from error


def _verified(record: VerifyRecord, done: Verification) -> Row:
    claims = claim_rows(done)
    for row, label in zip(claims, record.labels, strict=False):
        row["given"] = label
    return {"id": record.id, "judge": done.judge, "claims": claims, "notes": list(done.notes)}


def claim_rows(done: Verification) -> list[Row]:
    """The verdicts as plain values, each with the evidence it rests on."""
    return [_claim_row(verdict, done) for verdict in done.verdicts]


def _claim_row(verdict: Verdict, done: Verification) -> Row:
    return {
        "claim": verdict.claim.text,
        "aspects": list(verdict.claim.aspects),
        "label": verdict.label(done.strict),
        "support": verdict.support,
        "reason": verdict.reason,
        "checked": verdict.checked,
        "evidence": [finding_row(done.findings[i]) for i in verdict.evidence],
    }


def finding_row(finding: Finding) -> Row:
    """A finding as plain values; boxes are fractions of the picture's sides."""
    row: Row = {"kind": finding.kind, "text": finding.text}
    if finding.box:
        row["box"] = [round(value, 3) for value in finding.box]
    for name in ("source", "document", "page", "subject"):
        if (value := getattr(finding, name)) not in ("", None):
            row[name] = value
    if finding.kind == "colour" and finding.score is not None:
        row["share"] = round(finding.score, 4)
    return row


def _verify_totals(
    rows: Sequence[Row], done: Sequence[tuple[VerifyRecord, Verification]], strict: bool
) -> Row:
    verdicts = [verdict for _, each in done for verdict in each.verdicts]
    labelled = [
        (verdict, (label, verdict.label(strict)))
        for record, each in done
        for verdict, label in zip(each.verdicts, record.labels, strict=False)
    ]
    by_aspect = {
        aspect: classification([pair for v, pair in labelled if aspect in v.claim.aspects])
        for aspect in ASPECTS
    }
    return {
        "records": len(rows),
        "failed": len(rows) - len(done),
        "claims": len(verdicts),
        "support": {
            name: sum(verdict.support == name for verdict in verdicts)
            for name in ("supported", "contradicted", "unverifiable")
        },
        "strict": strict,
        "judges": sorted({each.judge for _, each in done}),
        "evidence": _evidence_totals([each for _, each in done]),
        "tools": _tool_totals([each for _, each in done]),
        "labels": classification([pair for _, pair in labelled]),
        "by_aspect": {name: scores for name, scores in by_aspect.items() if scores["claims"]},
    }


def _evidence_totals(done: Sequence[Verification]) -> dict[str, int]:
    """How many verdicts rest on each kind of evidence."""
    kinds = (
        kind
        for each in done
        for verdict in each.verdicts
        for kind in {each.findings[i].kind for i in verdict.evidence}
    )
    return dict(sorted(Counter(kinds).items()))


def _tool_totals(done: Sequence[Verification]) -> Row:
    """What each tool found, and why it could not look."""
    totals: dict[str, Row] = {}
    for verification in done:
        for report in verification.tools:
            row = totals.setdefault(report.tool, {"findings": 0, "note": ""})
            row["findings"] += report.findings
            row["note"] = row["note"] or report.note
    return totals


# --- grading ---


def grade_file(
    path: Path,
    *,
    models: Models,
    images: Path | None = None,
    limit: int | None = None,
    on_progress: OnProgress = no_progress,
) -> Row:
    """Grades of the records, and their agreement with `orig_score` (command-line contract).

    See `grade_records`.
    """
    rows: list[Row] = []
    before = judge_usage(models)
    for row in grade_records(path, models=models, images=images, limit=limit):
        rows.append(row)
        on_progress(Progress("grading", len(rows), limit or 0, row["id"]))
    return {"records": rows, "totals": grade_totals(rows, models, spent_since(before, models))}


def judge_usage(models: Models) -> dict[str, int]:
    """What the judge has spent since BRIT was started."""
    return dict(models.judge.usage) if models.judge else {}


def spent_since(before: Mapping[str, int], models: Models) -> dict[str, int]:
    """What the judge has spent since `judge_usage` was `before`."""
    return {kind: count - before.get(kind, 0) for kind, count in judge_usage(models).items()}


def grade_records(
    path: Path, *, models: Models, images: Path | None = None, limit: int | None = None
) -> Generator[Row, None, None]:
    """Each record's grade, as soon as it is there.

    A picture lies in the folder under the record's path, or under its name alone; a record whose
    picture is missing is graded without it, and says so. One that breaks the form has a `problem`.
    Replies are cached: the same call goes on where it ended. Raises InputError, and ModelError
    where the judge fails at `MOST_FAILURES` records in a row.
    """
    if (model := models.judge) is None:
        raise InputError(NO_GRADER)
    folder, failures = _picture_folder(images, path), 0
    for record in islice(try_records(path), limit):
        if isinstance(record, BrokenRecord):
            yield _row(record.id, None, Grade(None, "", 0, record.reason), "none")
            continue
        row, error = _graded(record, model, folder)
        failures = failures + 1 if error else 0
        if error and failures == MOST_FAILURES:
            raise error
        yield row


def _graded(
    record: GradingRecord, model: LanguageModel, folder: Path
) -> tuple[Row, ModelError | None]:
    """The result, and what the server could not do. Raises ModelUnreachable."""
    url, picture = _picture_url(record, folder)
    failure = None
    try:
        given = grade(record, model, url)
    except ModelUnreachable:
        raise
    except ModelError as error:
        failure, given = error, Grade(None, "", 0, str(error))
    if picture == "shown" and not model.accepts_images:
        picture = "refused"
    return _row(record.id, record.orig_score, given, picture), failure


def _row(id: str, orig_score: int | None, given: Grade, picture: str) -> Row:
    return {
        "id": id,
        "score": given.score,
        "orig_score": orig_score,
        "feedback": given.feedback,
        "picture": picture,
        "attempts": given.attempts,
        "problem": given.problem,
    }


def _picture_url(record: GradingRecord, folder: Path) -> tuple[str, str]:
    """The picture as a data URL, and what became of it: shown, missing, unreadable, none."""
    if not record.image:
        return "", "none"
    name = record.image.replace("\\", "/").rsplit("/", 1)[-1]
    found = picture_path(folder, record.image) or picture_path(folder, name)
    if found is None:
        return "", "missing"
    try:
        return to_data_url(found.read_bytes()), "shown"
    except OSError:
        return "", "unreadable"


def grade_totals(rows: Sequence[Row], models: Models, spent: Mapping[str, int]) -> Row:
    """What the grades come to; `spent` is the usage that is told beside them."""
    pairs = list(_score_pairs(rows))
    scored = sum(row["score"] is not None for row in rows)
    return {
        "records": len(rows),
        "scored": scored,
        "without_score": len(rows) - scored,
        "pictures": {
            kind: sum(row["picture"] == kind for row in rows)
            for kind in ("shown", "missing", "unreadable", "refused", "none")
        },
        "judge": models.judge.name if models.judge else "",
        "usage": dict(spent),
        "agreement": agreement([given for given, _ in pairs], [found for _, found in pairs]),
    }


def _score_pairs(rows: Sequence[Row]) -> Iterator[tuple[int, int]]:
    for row in rows:
        if row["score"] is not None and row["orig_score"] is not None:
            yield row["orig_score"], row["score"]
