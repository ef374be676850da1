"""Seals all secrets of a database with a new key, while no other program uses it."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, select, update

from webclient.domain.model import AuditAction
from webclient.store.database.backends import place_of
from webclient.store.database.notice_tables import notice_settings, notice_targets
from webclient.store.database.program_tables import answer_webhooks
from webclient.store.database.sealed_column import reseal_values, use_sealer
from webclient.store.database.sealing import LostKeyError, Sealer
from webclient.store.database.secret_keys import add_key, check_keys, keep_newest, read_keys
from webclient.store.database.tables import (
    calls,
    grants,
    pending_sign_ins,
    registrations,
    requests,
    saved_sessions,
    servers,
)
from webclient.store.database.unreleased import seal_plain_values
from webclient.store.database.user_tables import saved_identities
from webclient.store.users.audit import record

ROW_NAMES = {
    servers: ("user_id", "id"),
    pending_sign_ins: ("user_id", "server_id", "id"),
    grants: ("user_id", "server_id"),
    saved_sessions: ("user_id", "server_id"),
    registrations: ("user_id", "digest"),
    notice_settings: ("user_id",),
    notice_targets: ("user_id", "id"),
    answer_webhooks: ("user_id", "request_id"),
    saved_identities: ("user_id",),
}
"""The columns for which the secrets of a row are sealed, besides its table."""


@dataclass(frozen=True, slots=True)
class Rotated:
    """How many rows were `sealed` again, and how many were left as they are because their key is lost."""

    sealed: int = 0
    lost: int = 0


def rotate_key(data_dir: Path, url: str | None = None, *, secret_keys: str | None = None) -> Rotated:
    """Seal everything with a new key of the file, or with the first of `secret_keys`.

    Afterwards the file has this key alone. When it is interrupted, all keys that are still needed are there. Raises
    DatabaseError and StorageError, also while another process uses the database.
    """
    check_keys(data_dir, secret_keys)
    place = place_of(data_dir, url)
    place.prepare()
    with closing(place.backend.connect(to_write=True)) as db:
        with db.begin():
            # Only now that no other process writes to the database.
            sealer = Sealer(read_keys(data_dir, secret_keys) if secret_keys else add_key(data_dir))
            use_sealer(place.backend.engine, sealer)
            seal_plain_values(db)
            rotated = _reseal(db, sealer)
            record(db, AuditAction.KEY_ROTATED, details={"rows": rotated.sealed})
        place.backend.scrub(db)
    if not secret_keys:
        keep_newest(data_dir)
    return rotated


def _reseal(db: Connection, sealer: Sealer) -> Rotated:
    sealed, lost = reseal_values(db, calls, requests)
    for table, names in ROW_NAMES.items():
        for row in db.execute(select(table).where(table.c.secrets.is_not(None))).all():
            name = (table.name, *(row._mapping[column] for column in names))
            try:
                secrets = sealer.seal(sealer.open(row.secrets, *name), *name)
            except LostKeyError:
                lost += 1
                continue
            this = [column == row._mapping[column.name] for column in table.primary_key]
            db.execute(update(table).where(*this).values(secrets=secrets))
            sealed += 1
    return Rotated(sealed, lost)
