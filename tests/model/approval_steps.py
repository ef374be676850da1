"""The steps of a run of approvals: agents propose, a person decides, and everything fails at any moment."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from datetime import timedelta
from itertools import count
from typing import Any

from tests.model import agents, faults
from tests.model.doing import Doing, tolerant
from tests.model.ledger import Errand
from webclient.domain.approvals import proposed
from webclient.domain.model import LOCAL_USER, Action, InputRequest, Json, Rule, Then, Via, now
from webclient.inbox import RESPOND, check_answer

MOST_CALLS = 14
"""Calls that are open at the same time; beyond that, the person decides first."""

PAUSES = (0, 0, 0, 0.001, 0.003, 0.01)
"""Seconds between two steps, so that what was begun gets differently far."""

AMOUNTS = 3
"""Amounts that are proposed, so that an edit may make what was proposed elsewhere."""

RULES = (
    Rule(id="a", then=Then.ASK, tool="act"),
    Rule(id="b", then=Then.ASK, tool="a*"),
    Rule(id="c", then=Then.ASK, tool="act", arguments={"required": ["amount"]}),
    Rule(id="d", then=Then.REFUSE, tool="act"),
)
"""The rules, one at a time: every one asks, or refuses; none lets a call run that was not approved."""

_edited = count(1000)


async def step(do: Doing) -> str:
    """Do one thing, and return in words what it was."""
    ways, weights = zip(*_WAYS.items(), strict=True)
    [way] = do.random.choices(ways, weights)
    if way in (propose, propose_again) and len(do.running_calls()) >= MOST_CALLS:
        way = decide
    done = f"{way.__name__} {await way(do)}"
    await asyncio.sleep(do.random.choice(PAUSES))
    return done


async def propose(do: Doing) -> str:
    """Have an agent propose a call."""
    arguments: Json = {"tag": f"t{next(do.tags)}", "amount": do.random.randrange(AMOUNTS)}
    return _send(do, Errand(await agents.some_agent(do), do.seat().name, arguments, do.ledger.restarts, tool="act"))


async def propose_again(do: Doing) -> str:
    """Have an agent propose once more what has come to an end: it is asked about again."""
    over = [errand for errand in do.ledger.errands[-50:] if errand.over and not errand.revoked]
    if not over:
        return "nothing"
    before = do.random.choice(over)
    return _send(do, Errand(before.agent, before.seat, before.script, do.ledger.restarts, tool="act"))


def _send(do: Doing, errand: Errand) -> str:
    do.ledger.errands.append(errand)
    agents.send(do, errand)
    return f"{errand.script} of {errand.agent.id} at {errand.seat}"


async def decide(do: Doing) -> str:
    """Decide on a call in any way."""
    request = await do.pending()
    if request is None:
        return "nothing"
    decision = _decision(do, request)
    do.later(tolerant(_decide(do, request, *decision)))
    return f"{proposed(request)[1]} {decision}"


async def decide_twice(do: Doing) -> str:
    """Decide on a call in two tabs at the same moment."""
    request = await do.pending()
    if request is None:
        return "nothing"
    decisions = _decision(do, request), _decision(do, request)
    for each in decisions:
        do.later(tolerant(_decide(do, request, *each)))
    return f"{proposed(request)[1]} {decisions}"


async def decide_and_kill(do: Doing) -> str:
    """Decide on a call, and kill the program before, while or after it is sent."""
    request = await do.pending()
    if request is None:
        return "nothing"
    await tolerant(_decide(do, request, Action.ACCEPT, None, None))
    await asyncio.sleep(do.random.choice(PAUSES))
    return f"{proposed(request)[1]} {await faults.kill_core(do)}"


async def decide_late(do: Doing) -> str:
    """Decide on a call that was decided before."""
    request = await do.one_of("state != 'pending'")
    if request is None:
        return "nothing"
    await tolerant(_decide(do, request, *_decision(do, request)))
    return f"{proposed(request)[1]}"


async def run_out(do: Doing) -> str:
    """Let the time of a question run out."""
    request = await do.pending()
    if request is None:
        return "nothing"
    services = do.world.services
    await services.store.of(LOCAL_USER).requests.extend(request.id, now() - timedelta(seconds=1))
    services.deadlines.check()
    return f"{proposed(request)[1]}"


async def change_tool(do: Doing) -> str:
    """Have a server change its tool."""
    seat = do.seat()
    do.later(seat.tell(do="renew"))
    return seat.name


async def change_rule(do: Doing) -> str:
    """Change the rule; one that refuses is rare."""
    [rule] = do.random.choices(RULES, (6, 6, 6, 1))
    await tolerant(do.world.services.store.rules.change(LOCAL_USER, lambda _before: [rule]))
    return f"{rule.then} {rule.id}"


async def _decide(do: Doing, request: InputRequest, action: Action, content: Json | None, words: str | None) -> None:
    newest = await do.world.services.store.of(LOCAL_USER).requests.get(request.id)
    answer = await check_answer(newest, action, content, message=words)
    await do.world.services.inbox.answer(answer, via=Via.PAGE)


def _decision(do: Doing, request: InputRequest) -> tuple[Action, Json | None, str | None]:
    """Return a decision: mostly a yes, as proposed or with another amount."""
    edited: Json = {"arguments": proposed(request)[1] | {"amount": next(_edited)}}
    ways: tuple[tuple[Action, Json | None], ...] = (
        (Action.ACCEPT, None),
        (Action.ACCEPT, edited),
        (Action.ACCEPT, {RESPOND: "I did it."}),
        (Action.DECLINE, None),
        (Action.CANCEL, None),
    )
    [(action, content)] = do.random.choices(ways, (50, 20, 5, 15, 5))
    return action, content, "No, never." if action is Action.DECLINE else None


_WAYS: dict[Callable[[Doing], Coroutine[Any, Any, str]], int] = {
    propose: 200,
    propose_again: 30,
    decide: 220,
    decide_twice: 40,
    decide_late: 10,
    decide_and_kill: 4,
    run_out: 15,
    change_tool: 10,
    change_rule: 10,
    agents.agent_comes_back: 250,
    agents.agent_doubles: 30,
    agents.agent_leaves: 60,
    agents.agent_cancels: 6,
    agents.agent_steals: 5,
    agents.revoke_agent: 1,
    faults.kill_witness: 5,
    faults.cut: 6,
    faults.stop_core: 2,
    faults.kill_core: 4,
}
"""How often each is done, among a thousand or so."""
