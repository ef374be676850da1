"""The clients that this program has registered with authorization servers, sealed: by issuer and redirect URI."""

from __future__ import annotations

import json
from hashlib import sha256

from sqlalchemy import Connection, and_, bindparam, delete, insert, select

from webclient.domain.model import Registration
from webclient.store.database.database import reads, writes
from webclient.store.database.own_connection import scrub_after
from webclient.store.database.sealing import LostKeyError
from webclient.store.database.tables import registrations as table
from webclient.store.database.user_rows import SealedUserRows

_THIS = and_(table.c.user_id == bindparam("of_user"), table.c.digest == bindparam("with_digest"))

_GET = select(table).where(_THIS)
_ADD = insert(table)
_REMOVE = delete(table).where(_THIS)


class UserRegistrations(SealedUserRows):
    """The clients that were registered for one user."""

    @reads
    def get(self, db: Connection, issuer: str, redirect_uri: str) -> Registration | None:
        """Return the client that is registered with the issuer; None if none is, or its key is lost."""
        digest = _digest(issuer, redirect_uri)
        row = db.execute(_GET, self._own(with_digest=digest)).one_or_none()
        if row is None:
            return None
        try:
            secrets = self._sealer.open(row.secrets, table.name, row.user_id, row.digest)
        except LostKeyError:
            return None
        return Registration(user_id=row.user_id, issuer=row.issuer, redirect_uri=row.redirect_uri, secrets=secrets)

    @writes
    def save(self, db: Connection, registration: Registration) -> None:
        """Store the client in place of an earlier one."""
        self._check_owner(registration.user_id)
        digest = _digest(registration.issuer, registration.redirect_uri)
        row = {
            "user_id": registration.user_id,
            "digest": digest,
            "issuer": registration.issuer,
            "redirect_uri": registration.redirect_uri,
            "secrets": self._sealer.seal(registration.secrets, table.name, registration.user_id, digest),
        }
        db.execute(_REMOVE, self._own(with_digest=digest))
        db.execute(_ADD, row)

    @writes
    def remove(self, db: Connection, issuer: str, redirect_uri: str) -> None:
        """Forget the client, so that another one is registered."""
        if db.execute(_REMOVE, self._own(with_digest=_digest(issuer, redirect_uri))).rowcount:
            scrub_after(db)


def _digest(issuer: str, redirect_uri: str) -> str:
    return sha256(json.dumps([issuer, redirect_uri]).encode()).hexdigest()
