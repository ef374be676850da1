"""The connection of one thread of the store: it runs units of work in transactions, and is replaced after a fault."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from webclient.store.database.storage_errors import StorageError

logger = logging.getLogger(__name__)

T = TypeVar("T")

SCRUB_PAUSE = 0.2
"""Seconds between two attempts to erase earlier states of rows; each write is an attempt as well."""

SCRUB_PATIENCE = 60
"""Seconds after which a log of the database that cannot be emptied is worth a warning."""

_SCRUB = "scrub"


class Backend(Protocol):
    """The differences between databases. Without `readers`, the writers read as well."""

    engine: Engine
    writers: int
    readers: int

    def connect(self, *, to_write: bool) -> Connection:
        """Open a connection; raises as `engine` does."""

    def mark(self, connection: Connection) -> str | None:
        """Return the name of this transaction for `was_committed`; None if an error of COMMIT means a rollback."""

    def was_committed(self, mark: str) -> bool | None:
        """Ask on another connection; None while the transaction has not ended. Raises StorageError."""

    def scrub(self, connection: Connection) -> bool:
        """Erase earlier states of rows that the database keeps, if it can; False if that must be tried again."""

    def fault(self, error: BaseException | None) -> StorageError | None:
        """Return the error to raise if nothing can be stored or read now; None if `error` is a mistake of ours."""


class OwnConnection:
    """The connection of one thread, which is replaced after a fault."""

    def __init__(
        self,
        backend: Backend,
        was_committed: Callable[[str, StorageError], bool],
        check: Callable[[Connection], None],
        *,
        to_write: bool,
    ) -> None:
        self._backend = backend
        self._check = check
        self._was_committed = was_committed
        self._to_write = to_write
        self._connection: Connection | None = None
        self._renewals = 0
        self._unscrubbed_since: float | None = None
        self._has_warned = False

    def run(self, unit: Callable[[Connection], T], *, renewals: int) -> T:
        """Run a unit of work in one transaction; on a new connection if there were more `renewals`."""
        if renewals != self._renewals:
            self.close()
        was_open = self._connection is not None
        connection = self._connection = self._connection or self._backend.connect(to_write=self._to_write)
        self._renewals, is_committing, mark = renewals, False, None
        try:
            with connection.begin():
                if not was_open:
                    self._check(connection)
                result = unit(connection)
                mark = self._backend.mark(connection) if self._to_write else None
                is_committing = True
        except (StorageError, DBAPIError) as error:
            is_lost = connection.invalidated
            # SQLite keeps a connection read-only that it opened while the folder was, and a server may have gone.
            self.close()
            if was_open and is_lost and not is_committing:
                # A server that was restarted has closed it. Nothing was changed, and a new one may work.
                return self.run(unit, renewals=renewals)
            if is_committing and mark and isinstance(error, StorageError) and self._was_committed(mark, error):
                return result
            raise
        if connection.info.pop(_SCRUB, False):
            self._unscrubbed_since = self._unscrubbed_since or time.monotonic()
        if self.is_unscrubbed:
            self.scrub()
        return result

    @property
    def is_unscrubbed(self) -> bool:
        """Whether earlier states of rows are still to be erased."""
        return self._unscrubbed_since is not None

    def scrub(self) -> None:
        """Try to erase earlier states of rows; a warning says once that this takes long."""
        if self._connection is None or self._unscrubbed_since is None:
            return
        if self._backend.scrub(self._connection):
            self._unscrubbed_since, self._has_warned = None, False
        elif not self._has_warned and time.monotonic() - self._unscrubbed_since > SCRUB_PATIENCE:
            self._has_warned = True
            logger.warning("Erased values are still in the log of the database, because another program reads it.")

    def close(self) -> None:
        """Close the connection; the next unit of work opens another one."""
        if self._connection is not None:
            with suppress(SQLAlchemyError, StorageError):
                self._connection.close()
        self._connection = None


def scrub_after(db: Connection) -> None:
    """Have the database forget earlier states of rows, once this unit of work is committed."""
    db.info[_SCRUB] = True
