"""The end of a sign-in ends its streams: at once in this process, and at the next look for all of them elsewhere."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from datetime import timedelta
from typing import Any

import pytest

from tests.store.conftest import TestDatabase
from webclient.domain.model import Person, ProgramToken, SignInKey, SignInKind, now
from webclient.store import NewEmbedSession, Store, Watch
from webclient.store.database.database import Database
from webclient.store.users import watched_sign_ins

pytestmark = pytest.mark.anyio

ISSUER = "https://id.example.com"
IDLE = timedelta(hours=2)


async def user_id(store: Store, subject: str = "ada") -> str:
    """Return the user with this subject."""
    return (await store.users.recognise(Person(issuer=ISSUER, subject=subject))).id


def of_frame(user: str, **columns: Any) -> NewEmbedSession:
    """Return a session of an application, with these columns."""
    usual: dict[str, Any] = {
        "embedder": "chat",
        "subject": "ada",
        "host_session": "h1",
        "origin": "https://chat.example",
    }
    ends_at = now() + timedelta(minutes=5)
    return NewEmbedSession(**usual | {"user_id": user, "scopes": ["ask", "inbox"], "ends_at": ends_at} | columns)


class SignIns:
    """A browser, a frame and a token of each of two users, each with an open stream."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.streams = ExitStack()
        self.ids: dict[str, str] = {}
        self.users: dict[str, str] = {}
        self._open: dict[str, Watch] = {}

    async def begin(self, subject: str) -> None:
        """Sign a user in, each way once."""
        store = self.store
        user = self.users[subject] = await user_id(store, subject)
        browser = await store.browser_sessions.create(user, "oidc", idle=IDLE, provider_session=f"of {subject}")
        new = of_frame(user, subject=subject, host_session=subject)
        frame = await store.embed_sessions.exchange(new, subject, now())
        assert frame
        token = ProgramToken(user_id=user, label="Agent", scopes=("read",), hint="1234")
        await store.of(user).tokens.add(token, f"secret of {subject}")
        found = await store.browser_sessions.find(browser)
        assert found
        keys = {
            "browser": (browser, SignInKey(SignInKind.BROWSER, found.key)),
            "frame": (frame, SignInKey(SignInKind.FRAME, store.embed_sessions.hash(frame))),
            "token": (token.id, SignInKey(SignInKind.TOKEN, token.id)),
            "proxy": ("", None),
        }
        for name, (id_, key) in keys.items():
            self.ids[f"{subject}'s {name}"] = id_
            watching = store.watched_sign_ins.watching(user, key)
            self._open[f"{subject}'s {name}"] = self.streams.enter_context(watching)

    @property
    def ended(self) -> set[str]:
        """The names of the streams that have ended."""
        return {name for name, watch in self._open.items() if not watch.is_open}


async def sign_ins_of(store: Store) -> SignIns:
    """Return the sign-ins of Ada and Bob."""
    found = SignIns(store)
    for subject in ("ada", "bob"):
        await found.begin(subject)
    return found


async def _sign_out(them: SignIns) -> None:
    await them.store.browser_sessions.remove(them.ids["ada's browser"])


async def _log_out_at_provider(them: SignIns) -> None:
    await them.store.browser_sessions.end_of_provider(ISSUER, subject="ada", provider_session=None)


async def _end_all_listed(them: SignIns) -> None:
    found = await them.store.open_sessions.of(them.users["ada"])
    await them.store.open_sessions.end(them.users["ada"], [each.id for each in found])


async def _disable(them: SignIns) -> None:
    await them.store.users.disable(them.users["ada"])


async def _end_subject(them: SignIns) -> None:
    await them.store.embed_sessions.end("chat", subject="ada")


async def _end_host_session(them: SignIns) -> None:
    await them.store.embed_sessions.end("chat", host_session="ada")


async def _renew(them: SignIns, **columns: Any) -> None:
    session = of_frame(them.users["ada"], **{"host_session": "ada", **columns})
    assert await them.store.embed_sessions.exchange(session, "next", now(), them.ids["ada's frame"])


async def _renew_with_fewer_scopes(them: SignIns) -> None:
    await _renew(them, scopes=["inbox"])


async def _revoke(them: SignIns) -> None:
    await them.store.of(them.users["ada"]).tokens.revoke(them.ids["ada's token"])


ALL = {"ada's browser", "ada's frame", "ada's token", "ada's proxy"}


