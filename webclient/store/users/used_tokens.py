"""Tokens that were used and may not be used again: each is kept as a digest until it expires."""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256

from sqlalchemy import Connection, bindparam, delete, func, insert, select

from webclient.domain.errors import TooManyError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import now
from webclient.store.database.database import UsesDatabase, writes
from webclient.store.database.user_tables import used_tokens as table

MOST = 100_000
"""Tokens that are remembered at once; they expire within minutes."""

_PURGE = delete(table).where(table.c.expires_at <= bindparam("at"))
_IS_USED = select(table.c.digest).where(table.c.digest == bindparam("of_digest"))
_COUNT = select(func.count()).select_from(table)


class UsedTokens(UsesDatabase):
    """The used tokens of each issuer. The name of an embedding application has no space; those of other issuers do."""

    @writes
    def use(self, db: Connection, issuer: str, token_id: str, until: datetime) -> bool:
        """Note that a token is used; False if it was used before. Raises TooManyError."""
        return use(db, issuer, token_id, until)


def use(db: Connection, issuer: str, token_id: str, until: datetime) -> bool:
    """Do the same within a unit of work."""
    db.execute(_PURGE, {"at": now()})
    digest = sha256(f"{issuer}\n{token_id}".encode("utf-8", "surrogatepass")).hexdigest()
    # Safe: one thread writes, so no other unit of work comes between.
    if db.execute(_IS_USED, {"of_digest": digest}).one_or_none() is not None:
        return False
    if db.execute(_COUNT).scalar_one() >= MOST:
        raise TooManyError(_("Too many tokens were used. Try again in a few minutes."))
    db.execute(insert(table), {"digest": digest, "expires_at": until})
    return True
