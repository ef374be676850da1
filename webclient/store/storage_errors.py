"""The failures of the database as named errors: when one is raised, nothing was changed."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Engine, event

from webclient.errors import WebclientError
from webclient.i18n import N_
from webclient.model import Reason


class DatabaseError(WebclientError):
    """The database cannot be used, and was left as it was; the message says what it is and what to do."""

    status = 503
    title = N_("Cannot be used")


class StorageError(WebclientError):
    """Something could not be stored, or not be read; what was stored before is as it was (RFC 4918 section 11.5)."""

    status = 507
    title = N_("Not stored")

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason: Reason = reason


def name_errors(engine: Engine, fault: Callable[[BaseException | None], StorageError | None]) -> None:
    """Make the engine raise StorageError for each error that is a `fault`."""
    event.listen(engine, "handle_error", lambda context: fault(context.original_exception), retval=True)
