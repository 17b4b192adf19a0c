"""Where open_clip weights lie on this machine: looked for in folders only, never on a network.

A model is named as "ViT-B-32/laion2b_s34b_b79k" (open_clip's architecture and tag) or by a folder
that holds its weights and their `open_clip_config.json`; weights without their config would be
used with whatever preprocessing open_clip assumes (open_clip#1068).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from brit.encoders.vectors import load_torch
from brit.errors import ModelError, UnknownName, WeightsMissing
from brit.types import stable_id

CONFIG = "open_clip_config.json"
SUFFIXES = (".safetensors", ".bin", ".pth")
# The two models the settings offer, so that looking for them needs no import of open_clip.
REPOSITORIES = {
    "ViT-B-32/laion2b_s34b_b79k": "laion/CLIP-ViT-B-32-laion2B-s34B-b79K/",
    "ViT-H-14/laion2b_s32b_b79k": "laion/CLIP-ViT-H-14-laion2B-s32B-b79K/",
}


@dataclass(frozen=True)
class ClipWeights:
    """What open_clip's factory is called with.

    `source` is "local-dir:<folder>", or an architecture with `file` as its weights and the tag's
    `preprocessing`; `config` is the architecture's `model_cfg`.
    """

    name: str
    source: str
    config: dict[str, Any]
    file: str | None = None
    preprocessing: dict[str, Any] = field(default_factory=dict)


def find_weights(name: str, folder: Path | None = None) -> ClipWeights:
    """The weights of a model: `name` as a folder, then what fetching left in `folder`, then the
    hub library's cache. Raises WeightsMissing, UnknownName, ModelError.
    """
    if Path(name).is_dir():
        return folder_weights(Path(name), f"{Path(name).resolve().name}-{fingerprint(Path(name))}")
    check_name(name)
    fetched = folder / folder_name(name) if folder else None
    if fetched and (fetched / CONFIG).is_file():
        return folder_weights(fetched, name)
    return cached_weights(name, *hub_location(name))


def check_name(name: str) -> None:
    """Raises UnknownName for what is not of the form of open_clip's names."""
    if not re.fullmatch(r"[\w.+-]+/[\w.+-]+", name):
        raise UnknownName(
            f"«{name}» is neither a folder nor an open_clip model: those are named by architecture "
            "and weights, as ViT-B-32/laion2b_s34b_b79k."
        )


def folder_name(name: str) -> str:
    """The folder a fetched model lies in, below the weights folder."""
    return name.replace("/", "--")


def weights_file(folder: Path) -> Path | None:
    """The file open_clip will load, if there is one: a preference for safetensors is its own."""
    found = [file for file in folder.iterdir() if file.suffix in SUFFIXES]
    return min(found, key=lambda file: SUFFIXES.index(file.suffix)) if found else None


def fingerprint(folder: Path) -> str:
    """Tells the weights in two folders of one name apart, without reading them."""
    file = weights_file(folder)
    config = folder / CONFIG
    text = config.read_text(encoding="utf-8") if config.is_file() else ""
    return stable_id(text, file.stat().st_size if file else 0)[:8]


def folder_weights(folder: Path, name: str) -> ClipWeights:
    """Weights and config of one folder. Raises WeightsMissing, ModelError."""
    if weights_file(folder) is None:
        raise WeightsMissing(
            f"The folder {folder} holds no weights: put a {', '.join(SUFFIXES)} file there "
            "(a .pt file may be renamed to .pth)."
        )
    try:
        config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))["model_cfg"]
    except FileNotFoundError:
        raise WeightsMissing(
            f"The folder {folder} lacks {CONFIG}, which says how pictures are prepared for these "
            "weights: put the file that was published with them beside them."
        ) from None
    except (ValueError, KeyError, TypeError) as error:
        raise ModelError(
            f"{folder / CONFIG} is no open_clip configuration (JSON with «model_cfg»): put the "
            "file there that was published with the weights."
        ) from error
    return checked(ClipWeights(name, f"local-dir:{folder}", config))


def cached_weights(name: str, repository: str, file: str) -> ClipWeights:
    """Weights in the hub library's cache, where open_clip itself leaves them.

    It fetches the weights without their config; then the tag's own entry in open_clip says how
    pictures are prepared. Raises WeightsMissing.
    """
    from huggingface_hub import try_to_load_from_cache

    for candidate in candidates(file):
        found = try_to_load_from_cache(repository, candidate)
        if isinstance(found, str):
            folder = Path(found).parent
            if (folder / CONFIG).is_file():
                return folder_weights(folder, name)
            return tagged_weights(name, found)
    raise WeightsMissing(
        f"The weights of {name} are not on this machine: fetch them with `python -m brit models "
        "fetch` or the button in Settings, or name a folder that holds them."
    )


def tagged_weights(name: str, file: str) -> ClipWeights:
    """A bare weights file, with what open_clip knows of its tag."""
    load_torch()
    import open_clip

    architecture, tag = name.split("/")
    known = open_clip.get_pretrained_cfg(architecture, tag)
    preprocessing = {
        "image_mean": known["mean"],
        "image_std": known["std"],
        "image_interpolation": known["interpolation"],
        "image_resize_mode": known["resize_mode"],
        "force_quick_gelu": bool(known.get("quick_gelu")),
    }
    config = open_clip.get_model_config(architecture)
    if config["text_cfg"].get("hf_tokenizer_name"):
        raise WeightsMissing(
            f"The tokenizer of {name} is not on this machine: fetch the whole model with "
            "`python -m brit models fetch`."
        )
    return checked(ClipWeights(name, architecture, config, file, preprocessing))


def candidates(file: str) -> list[str]:
    """The files that may hold the weights, best first; `file` is the one the tag names, if any."""
    if file:
        return [str(Path(file).with_suffix(".safetensors")), file]
    return [
        "open_clip_model.safetensors",
        "open_clip_pytorch_model.safetensors",
        "open_clip_pytorch_model.bin",
    ]


def checked(weights: ClipWeights) -> ClipWeights:
    """Raises ModelError for text towers open_clip would fetch from the hub while loading."""
    if weights.config.get("text_cfg", {}).get("hf_model_name"):
        raise ModelError(
            f"The text part of {weights.name} is a second model that open_clip fetches on its "
            "own; choose a model that is complete in itself, as ViT-B-32/laion2b_s34b_b79k."
        )
    return weights


def hub_location(name: str) -> tuple[str, str]:
    """The hub repository of a model and the file in it ("" where the tag names none).

    Raises UnknownName.
    """
    check_name(name)
    place = REPOSITORIES.get(name)
    if place is None:
        load_torch()
        import open_clip

        place = open_clip.get_pretrained_cfg(*name.split("/")).get("hf_hub", "")
    if not place:
        raise UnknownName(
            f"open_clip knows no weights «{name}» on the hub: name them by architecture and "
            "weights, as ViT-B-32/laion2b_s34b_b79k (`open_clip.list_pretrained()` lists all), or "
            "name a folder that holds them."
        )
    repository, _, file = place.rpartition("/")
    return repository, file


def packaged_file(package: str, pattern: str) -> Path | None:
    """A file inside an installed package, found without importing the package."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        return None
    return next(iter(sorted(Path(spec.origin).parent.glob(pattern))), None)
