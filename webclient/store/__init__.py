"""What must survive: servers, calls, input requests, drafts and sign-ins, in SQL. No other package writes SQL."""

from __future__ import annotations

import asyncio
from pathlib import Path

from webclient.store.calls import Calls
from webclient.store.database import DatabaseError, engine_for, prepare
from webclient.store.deadlines import Deadlines
from webclient.store.drafts import Drafts
from webclient.store.failures import StorageError
from webclient.store.health import Health
from webclient.store.history import History
from webclient.store.links import Links
from webclient.store.lockfile import alone_in
from webclient.store.logs import Logs
from webclient.store.purge import Erasing
from webclient.store.remarks import Remarks
from webclient.store.requests import Requests
from webclient.store.secrets import Secrets
from webclient.store.servers import Servers
from webclient.store.sign_ins import SignIns

__all__ = ["DatabaseError", "SignIns", "StorageError", "Store", "alone_in", "prepare"]


class Store:
    """All tables of the database in `data_dir`; usable between `open` and `close`.

    `token` is what browsers sign in with: sessions last as long as it is the same.
    """

    def __init__(self, data_dir: Path, token: str = "") -> None:
        self._data_dir = data_dir
        self._engine = engine_for(data_dir)
        self.health = Health(self._engine)
        self.secrets = Secrets(self._engine)
        self.erasing = Erasing(self._engine)
        self.servers = Servers(self._engine)
        self.calls = Calls(self._engine, self.secrets)
        self.logs = Logs(self._engine)
        self.requests = Requests(self._engine, self.secrets)
        self.deadlines = Deadlines(self._engine)
        self.links = Links(self._engine)
        self.remarks = Remarks(self._engine)
        self.history = History(self._engine)
        self.drafts = Drafts(self._engine)
        self.sign_ins = SignIns(self._engine, token)

    async def open(self) -> None:
        """Make the database, or bring it to the newest tables; raises as `prepare` does."""
        await asyncio.to_thread(prepare, self._data_dir)

    async def close(self) -> None:
        """Let go of the database."""
        self.health.close()
        await self.health.closed()
        await self._engine.dispose()
