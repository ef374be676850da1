"""When tasks are polled: as often as their servers wish, within bounds, and all together only so often."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from time import monotonic

import pytest

from webclient.calls import polling
from webclient.calls.polling import FASTEST, JITTER, MOST_POLLS, SLOWEST, USUAL, PollScheduler, wish_of
from webclient.domain.model import Task

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("wished", "seconds"), [(None, USUAL), (2000, 2), (1, FASTEST), (0, FASTEST), (10**9, SLOWEST), (60_000, 60)]
)
def test_the_servers_interval_is_kept_within_bounds(wished: int | None, seconds: float) -> None:
    """X3. Extension Tasks (SEP-2663), Polling: clients SHOULD respect `pollIntervalMs`, which MAY change."""
    assert wish_of(Task(id="t", poll_interval=wished)) == seconds


@pytest.mark.parametrize("wish", [FASTEST, USUAL, SLOWEST])
def test_a_pause_is_never_shorter_than_wished(wish: float) -> None:
    pauses = [PollScheduler().pause(wish) for _ in range(100)]
    assert wish <= min(pauses) < max(pauses) <= wish * (1 + JITTER)


@pytest.mark.parametrize(("ttl", "seconds"), [(4000, 2), (0, FASTEST), (60_000, USUAL)])
def test_a_task_that_lives_shorter_is_polled_before_it_ends(ttl: int, seconds: float) -> None:
    assert wish_of(Task(id="t", ttl=ttl)) == seconds


@pytest.mark.parametrize(("ttl", "seconds"), [(None, SLOWEST), (60_000, 30)])
def test_a_notified_task_is_polled_to_be_sure(ttl: int | None, seconds: float) -> None:
    assert wish_of(Task(id="t", poll_interval=1000, ttl=ttl), is_notified=True) == seconds


def test_failed_polls_are_made_again_later_and_later() -> None:
    wishes = [wish_of(Task(id="t", poll_interval=1000), failures) for failures in range(2000)]
    assert wishes[:7] == [1, 2, 4, 8, 16, 32, SLOWEST]
    assert wishes == sorted(wishes)


@pytest.mark.parametrize("slow", [0, 1, 50])
def test_many_tasks_are_polled_less_often(slow: int) -> None:
    """All tasks together are polled `MOST_POLLS` times a second; who wishes for less is left alone."""
    scheduler = PollScheduler()
    with ExitStack() as stack:
        for number in range(200):
            polls = stack.enter_context(scheduler.polling(str(number)))
            polls.wish = SLOWEST if number < slow else FASTEST
        pause = scheduler.pause(FASTEST)
        shared = (200 - slow) / (MOST_POLLS - slow / SLOWEST)
        assert shared * 0.999 <= pause <= shared * (1 + JITTER) * 1.001
        assert scheduler.pause(SLOWEST) <= SLOWEST * (1 + JITTER)
    assert scheduler.pause(FASTEST) < 1


async def test_a_hurried_poll_comes_at_once_and_only_so_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """R6 and X3: a notification brings the next poll forward; a thousand do not flood the server."""
    monkeypatch.setattr(polling, "FASTEST", 0.05)
    scheduler = PollScheduler()
    slow = Task(id="t", poll_interval=60_000)
    with scheduler.polling("c1") as polls:
        waiting = asyncio.create_task(polls.until_due(slow))
        await asyncio.sleep(0)
        assert scheduler.next_at("c1")
        began = monotonic()
        for _ in range(1000):
            polls.hurry()
        await waiting
        polls.hurry()
        await polls.until_due(slow)
        assert 0.05 <= monotonic() - began < 50
    assert scheduler.next_at("c1") is None


def test_many_tasks_of_one_user_slow_no_other_users() -> None:
    scheduler = PollScheduler()
    with ExitStack() as stack:
        for number in range(200):
            stack.enter_context(scheduler.polling(str(number), "mallory")).wish = FASTEST
        stack.enter_context(scheduler.polling("hers", "ada")).wish = FASTEST
        # Hers is polled as often as alone, and mallory's have the rest.
        assert scheduler.pause(FASTEST, "ada") <= FASTEST * (1 + JITTER)
        shared = 200 / (MOST_POLLS - 1 / FASTEST)
        assert shared * 0.999 <= scheduler.pause(FASTEST, "mallory") <= shared * (1 + JITTER) * 1.001