@pytest.mark.parametrize(
    ("end", "ended"),
    [
        (_sign_out, {"ada's browser"}),
        (_log_out_at_provider, {"ada's browser"}),
        (_end_all_listed, {"ada's browser", "ada's frame"}),
        (_disable, ALL),
        (_end_subject, {"ada's frame"}),
        (_end_host_session, {"ada's frame"}),
        (_renew_with_fewer_scopes, {"ada's frame"}),
        (_renew, set()),
        (_revoke, {"ada's token"}),
    ],
)
async def test_each_end_ends_its_streams_at_once_and_no_others(
    store: Store, end: Callable[[SignIns], Awaitable[None]], ended: set[str]
) -> None:
    them = await sign_ins_of(store)
    with them.streams:
        # Without a look.
        await end(them)
        assert them.ended == ended
        # What has ended stays so, and a look agrees; a renewed session goes on for the streams after it.
        await store.watched_sign_ins.look()
        assert them.ended == ended


@pytest.mark.parametrize(
    ("statement", "ended"),
    [
        ("UPDATE program_tokens SET revoked_at = '2026-01-01' WHERE user_id = :ada", {"ada's token"}),
        ("DELETE FROM browser_sessions WHERE user_id = :ada", {"ada's browser"}),
        ("DELETE FROM embed_sessions WHERE user_id = :ada", {"ada's frame"}),
        ("UPDATE browser_sessions SET idle_at = '2026-01-01' WHERE user_id = :ada", {"ada's browser"}),
        ("UPDATE browser_sessions SET expires_at = '2026-01-01' WHERE user_id = :ada", {"ada's browser"}),
        ("UPDATE embed_sessions SET ends_at = '2026-01-01' WHERE user_id = :ada", {"ada's frame"}),
        ("UPDATE users SET disabled_at = '2026-01-01' WHERE id = :ada", ALL),
    ],
)
async def test_one_look_finds_what_ended_elsewhere_or_by_itself(
    database: TestDatabase, store: Store, statement: str, ended: set[str]
) -> None:
    them = await sign_ins_of(store)
    with them.streams:
        database.run(statement, ada=them.users["ada"])
        assert them.ended == set()
        await store.watched_sign_ins.look()
        assert them.ended == ended


async def test_a_stream_ends_at_the_moment_of_its_principal(store: Store) -> None:
    watched = store.watched_sign_ins
    with (
        watched.watching("ada", None, now() + timedelta(hours=1)) as late,
        watched.watching("ada", None, now()) as early,
    ):
        await watched.look()
        assert (early.is_open, late.is_open) == (False, True)


async def test_a_thousand_open_pages_are_one_read(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[object] = []
    read = Database.read

    async def counted(database: Database, unit: Any, *args: Any, **kwargs: Any) -> Any:
        # Other parts of the store read in the background.
        if unit.func.__qualname__.startswith("WatchedSignIns."):
            reads.append(unit)
        return await read(database, unit, *args, **kwargs)

    ada = await user_id(store)
    session = await store.browser_sessions.find(await store.browser_sessions.create(ada, "oidc"))
    assert session
    keys = [SignInKey(SignInKind.BROWSER, session.key)] + [SignInKey(SignInKind.BROWSER, str(n)) for n in range(1100)]
    monkeypatch.setattr(Database, "read", counted)
    with ExitStack() as streams:
        open_ = [streams.enter_context(store.watched_sign_ins.watching(ada, key)) for key in keys]
        await store.watched_sign_ins.look()
        assert [watch.is_open for watch in open_] == [True] + [False] * 1100
    assert len(reads) == 1
    await store.watched_sign_ins.look()
    # No stream is open.
    assert len(reads) == 1


async def test_an_open_stream_uses_its_session(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    them = await sign_ins_of(store)
    start = now()
    at = [start]
    for module in ("browser_sessions", "watched_sign_ins"):
        monkeypatch.setattr(f"webclient.store.users.{module}.now", lambda: at[0])
    with them.streams:
        at[0] = start + IDLE / 2
        await store.watched_sign_ins.use()
        [listed] = [each for each in await store.open_sessions.of(them.users["ada"]) if not each.embedder]
        assert listed.used_at
        assert listed.used_at > start
    at[0] = start + IDLE * 1.4
    assert await store.browser_sessions.find(them.ids["ada's browser"])


async def test_a_look_brings_no_ended_session_back(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    them = await sign_ins_of(store)
    later = now() + IDLE + timedelta(seconds=1)
    for module in ("browser_sessions", "watched_sign_ins"):
        monkeypatch.setattr(f"webclient.store.users.{module}.now", lambda: later)
    with them.streams:
        await store.watched_sign_ins.use()
        await store.watched_sign_ins.look()
        assert "ada's browser" in them.ended
    assert await store.browser_sessions.find(them.ids["ada's browser"]) is None


async def test_closed_streams_leave_nothing_behind(store: Store) -> None:
    them = await sign_ins_of(store)
    with them.streams:
        pass
    remaining = [vars(store.watched_sign_ins)[name] for name in ("_by_key", "_by_user")]
    assert remaining == [{}, {}]
    assert watched_sign_ins.LOOK <= 2
