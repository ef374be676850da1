"""The servers of a user: those of the config file, those that were added, and what the user changes of them.

Their connections follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from webclient.config_file import ServerConfig
from webclient.errors import ForbiddenError, InvalidInputError
from webclient.header_rules import wrong_header
from webclient.i18n import gettext as _
from webclient.inbox import Admission, Inbox, muted
from webclient.live import Hub
from webclient.model import Era, Json, Mode, Reason, ReasonCode, RequestState, Server, now
from webclient.servers.connections import Connections
from webclient.store import Store
from webclient.urls import is_http_url


class Servers:
    """Adds, changes, mutes and removes servers."""

    def __init__(self, store: Store, hub: Hub, inbox: Inbox, admission: Admission, connections: Connections) -> None:
        self._store = store
        self._hub = hub
        self._inbox = inbox
        self._admission = admission
        self._connections = connections

    async def configure(self, user_id: str, configured: Sequence[ServerConfig]) -> None:
        """Make the user's servers from the config file be those `configured`, and begin to connect them."""
        kept = {server.name: server for server in await self._store.of(user_id).servers.all() if server.name}
        gone = [server.id for name, server in kept.items() if name not in {each.name for each in configured}]
        await self._store.of(user_id).servers.remove(gone)
        for each in configured:
            server = await self._configured(user_id, each, kept.get(each.name))
            wrong = Reason.of(ReasonCode.CONFIG_INVALID, error=each.error) if each.error else None
            self._connections.use(server, each.transport | _found(server), wrong=wrong)
            if each.enabled:
                self._connections.connect(server)

    async def add(
        self,
        user_id: str,
        *,
        label: str,
        transport: Json,
        era: Era = Era.AUTO,
        modes: tuple[Mode, ...] = tuple(Mode),
    ) -> Server:
        """Keep a new server of the user. Raises ForbiddenError for stdio: that would run a command."""
        if transport.get("type") not in ("http", "sse"):
            # Whoever can reach this page or its API must not be able to start a program on this machine.
            raise ForbiddenError(
                _(
                    "Only http and sse servers can be added here. A stdio server runs a command; "
                    "put it in the config file."
                )
            )
        if not is_http_url(str(transport.get("url", ""))):
            message = _("The address must start with http:// or https:// and name a host.")
            raise InvalidInputError(message, {"url": message})
        if wrong := wrong_header(transport.get("headers") or {}):
            raise InvalidInputError(wrong, {"headers": wrong})
        server = Server(user_id=user_id, label=label, transport=transport, era=era, modes=modes)
        await self._store.of(server.user_id).servers.add(server)
        self._hub.publish(user_id, "server", server.id)
        return server

    async def remove(self, server: Server) -> None:
        """Disconnect the server and forget it."""
        await self._connections.disconnect(server)
        await self._store.of(server.user_id).servers.remove([server.id])
        self._connections.forget(server)
        await self._admission.forget(server)
        self._inbox.forget(server)
        self._hub.publish(server.user_id, "server", server.id)

    async def change_era(self, server: Server, era: Era) -> Server:
        """Remember how to speak with the server, and connect it so."""
        changed = replace(server, era=era)
        await self._store.of(changed.user_id).servers.change(changed)
        await self._connections.disconnect(server, Reason(ReasonCode.ERA_CHANGED))
        self._connections.connect(changed)
        return changed

    async def use_era(self, server: Server, era: Era) -> None:
        """Have the server connected, or being connected, in this era; nothing happens to one that is."""
        if server.era is era:
            self._connections.connect(server)
        else:
            await self.change_era(server, era)

    async def change(self, server: Server) -> None:
        """Keep what the user changed of the server, and connect it anew where the open connection cannot follow."""
        await self._store.of(server.user_id).servers.change(server)
        await self._connections.follow(server)
        self._hub.publish(server.user_id, "server", server.id)

    async def mute(self, server: Server) -> Server:
        """From now on cancel whatever the server asks, and what waits already."""
        changed = replace(server, muted_at=server.muted_at or now())
        await self.change(changed)
        pending = await self._store.of(server.user_id).requests.find(state=RequestState.PENDING, server_id=server.id)
        await self._inbox.settle_all(pending, RequestState.CANCELLED, muted().reason)
        return changed

    async def unmute(self, server: Server) -> Server:
        """Let the server ask again."""
        changed = replace(server, muted_at=None)
        await self.change(changed)
        return changed

    async def _configured(self, user_id: str, config: ServerConfig, kept: Server | None) -> Server:
        # What the file holds in `env`, `headers` and variables are secrets mostly; they stay out of the database.
        public = config.shown | (_found(kept) if kept and _is_same_address(config.shown, kept.transport) else {})
        if kept is None:
            server = Server(user_id=user_id, name=config.name, label=config.label, transport=public, era=config.era)
            await self._store.of(server.user_id).servers.add(server)
        else:
            server = replace(kept, label=config.label, transport=public, era=_era(config, kept))
            if kept.transport != public:
                server = replace(server, learned={})
                await self._store.of(server.user_id).servers.learn(server)
            await self._store.of(server.user_id).servers.change(server)
        return server


def _found(server: Server) -> Json:
    """Return what was found out of how the server is reached, where nobody had said it."""
    return {"type": server.transport["type"]} if "detect" in server.transport else {}


def _is_same_address(new: Json, old: Json) -> bool:
    return "detect" in new and new.get("url") == old.get("url")


def _era(config: ServerConfig, kept: Server) -> Era:
    # The era that a person chose for the server in the page outlives a restart, unless the file says one.
    return kept.era if config.era is Era.AUTO else config.era
