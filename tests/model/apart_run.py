"""Agents of several users, mixed at random with restarts and with tokens that are revoked.

`python -m tests.model.apart_run --seed N --steps N` does a run, and prints what was done how often. What is done at
the same time makes each run another one.
"""

from __future__ import annotations

import argparse
import asyncio
import secrets
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from random import Random

import httpx2

from tests.gateway.agents import ByHand, by_hand, message_in
from tests.gateway.test_user_headers import HEADER
from tests.model import apart_rules
from tests.model.apart_house import House, house
from tests.program import Api
from webclient.domain.model import CallState, Era, Json

USERS = ("ada", "bob", "cyd")
SHARED = "shared"
"""The agent that acts for all users, with one token and a header."""

AT_ONCE = 6
"""Agents of one user that do something at the same time."""

TAGS = ("one", "two", "three")
"""The same calls for all, so that equal calls of different users and agents meet."""

PATIENCE = 300.0
"""Seconds within which all calls must have ended after the last step, also on a machine that is busy."""

BETWEEN = 12
"""Responses that agents get between two troubles, at most; on a busy machine as on an idle one."""

CALL_ID = "mcp-webclient/call"

_ENDED = {state.value for state in CallState if state.ended}
_WAYS = ("call",) * 6 + ("leave",) * 6 + ("fetch",) * 6 + ("answer",) * 11 + ("renew",)


@dataclass(eq=False)
class Actor:
    """An agent for one user. `call_ids` are those of its calls that wait, `revoked` whether its token is."""

    user: str
    name: str
    token_id: str
    agents: dict[str, ByHand]
    call_ids: set[str] = field(default_factory=set)
    results: list[Json] = field(default_factory=list)
    revoked: bool = False


