"""What a command is, and what the arguments of commands have in common."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from brit.config import Settings

Command = Callable[[argparse.Namespace, Settings], int]
"""→ the exit code."""

Add = Callable[[str, Command, str], argparse.ArgumentParser]
"""Adds a command by its name, what it runs and its help; → its parser."""


def named_path(text: str) -> Path:
    """An argument that names a file or folder: `Path("")` would be the current folder."""
    if not text.strip() or "\0" in text:
        raise argparse.ArgumentTypeError("it is empty or holds a NUL: name a file or folder")
    return Path(text)
