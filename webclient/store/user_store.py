"""Everything that one user may touch. Its methods take no user id, so no query can reach another user's rows."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncEngine

from webclient.store.calls import UserCalls
from webclient.store.drafts import UserDrafts
from webclient.store.history import UserHistory
from webclient.store.links import UserLinks
from webclient.store.logs import UserLogs
from webclient.store.node import Node
from webclient.store.requests import UserRequests
from webclient.store.servers import UserServers


class UserStore:
    """The rows of one user; a foreign id finds nothing here, and changes nothing."""

    def __init__(self, engine: AsyncEngine, user_id: str, node: Node) -> None:
        self._engine = engine
        self.user_id = user_id
        self._node = node

    @property
    def servers(self) -> UserServers:
        """The configured servers."""
        return UserServers(self._engine, self.user_id, self._node)

    @property
    def calls(self) -> UserCalls:
        """The calls, from their start to their result."""
        return UserCalls(self._engine, self.user_id, self._node)

    @property
    def logs(self) -> UserLogs:
        """The log messages of calls."""
        return UserLogs(self._engine, self.user_id, self._node)

    @property
    def requests(self) -> UserRequests:
        """The input requests."""
        return UserRequests(self._engine, self.user_id, self._node)

    @property
    def links(self) -> UserLinks:
        """The links among the input requests."""
        return UserLinks(self._engine, self.user_id, self._node)

    @property
    def drafts(self) -> UserDrafts:
        """The drafts of answers."""
        return UserDrafts(self._engine, self.user_id, self._node)

    @property
    def history(self) -> UserHistory:
        """Settled requests and ended calls together."""
        return UserHistory(self._engine, self.user_id, self._node)
