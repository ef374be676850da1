"""Passes what servers ask during a call on to the agent that makes it, if the user prefers that and the agent can.

The question is in the inbox as well, and the first answer wins. So nothing is lost if the agent goes away, errs or
cancels: the question stays in the inbox.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import anyio

from webclient.domain.errors import WebclientError
from webclient.domain.model import Action, Call, InputRequest, Json, Origin, RequestState, Via
from webclient.gateway.hop import onward, trace_of
from webclient.gateway.passed_links import PassedLinks, Tell
from webclient.gateway.shared_calls import SharedCall
from webclient.inbox import Inbox, check_answer
from webclient.store import Store
from webclient.support import background

logger = logging.getLogger(__name__)

ROOTS_PATIENCE = 10.0
"""Seconds in which an agent has to list its folders; after them the server gets those that the user keeps for it."""

PAUSE = 0.05
"""Seconds between two looks for what a call waits for, which has just changed."""

LOOKS = 40
"""The most such looks: a call can wait for a sign-in, which is not a request."""

METHODS = {
    "form": "elicitation/create",
    "url": "elicitation/create",
    "sampling": "sampling/createMessage",
    "roots": "roots/list",
}
"""The methods of the kinds of requests that are passed on."""

_ORIGINS = frozenset({Origin.PUSHED, Origin.ROUND, Origin.TASK})
"""Where such requests come from: not from an error that requires links, whose addresses many clients drop."""

Send = Callable[[str, Json], Awaitable[Json]]
"""Sends a request to an agent, and returns its result. It raises any error of the SDK."""


def able(capabilities: Mapping[str, Any], method: str, params: Json) -> bool:
    """Return whether an agent with these capabilities can answer a request."""
    match method:
        case "roots/list":
            return isinstance(capabilities.get("roots"), Mapping)
        case "sampling/createMessage":
            sampling = capabilities.get("sampling")
            return isinstance(sampling, Mapping) and ("tools" not in params or "tools" in sampling)
        case _:
            modes = capabilities.get("elicitation")
            mode = params.get("mode", "form")
            # Without a mode, it is that of forms (MCP 2025-11-25, Elicitation, Capabilities).
            return isinstance(modes, Mapping) and (mode in modes or (not modes and mode == "form"))


class Passing:
    """The requests that agents are asked, of all calls, and the `links` among them."""

    def __init__(self, store: Store, inbox: Inbox) -> None:
        self.links = PassedLinks()
        self._store = store
        self._inbox = inbox
        self._news: defaultdict[str, set[asyncio.Event]] = defaultdict(set)
        self._at_agents: Counter[str] = Counter()
        self._idle: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self._listed: dict[str, tuple[InputRequest, asyncio.Future[Json]]] = {}
        self._able: defaultdict[str, list[Mapping[str, Any]]] = defaultdict(list)
        inbox.on_put.append(self._came)

    async def roots(self, request: InputRequest) -> Json | None:
        """Return the folders as the agent lists that makes the call of this request; None if none does in time."""
        capabilities = self._able.get(request.call_id or "", ())
        if not any(able(each, METHODS["roots"], {}) for each in capabilities):
            return None
        listed: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self._listed[request.id] = request, listed
        self._came(request)
        try:
            async with asyncio.timeout(ROOTS_PATIENCE):
                return await listed
        except TimeoutError:
            return None
        finally:
            del self._listed[request.id]

    def at(self, capabilities: Mapping[str, Any], send: Send | None, tell: Tell) -> Asking:
        """Return what asks the agent of one request. Without `send`, the questions are given to it as a result."""
        return Asking(self, capabilities, send, tell)

    async def until_left(self, shared: SharedCall, capabilities: Mapping[str, Any]) -> None:
        """Wait until a call waits for the inbox alone, and no more for its agent."""
        for _look in range(LOOKS):
            while self._at_agents[shared.call.id]:
                await self._idle[shared.call.id].wait()
            if await self._is_left(shared, capabilities):
                return
            await asyncio.sleep(PAUSE)

    async def _is_left(self, shared: SharedCall, capabilities: Mapping[str, Any]) -> bool:
        rows = await self._store.of(shared.call.user_id).requests.find(call_id=shared.call.id)
        return any(each.open for each in rows) and not await self._new(shared, capabilities)

    async def take_all(self, call: Call, given: Mapping[str, Any]) -> None:
        """Take the results that an agent gives, by the ids of the requests; those that do not fit stay in the inbox."""
        for request in await self._open(call):
            if isinstance(result := given.get(request.id), dict):
                await self.take(request, result)

    async def take(self, request: InputRequest, result: Json) -> None:
        """Answer a request with the result of an agent. One that cancels leaves it to the inbox."""
        result = {key: value for key, value in result.items() if key != "resultType"}
        if request.id in self._listed:
            if isinstance(result.get("roots"), list) and not self._listed[request.id][1].done():
                self._listed[request.id][1].set_result(result)
            return
        try:
            is_message = request.kind == "sampling"
            action = Action.ACCEPT if is_message else Action(str(result.get("action")))
            content = result if is_message else result.get("content")
            if action is not Action.CANCEL:
                newest = await self._store.of(request.user_id).requests.get(request.id)
                accepted = content if action is Action.ACCEPT else None
                await self._inbox.answer(await check_answer(newest, action, accepted), via=Via.AGENT)
        except (WebclientError, ValueError) as error:
            logger.info("The answer of an agent was not taken, and the question stays: %s", error)

    @contextmanager
    def following(self, call_id: str, capabilities: Mapping[str, Any]) -> Iterator[asyncio.Event]:
        """Give an event for each new request of the call, while the block runs."""
        news = asyncio.Event()
        self._news[call_id].add(news)
        self._able[call_id].append(capabilities)
        try:
            yield news
        finally:
            self._able[call_id].remove(capabilities)
            self._news[call_id].discard(news)
            if not self._news[call_id]:
                del self._news[call_id], self._able[call_id]

    @contextmanager
    def asking(self, call_id: str) -> Iterator[None]:
        """Have the agent of a call be asked within the block."""
        self._at_agents[call_id] += 1
        try:
            yield
        finally:
            self._at_agents[call_id] -= 1
            if not self._at_agents[call_id]:
                del self._at_agents[call_id]
                self._idle.pop(call_id, asyncio.Event()).set()

    async def new(self, shared: SharedCall, capabilities: Mapping[str, Any]) -> list[InputRequest]:
        """Return what this agent can answer, each request once."""
        found = await self._new(shared, capabilities)
        shared.passed.update(request.id for request in found)
        return found

    async def _new(self, shared: SharedCall, capabilities: Mapping[str, Any]) -> list[InputRequest]:
        return [
            request
            for request in await self._open(shared.call)
            if request.id not in shared.passed and able(capabilities, METHODS[request.kind], request.params)
        ]

    async def until_settled(self, request: InputRequest) -> None:
        """Wait until a request was answered or has ended otherwise."""
        if request.id in self._listed:
            await asyncio.wait([self._listed[request.id][1]])
        else:
            await self._inbox.until([request], lambda rows: not rows[0].pending)

    async def _open(self, call: Call) -> list[InputRequest]:
        rows = await self._store.of(call.user_id).requests.find(call_id=call.id)
        pending = [each for each in rows if each.state is RequestState.PENDING and each.kind in METHODS]
        listed = [request for request, _future in self._listed.values() if request.call_id == call.id]
        return [*(each for each in pending if each.origin in _ORIGINS), *listed]

    def _came(self, request: InputRequest) -> None:
        for news in self._news.get(request.call_id or "", ()):
            news.set()


class Asking:
    """An agent that waits for a call, and is asked meanwhile what the server of that call asks."""

    def __init__(self, passing: Passing, capabilities: Mapping[str, Any], send: Send | None, tell: Tell) -> None:
        self._passing = passing
        self._capabilities = capabilities
        self._send = send
        self._tell = tell

    async def until_left(self, shared: SharedCall) -> None:
        """Wait while the agent is being asked: its patience does not run then."""
        await self._passing.until_left(shared, self._capabilities)

    async def result(self, shared: SharedCall) -> Json:
        """Ask the agent until cancelled, or return what it is given to answer."""
        with self._passing.following(shared.call.id, self._capabilities) as news:
            async with anyio.create_task_group() as group:
                while True:
                    found = await self._passing.new(shared, self._capabilities)
                    if found and self._send is None:
                        # Its answers come with the next request.
                        break
                    for request in found:
                        group.start_soon(self._ask, request)
                    await news.wait()
                    news.clear()
            return _required(shared.call, found)

    async def _ask(self, request: InputRequest) -> None:
        if self._send is None:
            return
        with self._passing.asking(request.call_id or ""), self._following_link(request) as opened:
            sending = self._send(METHODS[request.kind], _with_id(request, _passed(request.params)))
            asking = background.start(_sent(sending), name="question for an agent", of=request.id, awaited=True)
            settled = background.start(
                self._passing.until_settled(request), name="answer to a question", of=request.id, awaited=True
            )
            try:
                await asyncio.wait([asking, settled], return_when=asyncio.FIRST_COMPLETED)
            finally:
                settled.cancel()
                # The agent hears that it is not asked any more.
                asking.cancel()
            if asking.done() and not asking.cancelled() and (result := asking.result()) is not None:
                if result.get("action") == Action.ACCEPT:
                    opened.set()
                await self._passing.take(request, result)

    @contextmanager
    def _following_link(self, request: InputRequest) -> Iterator[asyncio.Event]:
        """Notify the agent when the link is completed, which may be before its own answer has come."""
        opened = asyncio.Event()
        self._passing.links.add(request, self._tell)
        try:
            yield opened
        finally:
            if not opened.is_set():
                self._passing.links.remove(request)


async def _sent(sending: Awaitable[Json]) -> Json | None:
    try:
        return await sending
    except Exception as error:  # noqa: BLE001  (any of them leaves the question in the inbox)
        logger.info("An agent did not answer a question: %s", error)
        return None


def _required(call: Call, requests: list[InputRequest]) -> Json:
    """Return the result that asks an agent of 2026-07-28 for answers; it sends the call again with them."""
    entries = {each.id: {"method": METHODS[each.kind], "params": _passed(each.params)} for each in requests}
    return {"resultType": "input_required", "inputRequests": entries, "requestState": call.id}


def _with_id(request: InputRequest, params: Json) -> Json:
    """Return the parameters as an agent of 2025-11-25 gets them: there a link has an id, in 2026-07-28 it has none."""
    return {"elicitationId": request.id} | params if request.kind == "url" else params


def _passed(params: Json) -> Json:
    """Return the parameters of a request as the agent gets them."""
    return onward(params, trace_of(params, {}))
