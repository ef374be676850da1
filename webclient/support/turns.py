"""Turns: shares of the processor between users, so that the work of one does not delay that of all others.

Work is charged to the account of its user: each step of a task that was begun for them (`metered`), and each unit of
work in a thread. Where nothing is locked that others wait for, code asks for a turn (`take_turn`). It gets one at once,
unless its user has used more than a small share lately while others, who used less, are at work; then it waits, and of
those who wait the user with the least use goes first. A user who is alone never waits.

Deliberate: there is no slot that is taken and given back. A handler that waits for a server, a person or another user
locks nothing, so no turn can be in the way of another.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Callable, Coroutine, Generator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import Context, ContextVar
from time import monotonic, perf_counter
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from anyio.lowlevel import RunVar

WINDOW = 2.0
"""Seconds in which what was used loses its weight."""

FREE = 0.3
"""Seconds of work within the window for which no user waits: about a seventh of a processor."""

LEAST = 0.05
"""The same beside any number of other heavy users."""

MOST = 1.0
"""Seconds of work that are remembered at most: who used all while alone waits two seconds at worst."""

AT_WORK = 0.01
"""Seconds of work within the window from which on lighter users count as being at work, all together."""

IDLE = 0.005
"""Seconds of work within the window up to which a user is not at work: open pages and connections cost as much."""

ADVANCE = 0.002
"""Seconds that a turn is charged before it begins, so that a crowd that waits does not get its turns all at once."""

LOOK = 0.1
"""Seconds after which those who wait are looked at again, at the latest."""

T = TypeVar("T")


class _Meter:
    """A sum that loses its weight with time."""

    __slots__ = ("_at", "_sum")

    def __init__(self) -> None:
        self._sum = 0.0
        self._at = 0.0

    def read(self, at: float) -> float:
        """Return the sum as it weighs at a moment."""
        return self._sum * math.exp((self._at - at) / WINDOW)

    def add(self, amount: float, at: float, most: float = math.inf) -> None:
        """Add to the sum, which is `most` at most."""
        self.set(min(max(self.read(at) + amount, 0.0), most), at)

    def set(self, amount: float, at: float) -> None:
        """Begin again with a sum."""
        self._sum, self._at = amount, at


class Account:
    """The use of the processor by one user, and its part of the work of all light users.

    `never_waits` is for administrators, who must get in beside any load.
    """

    def __init__(self, turns: Turns, user_id: str) -> None:
        self.user_id = user_id
        self.never_waits = False
        self.is_heavy = False
        self.waiting: deque[asyncio.Future[None]] = deque()
        self.meter = _Meter()
        self.light = _Meter()
        self._turns = turns
        self._uncounted = 0.0

    def charge(self, seconds: float) -> None:
        """Charge work that was done. Call it in the event loop."""
        self._uncounted += seconds
        # Most steps take microseconds, and counting takes one as well.
        if self._uncounted > 0.001:
            seconds, self._uncounted = self._uncounted, 0.0
            self._turns.count(self, seconds)

    async def turn(self) -> None:
        """Wait until it is this user's turn. Hold nothing meanwhile that another user may need."""
        await self._turns.wait(self)


class Turns:
    """The accounts of all users, and who waits."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        # A user has one account, also while a task that has it, such as a stream, is idle: those who wait for a turn of
        # another one would not be found.
        self._accounts: WeakValueDictionary[str, Account] = WeakValueDictionary()
        self._recent: dict[str, Account] = {}
        self._light = _Meter()
        self._timer: asyncio.TimerHandle | None = None
        self._is_closed = False

    def account(self, user_id: str) -> Account:
        """Return the account of a user."""
        account = self._accounts.get(user_id) or Account(self, user_id)
        self._accounts[user_id] = self._recent[user_id] = account
        return account

    def used(self, account: Account) -> float:
        """Return the seconds of work of a user, as they weigh now."""
        return account.meter.read(self._clock())

    def forget_idle(self) -> None:
        """Forget the accounts that weigh nothing any more and that no task has."""
        idle = [id_ for id_, each in self._recent.items() if not each.waiting and self.used(each) < 0.001]
        for user_id in idle:
            del self._recent[user_id]

    def close(self) -> None:
        """Let no user wait any more: this program ends."""
        self._is_closed = True
        self.grant()

    def count(self, account: Account, seconds: float) -> None:
        """Add to what a user has used."""
        at = self._clock()
        # A stream that was idle may be the only one that has it, and what it uses counts also after it ends.
        self._recent[account.user_id] = account
        account.meter.add(seconds, at, MOST)
        self._weigh(account, at)

    def _weigh(self, account: Account, at: float) -> None:
        used = account.meter.read(at)
        # Between both bounds nothing changes, so that who waits at the upper one does not count as light in between.
        account.is_heavy = used > (FREE / 2 if account.is_heavy else FREE)
        light = used if used > IDLE and not account.is_heavy else 0.0
        self._light.add(light - account.light.read(at), at)
        account.light.set(light, at)

    async def wait(self, account: Account) -> None:
        """Wait until it is the user's turn."""
        if account.never_waits or not (account.waiting or self._must_wait(account)):
            return
        turn = asyncio.get_running_loop().create_future()
        account.waiting.append(turn)
        self._look_later()
        try:
            await turn
        finally:
            if turn in account.waiting:
                account.waiting.remove(turn)

    def grant(self) -> None:
        """Give turns to users who may go on, the least use first."""
        self._timer = None
        for account in sorted(self._waiting(), key=self.used):
            while account.waiting and not self._must_wait(account):
                self.count(account, ADVANCE)
                turn = account.waiting.popleft()
                if not turn.done():
                    turn.set_result(None)
        self._look_later()

    def _must_wait(self, account: Account) -> bool:
        at = self._clock()
        used = account.meter.read(at)
        if self._is_closed or used <= LEAST or used <= self._allowed():
            return False
        self._weigh(account, at)
        return self._light.read(at) - account.light.read(at) > AT_WORK

    def _allowed(self) -> float:
        # All who wait have together what one user may use twice, so that many heavy users do not take everything.
        return max(FREE * 2 / (1 + max(len(self._waiting()), 1)), LEAST)

    def _waiting(self) -> list[Account]:
        return [each for each in self._accounts.values() if each.waiting]

    def _look_later(self) -> None:
        waiting = self._waiting()
        if self._timer is not None or not waiting:
            return
        least, allowed = min(map(self.used, waiting)), self._allowed()
        until = WINDOW * math.log(least / allowed) if least > allowed else 0.0
        self._timer = asyncio.get_running_loop().call_later(min(until + 0.001, LOOK), self.grant)


