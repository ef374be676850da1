"""What the database says when it cannot be written or read, as one named error: then nothing was changed."""

from __future__ import annotations

import sqlite3

from sqlalchemy import Engine, event
from sqlalchemy.engine import ExceptionContext

from webclient.errors import WebclientError
from webclient.i18n import gettext as _

_UNWRITABLE = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN})
_UNUSABLE = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


class StorageError(WebclientError):
    """Something could not be stored, or not be read; what was stored before is as it was (RFC 4918 section 11.5)."""

    status = 507
    title = "Not stored"


class UnusableError(StorageError):
    """The database is damaged, or another program holds it."""

    status = 503
    title = "Not stored"


def name_errors(engine: Engine) -> None:
    """Make the engine raise StorageError, with a sentence, when its database cannot be used."""
    event.listen(engine, "handle_error", _named, retval=True)


def named(error: BaseException | None) -> StorageError | None:
    """Return the named error for what SQLite raised; None for one that is a mistake of ours."""
    # The extended code holds the primary one in its lowest byte (SQLite, Result and Error Codes).
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in _UNWRITABLE:
        return StorageError(
            _(
                "This was not stored: the data folder cannot be written ({why}). Free some space, or make the folder "
                "writable, then try again."
            ).format(why=error)
        )
    if code in _UNUSABLE:
        return UnusableError(_("This was not stored: the database cannot be used ({why}).").format(why=error))
    return None


def _named(context: ExceptionContext) -> BaseException | None:
    return named(context.original_exception)
