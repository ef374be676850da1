"""Turns: who used the processor much waits while others are at work, and the least used goes first."""

from __future__ import annotations

import asyncio
import gc

import pytest

from webclient.support.turns import (
    FREE,
    IDLE,
    MOST,
    WINDOW,
    Account,
    FairLock,
    Turns,
    charged,
    current,
    metering,
    take_turn,
)

pytestmark = pytest.mark.anyio


class Clock:
    """A clock that stands still until it is set forward."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def turns(clock: Clock) -> Turns:
    return Turns(clock)


def busy(turns: Turns, user_id: str, seconds: float) -> Account:
    """Return the account of a user who has used so much."""
    account = turns.account(user_id)
    account.charge(seconds)
    return account


async def begun(account: Account) -> asyncio.Task[None]:
    """Ask for a turn, and let everything happen that happens at once."""
    task = asyncio.create_task(account.turn())
    for _each in range(3):
        await asyncio.sleep(0)
    return task


async def granted(turns: Turns, tasks: dict[str, asyncio.Task[None]]) -> list[str]:
    """Give the turns that may be given now; return who got one."""
    turns.grant()
    for _each in range(3):
        await asyncio.sleep(0)
    return [name for name, task in tasks.items() if task.done()]


async def test_a_user_who_is_alone_never_waits(turns: Turns) -> None:
    mallory = busy(turns, "mallory", 10 * MOST)
    await mallory.turn()


async def test_users_whose_pages_are_only_open_are_not_at_work(turns: Turns, clock: Clock) -> None:
    mallory = busy(turns, "mallory", 2 * FREE)
    for _each in range(10):
        clock.now += WINDOW / 10
        for number in range(100):
            busy(turns, f"user {number}", IDLE / 20)
    mallory.charge(2 * FREE)
    assert await granted(turns, {"mallory": await begun(mallory)}) == ["mallory"]
    busy(turns, "user 7", 3 * IDLE)
    assert await granted(turns, {"mallory": await begun(mallory)}) == []


async def test_a_heavy_user_waits_while_others_work(turns: Turns, clock: Clock) -> None:
    mallory, ada = busy(turns, "mallory", 2 * FREE), busy(turns, "ada", 0.1)
    await ada.turn()
    waiting = {"mallory": await begun(mallory)}
    assert await granted(turns, waiting) == []
    clock.now += WINDOW
    ada.charge(0.1)
    assert await granted(turns, waiting) == ["mallory"]


async def test_a_heavy_user_goes_on_when_others_rest(turns: Turns, clock: Clock) -> None:
    mallory, ada = busy(turns, "mallory", MOST), busy(turns, "ada", 0.1)
    waiting = {"mallory": await begun(mallory), "ada": await begun(ada)}
    assert await granted(turns, waiting) == ["ada"]
    clock.now += WINDOW / 2
    assert await granted(turns, waiting) == ["ada"]
    clock.now += 2 * WINDOW
    assert await granted(turns, waiting) == ["mallory", "ada"]


async def test_the_user_with_the_least_use_is_next(turns: Turns, clock: Clock) -> None:
    ada = busy(turns, "ada", 0.1)
    waiting = {name: await begun(busy(turns, name, used)) for name, used in (("more", MOST), ("less", 2 * FREE))}
    order: list[str] = []
    for _each in range(200):
        clock.now += WINDOW / 50
        ada.charge(0.003)
        order += [name for name in await granted(turns, waiting) if name not in order]
    assert order == ["less", "more"]


async def test_a_crowd_gets_its_turns_one_after_the_other(turns: Turns, clock: Clock) -> None:
    mallory, ada = busy(turns, "mallory", FREE + 0.001), busy(turns, "ada", 0.1)
    waiting = {str(number): await begun(mallory) for number in range(100)}
    counts = []
    for _each in range(5):
        clock.now += 0.01
        ada.charge(0.01)
        counts.append(len(await granted(turns, waiting)))
    assert counts[-1] < 20
    for task in waiting.values():
        task.cancel()
    await asyncio.wait(waiting.values())
    assert not mallory.waiting


async def test_an_administrator_never_waits(turns: Turns) -> None:
    root = busy(turns, "root", 2 * MOST)
    busy(turns, "ada", 0.1)
    root.never_waits = True
    await root.turn()


async def test_many_heavy_users_share_what_two_may_use(turns: Turns, clock: Clock) -> None:
    ada = busy(turns, "ada", 0.1)
    crowd = [busy(turns, f"mallory {number}", FREE + 0.1) for number in range(20)]
    waiting = {each.user_id: await begun(each) for each in crowd}
    clock.now += WINDOW / 2
    ada.charge(0.1)
    assert await granted(turns, waiting) == []
    for task in waiting.values():
        task.cancel()


async def test_accounts_of_idle_users_are_dropped(turns: Turns, clock: Clock) -> None:
    busy(turns, "ada", 0.1)
    turns.forget_idle()
    assert "ada" in turns._accounts
    clock.now += 10 * WINDOW
    turns.forget_idle()
    assert not turns._accounts


async def test_a_stream_that_did_nothing_for_long_gets_its_turns(turns: Turns, clock: Clock) -> None:
    """Without its account, it would wait for ever."""
    stream = turns.account("mallory")
    clock.now += 10 * WINDOW
    turns.forget_idle()
    assert turns.account("mallory") is stream
    turns.forget_idle()
    stream.charge(2 * FREE)
    busy(turns, "ada", 0.1)
    waiting = {"stream": await begun(stream)}
    assert await granted(turns, waiting) == []
    clock.now += 10 * WINDOW
    assert await granted(turns, waiting) == ["stream"]


async def test_the_use_of_a_stream_counts_after_its_end(turns: Turns, clock: Clock) -> None:
    stream = turns.account("mallory")
    clock.now += 10 * WINDOW
    turns.forget_idle()
    stream.charge(MOST)
    del stream
    gc.collect()
    assert turns.used(turns.account("mallory")) == pytest.approx(MOST)


async def test_steps_of_a_users_tasks_are_charged() -> None:
    def work() -> None:
        sum(range(300_000))

    async def child() -> None:
        await asyncio.sleep(0)
        work()

    async def request() -> None:
        with charged("ada"):
            work()
            await take_turn()
            await asyncio.create_task(child())

    with metering():
        await asyncio.create_task(request())
        await asyncio.create_task(child())
    used = current().used(current().account("ada"))
    assert used > 0
    assert current().account("ada").user_id == "ada"


async def test_a_metered_task_is_cancelled_before_its_first_step() -> None:
    with metering():
        task = asyncio.create_task(asyncio.sleep(1))
        task.cancel()
        await asyncio.wait([task])
    assert task.cancelled()


async def test_a_lock_goes_to_the_user_with_the_least_use() -> None:
    lock, order = FairLock(), list[str]()

    async def hold(user_id: str) -> None:
        with charged(user_id):
            async with lock.locked():
                order.append(user_id)
                await asyncio.sleep(0)

    busy(current(), "mallory", 0.5)
    busy(current(), "bob", 0.1)
    tasks = [asyncio.create_task(hold(user_id)) for user_id in ("mallory", "mallory", "mallory", "bob", "ada")]
    await asyncio.wait(tasks)
    assert order == ["mallory", "ada", "bob", "mallory", "mallory"]


async def test_a_cancelled_waiter_leaves_the_lock_to_others() -> None:
    lock = FairLock()
    async with lock.locked():
        waiter = asyncio.create_task(lock._acquire())
        await asyncio.sleep(0)
        waiter.cancel()
        await asyncio.wait([waiter])
    async with asyncio.timeout(1), lock.locked():
        pass
