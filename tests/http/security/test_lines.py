"""Of one user, so many requests are handled at the same time and so many wait; others are not affected."""

from __future__ import annotations

import asyncio

import pytest
from starlette.types import Message, Receive, Scope, Send

from tests.http.small_app import BEARER, client_of, make_app
from webclient.auth import Principal, PrincipalKind
from webclient.web.http.security import lines
from webclient.web.http.security.lines import FullError, InFlight, Lines, Place

pytestmark = pytest.mark.anyio


async def soon() -> None:
    """Let everything happen that happens at once."""
    for _each in range(5):
        await asyncio.sleep(0)


async def test_so_many_are_handled_and_the_next_in_line_follows() -> None:
    them = Lines(most=2, longest=10)
    first, second = await them.enter("ada"), await them.enter("ada")
    waiting = [asyncio.create_task(them.enter("ada")) for _each in range(3)]
    await soon()
    assert not any(each.done() for each in waiting)
    other = await them.enter("bob")
    first.leave()
    first.leave()
    await soon()
    assert [each.done() for each in waiting] == [True, False, False]
    for place in (second, await waiting[0], other):
        place.leave()
    for each in waiting[1:]:
        (await each).leave()
    assert not them._lines


async def test_a_full_line_and_a_line_that_stands_refuse() -> None:
    them = Lines(most=1, longest=1)
    place = await them.enter("ada")
    waiting = asyncio.create_task(them.enter("ada"))
    await soon()
    with pytest.raises(FullError):
        await them.enter("ada")
    waiting.cancel()
    await asyncio.wait([waiting])
    with pytest.raises(FullError):
        await them.enter("ada", patience=0)
    place.leave()
    assert not them._lines


async def test_a_request_that_waits_aside_holds_no_place() -> None:
    them = Lines(most=1, longest=0)
    place = await them.enter("ada")
    async with place.aside():
        other = await them.enter("ada")
        other.leave()
    with pytest.raises(FullError):
        await them.enter("ada")
    place.leave()
    assert not them._lines


class Slow:
    """An app whose requests end when the test lets them."""

    def __init__(self) -> None:
        self.begun = 0
        self.may_end = asyncio.Event()

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        assert (await receive())["type"] == "http.request"
        self.begun += 1
        await self.may_end.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})


class Sent:
    """A request of a user, and the client that sends it."""

    def __init__(self, app: InFlight, user_id: str = "ada", method: str = "GET") -> None:
        principal = Principal(user_id=user_id, kind=PrincipalKind.USER, scopes=frozenset(), way="proxy")
        self.scope = {"type": "http", "method": method, "path": "/", "headers": [], "state": {"principal": principal}}
        self.gone = asyncio.Event()
        self.statuses: list[int] = []
        self._has_sent = False
        self.task = asyncio.create_task(app(self.scope, self.receive, self.send))

    async def receive(self) -> Message:
        if not self._has_sent:
            self._has_sent = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        self.statuses.append(message["status"])


async def test_a_request_whose_client_has_gone_leaves_the_line() -> None:
    slow = Slow()
    app = InFlight(slow, most=1, longest=2)
    first, second, third = Sent(app), Sent(app), Sent(app)
    await soon()
    second.gone.set()
    await asyncio.wait([second.task])
    slow.may_end.set()
    await asyncio.wait([first.task, third.task])
    assert (slow.begun, second.statuses, third.statuses) == (2, [], [200])
    assert not app.lines._lines


async def test_another_user_passes_beside_a_full_line() -> None:
    slow = Slow()
    app = InFlight(slow, most=1, longest=5)
    crowd = [Sent(app, "mallory") for _each in range(5)]
    await soon()
    other = Sent(app, "ada")
    await soon()
    assert slow.begun == 2
    slow.may_end.set()
    await asyncio.wait([other.task, *(each.task for each in crowd)])


def test_a_request_beyond_the_line_gets_429(monkeypatch: pytest.MonkeyPatch) -> None:
    async def full(_lines: Lines, _user_id: str) -> Place:
        raise FullError

    monkeypatch.setattr(lines, "RETRY_AFTER", 0)
    monkeypatch.setattr(Lines, "enter_at_once", lambda _lines, _user_id: None)
    monkeypatch.setattr(Lines, "enter", full)
    refused = client_of(make_app(), BEARER).get("/api/v1/json")
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "0")
    assert refused.headers["Content-Type"] == "application/problem+json"
