"""Agents that call through the gateway: they wait, lose patience, go away, come back, cancel and are revoked."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from dataclasses import replace
from typing import cast

from starlette.types import Message
from starlette.types import Scope as HTTPScope

from tests.model.doing import LATE, Doing
from tests.model.ledger import Errand
from tests.model.people import script_for
from webclient.auth import Scope, new_token
from webclient.domain.errors import TooManyError
from webclient.domain.model import LOCAL_USER, Json, ProgramToken, SignInKey, SignInKind
from webclient.gateway import Visit
from webclient.store import StorageError

AGENTS = 3
"""Agents at the same time."""

CALL_ID = "mcp-webclient/call"

PATIENCE = 30.0
"""Seconds within which the requests of agents that have gone must have ended."""

_REFUSALS = ("ot connected", "Send it again", "has gone", "is the limit", "database", "is ending")

_PATIENCES = (0.01, 0.05, 0.3, 60)


async def agent_calls(do: Doing) -> str:
    """Have an agent call."""
    token = await some_agent(do)
    seat = do.seat()
    errand = Errand(token, seat.name, script_for(do, seat), do.ledger.restarts)
    do.ledger.errands.append(errand)
    send(do, errand)
    return f"{errand.tag} of {token.id} at {seat.name}: {errand.script}"


async def agent_comes_back(do: Doing) -> str:
    """Have an agent that has gone send its call again, or fetch its result."""
    gone = [errand for errand in _open(do) if not errand.sent]
    if not gone:
        return "nothing"
    errand = do.random.choice(gone)
    fetches = bool(errand.call_id) and do.random.random() < 0.5
    send(do, errand, fetches=fetches)
    return f"{errand.tag} {'to fetch it' if fetches else 'again'}"


async def agent_doubles(do: Doing) -> str:
    """Have an agent send a call that waits for a person once more."""
    waiting = [errand for errand in _open(do) if errand.sent and do.world.services.calls.asks(errand.call_id)]
    if not waiting:
        return "nothing"
    errand = do.random.choice(waiting)
    errand.doubled += 1
    send(do, errand)
    return errand.tag


async def agent_leaves(do: Doing) -> str:
    """Have an agent go away without its result."""
    waiting = [errand for errand in _open(do) if errand.sent]
    if not waiting:
        return "nothing"
    errand = do.random.choice(waiting)
    for gone in errand.sent.values():
        gone.set()
    return errand.tag


async def agent_cancels(do: Doing) -> str:
    """Have an agent cancel its only request, and go away."""
    waiting = [errand for errand in _open(do) if len(errand.sent) == 1 and _is_waited_for(do, errand)]
    if not waiting:
        return "nothing"
    errand = do.random.choice(waiting)
    do.ledger.cancelled.add(errand.call_id)
    errand.over = True
    # What a notification of 2025-11-25 comes to; it has a session.
    do.world.services.gateway._calls.stop(errand.call_id)
    for gone in errand.sent.values():
        gone.set()
    return errand.tag


def _is_waited_for(do: Doing, errand: Errand) -> bool:
    shared = do.world.services.gateway._calls._shared.with_id(errand.call_id)
    return shared is not None and shared.is_waited_for and not shared.over.done()


async def agent_steals(do: Doing) -> str:
    """Have an agent ask for the result of another one's call."""
    others = [errand for errand in do.ledger.errands if errand.call_id]
    if not others:
        return "nothing"
    victim, thief = do.random.choice(others), await some_agent(do)
    if thief.id == victim.agent.id:
        return "nothing"
    params = {"name": "await_answer", "arguments": {"call": victim.call_id, "wait": 0}}

    async def steal() -> None:
        with suppress(*LATE, TooManyError):
            result = (await _response(do, thief, victim.seat, params, asyncio.Event())).get("result", {})
            if result and not (result.get("isError") and "No call of this agent" in str(result)):
                do.ledger.lost.append(f"{thief.id} got {result} of {victim.call_id}, a call of {victim.agent.id}")

    do.later(steal())
    return f"{victim.call_id} for {thief.id}"


async def revoke_agent(do: Doing) -> str:
    """Revoke the token of an agent: its calls end."""
    if not do.ledger.agents:
        return "nothing"
    token = do.ledger.agents[0]
    theirs = [errand for errand in _open(do) if errand.agent.id == token.id]
    try:
        await do.world.services.accounts.revoke_token(LOCAL_USER, token.id)
    except StorageError:
        return "nothing"
    do.ledger.agents.remove(token)
    for errand in theirs:
        errand.over = errand.revoked = True
        do.ledger.cancelled |= {id_ for id_, begun in do.ledger.calls.items() if begun.script is errand.script}
    return token.id


