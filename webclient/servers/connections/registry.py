"""The servers of a user, from the config file or added; their connections follow each change."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from webclient.domain.errors import ConflictError, ForbiddenError, InvalidInputError, WebclientError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import (
    Era,
    Json,
    Mode,
    Reason,
    ReasonCode,
    RequestState,
    Root,
    Server,
    ServerKey,
    ServerState,
    now,
)
from webclient.domain.root_rules import WrongRootError, checked_roots
from webclient.domain.transport_rules import check_transport, has_credentials
from webclient.inbox import Admission, Inbox, muted
from webclient.protocol.wire_log import WireLogs
from webclient.servers.config_file import ServerConfig
from webclient.servers.connections.configured import configured_server, is_other_connection
from webclient.servers.connections.connections import Connections, protected_server
from webclient.servers.connections.sign_in_settings import checked_settings
from webclient.servers.icons import Icons
from webclient.servers.sign_in import SignIns
from webclient.store import Store
from webclient.store.live import Hub


class Servers:
    """Adds, changes, mutes and removes servers."""

    def __init__(
        self,
        store: Store,
        hub: Hub,
        inbox: Inbox,
        admission: Admission,
        *,
        connections: Connections,
        wire_logs: WireLogs,
        sign_ins: SignIns,
        icons: Icons,
        most_added: int,
    ) -> None:
        self._most_added = most_added
        self._adding = asyncio.Lock()
        self._store = store
        self._hub = hub
        self._inbox = inbox
        self._admission = admission
        self._connections = connections
        self._wire_logs = wire_logs
        self._sign_ins = sign_ins
        self._icons = icons
        self._entries: dict[ServerKey, ServerConfig] = {}

    async def configure(self, user_id: str, configured: Sequence[ServerConfig]) -> None:
        """Replace the user's servers from the config file; begin to connect these, and added ones as they were."""
        await self._sign_ins.load(user_id)
        await self.reconfigure(user_id, configured)
        for server in await self._store.of(user_id).servers.all():
            if server.name is None and server.reconnects:
                self._connections.connect(server)

    async def reconfigure(self, user_id: str, configured: Sequence[ServerConfig]) -> None:
        """Replace the user's servers from the config file; those whose entry is as before keep their connection.

        When it is interrupted, the next time completes it.
        """
        stored = {server.name: server for server in await self._store.of(user_id).servers.all() if server.name}
        for name in stored.keys() - {each.name for each in configured}:
            await self._remove(stored[name], Reason(ReasonCode.ENTRY_REMOVED))
        for each in configured:
            server = stored.get(each.name)
            if server is None or self._entries.get(server.key) != each:
                await self._use_entry(user_id, each, server)

    async def _use_entry(self, user_id: str, config: ServerConfig, stored: Server | None) -> None:
        """Store and connect the server of an entry that is new in this process, or has changed."""
        # Forgotten until it is in use: if a step fails, the next time does all of them.
        before = self._entries.pop(stored.key, None) if stored else None
        is_wanted = config.enabled
        if stored:
            server = configured_server(user_id, config, stored).server
            if before and before.enabled is config.enabled:
                is_wanted = self._is_wanted(stored)
            is_other = before is None or is_other_connection(before, config) or server.era is not stored.era
            if is_other or not is_wanted or self._connections.must_reconnect(server):
                await self._connections.disconnect(stored, Reason(ReasonCode.ENTRY_CHANGED))
                self._connections.forget(stored)
            # Its user may have changed it meanwhile.
            stored = await self._store.of(user_id).servers.get(stored.id)
        new = configured_server(user_id, config, stored)
        await self._save_entry(new.server, stored)
        self._connections.use(new.server, new.transport, wrong=new.wrong, unused=config.unused)
        await self._connections.follow(new.server)
        if is_wanted:
            self._connections.connect(new.server)
        self._entries[new.server.key] = config
        self._hub.publish(user_id, "server", new.server.id)

    async def _save_entry(self, server: Server, stored: Server | None) -> None:
        store = self._store.of(server.user_id).servers
        if stored is None:
            await store.add(server)
            return
        if stored.transport.get("url") != server.transport.get("url") or stored.oauth != server.oauth:
            await self._forget_sign_in(stored)
        if stored.learned != server.learned:
            await store.learn(server)
        await store.change(server)

    async def connect(self, server: Server) -> None:
        """Begin to connect the server, now and whenever its user comes back."""
        self._connections.connect(server)
        await self._reconnect(server, reconnects=True)

    async def disconnect(self, server: Server) -> None:
        """End the connection until its user connects it again; open calls and requests end."""
        await self._connections.disconnect(server)
        await self._reconnect(server, reconnects=False)

    async def _reconnect(self, server: Server, *, reconnects: bool) -> None:
        if server.name is None:
            await self._store.of(server.user_id).servers.reconnect(server.id, reconnects)

    async def add(
        self,
        user_id: str,
        *,
        label: str,
        transport: Json,
        era: Era = Era.AUTO,
        modes: tuple[Mode, ...] = tuple(Mode),
        learned: Json | None = None,
        oauth: Json | None = None,
        roots: Sequence[Root] | None = None,
    ) -> Server:
        """Add a server of the user; `learned` is what a trial has shown, `oauth` the settings of its sign-in.

        Raises ForbiddenError for stdio or too many servers, InvalidInputError for a wrong field.
        """
        check_transport(transport)
        server = Server(
            user_id=user_id,
            label=label,
            transport=transport,
            era=era,
            modes=modes,
            learned=learned or {},
            oauth=checked_settings(oauth or {}),
            roots=_checked_roots(roots),
        )
        async with self._adding:
            await self._check_count(user_id)
            await self._store.of(user_id).servers.add(server)
        self._hub.publish(user_id, "server", server.id)
        return server

    async def _check_count(self, user_id: str) -> None:
        added = [server for server in await self._store.of(user_id).servers.all() if server.name is None]
        if len(added) >= self._most_added:
            message = _("You have added {n} servers, which is the limit. Remove one first.")
            raise ForbiddenError(message.format(n=self._most_added))

    async def remove(self, server: Server) -> None:
        """Disconnect and delete the server, with everything in memory about it."""
        await self._remove(server)

    async def _remove(self, server: Server, reason: Reason | None = None) -> None:
        await self._connections.disconnect(server, reason)
        await self._forget_sign_in(server)
        await self._store.of(server.user_id).servers.remove([server.id])
        await self._forget(server)
        self._hub.publish(server.user_id, "server", server.id)

    async def let_go(self, user_id: str, reason: Reason | None = None) -> None:
        """Disconnect the user's servers for that `reason`, and drop everything in memory about them."""
        servers = await self._store.of(user_id).servers.all()
        await asyncio.gather(*(self._connections.disconnect(server, reason) for server in servers))
        for server in servers:
            await self._forget(server)
        await self._admission.let_go(user_id)
        self._inbox.forget((user_id,))
        await self._sign_ins.let_go(user_id)

    async def _forget(self, server: Server) -> None:
        """Forget everything in memory about a server that is disconnected."""
        self._entries.pop(server.key, None)
        self._connections.forget(server)
        await self._admission.forget(server)
        self._wire_logs.forget(server.key)
        await self._icons.forget(server.key)
        self._inbox.forget(server.key)

    async def change_era(self, server: Server, era: Era) -> Server:
        """Save the era for the server, and reconnect in it."""
        changed = replace(server, era=era)
        await self._store.of(changed.user_id).servers.change(changed)
        await self._connections.disconnect(server, Reason(ReasonCode.ERA_CHANGED))
        await self.connect(changed)
        return changed

    async def try_era(self, server: Server, era: Era) -> None:
        """Connect the server in this era; if it cannot be, restore the earlier one and raise ConflictError."""
        await self.use_era(server, era)
        if server.era is era or await self._connections.fault_on_connecting(server.key) is None:
            return
        # What the attempt has shown is kept, so that the era is not suggested again.
        tried = await self._store.of(server.user_id).servers.get(server.id)
        await self.change_era(tried, server.era)
        raise ConflictError(Reason.of(ReasonCode.ERA_REFUSED, label=server.label, era=era))

    async def use_era(self, server: Server, era: Era) -> None:
        """Connect the server in this era, unless it already is."""
        if server.era is era:
            await self.connect(server)
        else:
            await self.change_era(server, era)

    async def change(self, server: Server) -> None:
        """Save the changed `server`; reconnect it if the open connection cannot use the changes."""
        await self._store.of(server.user_id).servers.change(server)
        await self._connections.follow(server)
        self._hub.publish(server.user_id, "server", server.id)

    async def share_roots(self, server: Server, roots: Sequence[Root] | None) -> Server:
        """Save the folders that the server gets when it asks; None: it cannot ask.

        A server of 2025-11-25 that may ask is notified (MCP 2025-11-25, Roots: MUST). Raises ForbiddenError for a
        stdio server, InvalidInputError with an error for the wrong root.
        """
        if "command" in server.transport:
            # Real servers take roots for their access control, so a list from the browser could open this machine.
            raise ForbiddenError(
                _("This server runs on this machine. Set its folders in the config file, under the key “roots”.")
            )
        changed = replace(server, roots=_checked_roots(roots))
        if changed != server:
            await self.change(changed)
        return changed

    async def move(self, server: Server, transport: Json) -> Server:
        """Save another address or other headers, and reconnect the server unless it is disconnected; open work ends.

        Raises ForbiddenError for a server of the config file, InvalidInputError for a wrong field.
        """
        if server.name is not None:
            raise ForbiddenError(_("This server is defined in the config file. Change it there."))
        check_transport(transport)
        moved = replace(server, transport=transport, learned={}, lost=server.lost_oauth)
        is_wanted = self._is_wanted(server)
        if moved.transport.get("url") != server.transport.get("url") or has_credentials(moved.transport):
            await self._forget_sign_in(server)
        store = self._store.of(server.user_id).servers
        await store.change(moved)
        await store.learn(moved)
        # A call that waits between two rounds must not go on at another address with what the first one knows.
        await self._connections.disconnect(server, Reason(ReasonCode.ADDRESS_CHANGED))
        self._connections.forget(server)
        if is_wanted:
            self._connections.connect(moved)
        self._hub.publish(server.user_id, "server", server.id)
        return moved

    async def sign_in(self, server: Server) -> None:
        """Begin a sign-in to the server; return at once.

        The server is connected as soon as it is completed. Raises ConflictError for a server without an address.
        """
        await self._sign_ins.begin(self._connections.protected(server))
        if not self._connections.is_up(server.key):
            await self.connect(server)

    async def sign_in_again(self) -> None:
        """Open the servers whose users had to sign in to this program again, and have. Raises StorageError."""
        waiting = self._sign_ins.waiting_for_company()
        proved = await self._store.saved_identities.saved_of({user_id for user_id, _ in waiting}) if waiting else ()
        for user_id, server_id in waiting:
            if user_id in proved:
                # One that is removed, or whose user leaves, must not keep the others closed.
                with suppress(WebclientError):
                    await self.sign_in(await self._store.of(user_id).servers.get(server_id))

    async def lose(self, key: ServerKey, reason: Reason) -> None:
        """Disconnect a server that its user's company opens no more."""
        await self._connections.disconnect(await self._store.of(key[0]).servers.get(key[1]), reason)

    async def sign_out(self, server: Server) -> None:
        """Disconnect the server and delete its tokens, which are revoked in the background."""
        protected = self._connections.protected(server)
        await self._connections.disconnect(server, Reason(ReasonCode.SIGN_IN_REQUIRED))
        await self._reconnect(server, reconnects=False)
        await self._sign_ins.sign_out(protected)

    async def change_oauth(self, server: Server, oauth: Json) -> Server:
        """Save other settings of the sign-in; sign out and reconnect the server.

        Raises InvalidInputError with an error for each wrong setting, ConflictError for a server without an address,
        ForbiddenError for a server that the company's sign-in opens, because its users may not choose another one.
        """
        earlier = self._connections.protected(server)
        if earlier.opens_with_sign_in:
            raise ForbiddenError(_("This server is defined in the config file. Change it there."))
        settings = checked_settings(oauth, stored=server.oauth)
        if settings == server.oauth:
            return server
        changed = replace(server, oauth=settings, lost=server.lost_transport)
        is_wanted = self._is_wanted(server)
        await self._store.of(server.user_id).servers.change(changed)
        await self._connections.disconnect(server, Reason(ReasonCode.SIGN_IN_REMOVED))
        await self._sign_ins.forget(earlier)
        if is_wanted:
            self._connections.connect(changed)
        self._hub.publish(server.user_id, "server", server.id)
        return changed

    def _is_wanted(self, server: Server) -> bool:
        """Return whether the user wants the server connected, even if that fails."""
        failed = self._connections.status(server.key).state is ServerState.ERROR
        return failed or self._connections.is_up(server.key)

    async def _forget_sign_in(self, server: Server) -> None:
        """Sign out of a server that is removed, gets another address, or a token of the user's own.

        No other address may get its tokens, and with a token nothing waits for the person.
        """
        if protected := protected_server(server, server.transport):
            await self._sign_ins.forget(protected)

    async def mute(self, server: Server) -> Server:
        """Cancel the pending requests of the server, and every new one from now on."""
        changed = replace(server, muted_at=server.muted_at or now())
        await self.change(changed)
        pending = await self._store.of(server.user_id).request_lists.pending_from(server.id)
        await self._inbox.settle_all(pending, RequestState.CANCELLED, muted().reason)
        return changed

    async def unmute(self, server: Server) -> Server:
        """Admit requests of the server again."""
        changed = replace(server, muted_at=None)
        await self.change(changed)
        return changed


def _checked_roots(roots: Sequence[Root] | None) -> tuple[Root, ...] | None:
    try:
        return None if roots is None else checked_roots(roots)
    except WrongRootError as error:
        raise InvalidInputError(error.message, {f"roots.{error.position}": str(error.message)}) from error
