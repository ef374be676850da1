"""Holds the dialogues: through the program, over its API, and keeps what each server asked and said."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from tests.program import Api, program
from tests.real import binaries, python, typescript_1, typescript_2
from tests.real.published import ROUNDS, Dialogue, Published
from tests.real.started import Reached, started
from webclient.domain.model import Json

SERVERS: list[Published] = [*typescript_1.SERVERS, *typescript_2.SERVERS, *python.SERVERS, *binaries.SERVERS]

AT_ONCE = 4
"""Servers that are talked to at the same time; their starting is what costs."""

PATIENCE = 60.0
"""Seconds after which something that should have happened is taken not to happen."""

SETTLED = {"accept": ("accepted", "waiting"), "decline": ("declined",), "cancel": ("cancelled",)}

T = TypeVar("T")


@dataclass(slots=True)
class Outcome:
    """The outcome of the dialogues with a server: its requests, how many dialogues were completed, and all mistakes."""

    way: Reached
    requests: list[str] = field(default_factory=list)
    completed: int = 0
    tools: int = 0
    wrong: list[str] = field(default_factory=list)

    def note(self, request: Json) -> None:
        """Note what the request asks for, once."""
        wanted = summary(request["params"])
        if wanted not in self.requests:
            self.requests.append(wanted)


async def outcomes(folder: Path, servers: Sequence[Published] = SERVERS) -> list[Outcome]:
    """Start the servers and the program, and complete every dialogue."""
    (folder / "servers").mkdir()
    async with started(servers, folder / "servers") as ways:
        entries = {way.label: way.entry for way in ways}
        async with program(folder, servers=entries) as served, served.client() as api:
            turns = asyncio.Semaphore(AT_ONCE)
            return await asyncio.gather(*(_outcome(api, way, turns) for way in ways))


async def _outcome(api: Api, way: Reached, turns: asyncio.Semaphore) -> Outcome:
    outcome = Outcome(way)
    try:
        server = await connected(api, way.label)
    except (AssertionError, TimeoutError) as error:
        outcome.wrong.append(f"{way.label}: does not connect: {error}")
        return outcome
    if (server["protocol_version"] == ROUNDS) is not (way.era is ROUNDS):
        outcome.wrong.append(f"{way.label}: speaks {server['protocol_version']}")
    async with turns:
        try:
            outcome.tools = len((await api.json("GET", f"/servers/{server['id']}/tools"))["tools"])
        except AssertionError as error:
            outcome.wrong.append(f"{way.label}: does not list its tools: {error}")
            return outcome
        for dialogue in way.server.dialogues[way.era]:
            try:
                async with asyncio.timeout(PATIENCE):
                    await _complete(api, server["id"], dialogue, outcome)
            except (AssertionError, TimeoutError, ValueError) as error:
                outcome.wrong.append(f"{way.label}: {dialogue.tool} {list(dialogue.answers)}: {error!r}")
            outcome.completed += 1
    return outcome


async def _complete(api: Api, server_id: str, dialogue: Dialogue, outcome: Outcome) -> None:
    before = [request["id"] for request in await _requests(api, server_id)]

    async def new_request() -> Json | None:
        return next((each for each in await _requests(api, server_id) if each["id"] not in before), None)

    body = {"server_id": server_id, "kind": "tool", "name": dialogue.tool, "arguments": dialogue.arguments}
    call = await api.json("POST", "/calls", 202, json=body)
    if dialogue.beside:
        call = await _end_of(api, call)
    for answer in dialogue.answers:
        request = await _until(api, new_request)
        before.append(request["id"])
        outcome.note(request)
        assert request["state"] == "pending", request
        answered = await api.answer(request, **answer)
        assert answered["state"] in SETTLED[answer["action"]], answered
        if dialogue.beside:
            await _delivered(api, request)
    call = await _end_of(api, call)
    assert await new_request() is None, "it asks once more"
    _said(call, dialogue)


async def _end_of(api: Api, call: Json) -> Json:
    while call["state"] in ("running", "input_required"):
        call = await api.json("GET", f"/calls/{call['id']}", params={"wait": 10})
    return call


async def _delivered(api: Api, request: Json) -> None:
    """Wait until the server has taken the answer, of which it says nothing."""

    async def look() -> Json | None:
        newest: Json = await api.json("GET", f"/requests/{request['id']}")
        return newest if newest["delivery"] == "delivered" else None

    # What a child says next shows that it has read the answer.
    await api.json("GET", f"/servers/{request['server_id']}/tools")
    await _until(api, look)


def _said(call: Json, dialogue: Dialogue) -> None:
    """Compare what the server says that it got with what it should have got."""
    if dialogue.reconnect_with:
        assert (call.get("error") or {}).get("reconnect_with") == dialogue.reconnect_with, call
        return
    text = "\n".join(block.get("text", "") for block in (call.get("result") or {}).get("content", []))
    if isinstance(dialogue.says, int):
        assert call["state"] == "failed", call
        assert call["error"].get("code") == dialogue.says, call
        return
    if isinstance(dialogue.says, str):
        assert dialogue.says in text, call
        return
    sent, _end = json.JSONDecoder().raw_decode(text[text.index("{") :])
    assert sent == dialogue.says, text


async def _requests(api: Api, server_id: str) -> list[Json]:
    requests: list[Json] = (await api.json("GET", "/requests", params={"server_id": server_id}))["requests"]
    return requests


async def connected(api: Api, label: str) -> Json:
    """Wait until the server of this label is connected, and return it."""

    async def look() -> Json | None:
        servers = (await api.json("GET", "/servers"))["servers"]
        server: Json = next(each for each in servers if each["label"] == label)
        assert server["state"] != "error", server["error"]
        return server if server["state"] == "connected" else None

    return await _until(api, look)


async def _until(api: Api, look: Callable[[], Awaitable[T | None]]) -> T:
    """Look again after each event until there is something to see."""
    async with asyncio.timeout(PATIENCE), api.stream("GET", "/events", timeout=None) as events:
        lines = events.aiter_lines()
        while True:
            seen = await look()
            if seen is not None:
                return seen
            await anext(lines)


def summary(params: Json) -> str:
    """Say in short what a request asks for: a link, a message, a confirmation, or the fields of a form."""
    if "url" in params:
        return "a link"
    if "messages" in params:
        return "a message of a model, with tools" if params.get("tools") else "a message of a model"
    fields = params.get("requestedSchema", {}).get("properties", {})
    return ", ".join(f"`{name}` ({_kind(schema)})" for name, schema in fields.items()) or "a confirmation"


def _kind(schema: Json) -> str:
    if schema.get("type") == "array":
        return "choices"
    if "enum" in schema or "oneOf" in schema:
        return "choice"
    return str(schema.get("format") or {"string": "text"}.get(schema.get("type", ""), schema.get("type", "anything")))
