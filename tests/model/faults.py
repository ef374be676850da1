"""Actions of servers, and faults: of servers, of the line to them, and of the program."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from datetime import timedelta
from typing import Any

from tests.model.agents import leave
from tests.model.doing import Doing
from webclient.domain.model import LOCAL_USER, ReasonCode, now

_RESUMABLE = """calls WHERE state = 'input_required'
    AND id IN (SELECT call_id FROM requests WHERE state = 'pending' AND origin != 'pushed')
    AND id NOT IN (SELECT call_id FROM requests WHERE state = 'pending' AND origin != 'pushed'
        AND expires_at < '{now}')
    AND id NOT IN (SELECT call_id FROM requests WHERE state NOT IN ('pending', 'waiting', 'completed')
        AND origin = 'required')"""
"""The calls that wait for a person between two rounds, and need nothing but the database.

Two sorts are left out: calls that fail soon because a link that they need will not be opened, and calls that continue
soon because a request has passed its deadline, which the program has not noticed yet.
"""


async def complete(do: Doing) -> str:
    """Have a server notify that a link is done, whether it was opened or not."""
    link = await do.one_of("state IN ('pending', 'waiting') AND kind = 'url'")
    if link is None:
        return "nothing"
    do.later(do.seat_of(link).tell(do="complete", id=link.params["elicitationId"]))
    return str(link.params["message"])


async def withdraw(do: Doing) -> str:
    """Have a server withdraw its requests of a call."""
    begun = [do.ledger.calls[id_] for id_ in do.running_calls() if id_ in do.ledger.calls]
    if not begun:
        return "nothing"
    call = do.random.choice(begun)
    do.later(do.world.seats[call.seat].tell(do="withdraw", tag=call.script["tag"]))
    return str(call.script["tag"])


async def run_out(do: Doing) -> str:
    """Let the time of a request run out."""
    request = await do.pending()
    if request is None:
        return "nothing"
    do.ledger.expired.add(request.id)
    services = do.world.services
    await services.store.of(LOCAL_USER).requests.extend(request.id, now() - timedelta(seconds=1))
    services.deadlines.check()
    return str(request.params["message"])


async def kill_witness(do: Doing) -> str:
    """Kill a server's process."""
    seat = do.troubled()
    do.ledger.forgotten.add(seat.name)
    await seat.kill()
    return seat.name


async def cut(do: Doing) -> str:
    """Cut the connections to a server that listens."""
    seat = do.random.choice([seat for seat in do.world.seats.values() if seat.proxy])
    do.ledger.troubles[seat.name] += 1
    assert seat.proxy
    seat.proxy.cut()
    return seat.name


async def forget(do: Doing) -> str:
    """Let a server forget all its clients, and what it asked them."""
    seat = do.troubled()
    do.ledger.forgotten.add(seat.name)
    await seat.tell(do="forget")
    return seat.name


async def stop_core(do: Doing) -> str:
    """Stop the program, and start it again."""
    return await _restart(do, do.world.stop)


async def kill_core(do: Doing) -> str:
    """Kill the program, and start it again."""
    return await _restart(do, do.world.kill)


async def _restart(do: Doing, end: Callable[[], Coroutine[Any, Any, None]]) -> str:
    calmly = do.random.random() < 0.5
    if calmly:
        await do.quiet()
    resumable = do.world.ids(_RESUMABLE.format(now=now().replace(tzinfo=None))) if calmly else []
    for seat in do.world.seats:
        do.ledger.troubles[seat] += 1
    await end()
    do.ledger.restarts += 1
    await leave(do)
    await do.quiet()
    await do.world.start()
    ended = [
        await do.world.services.store.of(LOCAL_USER).calls.get(id_)
        for id_ in resumable
        if id_ not in do.running_calls()
    ]
    # An agent may have cancelled its call just before.
    ended = [each for each in ended if each.reason_code is not ReasonCode.AGENT_CANCELLED]
    do.ledger.lost += [f"call {each.id} did not outlive a restart: {each.state} ({each.error})" for each in ended]
    return "while nothing else goes on" if calmly else ""
