"""The workspace on disk. `Workspace.open(folder)` is the way in."""

from brit.storage.workspace import Workspace

__all__ = ["Workspace"]