class FairLock:
    """A lock that goes, when it is released, to the user who waits for it and has used the processor least."""

    def __init__(self) -> None:
        self._is_locked = False
        self._waiting: list[tuple[Account | None, asyncio.Future[None]]] = []

    @asynccontextmanager
    async def locked(self) -> Any:
        """Hold the lock while the block runs."""
        await self._acquire()
        try:
            yield
        finally:
            self._release()

    async def _acquire(self) -> None:
        if not self._is_locked:
            self._is_locked = True
            return
        mine = ACCOUNT.get(), asyncio.get_running_loop().create_future()
        self._waiting.append(mine)
        try:
            await mine[1]
        except BaseException:
            if mine in self._waiting:
                self._waiting.remove(mine)
            else:
                # It was handed over in the moment in which its waiter was cancelled.
                self._release()
            raise

    def _release(self) -> None:
        if not self._waiting:
            self._is_locked = False
            return
        # The first of those with the least: `min` keeps their order.
        next_ = min(self._waiting, key=lambda each: current().used(each[0]) if each[0] else 0.0)
        self._waiting.remove(next_)
        next_[1].set_result(None)


ACCOUNT: ContextVar[Account | None] = ContextVar("account", default=None)
"""The account to which the work of a task is charged; tasks that it begins inherit it."""

_TURNS: RunVar[Turns] = RunVar("turns")


def current() -> Turns:
    """Return the turns of this event loop."""
    turns = _TURNS.get(None)
    if turns is None:
        turns = Turns()
        _TURNS.set(turns)
    return turns


async def take_turn() -> None:
    """Wait until it is the turn of the user for whom this runs."""
    if account := ACCOUNT.get():
        await account.turn()


@contextmanager
def metering() -> Iterator[None]:
    """Charge all tasks that this event loop begins while the block runs."""
    loop = asyncio.get_running_loop()
    _TURNS.set(Turns())
    before = loop.get_task_factory()
    loop.set_task_factory(metered)
    try:
        yield
    finally:
        loop.set_task_factory(before)


@contextmanager
def charged(user_id: str) -> Iterator[Account]:
    """Charge what runs in the block, and the tasks that it begins, to a user."""
    account = current().account(user_id)
    before = ACCOUNT.set(account)
    try:
        yield account
    finally:
        ACCOUNT.reset(before)


def context_of(user_id: str) -> Context:
    """Return a context with nothing but the account of a user."""
    context = Context()
    context.run(ACCOUNT.set, current().account(user_id))
    return context


class _Metered(Coroutine[Any, Any, T]):
    """A coroutine whose steps are charged to the account of its context."""

    # Its clock is that of the wall, as that of a thread costs ten times as much: a step never waits.

    __slots__ = ("_coroutine",)

    def __init__(self, coroutine: Coroutine[Any, Any, T]) -> None:
        self._coroutine = coroutine

    def send(self, value: Any) -> Any:
        began = perf_counter()
        try:
            return self._coroutine.send(value)
        finally:
            if (account := ACCOUNT.get()) is not None:
                account.charge(perf_counter() - began)

    def throw(self, *error: Any) -> Any:
        return self._coroutine.throw(*error)

    def close(self) -> None:
        self._coroutine.close()

    def __await__(self) -> Generator[Any, Any, T]:
        return self._coroutine.__await__()

    def __getattr__(self, name: str) -> Any:
        # What asyncio and anyio ask a coroutine for: its name, its frame, whether it runs.
        return getattr(self._coroutine, name)


def metered(loop: asyncio.AbstractEventLoop, coroutine: Any, **options: Any) -> asyncio.Task[Any]:
    """Make a task that is charged, as a task factory of asyncio does (`loop.set_task_factory`)."""
    return asyncio.Task(_Metered(coroutine), loop=loop, **options)
