"""Where the servers may be that users add: with several users, an address from one of them leads into the company.

A server of the config file is its administrator's, and may be anywhere. Nor is anything guarded for a single user, who
could run programs on this machine as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from webclient.domain.model import Server
from webclient.network.addresses import Network, Zone
from webclient.network.urls import zones_open_to


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
