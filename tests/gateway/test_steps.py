"""The progress of a call on its way to an agent: at the pace of the agent, and a sign of life meanwhile."""

from __future__ import annotations

import asyncio

import pytest

from webclient.domain.model import Json
from webclient.gateway import steps as module
from webclient.gateway.steps import MOST_MESSAGES, Step, Steps

pytestmark = pytest.mark.anyio


async def test_a_slow_agent_gets_the_newest_step() -> None:
    sent: list[float] = []
    may_go_on, last = asyncio.Event(), asyncio.Event()

    async def report(progress: float, _total: float | None, _message: str | None) -> None:
        sent.append(progress)
        if progress == 4:
            last.set()
        await may_go_on.wait()

    async with Steps(report) as steps:
        for progress in range(1, 5):
            steps.note(progress, None, None)
            await asyncio.sleep(0)
        may_go_on.set()
        await last.wait()
    assert sent == [1, 4]


async def test_an_agent_sees_that_a_person_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SIGN_OF_LIFE", 0.01)
    sent: asyncio.Queue[Step] = asyncio.Queue()

    async def report(*step: object) -> None:
        sent.put_nowait(step)  # type: ignore[arg-type]

    async with Steps(report) as steps:
        steps.waits = lambda: True
        steps.note(3, 9, "working")
        assert await sent.get() == (3, 9, "working")
        first, second = await sent.get(), await sent.get()
    assert 3 < first[0] < second[0] < 3.1
    assert first[1:] == (9, "Waiting for a person")


async def test_the_newest_messages_go_out_before_the_result() -> None:
    """Also to an agent that reads slowly, while the server goes on at its own speed."""
    sent: list[object] = []

    async def report(*_step: object) -> None:
        sent.append("step")

    async def send(_method: str, params: Json | None) -> None:
        await asyncio.sleep(0)
        sent.append((params or {})["n"])

    async with Steps(report, send, lambda _method, params: params["n"] != 998) as steps:
        for number in range(1000):
            steps.add("notifications/message", {"n": number})
        steps.note(1, None, None)
    assert sent == [*range(999 - MOST_MESSAGES, 998), 999, "step"]


async def test_an_agent_that_goes_at_the_last_moment_leaves_no_task() -> None:
    async def report(*_step: object) -> None:
        pass

    steps = await Steps(report).__aenter__()
    leaving = asyncio.create_task(steps.__aexit__(None, None, None))
    await asyncio.sleep(0)
    leaving.cancel()
    await asyncio.wait([leaving])
    assert leaving.cancelled()
    assert steps._task
    await asyncio.wait([steps._task], timeout=10)
    assert steps._task.done()
