"""Agents of several users, mixed at random: each gets the results of its own calls, with its own user's answers."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import httpx2
import pytest

from tests.gateway.agents import ByHand, by_hand, message_in, token
from tests.gateway.test_user_headers import HEADER
from tests.mcp_servers import asker_entries
from tests.program import Api, program
from tests.test_reload import AS_PROXY, as_user
from webclient.domain.model import Era, Json

pytestmark = pytest.mark.anyio

USERS = ("ada", "bob", "cyd")
SERVERS = ("push", "rounds")
SHARED = "shared"
"""The agent that acts for all users, with one token and a header."""

STEPS = 25
AT_ONCE = 6
"""Agents of one user that do something at the same time."""

WORDS = ("one", "two", "three")
"""The same questions for all, so that equal calls of different users and agents meet."""


@dataclass
class Actor:
    """An agent for one user. `call_ids` are those of its calls that wait."""

    user: str
    name: str
    agents: dict[str, ByHand]
    call_ids: list[str] = field(default_factory=list)
    results: list[Json] = field(default_factory=list)


@dataclass
class Run:
    """The program, what its users do, and their agents."""

    random: Random
    apis: dict[str, Api]
    actors: list[Actor]
    stolen: list[str] = field(default_factory=list)
    done: Counter[str] = field(default_factory=Counter)

    async def call(self, actor: Actor, seconds: float) -> None:
        """Call, and go away after so many seconds."""
        server = self.random.choice(SERVERS)
        asks = {"name": "ask_form", "arguments": {"message": self.random.choice(WORDS)}}
        await self._request(actor, server, asks, seconds)

    async def fetch(self, actor: Actor) -> None:
        """Ask for the result of a call, as often as not that of another agent."""
        other = self.random.choice([actor, *self.actors])
        if not other.call_ids:
            return
        call_id, server = self.random.choice(other.call_ids), self.random.choice(SERVERS)
        params: Json = {"name": "await_answer", "arguments": {"call": call_id, "wait": 0.2}}
        result = await self._request(actor, server, params, 5, keeps=other is actor)
        if other is not actor and result and not result.get("isError"):
            self.stolen.append(f"{actor.name} of {actor.user} got {result} of {other.name} of {other.user}")

    async def _request(
        self, actor: Actor, server: str, params: Json, seconds: float, *, keeps: bool = True
    ) -> Json | None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                response = await actor.agents[server].send("tools/call", params)
                if response.status_code != 200:
                    self.done[f"status {response.status_code}"] += 1
                    return None
                result: Json = message_in(response).get("result", {})
                if call_id := result.get("_meta", {}).get("mcp-webclient/call"):
                    self.done["waits"] += 1
                    actor.call_ids.append(call_id)
                elif "structuredContent" in result and keeps:
                    self.done["results"] += 1
                    actor.results.append(result["structuredContent"])
                return result
        self.done["gone"] += 1
        return None

    async def answer(self, user: str) -> None:
        """Answer a question of a user with their name and its id."""
        api = self.apis[user]
        found = (await api.json("GET", "/requests", params={"state": "pending"}))["requests"]
        if found:
            request = self.random.choice(found)
            content = {"name": f"{user} {request['id']}"}
            await api.post(f"/requests/{request['id']}/answer", json={"action": "accept", "content": content})

    async def check(self) -> None:
        """Check that each agent got results of its own calls, answered by its own user."""
        assert self.stolen == []
        for actor in self.actors:
            requests = (await self.apis[actor.user].json("GET", "/requests", params={"limit": 200}))["requests"]
            # A question over stdio, during several calls, names none of them.
            calls = {request["id"]: request.get("call_id") for request in requests}
            for result in actor.results:
                user, request_id = result["content"]["name"].split()
                assert user == actor.user
                if call_id := calls[request_id]:
                    call = await self.apis[user].json("GET", f"/calls/{call_id}")
                    assert call["via"]["label"] == actor.name


@asynccontextmanager
async def _run(folder: Path, seed: int) -> AsyncIterator[Run]:
    async with (
        program(folder, servers=asker_entries(), options=AS_PROXY) as running,
        AsyncExitStack() as stack,
    ):
        apis = {name: await stack.enter_async_context(as_user(running, name)) for name in (*USERS, "root")}
        shared = await token(apis["root"], SHARED, trust_user_header=HEADER, patience=1)
        actors = []
        for user in USERS:
            for server in SERVERS:
                await apis[user].server(server)
            own = {name: await token(apis[user], name, patience=1) for name in ("first", "second")}
            for name, secret in (own | {SHARED: shared}).items():
                agents = {
                    server: await stack.enter_async_context(
                        by_hand(running, secret, server, Era.ROUNDS, {HEADER: user} if name == SHARED else None)
                    )
                    for server in SERVERS
                }
                actors.append(Actor(user, name, agents))
        yield Run(Random(seed), apis, actors)  # noqa: S311  (nothing secret)


async def test_no_result_goes_to_another_users_agent(tmp_path: Path) -> None:
    seed = secrets.randbelow(2**32)
    print(f"To repeat: seed {seed}")  # noqa: T201  (pytest shows it with a failure)
    async with _run(tmp_path, seed) as run:

        async def live(user: str) -> None:
            theirs = [actor for actor in run.actors if actor.user == user]
            for _step in range(STEPS):
                actor = run.random.choice(theirs)
                way = run.random.choice(("call", "leave", "fetch", "answer", "answer"))
                with suppress(httpx2.TransportError):
                    if way in ("call", "leave"):
                        await run.call(actor, 20 if way == "call" else run.random.random())
                    elif way == "fetch":
                        await run.fetch(actor)
                    else:
                        await run.answer(user)

        async with asyncio.TaskGroup() as tasks:
            for user in USERS:
                for _number in range(AT_ONCE):
                    tasks.create_task(live(user))
        await run.check()
        # It was a run in which results went out, also to agents that came back.
        assert run.done["results"] > len(run.actors), run.done
        assert run.done["waits"], run.done
        assert run.done["gone"], run.done
