"""Memory of a long run: how much it took, and giving back what it no longer needs."""

from __future__ import annotations

import ctypes
import resource
from contextlib import suppress

from brit.documents.process import close_idle


def peak_megabytes() -> float:
    """Peak resident memory of this process plus that of its largest ended child, in MB."""
    sides = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(resource.getrusage(side).ru_maxrss for side in sides) / 1024


def give_back() -> None:
    """Return freed memory to the system where the C library can: glibc's malloc_trim(3).

    It keeps it for later otherwise, 100 MB and more a document.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)


def end_reading() -> None:
    """The process that reads pages is not needed for what follows."""
    close_idle()
    give_back()
