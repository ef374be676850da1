"""The configured servers of each user."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import Row, delete, insert, select, update

from webclient.errors import NotFoundError
from webclient.i18n import gettext as _
from webclient.model import Era, Mode, Server
from webclient.store.tables import servers
from webclient.store.user_rows import UserRows


class UserServers(UserRows):
    """The servers of one user."""

    async def all(self) -> list[Server]:
        """Return the servers in the order in which they were added."""
        rows = select(servers).where(servers.c.user_id == self._user_id).order_by(servers.c.created_at)
        async with self._engine.connect() as db:
            return [_server(row) for row in await db.execute(rows)]

    async def get(self, server_id: str) -> Server:
        """Return one server; raises NotFoundError, also for a server of another user."""
        row = select(servers).where(servers.c.user_id == self._user_id, servers.c.id == server_id)
        async with self._engine.connect() as db:
            found = (await db.execute(row)).one_or_none()
        if found is None:
            raise NotFoundError(_("There is no server {id!r}.").format(id=server_id))
        return _server(found)

    async def add(self, server: Server) -> None:
        """Add a new server."""
        self._own(server.user_id)
        async with self._engine.begin() as db:
            await db.execute(insert(servers).values(asdict(server)))

    async def change(self, server: Server) -> None:
        """Save what the user can change: label, transport, era, modes, mute."""
        changed = (
            update(servers)
            .where(servers.c.user_id == self._user_id, servers.c.id == server.id)
            .values(
                label=server.label,
                transport=server.transport,
                era=server.era,
                modes=server.modes,
                muted_at=server.muted_at,
            )
        )
        async with self._engine.begin() as db:
            await db.execute(changed)

    async def learn(self, server: Server) -> None:
        """Save what was learned about the server, if it is new."""
        here = servers.c.user_id == self._user_id, servers.c.id == server.id
        async with self._engine.begin() as db:
            if (await db.execute(select(servers.c.learned).where(*here))).scalar() != server.learned:
                await db.execute(update(servers).where(*here).values(learned=server.learned))

    async def remove(self, server_ids: Sequence[str]) -> None:
        """Delete these servers."""
        gone = delete(servers).where(servers.c.user_id == self._user_id, servers.c.id.in_(server_ids))
        async with self._engine.begin() as db:
            await db.execute(gone)


def _server(row: Row[Any]) -> Server:
    modes = tuple(Mode(mode) for mode in row.modes)
    return Server(**{**row._mapping, "era": Era(row.era), "modes": modes})
