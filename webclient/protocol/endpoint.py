"""One server as this program reaches it, and the status of its connection: the data that its sessions share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from webclient.content.masking import SHORTEST, mask_secrets, public_transport, secrets_of
from webclient.domain.bounded_log import BoundedLog
from webclient.domain.model import Json, Reason, Server, ServerStatus, Unauthorized, now
from webclient.network import Network
from webclient.protocol.resource_updates import ResourceUpdates, Watched

MOST_TOKENS = 4
"""The newest tokens that no message may repeat; older ones have expired."""


class Authorization(Protocol):
    """The sign-in of one user to one server (MCP, Authorization)."""

    async def token(self) -> str | None:
        """Return the token for the next request, renewed shortly before it expires; None without one."""

    def headers(self, token: str, method: str, url: str) -> Mapping[str, str]:
        """Return the headers that present a token in one request: a bound one with a proof of its own (DPoP)."""

    def note_nonce(self, nonce: str) -> None:
        """Note the nonce of a response, for the next proof."""

    def accepted(self, token: str) -> None:
        """Note that the server has accepted a token: a later refusal means that it has ended."""

    async def after(self, refusal: Unauthorized, *, may_ask: bool) -> str | None:
        """Return another token to send the request again with; None if the user has to sign in first.

        With `may_ask` the user is asked to, without waiting for it. Returns within seconds, and never raises.
        """

    async def until_signed_in(self) -> None:
        """Wait for the pending sign-in to finish. Raises SignInFailedError if it leaves no valid token."""


class Endpoint:
    """The server, the transport over which it is reached, and the status of its connection.

    `server` is the user's configuration. `transport` has the secrets that `server.transport` lacks; `secrets` are the
    texts that no message may repeat. `interrupted` says why the last session ended; None while it is open. The number
    `lists_version` changes with every change of the server's lists, and with every session. `log` has
    its log messages, `resource_updates` the changes of followed resources; agents follow those in `watched`. `changed`
    is called when the status, a list or a followed resource changes. `authorization` is the user's sign-in, if the
    server may want one. `networks` are those in which the server may be besides the internet; None: it may be anywhere.
    `ca_file` is that of the settings.
    `handshake_first`: its last child process could not be connected after `server/discover`, so the next one gets the
    handshake alone.
    """

    def __init__(
        self,
        server: Server,
        transport: Json,
        changed: Callable[[Endpoint], None],
        authorization: Authorization | None = None,
        networks: Sequence[Network] | None = None,
        *,
        ca_file: Path | None = None,
        watched: Watched | None = None,
    ) -> None:
        self.server = server
        self.watched = watched or Watched()
        self.networks = networks
        self.ca_file = ca_file
        self.transport = transport
        self.authorization = authorization
        self.secrets = self._configured = secrets_of(transport, public_transport(server.transport))
        self.status = ServerStatus()
        self.interrupted: Reason | None = None
        self.lists_version = 0
        self.handshake_first = False
        self.log = BoundedLog()
        self.resource_updates = ResourceUpdates()
        self._changed = changed
        self._tokens: tuple[str, ...] = ()
        self._status_set = asyncio.Event()

    @property
    def followed(self) -> Sequence[str]:
        """The resources of whose changes the server is to notify: those of the user, and those of agents."""
        return tuple(dict.fromkeys((*self.server.followed, *self.watched.uris)))

    def hide(self, token: str) -> None:
        """Add a token of the user's sign-in to the `secrets`."""
        if token not in self._tokens:
            self._tokens = (*self._tokens, token)[-MOST_TOKENS:]
            self.secrets = self._configured | {each for each in self._tokens if len(each) >= SHORTEST}

    def set_status(self, **values: Any) -> None:
        """Set fields of the status, and notify."""
        self.status = replace(self.status, **values)
        self._status_set.set()
        self._changed(self)

    def show_startup(self, output: str | None) -> None:
        """Show what a child has written while it starts."""
        output = output and mask_secrets(self.secrets, output)
        if output != self.status.startup_output:
            self.set_status(startup_output=output)

    def show_skipped(self, skipped: Json) -> None:
        """Show which lines of a child were not messages."""
        self.set_status(skipped=skipped | {"first": mask_secrets(self.secrets, skipped["first"])})

    def show_silence(self, silent: bool) -> None:
        """Show whether the server does not answer."""
        if silent != (self.status.quiet_since is not None):
            self.set_status(quiet_since=now() if silent else None)

    def lists_changed(self) -> None:
        """Mark the catalog as out of date."""
        self.lists_version += 1

    def notify(self) -> None:
        """Report that the server looks different."""
        self._changed(self)

    async def next_status(self) -> None:
        """Wait until the status is set again."""
        self._status_set.clear()
        await self._status_set.wait()
