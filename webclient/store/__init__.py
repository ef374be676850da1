"""The store of all that must survive: servers, calls, input requests, drafts, history, browser sessions, in SQL.

`Store.of(user_id)` hands out everything that one user may touch: its methods take no user id, so no query can reach the
rows of another user by accident. `Store.system` is the short list of what crosses users.

Promises: no other room writes SQL; each method is one transaction, done whole or not at all; a request is settled by
exactly one caller; what cannot be written or read raises StorageError, and then nothing was changed; tokens, header
values and client secrets are sealed in the database, and plain outside of this room.
"""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

from webclient.store.calls.agent_calls import ReportedCall
from webclient.store.calls.calls import CallChange
from webclient.store.changes import CardRows, Changes
from webclient.store.copying import copy_to_postgresql
from webclient.store.database.backends import place_of, prepare
from webclient.store.database.database import Database
from webclient.store.database.health import Health
from webclient.store.database.lockfile import lock_data_dir
from webclient.store.database.node import LOCAL_NODE, MovedError, Node
from webclient.store.database.node_connection import Topic
from webclient.store.database.sealed_column import use_sealer
from webclient.store.database.sealing import LostKeyError, Sealer
from webclient.store.database.search import words_of_search
from webclient.store.database.secret_keys import read_keys
from webclient.store.database.sizes import fitting
from webclient.store.database.storage_errors import DatabaseError, StorageError
from webclient.store.database.unreleased import seal_plain_values
from webclient.store.open_counts import OpenCounts
from webclient.store.placements import NodeState, Placements
from webclient.store.requests.drafts import Draft
from webclient.store.requests.earlier_requests import EarlierAnswers
from webclient.store.requests.history import (
    COUNTED,
    ENDED,
    SETTLED,
    Entry,
    HistoryCursor,
    HistoryFilter,
    HistoryPage,
    cursor_of,
    day_bounds,
)
from webclient.store.requests.request_search import Wanted
from webclient.store.requests.requests_of_calls import SettledOfCall
from webclient.store.rotation import Rotated, rotate_key
from webclient.store.system import SystemStore
from webclient.store.user_store import UserStore
from webclient.store.users.audit import Audit, AuditPage
from webclient.store.users.browser_sessions import BrowserSessions
from webclient.store.users.embed_sessions import EmbedSessions, NewEmbedSession
from webclient.store.users.open_sessions import OpenSessions
from webclient.store.users.program_tokens import ProgramTokens
from webclient.store.users.rules import Rules
from webclient.store.users.saved_identities import SavedIdentities
from webclient.store.users.used_tokens import UsedTokens
from webclient.store.users.users import ChangedUsers, UserFilter, Users, ensure_local_user
from webclient.store.users.watched_sign_ins import Watch, WatchedSignIns
from webclient.support.shared_work import SharedWork

__all__ = [
    "COUNTED",
    "ENDED",
    "LOCAL_NODE",
    "SETTLED",
    "AuditPage",
    "BrowserSessions",
    "CallChange",
    "CardRows",
    "ChangedUsers",
    "Changes",
    "DatabaseError",
    "Draft",
    "EarlierAnswers",
    "EmbedSessions",
    "Entry",
    "Health",
    "HistoryCursor",
    "HistoryFilter",
    "HistoryPage",
    "LostKeyError",
    "MovedError",
    "NewEmbedSession",
    "NodeState",
    "OpenCounts",
    "Placements",
    "ReportedCall",
    "Rotated",
    "SavedIdentities",
    "Sealer",
    "SettledOfCall",
    "StorageError",
    "Store",
    "Topic",
    "UsedTokens",
    "UserFilter",
    "UserStore",
    "Users",
    "Wanted",
    "Watch",
    "WatchedSignIns",
    "copy_to_postgresql",
    "cursor_of",
    "day_bounds",
    "fitting",
    "lock_data_dir",
    "prepare",
    "rotate_key",
    "words_of_search",
]


class Store:
    """The database at `url`, or else in `data_dir`; usable between `open` and `close`.

    `token` is what browsers sign in with: sessions last as long as it is the same. `node` names this process among
    those that share the database; a restarted process keeps its name. With `shares`, other processes use the database
    too, and this one writes only the rows of its own users (`placements.py`). If `url` leads to a pooler, the process
    holds its locks and listens at `direct_url`.
    `secret_keys` seal secrets (`secret_keys.py`); without them, a file in `data_dir` has the keys.
    """

    def __init__(
        self,
        data_dir: Path,
        token: str = "",
        *,
        url: str | None = None,
        node: str = LOCAL_NODE,
        shares: bool = False,
        direct_url: str | None = None,
        secret_keys: str | None = None,
    ) -> None:
        self._keys = partial(read_keys, data_dir, secret_keys)
        self.sealer = Sealer()
        self._place = place_of(data_dir, url, node, shares=shares, direct_url=direct_url)
        self.node_connection = self._place.node_connection
        self.is_shared = shares
        self._node = Node(node, shares=shares)
        self._database = Database(self._place.backend, self._node.touch)
        use_sealer(self._database.engine, self.sealer)
        self.health = Health(self._database)
        self._shared = SharedWork[Changes]()
        self.system = SystemStore(self._database, self._node, self.sealer)
        self.watched_sign_ins = WatchedSignIns(self._database)
        self.browser_sessions = BrowserSessions(self._database, token, self.watched_sign_ins)
        self.users = Users(self._database, self.watched_sign_ins)
        self.audit = Audit(self._database, node)
        self.rules = Rules(self._database)
        self.embed_sessions = EmbedSessions(self._database, self.watched_sign_ins)
        self.used_tokens = UsedTokens(self._database)
        self.saved_identities = SavedIdentities(self._database, self.sealer)
        self.open_sessions = OpenSessions(self._database, self.browser_sessions, self.embed_sessions)
        self.program_tokens = ProgramTokens(self._database)
        self.placements = Placements(self._database, self._node, self.sealer, self._check_lock)

    def of(self, user_id: str) -> UserStore:
        """Return everything that this user may touch."""
        return UserStore(self._database, user_id, self._node, self._shared, self.sealer, watched=self.watched_sign_ins)

    async def open(self) -> None:
        """Make the database, or bring it to the newest tables, and count this start; raises as `prepare` does."""
        await asyncio.to_thread(self._place.prepare)
        self.sealer.use(await asyncio.to_thread(self._keys))
        if self.node_connection:
            await self.node_connection.open()
        await self._database.write(self._node.start)
        self._database.fence(self._node.check)
        await self._database.write(seal_plain_values)
        await self._database.write(ensure_local_user)
        await self.users.load()

    async def open_beside(self) -> None:
        """Open the database for a command, also while a program uses it; raises as `prepare` does.

        Nothing that the program has open is taken over.
        """
        await asyncio.to_thread(self._place.prepare_beside)

    def end_within(self, seconds: float) -> None:
        """Let nothing that is read or written take longer: this program ends, and the database may hang."""
        self._database.end_within(seconds)

    async def close(self) -> None:
        """Let go of the database."""
        self.health.close()
        await self.health.closed()
        await self._database.close()
        if self.node_connection:
            # Last: until here no other node may take this one for ended.
            self.node_connection.close()

    def _check_lock(self) -> None:
        if self.node_connection:
            self.node_connection.check()
