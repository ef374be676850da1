"""The failures of the database as named errors: when one is raised, nothing was changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from sqlalchemy import Engine, event
from sqlalchemy.engine import ExceptionContext

from webclient.errors import WebclientError
from webclient.i18n import gettext as _

_UNWRITABLE = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN})
_UNUSABLE = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


class DatabaseError(WebclientError):
    """The database cannot be used, and was left as it was; the message says what it is and what to do."""

    status = 503
    title = "Cannot be used"


class StorageError(WebclientError):
    """Something could not be stored, or not be read; what was stored before is as it was (RFC 4918 section 11.5)."""

    status = 507
    title = "Not stored"

    def __init__(self, message: str, why: str = "") -> None:
        super().__init__(message)
        self.why = why


def name_errors(engine: Engine, noted: Callable[[StorageError], None]) -> None:
    """Make the engine raise StorageError when its database cannot be used; call `noted` first."""

    def name(context: ExceptionContext) -> BaseException | None:
        error = _named(context.original_exception)
        if _code(context.original_exception) == sqlite3.SQLITE_READONLY:
            # It, and others, may have been opened when the folder was read-only, without a write that showed it.
            context.is_disconnect = True
        if error is not None:
            noted(error)
        return error

    event.listen(engine, "handle_error", name, retval=True)


def _named(error: BaseException | None) -> StorageError | None:
    code = _code(error)
    if code in _UNWRITABLE:
        why = _("the data folder cannot be written ({error})").format(error=error)
    elif code in _UNUSABLE:
        why = _("the database cannot be used ({error})").format(error=error)
    else:
        return None  # a mistake of ours
    sentence = _("This was not stored: {why}. Free some space, or make the folder writable, then try again.")
    return StorageError(sentence.format(why=why), why)


def _code(error: BaseException | None) -> int:
    # The extended code holds the primary one in its lowest byte (SQLite, Result and Error Codes).
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF
