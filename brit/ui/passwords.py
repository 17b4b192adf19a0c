"""The one password that lets people in, kept as its argon2 hash."""

from __future__ import annotations

import threading
import time
from collections import deque

from brit.config import NO_HASH
from brit.errors import InputError

LONGEST = 1000
WRONG_A_MINUTE = 10
_MINUTE = 60.0


def hash_password(password: str) -> str:
    """What BRIT_PASSWORD_HASH holds; with a salt, so never the same twice."""
    from argon2 import PasswordHasher

    return str(PasswordHasher().hash(password[:LONGEST]))


class PasswordCheck:
    """Compares passwords with a hash, shared by all who try: after `WRONG_A_MINUTE` wrong ones
    within a minute nobody's is looked at until the minute is over."""

    def __init__(self, hash: str) -> None:
        self._hash = hash
        self._wrong: deque[float] = deque(maxlen=WRONG_A_MINUTE)
        self._lock = threading.Lock()

    def seconds_to_wait(self) -> float:
        """0 where a password will be looked at."""
        if len(self._wrong) < WRONG_A_MINUTE:
            return 0.0
        return max(self._wrong[0] + _MINUTE - time.monotonic(), 0.0)

    def is_right(self, password: str) -> bool:
        """One at a time: each costs 64 MB and a moment, on purpose. False while waiting is due.

        Raises InputError where the hash is none, or was cut.
        """
        from argon2 import PasswordHasher
        from argon2.exceptions import InvalidHashError, VerificationError, VerifyMismatchError

        with self._lock:
            if self.seconds_to_wait():
                return False
            try:
                return bool(PasswordHasher().verify(self._hash, password[:LONGEST]))
            except VerifyMismatchError:
                self._wrong.append(time.monotonic())
                return False
            except (InvalidHashError, VerificationError) as error:
                raise InputError(NO_HASH) from error