async def leave(do: Doing) -> None:
    """Have all agents go away, and wait until their requests have ended."""
    sent = [each for errand in do.ledger.errands for each in errand.sent.items()]
    for _task, gone in sent:
        gone.set()
    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*(task for task, _gone in sent))


def _open(do: Doing) -> list[Errand]:
    return [errand for errand in do.ledger.errands if not errand.over]


async def some_agent(do: Doing) -> ProgramToken:
    """Return one of a few agents."""
    if len(do.ledger.agents) < AGENTS:
        made, secret = new_token(LOCAL_USER, "Agent", [Scope.GATEWAY])
        await do.world.services.store.of(LOCAL_USER).tokens.add(made, secret)
        do.ledger.agents.append(made)
    return do.random.choice(do.ledger.agents)


def send(do: Doing, errand: Errand, *, fetches: bool = False) -> None:
    """Send the call, or ask for its result."""
    given = {"call": errand.call_id, "wait": do.random.choice((0, 0.05, 60))}
    params = (
        {"name": "await_answer", "arguments": given} if fetches else {"name": errand.tool, "arguments": errand.script}
    )
    agent, gone = replace(errand.agent, patience=do.random.choice(_PATIENCES)), asyncio.Event()

    async def request() -> None:
        with suppress(*LATE, TooManyError):
            answer = await _response(do, agent, errand.seat, params, gone)
            if answer:
                _got(errand, answer)

    task = asyncio.create_task(request())
    errand.sent[task] = gone
    task.add_done_callback(errand.sent.pop)


def _got(errand: Errand, answer: Json) -> None:
    is_pending = CALL_ID in (answer.get("result") or {}).get("_meta", {})
    errand.refused += _is_to_be_repeated(answer)
    if not is_pending and not _is_to_be_repeated(answer) and not errand.over:
        errand.answer, errand.over = answer, True


def _is_to_be_repeated(answer: Json) -> bool:
    """Return whether nothing was called, or the program stops."""
    said = str(answer.get("error") or (answer["result"] if answer["result"].get("isError") else ""))
    return any(
        words in said
        for words in ("ot connected", "Send it again", "has gone", "is the limit", "database", "is ending")
    )


async def _response(do: Doing, agent: ProgramToken, seat: str, params: Json, gone: asyncio.Event) -> Json:
    """Send a request of 2026-07-28 as the web server passes it on; return its response, empty if there was none."""
    services = do.world.services
    server = await do.world.server(seat)
    visit = Visit(
        user_id=LOCAL_USER,
        token_id=agent.id,
        label=agent.label,
        patience=agent.patience,
        leave=lambda: None,
        server=server,
    )
    exchange = _Exchange(params, gone)
    key = SignInKey(SignInKind.TOKEN, agent.id)
    with services.store.watched_sign_ins.watching(LOCAL_USER, key) as watch:
        watch.when_ended(visit.ending.cancel)
        await services.gateway.serve(visit, exchange.scope, exchange.receive, exchange.send)
    return exchange.answer


class _Exchange:
    """One HTTP request, and its response as it comes."""

    def __init__(self, params: Json, gone: asyncio.Event) -> None:
        prefix = "io.modelcontextprotocol/"
        meta = {f"{prefix}protocolVersion": "2026-07-28", f"{prefix}clientInfo": {"name": "agent", "version": "1"}}
        params = params | {"_meta": meta | {f"{prefix}clientCapabilities": {}}}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        self._body: bytes | None = json.dumps(message).encode()
        self._gone = gone
        self._got = b""
        self._has_left = False
        headers = {
            "host": "localhost",
            "accept": "application/json, text/event-stream",
            "content-type": "application/json",
            "mcp-protocol-version": "2026-07-28",
            "mcp-method": "tools/call",
            "mcp-name": params["name"],
        }
        self.scope: HTTPScope = {
            "type": "http",
            "http_version": "1.1",
            "method": "POST",
            "scheme": "http",
            "path": "/mcp/seat",
            "raw_path": b"/mcp/seat",
            "query_string": b"",
            "root_path": "",
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 2),
            "state": {},
        }

    async def receive(self) -> Message:
        """Give the body, and then that the agent has gone, once it has."""
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        await self._gone.wait()
        self._has_left = True
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        """Take a part of the response, while the agent is there."""
        # What is sent before the web server notices that the agent has gone counts as arrived.
        if not self._has_left:
            self._got += message.get("body", b"")

    @property
    def answer(self) -> Json:
        """The last message of the response."""
        lines = [line for line in self._got.decode().splitlines() if line.startswith(("{", "data:"))]
        return cast("Json", json.loads(lines[-1].removeprefix("data:"))) if lines else {}
