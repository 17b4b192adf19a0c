"""What a command is."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from brit.config import Settings

Command = Callable[[argparse.Namespace, Settings], int]
"""→ the exit code."""

Add = Callable[[str, Command, str], argparse.ArgumentParser]
"""Adds a command by its name, what it runs and its help; → its parser."""
