"""The protocols behind which models, indexes and job runners stand.

`encoders`, `lmm` and `storage` implement them and import no stage; stages take them as arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

from PIL.Image import Image as Picture

from brit.errors import Cancelled
from brit.types import (
    BBox,
    Claim,
    CollectionGraph,
    Completion,
    DocumentHead,
    Edge,
    Extraction,
    Finding,
    FindingKind,
    FloatArray,
    Image,
    OnPart,
    Page,
    Passage,
    RoundChoice,
    StoredBlock,
    no_part,
)

Role = Literal["passage", "query"]
LexicalKind = Literal["node", "passage", "image"]
Message = dict[str, Any]
ImageSink = Callable[[bytes], str]


@runtime_checkable
class TextEncoder(Protocol):
    """Texts → unit vectors. `same_entity` is the cosine above which two names mean one thing,
    calibrated for that encoder; `name` is stored with every vector."""

    @property
    def name(self) -> str: ...

    @property
    def dim(self) -> int: ...

    @property
    def same_entity(self) -> float: ...

    def encode_texts(self, texts: Sequence[str], role: Role = "passage") -> FloatArray:
        """→ float32 (n, dim), rows of length 1; an empty text gives a row of zeros."""
        ...


@runtime_checkable
class ImageTextEncoder(TextEncoder, Protocol):
    """Also pictures, in the same space."""

    def encode_images(self, images: Sequence[Picture], hints: Sequence[str] = ()) -> FloatArray:
        """→ float32 (n, dim), rows of length 1. `hints` is the text read inside each picture;
        encoders that look at pixels only ignore it."""
        ...


class SceneTextReader(Protocol):
    """Reads the text inside a picture."""

    @property
    def name(self) -> str: ...

    def read_text(self, image: Picture) -> list[tuple[str, BBox, float]]:
        """→ (text, box as fractions of width and height, confidence 0–1) in reading order."""
        ...


class LanguageModel(Protocol):
    """A chat model. Messages are those of the Chat Completions API; images are data URLs."""

    @property
    def name(self) -> str: ...

    @property
    def accepts_images(self) -> bool: ...

    @property
    def image_limit(self) -> int | None:
        """Pictures a request may hold: None while no limit is known, 0 for none at all."""
        ...

    @property
    def prompt_limit(self) -> int | None:
        """Tokens a request may hold beside its reply; None where the server does not say. It may
        be asked for it the first time."""
        ...

    @property
    def usage(self) -> dict[str, int]:
        """Tokens counted so far: prompt_tokens, completion_tokens."""
        ...

    def complete(self, messages: list[Message], schema: dict[str, Any] | None = None) -> Completion:
        """One reply, parsed when `schema` (JSON Schema) is given. Raises ModelError."""
        ...

    def stream(self, messages: list[Message]) -> Generator[str, None, None]:
        """The reply piece by piece; closing the generator ends the request. Raises ModelError,
        after its last piece where it broke off."""
        ...


class TripletExtractor(Protocol):
    """Blocks of one document → triplets and entities (§3.1)."""

    @property
    def name(self) -> str: ...

    def extract(
        self, blocks: Sequence[StoredBlock], on_part: OnPart = no_part, /
    ) -> Extraction: ...

    def extract_entities(self, text: str) -> list[str]:
        """The named entities and noun phrases of a question or a caption."""
        ...


class RoundDecider(Protocol):
    """Decides between two rounds of a retrieval whether to go on, and where."""

    @property
    def name(self) -> str: ...

    def decide(self, question: str, found: Sequence[str], names: Sequence[str]) -> RoundChoice:
        """`found` tells what was found so far, a line each; `names` can be gone on from. Raises
        ModelError."""
        ...


@dataclass(frozen=True)
class ReadRequest:
    """What a reader is asked for.

    Pictures go to `save_image`, which returns the id of their pixels; the pages whose numbers are
    in `done(head)` are stored already and not read again (resume). `home` is the folder that
    relative addresses in the file start from, where the file read is a copy of the one in it.
    """

    save_image: ImageSink
    password: str | None = None
    home: Path | None = None
    done: Callable[[DocumentHead], set[int]] = lambda _: set()
    cancelled: Callable[[], bool] = lambda: False

    def left(self, head: DocumentHead) -> Iterable[int]:
        """The numbers of the pages to be read, in order."""
        return sorted({*range(1, head.page_count + 1)} - self.done(head))

    def check(self) -> None:
        """Raises Cancelled when it was."""
        if self.cancelled():
            raise Cancelled("Reading was cancelled; what was read so far stays.")


class DocumentReader(Protocol):
    """One format. A file may hold many documents (a wiki dump).

    `read` yields (head, pages): the pages are an iterator, in order. A page that cannot be read is
    a Page with a `failure`; a file that cannot be read raises DocumentError or PasswordNeeded.
    """

    suffixes: tuple[str, ...]

    def read(
        self, path: Path, request: ReadRequest
    ) -> Iterator[tuple[DocumentHead, Iterator[Page]]]: ...


class VectorIndex(Protocol):
    """Nearest neighbours by inner product. FAISS now; Qdrant or pgvector can stand here."""

    def __len__(self) -> int: ...

    def add(self, ids: Sequence[str], vectors: FloatArray) -> None: ...

    def remove(self, ids: Iterable[str]) -> None: ...

    def search(
        self, queries: FloatArray, k: int, allowed: Sequence[str] | None = None
    ) -> list[list[tuple[str, float]]]:
        """For each query row at most k (id, score), best first; only `allowed` ids if given."""
        ...

    def vectors(self, ids: Sequence[str]) -> FloatArray:
        """→ float32 (n, dim) of the given ids."""
        ...


class GraphIndex(Protocol):
    """All that retrieval looks at: one collection, one pair of encoders.

    `nodes`, `relations` (keys are the relation texts), `passages` and `captions` (keys are image
    ids; the text is caption, section title and scene text) live in the space of `text_encoder`;
    `images` (keys are image ids, furniture left out) in that of `image_encoder`.
    """

    @property
    def text_encoder(self) -> TextEncoder: ...

    @property
    def image_encoder(self) -> ImageTextEncoder: ...

    @property
    def graph(self) -> CollectionGraph: ...

    @property
    def nodes(self) -> VectorIndex: ...

    @property
    def relations(self) -> VectorIndex: ...

    @property
    def passages(self) -> VectorIndex: ...

    @property
    def captions(self) -> VectorIndex: ...

    @property
    def images(self) -> VectorIndex: ...

    @property
    def documents(self) -> dict[str, str]:
        """Document id → name."""
        ...

    def lexical(
        self, kind: LexicalKind, query: str, k: int, documents: Sequence[str] | None = None
    ) -> list[tuple[str, float]]:
        """At most k (id, BM25 score), best first, of nodes, passages or images."""
        ...

    def passage(self, id: str) -> Passage: ...

    def passage_ids(self, documents: Sequence[str] | None = None) -> list[str]: ...

    def image(self, id: str) -> Image: ...

    def running_lines(self, document: str) -> list[tuple[int, str]]:
        """(page, text) of a document's running heads and feet."""
        ...

    def edge(self, id: str) -> Edge: ...

    def block(self, id: str) -> StoredBlock: ...

    def image_path(self, image: Image) -> str: ...


class JobRunner(Protocol):
    """Long work outside the page. Local worker processes now; Ray or Dask can stand here."""

    def submit(self, kind: str, payload: dict[str, Any]) -> int: ...

    def cancel(self, job: int) -> None: ...

    def resume(self, job: int) -> None: ...


class ObjectDetector(Protocol):
    """Finds named things in a picture, whatever their names (open vocabulary)."""

    @property
    def name(self) -> str: ...

    def detect(self, image: Picture, names: Sequence[str]) -> list[tuple[str, BBox, float]]:
        """→ (one of `names`, box as fractions of width and height, confidence 0–1)."""
        ...


class EvidenceTool(Protocol):
    """Looks for evidence on claims (verification): in the pictures given, or in what it knows.
    `kinds`: the kinds of findings whose absence says something once it has looked."""

    @property
    def name(self) -> str: ...

    @property
    def kinds(self) -> frozenset[FindingKind]: ...

    def look(self, claims: Sequence[Claim], pictures: Sequence[Picture]) -> list[Finding]:
        """Asked once for all claims. Raises BritError where it cannot look."""
        ...
