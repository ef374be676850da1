"""Which step is done next, by the seed: how often each is, and the pause after it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from tests.model import agents, faults, people
from tests.model.doing import Doing

MOST_CALLS = 14
"""Calls that are open at the same time; beyond that, answers come first."""

PAUSES = (0, 0, 0, 0.001, 0.003, 0.01)
"""Seconds between two steps, so that what was begun gets differently far."""


async def step(do: Doing) -> str:
    """Do one thing, and return in words what it was."""
    ways, weights = zip(*_WAYS.items(), strict=True)
    [way] = do.random.choices(ways, weights)
    if way in (people.call, agents.agent_calls) and len(do.running_calls()) >= MOST_CALLS:
        way = do.random.choice((people.answer, people.finish, people.cancel))
    done = f"{way.__name__} {await way(do)}"
    await asyncio.sleep(do.random.choice(PAUSES))
    return done


_WAYS: dict[Callable[[Doing], Coroutine[Any, Any, str]], int] = {
    people.call: 200,
    people.answer: 300,
    people.answer_twice: 40,
    people.answer_wrongly: 20,
    people.answer_late: 20,
    people.decline_all: 4,
    people.finish: 100,
    people.give_up: 30,
    faults.complete: 40,
    people.cancel: 40,
    faults.withdraw: 30,
    people.more_time: 10,
    faults.run_out: 20,
    people.mute: 5,
    people.unmute: 20,
    people.retry: 30,
    people.disconnect: 6,
    people.connect: 20,
    agents.agent_calls: 100,
    agents.agent_comes_back: 150,
    agents.agent_doubles: 10,
    agents.agent_leaves: 60,
    agents.agent_cancels: 6,
    agents.agent_steals: 10,
    agents.revoke_agent: 2,
    faults.kill_witness: 8,
    faults.cut: 10,
    faults.forget: 8,
    faults.stop_core: 4,
    faults.kill_core: 4,
}
"""How often each is done, among a thousand or so."""
