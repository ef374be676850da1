"""The failures of the database as named errors: when one is raised, nothing was changed."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus

from sqlalchemy import Engine, event

from webclient.domain.errors import WebclientError
from webclient.domain.i18n import N_
from webclient.domain.model import Reason, ReasonCode

RETRY_AFTER = 5
"""Seconds after which a caller may try again: a database that is restarted is mostly back by then."""

_FULL = frozenset({ReasonCode.FOLDER_UNWRITABLE, ReasonCode.DATABASE_FULL})
_LASTING = frozenset({ReasonCode.DATABASE_NOT_READY, ReasonCode.DATABASE_REFUSED, ReasonCode.NODES_DIFFER})


class DatabaseError(WebclientError):
    """The database cannot be used, and was left as it was; the message says what it is and what to do."""

    status = 503
    title = N_("Cannot be used")


class FolderInUseError(DatabaseError):
    """Another program uses the data folder, perhaps only until it has ended."""

    is_temporary = True


class StorageError(WebclientError):
    """Something could not be stored, or not be read; what was stored before is as it was.

    `detail` names the database and quotes its error: for the log and the command line, and for no caller.
    """

    title = N_("Not stored")

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(reason)
        self.reason: Reason = reason
        self.detail = detail
        # A disk that takes nothing more (RFC 4918, section 11.5); what passes by itself is 503 (RFC 9110, section
        # 15.6.4), which proxies and clients repeat.
        self.status = HTTPStatus.INSUFFICIENT_STORAGE if reason.code in _FULL else HTTPStatus.SERVICE_UNAVAILABLE
        self.is_temporary = reason.code not in _LASTING
        self.retry_after = RETRY_AFTER if self.status == HTTPStatus.SERVICE_UNAVAILABLE else None

    @property
    def for_operator(self) -> str:
        """The sentence with the database and its error."""
        return f"{self} Details: {self.detail}" if self.detail else str(self)

    def said_as(self, reason: Reason) -> StorageError:
        """Return the same failure with the sentence of another reason."""
        error = StorageError(reason, self.detail)
        error.status, error.is_temporary, error.retry_after = self.status, self.is_temporary, self.retry_after
        return error


def name_errors(engine: Engine, fault: Callable[[BaseException | None], StorageError | None]) -> None:
    """Make the engine raise StorageError for each error that is a `fault`."""
    event.listen(engine, "handle_error", lambda context: fault(context.original_exception), retval=True)
