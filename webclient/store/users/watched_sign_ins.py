"""The sign-ins by which open streams and long polls came: a stream is notified when its sign-in ends.

Code that ends a sign-in in this process says so here once its transaction is done. One look for all of them finds those
that ended by themselves, or that another process has ended, such as `mcp-webclient tokens revoke`. A sign-in with an
open stream is in use, so the same run notes its use.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from time import monotonic
from typing import TypeVar

from sqlalchemy import BindParameter, Connection, Select, bindparam, or_, select, update

from webclient.domain.model import SignInKey, SignInKind, now
from webclient.store.database.database import Database, UsesDatabase, reads, writes
from webclient.store.database.program_tables import program_tokens
from webclient.store.database.storage_errors import StorageError
from webclient.store.database.tables import browser_sessions, embed_sessions
from webclient.store.database.user_tables import users

LOOK = 2.0
"""Seconds between two looks for what has ended by itself or elsewhere, if nothing is announced."""

USE_AFTER = 30.0
"""Seconds after which the use of the watched sessions is noted."""

IDLE_STEP = timedelta(minutes=1)
"""How long a use of a session may go unnoted, so that not each request writes."""

USED_STEP = timedelta(minutes=5)
"""The same for a session without an idle time, which only the list of sign-ins is interested in."""

AT_ONCE = 1000
"""Sign-ins in one statement; SQLite takes 32,766 parameters."""

K = TypeVar("K")

_IDS: BindParameter[str] = bindparam("ids", expanding=True)
_ENABLED = users.c.disabled_at.is_(None)
_OPEN: dict[str, Select[str]] = {
    SignInKind.BROWSER: select(browser_sessions.c.session_hash)
    .join(users, browser_sessions.c.user_id == users.c.id)
    .where(
        browser_sessions.c.session_hash.in_(_IDS),
        browser_sessions.c.expires_at >= bindparam("at"),
        or_(browser_sessions.c.idle_at.is_(None), browser_sessions.c.idle_at >= bindparam("at")),
        _ENABLED,
    ),
    SignInKind.FRAME: select(embed_sessions.c.session_hash)
    .join(users, embed_sessions.c.user_id == users.c.id)
    .where(embed_sessions.c.session_hash.in_(_IDS), embed_sessions.c.ends_at > bindparam("at"), _ENABLED),
    SignInKind.TOKEN: select(program_tokens.c.id)
    .join(users, program_tokens.c.user_id == users.c.id)
    .where(program_tokens.c.id.in_(_IDS), program_tokens.c.revoked_at.is_(None), _ENABLED),
}
_BROWSERS = browser_sessions.c.session_hash.in_(_IDS)
_IDLE_TIMES = select(browser_sessions.c.idle_seconds).distinct().where(_BROWSERS)
_USE_IDLE = update(browser_sessions).where(
    _BROWSERS,
    browser_sessions.c.idle_seconds == bindparam("of_seconds"),
    # One that has ended stays so.
    browser_sessions.c.idle_at.between(bindparam("at"), bindparam("noted_before")),
)
_USE = update(browser_sessions).where(
    _BROWSERS,
    browser_sessions.c.idle_seconds.is_(None),
    or_(browser_sessions.c.used_at.is_(None), browser_sessions.c.used_at <= bindparam("noted_before")),
)
_DISABLED = select(users.c.id).where(users.c.id.in_(_IDS), users.c.disabled_at.is_not(None))


class Watch:
    """One open stream or long poll of a user, until its sign-in ends, at `ends_at` at the latest."""

    __slots__ = ("_then", "ends_at", "is_open", "key", "user_id")

    def __init__(self, user_id: str, key: SignInKey | None, ends_at: datetime | None) -> None:
        self.user_id = user_id
        self.key = key
        self.ends_at = ends_at
        self.is_open = True
        self._then: Callable[[], object] | None = None

    def when_ended(self, then: Callable[[], object] | None) -> None:
        """Call `then` when the sign-in ends; at once if it has. It takes the place of what was given before."""
        self._then = then
        if then is not None and not self.is_open:
            then()

    def end(self) -> None:
        """Tell the stream that its sign-in has ended."""
        if self.is_open:
            self.is_open = False
            if self._then is not None:
                self._then()


class WatchedSignIns(UsesDatabase):
    """The open streams and long polls of this process, by their sign-in and by their user."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._by_key: defaultdict[SignInKey, set[Watch]] = defaultdict(set)
        self._by_user: defaultdict[str, set[Watch]] = defaultdict(set)
        self.pause = LOOK

    @contextmanager
    def watching(self, user_id: str, key: SignInKey | None = None, ends_at: datetime | None = None) -> Iterator[Watch]:
        """Give a watch that ends with a sign-in of the user; without a `key` only with the user, or at `ends_at`."""
        watch = Watch(user_id, key, ends_at)
        self._by_user[user_id].add(watch)
        if key is not None:
            self._by_key[key].add(watch)
        try:
            yield watch
        finally:
            _remove(self._by_user, user_id, watch)
            if key is not None:
                _remove(self._by_key, key, watch)

    def end(self, keys: Iterable[SignInKey]) -> None:
        """End what came by these sign-ins. Call it after the transaction that ended them."""
        for key in keys:
            for watch in tuple(self._by_key.get(key, ())):
                watch.end()

    def end_of_user(self, user_id: str) -> None:
        """End what is open of a user."""
        for watch in tuple(self._by_user.get(user_id, ())):
            watch.end()

    async def look(self) -> None:
        """End what came by sign-ins that have ended by themselves, or in another process. Raises StorageError."""
        self._end_lapsed()
        keys: dict[str, list[str]] = {kind: [] for kind in _OPEN}
        others = set()
        for user_id, watches in self._by_user.items():
            for watch in watches:
                if watch.key is None or watch.key.kind not in keys:
                    others.add(user_id)
        for key in self._by_key:
            if key.kind in keys:
                keys[key.kind].append(key.id)
        if self._by_user:
            ended, disabled = await self._ended(keys, tuple(others))
            self.end(ended)
            for user_id in disabled:
                self.end_of_user(user_id)

    def _end_lapsed(self) -> None:
        # By the clock of the wall: timers stand still while a computer sleeps.
        at = now()
        for watches in tuple(self._by_user.values()):
            for watch in tuple(watches):
                if watch.ends_at is not None and watch.ends_at <= at:
                    watch.end()

    @reads
    def _ended(
        self, db: Connection, keys: dict[str, list[str]], user_ids: Sequence[str]
    ) -> tuple[list[SignInKey], list[str]]:
        """Return those of the keys that open nothing any more, and those of the users who are disabled."""
        at = now()
        ended = []
        for kind, ids in keys.items():
            found: set[str] = set()
            for some in _parts(ids):
                found.update(db.execute(_OPEN[kind], {"ids": some, "at": at}).scalars())
            ended += [SignInKey(kind, id_) for id_ in ids if id_ not in found]
        disabled = [id_ for some in _parts(user_ids) for id_ in db.execute(_DISABLED, {"ids": some}).scalars()]
        return ended, disabled

    async def use(self) -> None:
        """Note that the watched sessions of browsers are in use. Raises StorageError."""
        if hashes := [key.id for key in self._by_key if key.kind == SignInKind.BROWSER]:
            await self._use(hashes)

    @writes
    def _use(self, db: Connection, hashes: Sequence[str]) -> None:
        at = now()
        for some in _parts(hashes):
            for seconds in db.execute(_IDLE_TIMES, {"ids": some}).scalars().all():
                if seconds is None:
                    db.execute(_USE, {"ids": some, "noted_before": at - USED_STEP, "used_at": at})
                else:
                    idle_at = at + timedelta(seconds=seconds)
                    given = {"ids": some, "of_seconds": seconds, "at": at, "noted_before": idle_at - IDLE_STEP}
                    db.execute(_USE_IDLE, {**given, "idle_at": idle_at, "used_at": at})

    async def run(self) -> None:
        """Look, and note uses, for ever."""
        used = monotonic()
        while True:
            await asyncio.sleep(self.pause)
            # Safe to leave until the next look: ends in this process notify at once, and while nothing can be read
            # no stream shows anything either.
            with suppress(StorageError):
                await self.look()
                if monotonic() - used >= USE_AFTER:
                    used = monotonic()
                    await self.use()


def _remove(found: defaultdict[K, set[Watch]], key: K, watch: Watch) -> None:
    found[key].discard(watch)
    if not found[key]:
        del found[key]


def _parts(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for first in range(0, len(ids), AT_ONCE):
        yield ids[first : first + AT_ONCE]
