"""A code that signs one browser in, once."""

from __future__ import annotations

from secrets import token_urlsafe

from webclient.http.security.auth import same_secret


class OneTimeCode:
    """A code that is good until it is taken; afterwards it is only recognised."""

    def __init__(self) -> None:
        self.value = token_urlsafe(32)
        self._taken = False

    def take(self, given: str) -> bool:
        """Use the code up, if `given` is the code and nobody did before; whether that was so."""
        # Safe: nothing is awaited in between, so of two browsers at the same moment one is the first.
        if self._taken or not self.matches(given):
            return False
        self._taken = True
        return True

    def matches(self, given: str) -> bool:
        """Whether `given` is the code, used up or not."""
        return same_secret(given, self.value)
