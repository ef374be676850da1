"""Pools that several owners share, such as users or sessions: each has a share, so that one cannot take all places."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

from webclient.domain.errors import TooManyError

V = TypeVar("V")


class ShareTakenError(TooManyError):
    """The owner has as much at once as their share allows."""

    status = 429


class Places:
    """Work that is done at once: at most `share` pieces for each owner."""

    def __init__(self, share: int) -> None:
        self.share = share
        self._taken: Counter[Hashable] = Counter()

    def has_place(self, owner: Hashable) -> bool:
        """Return whether the owner may begin another piece of work."""
        return self._taken[owner] < self.share

    @contextmanager
    def taken(self, owner: Hashable, refusal: str) -> Iterator[None]:
        """Hold a place while the block runs. Raises ShareTakenError with this sentence if the owner's are taken."""
        if not self.has_place(owner):
            raise ShareTakenError(refusal)
        self._taken[owner] += 1
        try:
            yield
        finally:
            self._taken[owner] -= 1
            if not self._taken[owner]:
                del self._taken[owner]


class Shelf(Generic[V]):
    """Values by key until they are taken, at most `share` of each owner: the owner's oldest goes first."""

    def __init__(self, share: int) -> None:
        self._share = share
        self._values: dict[str, tuple[Hashable, V]] = {}
        self._keys: dict[Hashable, OrderedDict[str, None]] = {}

    def put(self, owner: Hashable, key: str, value: V) -> None:
        """Save the value under a new key."""
        keys = self._keys.setdefault(owner, OrderedDict())
        keys[key] = None
        self._values[key] = (owner, value)
        if len(keys) > self._share:
            self.take(next(iter(keys)))

    def take(self, key: str) -> V | None:
        """Return the value and forget it; None if it is unknown."""
        owner, value = self._values.pop(key, (None, None))
        if value is not None:
            self._keys[owner].pop(key)
            if not self._keys[owner]:
                del self._keys[owner]
        return value

    def __len__(self) -> int:
        return len(self._values)
