"""What must survive: servers, calls, input requests, drafts, history and browser sessions, in SQL.

`Store.of(user_id)` hands out everything that one user may touch: its methods take no user id, so no query can reach the
rows of another user by accident. `Store.system` is the short list of what crosses users.

Promises: no other room writes SQL; each method is one transaction, done whole or not at all; a request is settled by
exactly one caller; what cannot be written or read raises StorageError, and then nothing was changed.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from webclient.store.browser_sessions import BrowserSessions
from webclient.store.database import engine_for
from webclient.store.drafts import Draft
from webclient.store.health import Health
from webclient.store.history import ENDED, SETTLED, HistoryCursor, HistoryFilter, cursor_of, day_bounds
from webclient.store.lockfile import lock_data_dir
from webclient.store.node import LOCAL_NODE, Node
from webclient.store.storage_errors import DatabaseError, StorageError
from webclient.store.system import SystemStore
from webclient.store.upgrade import prepare
from webclient.store.user_store import UserStore

__all__ = [
    "ENDED",
    "SETTLED",
    "DatabaseError",
    "Draft",
    "Health",
    "HistoryCursor",
    "HistoryFilter",
    "StorageError",
    "Store",
    "UserStore",
    "cursor_of",
    "day_bounds",
    "lock_data_dir",
    "prepare",
]


class Store:
    """The database in `data_dir`; usable between `open` and `close`.

    `token` is what browsers sign in with: sessions last as long as it is the same. `node` names this process among
    those that share the database; it must be the same when the process is started again.
    """

    def __init__(self, data_dir: Path, token: str = "", *, node: str = LOCAL_NODE) -> None:
        self._data_dir = data_dir
        self._engine = engine_for(data_dir)
        self.health = Health(self._engine)
        self._node = Node(node)
        self.system = SystemStore(self._engine, self._node)
        self.browser_sessions = BrowserSessions(self._engine, token)

    def of(self, user_id: str) -> UserStore:
        """Return everything that this user may touch."""
        return UserStore(self._engine, user_id, self._node)

    async def open(self) -> None:
        """Make the database, or bring it to the newest tables, and count this start; raises as `prepare` does."""
        await asyncio.to_thread(prepare, self._data_dir)
        await self._node.start(self._engine)

    async def close(self) -> None:
        """Let go of the database."""
        self.health.close()
        await self.health.closed()
        await self._engine.dispose()
