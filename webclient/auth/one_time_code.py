"""A code that signs one browser in, once."""

from __future__ import annotations

from secrets import token_urlsafe

from webclient.auth.credentials import same_secret


class OneTimeCode:
    """A random code that can be used once; afterwards it is only recognised."""

    def __init__(self) -> None:
        self.value = token_urlsafe(32)
        self._used = False

    def take(self, given: str) -> bool:
        """Use the code up if `given` is the code and it is unused; return whether it was."""
        # Safe: nothing is awaited in between, so of two browsers at the same moment one is the first.
        if self._used or not self.matches(given):
            return False
        self._used = True
        return True

    def matches(self, given: str) -> bool:
        """Return whether `given` is the code, used or not."""
        return same_secret(given, self.value)