class ApartRun:
    """Does so many `steps` of each agent; `done` counts what came of them, and `wrong` is what must not be."""

    def __init__(self, seed: int, steps: int, troubles: int) -> None:
        self.done: Counter[str] = Counter()
        self.wrong: list[str] = []
        self._random = Random(seed)  # noqa: S311  (nothing secret)
        self._steps = steps
        self._troubles = troubles
        self._names = count(1)
        self._actors: list[Actor] = []
        self._left = steps * AT_ONCE * len(USERS)
        self._stack = AsyncExitStack()
        self._house: House
        self._apis: Mapping[str, Api]

    async def go(self) -> None:
        """Do it; what does not hold is in `wrong`."""
        with tempfile.TemporaryDirectory(prefix="apart") as folder:
            async with house(Path(folder), *USERS, "root") as (self._house, self._apis), self._stack:
                for user in USERS:
                    for seat in self._house.seats:
                        await self._apis[user].server(seat)
                    await self._add(user)
                    await self._add(user)
                await self._add(SHARED)
                await self._mix()
                await self._settle()
                await self._judge()

    async def _mix(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            for user in USERS:
                for _number in range(AT_ONCE):
                    tasks.create_task(self._live(user))
            tasks.create_task(self._break())

    async def _live(self, user: str) -> None:
        for _step in range(self._steps):
            self._left -= 1
            actor = self._random.choice([actor for actor in self._actors if actor.user == user])
            with suppress(httpx2.TransportError):
                match self._random.choice(_WAYS):
                    case "call":
                        await self._call(actor, 20)
                    case "leave":
                        await self._call(actor, self._random.random())
                    case "fetch":
                        await self._fetch(actor)
                    case "renew":
                        await self._renew(actor)
                    case _:
                        await self._answer(user)

    async def _break(self) -> None:
        """Stop and kill the program, and kill servers, one after the other."""
        ways = ["stop", "kill", *self._house.seats]
        for number in range(self._troubles):
            await self._until_responses(self._random.randrange(BETWEEN))
            way = ways[number] if number < len(ways) else self._random.choice(ways)
            self.done[f"broken: {way}"] += 1
            match way:
                case "stop":
                    await self._house.restart(signal.SIGTERM)
                case "kill":
                    await self._house.restart(signal.SIGKILL)
                case seat:
                    await self._house.seats[seat].kill()

    async def _until_responses(self, more: int) -> None:
        before = self.done["status 200"]
        while self.done["status 200"] < before + more and self._left:  # noqa: ASYNC110  (a count has no event)
            await asyncio.sleep(0.02)

    async def _add(self, whose: str) -> None:
        """Add an agent with a new token: of a user, or the one that acts for all."""
        is_shared = whose == SHARED
        name = f"{whose}-{next(self._names)}"
        body: Json = {"label": name, "scopes": ["gateway"], "patience": 1}
        body |= {"trust_user_header": HEADER} if is_shared else {}
        made = (await self._house.ask(self._apis["root" if is_shared else whose], "POST", "/tokens", **body)).json()
        for user in USERS if is_shared else (whose,):
            headers = {HEADER: user} if is_shared else None
            agents = {
                seat: await self._stack.enter_async_context(
                    by_hand(self._house.program, made["secret"], seat, Era.ROUNDS, headers)
                )
                for seat in self._house.seats
            }
            self._actors.append(Actor(user, name, made["id"], agents))

    async def _renew(self, actor: Actor) -> None:
        """Revoke the token of an agent, which learns nothing from then on; another one comes with a new token."""
        if actor.revoked:
            return
        shared = actor.name.startswith(SHARED)
        owner = "root" if shared else actor.user
        await self._house.ask(self._apis[owner], "DELETE", f"/tokens/{actor.token_id}")
        for each in self._actors:
            each.revoked = each.revoked or each.token_id == actor.token_id
        self.done["revoked"] += 1
        await self._add(SHARED if shared else actor.user)
        await self._fetch(actor, actor)

    async def _call(self, actor: Actor, seconds: float) -> None:
        """Call, and go away after so many seconds."""
        script = {"tag": self._random.choice(TAGS), "waves": [["form"]], "end": "result", "again": 0, "needs": 0}
        seat = self._random.choice(list(self._house.seats))
        await self._request(actor, seat, {"name": "play", "arguments": script}, seconds)

    async def _fetch(self, actor: Actor, other: Actor | None = None) -> None:
        """Ask for the result of a call, as often as not that of another agent."""
        other = other or self._random.choice([actor, *self._actors])
        if not other.call_ids:
            return
        call_id, seat = self._random.choice(sorted(other.call_ids)), self._random.choice(list(self._house.seats))
        params: Json = {"name": "await_answer", "arguments": {"call": call_id, "wait": 0.2}}
        result = await self._request(actor, seat, params, 5)
        if other is not actor and result and not result.get("isError"):
            self.wrong.append(f"{actor.name} of {actor.user} got {result} of {other.name} of {other.user}")

    async def _request(self, actor: Actor, seat: str, params: Json, seconds: float) -> Json | None:
        was_revoked = actor.revoked
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                response = await actor.agents[seat].send("tools/call", params)
                self.done[f"status {response.status_code}"] += 1
                if was_revoked and (response.status_code != 401 or "said" in response.text):
                    self.wrong.append(f"{actor.name} is revoked, and got {response.status_code} {response.text}")
                return None if response.status_code != 200 else self._got(actor, message_in(response))
        self.done["gone"] += 1
        return None

    def _got(self, actor: Actor, message: Json) -> Json | None:
        result: Json | None = message.get("result")
        if result is None:
            self.done[f"error {message['error']['message']}"] += 1
        elif call_id := result.get("_meta", {}).get(CALL_ID):
            self.done["waits"] += 1
            actor.call_ids.add(call_id)
        elif "structuredContent" in result:
            self.done["results"] += 1
            actor.results.append(result["structuredContent"])
        else:
            self.done[f"refused: {result['content'][0]['text'].partition('“')[0][:60]}"] += 1
        return result

    async def _answer(self, user: str) -> None:
        """Answer a question of a user with their name and its id."""
        api = self._apis[user]
        found = (await self._house.ask(api, "GET", "/requests?state=pending")).json()["requests"]
        if found:
            request = self._random.choice(found)
            content = {"name": f"{user} {request['id']}"}
            await api.post(f"/requests/{request['id']}/answer", json={"action": "accept", "content": content})

    async def _settle(self) -> None:
        """Wait for the end of what revoked agents began, let the others call once more, and answer everything."""
        revoked = {actor.token_id for actor in self._actors if actor.revoked}
        await self._until_ended(revoked)
        await asyncio.gather(*(self._call(actor, PATIENCE) for actor in self._actors if not actor.revoked))
        await self._until_ended()
        for actor in self._actors:
            for call_id in sorted(actor.call_ids):
                for seat in self._house.seats:
                    params: Json = {"name": "await_answer", "arguments": {"call": call_id, "wait": 0}}
                    await self._request(actor, seat, params, PATIENCE)

    async def _until_ended(self, of: set[str] | None = None) -> None:
        try:
            async with asyncio.timeout(PATIENCE):
                while left := [call for user in USERS for call in await self._open(user, of)]:
                    if of is None:
                        for user in USERS:
                            await self._answer(user)
                    await asyncio.sleep(0.1)
        except TimeoutError:
            self.wrong += [f"call {call} does not end" for call in left]

    async def _open(self, user: str, of: set[str] | None) -> list[Json]:
        calls = await self._house.all(self._apis[user], "calls")
        return [each for each in calls if each["state"] not in _ENDED and (of is None or each["via"]["token_id"] in of)]

    async def _judge(self) -> None:
        testimonies = []
        for seat in self._house.seats.values():
            seat.testimony.read(0)
            testimonies.append(seat.testimony)
        for user in USERS:
            calls, requests = [await self._house.all(self._apis[user], what) for what in ("calls", "requests")]
            self.done.update(f"call {call['state']} {call.get('error', {}).get('reason_code', '')}" for call in calls)
            results = [(actor.token_id, each) for actor in self._actors if actor.user == user for each in actor.results]
            self.wrong += apart_rules.broken(user, calls, requests, results, testimonies)


def main() -> None:
    """Do a run as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2**32))
    parser.add_argument("--steps", type=int, default=25)
    parser.add_argument("--troubles", type=int, default=15)
    given = parser.parse_args()
    run = ApartRun(given.seed, given.steps, given.troubles)
    asyncio.run(run.go())
    for what, times in sorted(run.done.items()):
        print(f"{times:8} {what}")  # noqa: T201
    sys.exit("\n".join(run.wrong) or None)


if __name__ == "__main__":
    main()
