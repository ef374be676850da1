"""The URLs to which a server may lead: https or this machine, and in which zones; and where servers of users may be.

With several users, an address from one of them leads into the company. A server of the config file is its
administrator's, and may be anywhere. Nor is anything guarded for a single user, who could run programs on this machine
as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import anyio
import httpx2

from webclient.domain.model import Server
from webclient.network.addresses import Network, Zone, zone_of
from webclient.network.checked_transport import resolve

RESOLVE_SECONDS = 5.0
"""Seconds in which the name of a server must be resolved to count as private."""

_LOOPBACK_NAMES = ("localhost",)


class NotHttpsError(Exception):
    """A server named a `url` that is not https, nor http on this machine."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.url = url


def check_url(url: str) -> None:
    """Raise NotHttpsError unless the URL is https, or http on this machine.

    RFC 9728, section 7.7; MCP 2026-07-28, Authorization, Communication Security. A URL with a user is refused, too.
    """
    try:
        # Both: they disagree on some malformed addresses.
        parsed, _parts = httpx2.URL(url), urlsplit(url)
    except (httpx2.InvalidURL, TypeError, ValueError) as error:
        raise NotHttpsError(str(url)) from error
    secure = parsed.scheme == "https" or (parsed.scheme == "http" and is_loopback(parsed.host))
    if parsed.userinfo or not parsed.host or not secure:
        raise NotHttpsError(f"{parsed.scheme}://{parsed.host}{parsed.path}")


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine by its name alone."""
    if host in _LOOPBACK_NAMES or host.endswith(".localhost"):
        return True
    try:
        return zone_of(host.strip("[]")) is Zone.LOOPBACK
    except ValueError:
        return False


async def zones_open_to(server_url: str) -> frozenset[Zone]:
    """Return the zones to which a server may lead: the internet, and the zone in which it is itself.

    A name counts as private only if all of its addresses are, and never as this machine: a DNS server could say so.
    """
    host = urlsplit(server_url).hostname or ""
    if is_loopback(host):
        return frozenset({Zone.PUBLIC, Zone.LOOPBACK})
    try:
        return frozenset({Zone.PUBLIC, zone_of(host)} - {Zone.FORBIDDEN})
    except ValueError:
        pass
    try:
        with anyio.fail_after(RESOLVE_SECONDS):
            zones = {zone_of(address) for address in await resolve(host, 443)}
    except (OSError, UnicodeError, TimeoutError):
        zones = set()
    return frozenset({Zone.PUBLIC} | (zones if zones == {Zone.PRIVATE} else set()))


@dataclass(frozen=True, slots=True)
class ServerGuard:
    """Guards the servers that users have added, if it `is_on`; they may be in the internet and in these `networks`.

    `ca_file` names the authorities that all servers are trusted by, beside the system's.
    """

    is_on: bool = False
    networks: Sequence[Network] = ()
    ca_file: Path | None = None

    def networks_for(self, server: Server) -> Sequence[Network] | None:
        """Return the networks, besides the internet, in which the server may be; None: it may be anywhere."""
        return self.networks if self.is_on and server.name is None else None

    async def open_to(self, server: Server | None, server_url: str) -> tuple[frozenset[Zone], Sequence[Network]]:
        """Return the zones and networks to which the server at that address may lead; None: it was removed."""
        is_guarded = self.is_on and (server is None or server.name is None)
        # Where a guarded server is itself does not count: its address is a user's, and could be anything.
        return (frozenset({Zone.PUBLIC}), self.networks) if is_guarded else (await zones_open_to(server_url), ())
