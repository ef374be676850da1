"""What the parts of a user's store have in common: the database, whose rows they reach, and who adds them."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncEngine

from webclient.store.node import Node


class UserRows:
    """Rows of one user; every statement of a class derived from this one names `_user_id`.

    A method is one unit of work: one transaction, in which nothing but the database is waited for.
    """

    def __init__(self, engine: AsyncEngine, user_id: str, node: Node) -> None:
        self._engine = engine
        self._user_id = user_id
        self._node = node

    def _own(self, user_id: str) -> None:
        """Raise ValueError for a row of another user: adding it here is a mistake of ours."""
        if user_id != self._user_id:
            message = f"A row of {user_id!r} was given to the store of {self._user_id!r}."
            raise ValueError(message)
