"""The notices of users: their settings, where notices go, and those on their way. Addresses and keys are sealed.

A request is marked as noticed in the same unit of work that adds its notice, so a restart neither forgets nor repeats.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from operator import attrgetter
from typing import Any

from sqlalchemy import Connection, Row, and_, bindparam, delete, func, insert, select, update

from webclient.domain.model import (
    AuditAction,
    DueNotice,
    Json,
    Notice,
    NoticeSettings,
    NoticeTarget,
    QuietHours,
    RequestState,
    Sampling,
    Stage,
    TargetKind,
    WaitingRequest,
    now,
)
from webclient.store.database.database import Database, UsesDatabase, reads, writes
from webclient.store.database.node import Node
from webclient.store.database.notice_tables import notice_settings as settings_table
from webclient.store.database.notice_tables import notice_targets, notices
from webclient.store.database.own_connection import scrub_after
from webclient.store.database.sealing import LostKeyError, Sealer
from webclient.store.database.tables import pending_sign_ins, requests, servers
from webclient.store.database.user_rows import SealedUserRows, also_own
from webclient.store.users.audit import record

MOST_WAITING = 1000
"""Requests of a user that are looked at together; the oldest first."""

_OWN_SETTINGS = settings_table.c.user_id == bindparam("of_user")
_OWN_TARGETS = notice_targets.c.user_id == bindparam("of_user")
_TARGET = and_(notice_targets.c.id == bindparam("of_target"), also_own(notice_targets))
_NOTICE = and_(notices.c.target_id == bindparam("of_target"), notices.c.id == bindparam("of_notice"), also_own(notices))
_OF_TARGET = and_(notices.c.target_id == bindparam("of_target"), notices.c.user_id == bindparam("of_user"))

_GET_SETTINGS = select(settings_table).where(_OWN_SETTINGS)
_CHANGE_SETTINGS = update(settings_table).where(_OWN_SETTINGS)
_GET_TARGET = select(notice_targets.c.id, notice_targets.c.kind, notice_targets.c.label).where(_TARGET)
_CHANGE_TARGET = update(notice_targets).where(_TARGET)
_TARGETS = select(notice_targets).where(_OWN_TARGETS).order_by(notice_targets.c.created_at, notice_targets.c.id)
_WAITING = (
    select(requests.c.id, requests.c.asked_by, requests.c.created_at, requests.c.noticed_at, requests.c.sampling)
    .where(requests.c.user_id == bindparam("of_user"), requests.c.state == RequestState.PENDING)
    .where(requests.c.decided.is_(None))
    # By this alone: with more columns, SQLite would walk along another index, through the whole history.
    .order_by(requests.c.created_at)
    .limit(MOST_WAITING)
)
_SIGN_INS = (
    select(pending_sign_ins.c.id, pending_sign_ins.c.created_at, servers.c.label)
    .join(
        servers,
        and_(servers.c.id == pending_sign_ins.c.server_id, servers.c.user_id == pending_sign_ins.c.user_id),
    )
    .where(pending_sign_ins.c.user_id == bindparam("of_user"), pending_sign_ins.c.used_at.is_(None))
    .where(pending_sign_ins.c.expires_at > bindparam("at"))
)
_MARK = update(requests).where(
    requests.c.user_id == bindparam("of_user"), requests.c.id.in_(bindparam("of_requests", expanding=True))
)
_USERS = select(notice_targets.c.user_id).where(notice_targets.c.disabled_at.is_(None)).distinct()
_PLACE = func.row_number().over(partition_by=notices.c.user_id, order_by=(notices.c.failures, notices.c.next_at))
_IS_DUE = and_(
    notices.c.next_at <= bindparam("at"),
    notices.c.target_id.not_in(bindparam("but", expanding=True)),
    notices.c.user_id.not_in(bindparam("but_of", expanding=True)),
)
_RANKED = select(notices, _PLACE.label("place")).where(_IS_DUE).subquery()
# What failed before comes last, and no user's share keeps those of others waiting.
_DUE = (
    select(*(_RANKED.c[column.name] for column in notices.columns))
    .where(_RANKED.c.place <= bindparam("share"))
    .order_by(_RANKED.c.place, _RANKED.c.next_at)
    .limit(bindparam("most"))
)
_NEXT = select(func.min(notices.c.next_at)).where(notices.c.next_at > bindparam("at"))


class UserNotices(SealedUserRows):
    """The notices of one user."""

    @reads
    def settings(self, db: Connection) -> NoticeSettings | None:
        """Return the settings; None before the first."""
        return self._settings(db)

    @writes
    def begin(self, db: Connection, notice_settings: NoticeSettings) -> NoticeSettings:
        """Store the first settings, and return those that count: the stored ones, if others were first.

        A key that is lost is replaced.
        """
        self._check_owner(notice_settings.user_id)
        stored = self._settings(db)
        if stored is None:
            db.execute(insert(settings_table), self._settings_columns(notice_settings))
            return notice_settings
        if not stored.push_key:
            columns = self._settings_columns(notice_settings)
            db.execute(_CHANGE_SETTINGS.values(secrets=columns["secrets"]), self._own())
        return self._settings(db) or notice_settings

    @writes
    def change(self, db: Connection, notice_settings: NoticeSettings) -> bool:
        """Store how long a question waits, and the quiet hours; False before the first settings."""
        self._check_owner(notice_settings.user_id)
        columns = self._settings_columns(notice_settings)
        changed = {name: columns[name] for name in ("wait_seconds", "quiet")}
        return db.execute(_CHANGE_SETTINGS.values(changed), self._own()).rowcount > 0

    @reads
    def targets(self, db: Connection) -> list[NoticeTarget]:
        """Return where notices go, oldest first; a target whose key is lost has no secrets."""
        return [target_of(row, self._sealer) for row in db.execute(_TARGETS, self._own())]

    @writes
    def add_target(self, db: Connection, target: NoticeTarget, most: int) -> bool:
        """Add a target; False if there are as many as `most`."""
        self._check_owner(target.user_id)
        if len(db.execute(_TARGETS, self._own()).all()) >= most:
            return False
        sealed = self._sealer.seal(target.secrets, *_row_name(target))
        names = [column.name for column in notice_targets.columns]
        db.execute(insert(notice_targets), {name: getattr(target, name) for name in names} | {"secrets": sealed})
        _record(db, AuditAction.NOTICE_TARGET_ADDED, target)
        return True

    @writes
    def remove_target(self, db: Connection, target_id: str) -> bool:
        """Remove a target and the notices on their way to it; False if there is none."""
        own = self._own(of_target=target_id)
        target = db.execute(_GET_TARGET, own).one_or_none()
        if target is None or not _removed(db, own):
            return False
        _record(db, AuditAction.NOTICE_TARGET_REMOVED, target)
        return True

    @writes
    def enable_target(self, db: Connection, target_id: str) -> bool:
        """Send to a target again that was given up; False if there is none."""
        columns = {"failing_since": None, "disabled_at": None, "failure": ""}
        return db.execute(_CHANGE_TARGET.values(columns), self._own(of_target=target_id)).rowcount > 0

    @reads
    def waiting(self, db: Connection) -> list[WaitingRequest]:
        """Return what waits for the person, sign-ins first, each oldest first; not what a model is working on."""
        waiting = [_waiting_of(row) for row in db.execute(_WAITING, self._own()) if not _is_generating(row)]
        settings = self._settings(db)
        noticed = settings.noticed_sign_ins if settings else ()
        # The few of a user are sorted here: an ORDER BY would want an index of its own.
        wanted = sorted(db.execute(_SIGN_INS, self._own(at=now())), key=attrgetter("created_at"))
        return [_sign_in_of(row, row.id in noticed) for row in wanted] + waiting

    @writes
    def enqueue(self, db: Connection, due: DueNotice) -> int:
        """Mark the requests and sign-ins as noticed, and add a notice for each target; return how many.

        Targets that were given up get none.
        """
        self._check_owner(due.user_id)
        db.execute(_MARK.values(noticed_at=due.at), self._own(of_requests=due.request_ids))
        last = {"last_at": due.at, "last_id": due.request_ids[0], "unheeded": due.unheeded}
        stored = self._settings(db)
        if stored and stored.noticed_sign_ins != due.sign_in_ids:
            columns = self._settings_columns(replace(stored, noticed_sign_ins=due.sign_in_ids))
            last |= {"secrets": columns["secrets"]}
        db.execute(_CHANGE_SETTINGS.values(last), self._own())
        targets = [row.id for row in db.execute(_TARGETS, self._own()) if row.disabled_at is None]
        for target_id in targets:
            # What the target has not got yet, this notice tells as well.
            db.execute(delete(notices).where(_OF_TARGET), self._own(of_target=target_id))
            notice = Notice(id=due.id, user_id=due.user_id, target_id=target_id, next_at=due.at)
            db.execute(insert(notices), asdict(notice))
        return len(targets)

    @writes
    def remove(self, db: Connection, notice: Notice) -> bool:
        """Remove a notice that need not be sent; False if a newer one has taken its place."""
        self._check_owner(notice.user_id)
        return db.execute(delete(notices).where(_NOTICE), self._this(notice)).rowcount > 0

    @writes
    def delivered(self, db: Connection, notice: Notice) -> None:
        """Remove a notice that has arrived, and note that its target works."""
        self._check_owner(notice.user_id)
        db.execute(delete(notices).where(_NOTICE), self._this(notice))
        columns = {"failing_since": None, "failure": ""}
        db.execute(_CHANGE_TARGET.values(columns), self._own(of_target=notice.target_id))

    @writes
    def postpone(self, db: Connection, notice: Notice) -> bool:
        """Store when a notice is tried again, and how often it failed; False if it is gone."""
        self._check_owner(notice.user_id)
        columns = {"failures": notice.failures, "next_at": notice.next_at}
        return db.execute(update(notices).where(_NOTICE).values(columns), self._this(notice)).rowcount > 0

    @writes
    def failed(self, db: Connection, notice: Notice, failure: str, *, at: datetime, give_up: bool) -> bool:
        """Note that a notice failed at a moment, and is tried again at its `next_at`; False if its target is gone.

        With `give_up` its target gets nothing more, and neither this notice.
        """
        self._check_owner(notice.user_id)
        own = self._own(of_target=notice.target_id)
        since = func.coalesce(notice_targets.c.failing_since, at)
        columns = {"failing_since": since, "failure": failure, "disabled_at": at if give_up else None}
        if not db.execute(_CHANGE_TARGET.values(columns), own).rowcount:
            return False
        if give_up:
            db.execute(delete(notices).where(_OF_TARGET), own)
        else:
            again = {"failures": notice.failures, "next_at": notice.next_at}
            db.execute(update(notices).where(_NOTICE).values(again), self._this(notice))
        return True

    def _this(self, notice: Notice) -> Json:
        return self._own(of_target=notice.target_id, of_notice=notice.id)

    def _settings(self, db: Connection) -> NoticeSettings | None:
        row = db.execute(_GET_SETTINGS, self._own()).one_or_none()
        return None if row is None else _settings_of(row, self._sealer)

    def _settings_columns(self, settings: NoticeSettings) -> Json:
        secrets = {"push_key": settings.push_key, "noticed_sign_ins": settings.noticed_sign_ins}
        return {
            "user_id": settings.user_id,
            "wait_seconds": int(settings.wait.total_seconds()),
            "quiet": settings.quiet and settings.quiet.to_json(),
            "last_at": settings.last_at,
            "last_id": settings.last_id,
            "unheeded": settings.unheeded,
            "secrets": self._sealer.seal(secrets, settings_table.name, settings.user_id),
        }


class SystemNotices(UsesDatabase):
    """The notices of all users."""

    def __init__(self, database: Database, node: Node) -> None:
        super().__init__(database)
        self._node = node

    @reads
    def users(self, db: Connection) -> list[str]:
        """Return the users who have a target that is not given up."""
        return list(db.execute(self._node.housing(_USERS, notice_targets.c.user_id)).scalars())

    @reads
    def due(
        self,
        db: Connection,
        at: datetime,
        most: int,
        *,
        share: int,
        but: Collection[str] = (),
        but_of: Collection[str] = (),
    ) -> Sequence[Notice]:
        """Return the notices to be sent at a moment: at most so many, and a `share` of them for each user.

        Those of the targets `but`, and of the users `but_of`, are left out.
        """
        wanted = {"at": at, "most": most, "share": share, "but": list(but), "but_of": list(but_of)}
        return [Notice(**row._mapping) for row in db.execute(self._node.housing(_DUE, _RANKED.c.user_id), wanted)]

    @reads
    def next(self, db: Connection, at: datetime) -> datetime | None:
        """Return when the next notice after a moment is to be sent."""
        found: datetime | None = db.execute(self._node.housing(_NEXT, notices.c.user_id), {"at": at}).scalar_one()
        return found


def target_of(row: Row[Any], sealer: Sealer) -> NoticeTarget:
    """Return the target of a row; without secrets, if their key is lost."""
    try:
        secrets = sealer.open(row.secrets, *_row_name(row))
    except LostKeyError:
        secrets = {}
    return NoticeTarget(**{**row._mapping, "kind": TargetKind(row.kind), "secrets": secrets})


def _settings_of(row: Row[Any], sealer: Sealer) -> NoticeSettings:
    try:
        secrets = sealer.open(row.secrets, settings_table.name, row.user_id)
    except LostKeyError:
        secrets = {}
    return NoticeSettings(
        user_id=row.user_id,
        wait=timedelta(seconds=row.wait_seconds),
        quiet=QuietHours.from_json(row.quiet) if row.quiet else None,
        last_at=row.last_at,
        last_id=row.last_id,
        unheeded=row.unheeded,
        push_key=str(secrets.get("push_key", "")),
        noticed_sign_ins=tuple(secrets.get("noticed_sign_ins", ())),
    )


def _waiting_of(row: Any) -> WaitingRequest:
    label = str(row.asked_by["label"])
    return WaitingRequest(id=row.id, asked_by=label, created_at=row.created_at, is_noticed=row.noticed_at is not None)


def _sign_in_of(row: Any, is_noticed: bool) -> WaitingRequest:
    return WaitingRequest(
        id=row.id, asked_by=row.label, created_at=row.created_at, is_noticed=is_noticed, is_sign_in=True
    )


def _is_generating(row: Any) -> bool:
    return bool(row.sampling) and Sampling.from_json(row.sampling).stage is Stage.GENERATING


def _row_name(row: Any) -> tuple[str, ...]:
    return notice_targets.name, row.user_id, row.id


def _removed(db: Connection, own: Json) -> bool:
    db.execute(delete(notices).where(_OF_TARGET), own)
    if not db.execute(delete(notice_targets).where(_TARGET), own).rowcount:
        return False
    scrub_after(db)
    return True


def _record(db: Connection, action: AuditAction, target: Any) -> None:
    # The label of a webhook is its host: the rest of its address may be a secret.
    record(db, action, object=target.id, details={"kind": str(target.kind), "label": target.label})
