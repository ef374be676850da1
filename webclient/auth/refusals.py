"""Refused attempts to sign in, for the audit trail: folded, so that a flood of them costs little and fills nothing.

Of attempts that are alike, the first one within an hour is written, then the 10th, the 100th and so on, with their
number. So many attempts become a handful of entries, and no timer has to write the last ones.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from ipaddress import ip_address, ip_network
from time import monotonic

from starlette.requests import HTTPConnection

from webclient.store import StorageError

WINDOW = 3600.0
"""Seconds within which attempts are counted together."""

MOST_KINDS = 200
"""Different attempts within the window; further ones are counted without address and user."""

LONGEST_ADDRESS = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A refused attempt: its address, the way that refused it, and why; the user if one is known but disabled.

    `issuer`, `subject` and `email` are those of a person whom the way has proved, and refused nevertheless.
    """

    address: str
    way: str
    code: str
    user_id: str = ""
    issuer: str = ""
    subject: str = ""
    email: str = ""


def address_of(connection: HTTPConnection) -> str:
    """Return the address from which a request came, or an empty text."""
    return connection.client.host if connection.client else ""


Write = Callable[[Refusal, int], Awaitable[None]]
"""Writes one entry for a refusal and the number of equal ones that it stands for."""


class Refusals:
    """Counts refusals, and passes some of them to `write`."""

    def __init__(self, write: Write, clock: Callable[[], float] = monotonic) -> None:
        self._write = write
        self._clock = clock
        self._begun = clock()
        self._counts: dict[Refusal, int] = {}

    async def add(self, refusal: Refusal) -> None:
        """Count a refusal; write the first of its kind, and each power of ten."""
        if self._clock() - self._begun >= WINDOW:
            self._begun = self._clock()
            self._counts.clear()
        refusal = replace(refusal, address=refusal.address[:LONGEST_ADDRESS])
        key = replace(refusal, address=_network(refusal.address))
        if key not in self._counts and len(self._counts) >= MOST_KINDS:
            refusal = key = replace(refusal, address="", user_id="", issuer="", subject="", email="")
        count = self._counts[key] = self._counts.get(key, 0) + 1
        if str(count).strip("0") == "1":
            # The attempt is refused in any case; what cannot be written must not make an error of it.
            with suppress(StorageError):
                await self._write(refusal, count)


def _network(address: str) -> str:
    # A client with one IPv6 address has a whole network of them.
    try:
        return address if ip_address(address).version == 4 else str(ip_network(f"{address}/64", strict=False))
    except ValueError:
        return address
