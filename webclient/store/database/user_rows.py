"""The base of the parts of a user's store: the database, whose rows they reach, and who adds them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, bindparam

from webclient.domain.model import Json
from webclient.store.database.database import Database, UsesDatabase
from webclient.store.database.node import Node
from webclient.store.database.sealing import Sealer


def also_own(table: Table) -> ColumnElement[bool]:
    """Return the condition that a row is the user's, beside another one that finds it.

    It matches no index. Without statistics SQLite takes a user for as rare as an id, and may read all rows of one.
    """
    return table.c.user_id.concat("") == bindparam("of_user")


class UserRows(UsesDatabase):
    """Rows of one user; every statement of a class derived from this one takes the parameters of `_own`.

    A method is one unit of work: one transaction, in which nothing but the database is waited for.
    """

    def __init__(self, database: Database, user_id: str, node: Node) -> None:
        super().__init__(database)
        self._user_id = user_id
        self._node = node

    def _fence(self, db: Connection) -> None:
        self._node.fence(db, self._user_id)

    def _own(self, **parameters: Any) -> Json:
        """Return the parameters of a statement on this user's rows."""
        return {"of_user": self._user_id, **parameters}

    def _check_owner(self, user_id: str) -> None:
        """Raise ValueError for a row of another user: adding it here is a mistake of ours."""
        if user_id != self._user_id:
            message = f"A row of {user_id!r} was given to the store of {self._user_id!r}."
            raise ValueError(message)


class SealedUserRows(UserRows):
    """Rows of one user with secrets that are sealed."""

    def __init__(self, database: Database, user_id: str, node: Node, sealer: Sealer) -> None:
        super().__init__(database, user_id, node)
        self._sealer = sealer
