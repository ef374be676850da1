"""Bounds the requests of one user that are handled at the same time; the others wait in the line of that user.

Long polls and event streams leave their place while they wait (`Place.leave`, `Place.aside`), and have limits of their
own. Administrators have a line like everybody, but never wait for the turns of others (`turns.py`).
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from webclient.auth import Principal
from webclient.domain.i18n import gettext as _
from webclient.support.turns import charged

PATIENCE = 10.0
"""Seconds that a request waits in the line."""

RETRY_AFTER = 1
"""Seconds after which a client should try again. A refusal is delayed as long, so that not waiting gains nothing."""


class FullError(Exception):
    """The line of a user is full, or did not move for too long."""


@dataclass(slots=True)
class _Line:
    """The requests of one user that are handled, and the turn of each that waits."""

    handled: int = 0
    waiting: deque[asyncio.Future[None]] = field(default_factory=deque)


class Lines:
    """The lines of all users: `most` requests of each are handled at the same time, and `longest` wait."""

    def __init__(self, most: int, longest: int) -> None:
        self._most = most
        self._longest = longest
        self._lines: dict[str, _Line] = {}

    def enter_at_once(self, user_id: str) -> Place | None:
        """Take a place if one is free."""
        line = self._lines.setdefault(user_id, _Line())
        if line.handled >= self._most:
            return None
        line.handled += 1
        return Place(self, user_id)

    async def enter(self, user_id: str, *, patience: float | None = PATIENCE) -> Place:
        """Take a place, or wait for one. Raises FullError; without `patience`, for ever and in any line."""
        if place := self.enter_at_once(user_id):
            return place
        line = self._lines[user_id]
        if patience is not None and len(line.waiting) >= self._longest:
            raise FullError
        await self._wait(user_id, line, patience)
        return Place(self, user_id)

    async def _wait(self, user_id: str, line: _Line, patience: float | None) -> None:
        turn = asyncio.get_running_loop().create_future()
        line.waiting.append(turn)
        try:
            async with asyncio.timeout(patience):
                await turn
        except BaseException as error:
            if turn in line.waiting:
                line.waiting.remove(turn)
            elif turn.done() and not turn.cancelled():
                # The place was handed over in the moment in which the wait ended.
                self.move_on(user_id)
            if isinstance(error, TimeoutError):
                raise FullError from None
            raise

    def move_on(self, user_id: str) -> None:
        """Give a place that is free to the next request of the user."""
        line = self._lines[user_id]
        while line.waiting:
            turn = line.waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        line.handled -= 1
        if not line.handled:
            # Nothing is left in memory of a user who has gone.
            del self._lines[user_id]


class Place:
    """A place among the requests of a user that are handled."""

    def __init__(self, lines: Lines, user_id: str) -> None:
        self._lines = lines
        self._user_id = user_id
        self._is_taken = True

    def leave(self) -> None:
        """Let the next request of the user begin; leaving twice is leaving once."""
        if self._is_taken:
            self._is_taken = False
            self._lines.move_on(self._user_id)

    @asynccontextmanager
    async def aside(self) -> AsyncIterator[None]:
        """Leave while the block waits for something to happen, then take a place again."""
        self.leave()
        yield
        await self._lines.enter(self._user_id, patience=None)
        self._is_taken = True


class InFlight:
    """Gives each request of a principal its place and its turn, or refuses it with 429 (RFC 6585, section 4)."""

    def __init__(self, app: ASGIApp, most: int, longest: int) -> None:
        self.app = app
        self.lines = Lines(most, longest)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        principal = _principal_of(scope)
        if principal is None:
            await self.app(scope, receive, send)
            return
        with charged(principal.user_id) as account:
            account.never_waits = principal.is_admin
            place = self.lines.enter_at_once(principal.user_id)
            if place is None:
                waiting = _Waiting(receive, may_have_body=scope["method"] not in ("GET", "HEAD"))
                place, receive = await self._place(principal.user_id, waiting), waiting.receive
            if place is None:
                return
            scope["state"]["place"] = place
            try:
                await account.turn()
                await self.app(scope, receive, send)
            finally:
                place.leave()

    async def _place(self, user_id: str, waiting: _Waiting) -> Place | None:
        """Wait for a place in the line of the user; None if the client has gone meanwhile."""
        try:
            return await waiting.unless_gone(self.lines.enter(user_id))
        except FullError:
            await asyncio.sleep(RETRY_AFTER)
            detail = _("Too many of your requests are under way. Wait a moment, then try again.")
            raise HTTPException(429, detail, {"Retry-After": str(RETRY_AFTER)}) from None


class _Waiting:
    """A request that waits in a line; it is dropped if its client has gone."""

    def __init__(self, receive: Receive, *, may_have_body: bool) -> None:
        self._receive = receive
        # A body stays where it is until its request has a place, so that those who wait fill no memory.
        self._may_watch = not may_have_body
        self._received: deque[Message] = deque()

    async def receive(self) -> Message:
        """Receive what comes, beginning with what came while the request waited."""
        return self._received.popleft() if self._received else await self._receive()

    async def unless_gone(self, entering: Coroutine[Any, Any, Place]) -> Place | None:
        """Return the place, or None if the client has gone before."""
        waits = asyncio.create_task(entering)
        gone = asyncio.create_task(self._until_gone())
        try:
            await asyncio.wait([waits, gone], return_when=asyncio.FIRST_COMPLETED)
            return waits.result() if waits.done() else None
        finally:
            # A place that comes at this very moment is handed on (`Lines._wait`).
            await _ended(gone, waits)

    async def _until_gone(self) -> None:
        while self._may_watch:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                return
            self._received.append(message)
            self._may_watch = not message.get("more_body")
        await asyncio.Event().wait()


async def _ended(*tasks: asyncio.Task[Any]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


def place_of(connection: HTTPConnection) -> Place:
    """Return the place of the request of a principal."""
    place: Place = connection.state.place
    return place


def _principal_of(scope: Scope) -> Principal | None:
    if scope["type"] != "http":
        return None
    return getattr(HTTPConnection(scope).state, "principal", None)
