"""The secrets that people entrusted to the office, by their `sub`.

A real server encrypts this at rest and lets few look into it. Here it lives as long as the process.
"""

from __future__ import annotations

LAST = 4
"""Characters of a key that are ever shown again."""


class Vault:
    """The secrets of each person: a key, and the access token for their drive."""

    def __init__(self) -> None:
        self._keys: dict[str, str] = {}
        self._drives: dict[str, str] = {}

    def set_key(self, sub: str, key: str) -> None:
        """Keep the key of this person in place of an earlier one."""
        self._keys[sub] = key

    def end_of_key(self, sub: str) -> str | None:
        """Return the end of this person's key, by which they recognise it; None when they have none."""
        key = self._keys.get(sub)
        return key[-LAST:] if key else None

    def connect_drive(self, sub: str, token: str) -> None:
        """Keep the token for this person's drive."""
        self._drives[sub] = token

    def drive(self, sub: str) -> str | None:
        """Return the token for this person's drive; None when it is not connected."""
        return self._drives.get(sub)

    def disconnect_drive(self, sub: str) -> None:
        """Forget the token for this person's drive."""
        self._drives.pop(sub, None)
