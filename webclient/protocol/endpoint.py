"""One server as this program reaches it, and how its connection stands: the data that its sessions have in common."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from webclient.masking import public_transport, secrets_of
from webclient.model import Json, Reason, Server, ServerStatus


class Endpoint:
    """The server, the transport over which it is reached, and the status of its connection.

    `server` is as its user has configured it. `transport` has the secrets that `server.transport` lacks; `secrets` are
    the texts that no sentence may repeat. `interrupted` says why the last session ended: None while it stands, "" if
    there is nothing to say but that it was lost. `lists_version` is another after each change of the server's lists,
    and in each session. `changed` is called whenever the status or a list changes.
    """

    def __init__(self, server: Server, transport: Json, changed: Callable[[Endpoint], None]) -> None:
        self.server = server
        self.transport = transport
        self.secrets = secrets_of(transport, public_transport(server.transport))
        self.status = ServerStatus()
        self.interrupted: Reason | None = None
        self.lists_version = 0
        self._changed = changed
        self._moved = asyncio.Event()

    def set_status(self, **values: Any) -> None:
        """Set fields of the status, and tell."""
        self.status = replace(self.status, **values)
        self._moved.set()
        self._changed(self)

    def lists_changed(self) -> None:
        """Mark the catalog as out of date: lists of the server have changed."""
        self.lists_version += 1

    def tell(self) -> None:
        """Tell that the server looks different."""
        self._changed(self)

    async def next_status(self) -> None:
        """Wait until the status is set again."""
        self._moved.clear()
        await self._moved.wait()
