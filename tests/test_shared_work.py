"""Work that several callers want at once is done once; a caller that leaves takes it from no other."""

from __future__ import annotations

import asyncio

import pytest

from webclient.support import shared_work
from webclient.support.shared_work import SharedWork

pytestmark = pytest.mark.anyio


class Work:
    """Counts its runs, and waits until it may end."""

    def __init__(self) -> None:
        self.times = 0
        self.may_end = asyncio.Event()

    async def __call__(self) -> int:
        self.times += 1
        await self.may_end.wait()
        return self.times


async def test_callers_of_one_key_share_one_run() -> None:
    shared, work = SharedWork[int](), Work()
    calls = [asyncio.create_task(shared.get("key", work)) for _page in range(3)]
    await asyncio.sleep(0)
    work.may_end.set()
    assert await asyncio.gather(*calls, shared.get("key", work)) == [1, 1, 1, 1]
    assert await shared.get("other", work) == 2


async def test_a_caller_that_leaves_takes_nothing_from_the_others() -> None:
    shared, work = SharedWork[int](), Work()
    first, second = (asyncio.create_task(shared.get("key", work)) for _page in range(2))
    await asyncio.sleep(0)
    first.cancel()
    work.may_end.set()
    assert await second == 1


async def test_a_later_caller_gets_a_new_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_work, "LIFETIME", -1)
    shared, work = SharedWork[int](), Work()
    work.may_end.set()
    assert [await shared.get("key", work) for _time in range(2)] == [1, 2]


async def test_a_failure_is_not_given_to_later_callers() -> None:
    shared, work = SharedWork[int](), Work()
    work.may_end.set()

    async def fail() -> int:
        raise FileNotFoundError

    with pytest.raises(FileNotFoundError):
        await shared.get("key", fail)
    assert await shared.get("key", work) == 1
