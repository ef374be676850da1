"""The calls that agents make: started as any call is, and answered with the result or the error as it came.

A call belongs to the user and not to the request of the agent, whose patience is short. While a person is being asked,
the agent gets a result that says so before its patience ends, and fetches the result of the call with `await_answer`.
An equal call joins the one that waits, so that a person is asked once and nothing runs twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from webclient.calls import AskFirst, Calls, Judgement
from webclient.domain.approvals import digest_of
from webclient.domain.errors import ConflictError, InvalidInputError, NotFoundError
from webclient.domain.model import (
    Agent,
    Call,
    CallKind,
    Json,
    Reason,
    ReasonCode,
    Report,
    Rule,
    ServerKey,
    Then,
    now,
    read_trace,
)
from webclient.gateway.outcomes import outcome, pending, refused, unknown_call
from webclient.gateway.passing import Asking
from webclient.gateway.rules import Proposal, deciding_rule, reports_on, version_of_rule
from webclient.gateway.shared_calls import SharedCall, SharedCalls, key_of
from webclient.gateway.steps import Steps
from webclient.gateway.tasks import USUAL_LIFE, task_of
from webclient.gateway.visit import AgentVisit, Patience, Visit
from webclient.protocol import INTERNAL_ERROR, INVALID_PARAMS, ServerError
from webclient.servers.connections import Connections
from webclient.store import Store
from webclient.support import background

AWAIT = "await_answer"
"""The tool that the gateway adds."""

AWAIT_TOOL: Json = {
    "name": AWAIT,
    "title": "Wait for a person's answer",
    "description": (
        "Gets the result of an earlier call of another tool that waits for a person. Pass the id that the call "
        "returned. If the person has not answered yet, it says so, and whether to call it again."
    ),
    "inputSchema": {
        "type": "object",
        "properties": {
            "call": {"type": "string", "description": "The id of the call."},
            "wait": {"type": "number", "minimum": 0, "description": "The most seconds to wait."},
        },
        "required": ["call"],
    },
    "annotations": {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentCall:
    """A call that an agent makes; the server gets `params` unchanged, beside the name and the arguments.

    `task_seconds`: it is a task for so long, if not 0. `takes_task`: its agent can take a task in place of the result.
    """

    kind: CallKind
    name: str
    arguments: Json | None
    params: Json = field(default_factory=dict)
    client: str = ""
    version: str = ""
    task_seconds: int = 0
    takes_task: bool = False


_NAMES = {CallKind.TOOL: "name", CallKind.PROMPT: "name", CallKind.RESOURCE: "uri"}

# A call that runs as a task is one whole call to the agent, and the rounds are between the server and this program.
_OURS = frozenset({"arguments", "task", "inputResponses", "requestState"})


def agent_call(kind: CallKind, params: Json, client: str, version: str) -> AgentCall:
    """Read the parameters of a call. Raises ServerError if they are malformed."""
    key = _NAMES[kind]
    name, arguments = params.get(key), params.get("arguments")
    if not isinstance(name, str) or not (arguments is None or isinstance(arguments, dict)):
        raise ServerError(INVALID_PARAMS, f"Invalid request parameters: {key} must be a string, arguments an object")
    left = {each: value for each, value in params.items() if each not in {key, *_OURS}}
    return AgentCall(kind=kind, name=name, arguments=arguments, params=left, client=client, version=version)


Began = Callable[[SharedCall], None]
"""Gets the call for which a request of an agent waits."""


class AgentCalls:
    """Runs the calls of agents."""

    def __init__(self, store: Store, connections: Connections, calls: Calls) -> None:
        self._store = store
        self._connections = connections
        self._calls = calls
        self._shared = SharedCalls(store, calls)
        self._patience = Patience()

    async def tool_name(self, visit: Visit) -> str:
        """Return the name of the additional tool; it differs if the server has one of that name."""
        if visit.joint:
            # There the tool of the server has another name.
            return AWAIT
        if not self._connections.knows_catalog(visit.server):
            await self._connections.know_tools(visit.server)
        return f"{AWAIT}_of_inbox" if self._connections.last_catalog(visit.server.key).tool(AWAIT) else AWAIT

    async def awaits(self, visit: Visit, wanted: AgentCall) -> bool:
        """Return whether a call is one of the additional tool."""
        is_tool = wanted.kind is CallKind.TOOL and wanted.name.startswith(AWAIT)
        return is_tool and wanted.name == await self.tool_name(visit)

    async def result(
        self, visit: Visit, wanted: AgentCall, watcher: Steps, began: Began, asking: Asking | None = None
    ) -> Json:
        """Run a call, and return its result as it came; `began` gets it first, and `asking` asks its agent.

        Raises ServerError with the server's error.
        """
        if await self.awaits(visit, wanted):
            return await self._awaited(visit, wanted, watcher)
        try:
            shared = await self.begun(visit, wanted)
        except (ConflictError, InvalidInputError) as error:
            # The servers of a user who has just moved are not connected here any more.
            await self._store.of(visit.user_id).check_home()
            return refused(wanted.kind, str(error))
        began(shared)
        watcher.waits = lambda: self._calls.asks(shared.call.id)
        # An agent that is asked has to be there.
        takes_task = wanted.takes_task and asking is None
        patience = self._patience.of(visit)
        return await self._until_known(visit, shared, watcher, patience, takes_task=takes_task, asking=asking)

    async def begun(self, visit: Visit, wanted: AgentCall) -> SharedCall:
        """Start a call, or join an equal one.

        Raises ConflictError and InvalidInputError if it is refused, and MovedError if the user lives on another node.
        """
        key = key_of(
            visit.token_id,
            visit.server.key,
            kind=wanted.kind,
            name=wanted.name,
            arguments=wanted.arguments,
            params=wanted.params,
        )
        shared = await self._shared.get(visit.user_id, key, lambda: self._start(visit, wanted))
        visit.begun.set()
        return shared

    async def as_task(self, visit: AgentVisit, shared: SharedCall, seconds: int) -> Call:
        """Save for how many seconds a call is a task, and return it."""
        await self._shared.as_task(shared, seconds)
        visit.on_response.append(partial(self._shared.handle_sent, shared))
        return await self._store.of(visit.user_id).calls.get(shared.call.id)

    async def stored(self, visit: AgentVisit, call_id: object) -> Call | None:
        """Return an earlier call of this agent as it is stored; None if it made no such call."""
        call = await self._call_of(visit, call_id)
        return call and await self._store.of(visit.user_id).calls.get(call.id)

    def polled(self, call: Call) -> None:
        """Note that the agent of a task asks for it."""
        if shared := self._shared.with_id(call.id):
            self._shared.polled(shared)

    def shared(self, call: Call) -> SharedCall:
        """Return a call for those who wait for it."""
        return self._shared.with_id(call.id) or self._shared.follow(call)

    def fetched(self, visit: AgentVisit, call: Call) -> None:
        """Note that the response has the result of a task."""
        if call.agent and not call.agent.taken:
            shared = self.shared(call)
            shared.taken = True
            self._shared.polled(shared)
            visit.on_response.append(partial(self._shared.handed, shared))

    def adopt(self, user_id: str | None = None) -> None:
        """Wait for the agents of calls that an earlier process has left."""
        if user_id is not None:
            self._shared.leave(user_id)
        for call in self._calls.running_of_agents(user_id):
            self._shared.adopt(call)

    def notified(self, server_key: ServerKey, call_id: str | None, method: str, params: Json) -> None:
        """Pass on a notification of a server, if it can belong to one call only."""
        found = self._calls.at_server(server_key, call_id)
        if len(found) == 1 and (shared := self._shared.with_id(found[0].id)):
            shared.notified(method, params)

    async def close(self) -> None:
        """Wait for no agent any more."""
        await self._shared.close()

    def stop(self, call_id: str) -> None:
        """Cancel a call because its agent has cancelled it."""
        self._shared.stop(call_id)

    async def _start(self, visit: Visit, wanted: AgentCall) -> Call:
        agent = Agent(
            token_id=visit.token_id,
            label=visit.label,
            client=wanted.client,
            version=wanted.version,
            params=wanted.params,
            task_seconds=wanted.task_seconds,
        )
        ask_first, reports = await self._to_approve(visit, wanted)
        return await self._calls.start(
            visit.user_id,
            visit.server,
            kind=wanted.kind,
            name=wanted.name,
            arguments=wanted.arguments,
            agent=agent,
            ask_first=ask_first,
            reports=reports,
            trace=read_trace(wanted.params.get("_meta") or {}),
        )

    async def _to_approve(self, visit: Visit, wanted: AgentCall) -> tuple[AskFirst | None, Sequence[Report]]:
        """Return that a person is asked first, if a rule says so; and what rules that only report would have done.

        Raises ConflictError if a rule refuses the call, and InvalidInputError if it cannot be approved exactly.
        """
        rules = await self._store.rules.all_for(visit.user_id)
        if wanted.kind is not CallKind.TOOL or not rules:
            return None, ()
        await self._connections.know_tools(visit.server)
        listed = self._connections.last_catalog(visit.server.key).tool(wanted.name)
        tool, arguments = listed or {"name": wanted.name}, wanted.arguments or {}
        proposal = Proposal(
            token_id=visit.token_id,
            agent=visit.label,
            server=visit.server,
            tool=tool,
            arguments=arguments,
            is_listed=listed is not None,
        )
        at = now()
        rule = deciding_rule(proposal, rules, at)
        reports = reports_on(proposal, rules, at, rule)
        if rule is None or rule.then is Then.RUN:
            return None, reports
        if rule.then is Then.REFUSE:
            raise ConflictError(Reason(ReasonCode.REFUSED_BY_RULE))
        digest_of(wanted.name, arguments)
        return AskFirst(tool=tool, rule=version_of_rule(rule), rule_id=rule.id), reports

    async def judge(self, call: Call, tool: Json, arguments: Json) -> Judgement:
        """Judge a call that waits, with this tool and arguments, by the rules of now."""
        if call.agent is None:
            return Judgement()
        proposal = Proposal(
            token_id=call.agent.token_id,
            agent=call.agent.label,
            server=await self._store.of(call.user_id).servers.get(call.server_id),
            tool=tool,
            arguments=arguments,
            is_listed="inputSchema" in tool,
        )
        return _judgement(proposal, await self._store.rules.all_for(call.user_id))

    async def _awaited(self, visit: Visit, wanted: AgentCall, watcher: Steps) -> Json:
        """Return the result of an earlier call of this agent, as soon as it is there."""
        given = wanted.arguments or {}
        call_id, wait = given.get("call"), given.get("wait")
        shared = await self._found(visit, call_id)
        if shared is None:
            return unknown_call(call_id)
        longest = self._patience.of(visit)
        seconds = min(longest, max(0, wait)) if isinstance(wait, int | float) else longest
        return await self._until_known(visit, shared, watcher, seconds, may_fail=False)

    async def server_id_of(self, visit: AgentVisit, call_id: object) -> str | None:
        """Return the id of the server that an earlier call of this agent went to; None if it made no such call."""
        call = await self._call_of(visit, call_id)
        return call.server_id if call else None

    async def _found(self, visit: Visit, call_id: object) -> SharedCall | None:
        call = await self._call_of(visit, call_id)
        if call is None or call.server_key != visit.server.key:
            return None
        return self._shared.with_id(call.id) or self._shared.follow(call)

    async def _call_of(self, visit: AgentVisit, call_id: object) -> Call | None:
        if not isinstance(call_id, str):
            return None
        shared = self._shared.with_id(call_id)
        try:
            call = shared.call if shared else await self._store.of(visit.user_id).calls.get(call_id)
        except NotFoundError:
            return None
        is_theirs = call.user_id == visit.user_id and call.agent and call.agent.token_id == visit.token_id
        return call if is_theirs else None

    async def _until_known(
        self,
        visit: Visit,
        shared: SharedCall,
        watcher: Steps,
        seconds: float,
        *,
        may_fail: bool = True,
        takes_task: bool = False,
        asking: Asking | None = None,
    ) -> Json:
        """Return the result, or after so many seconds that a person is being asked, if one is.

        An agent that takes a task gets one as soon as a person is asked, or after these seconds.
        """
        with shared.waiting(watcher):
            later = (
                self._task_after(shared, seconds)
                if takes_task and shared.call.kind is CallKind.TOOL
                else self._asking_after(visit, shared, seconds, asking)
            )
            patience = background.start(later, name="patience", awaited=True)
            given = asking and background.start(asking.result(shared), name="requests to an agent", awaited=True)
            gone = background.start(visit.gone.wait(), name="agent's presence", awaited=True)
            started = [each for each in (patience, given, gone) if each]
            try:
                await asyncio.wait([shared.over, *started], return_when=asyncio.FIRST_COMPLETED)
            except asyncio.CancelledError:
                self._learn(visit, shared.waited)
                raise
            finally:
                for each in started:
                    each.cancel()
            if shared.over.done():
                ended = shared.over.result()
                if not ended.state.ended:
                    raise ServerError(INTERNAL_ERROR, "The call goes on in another process. Send it again.")
                shared.taken = True
                visit.on_response.append(partial(self._shared.handed, shared))
                return outcome(ended)
            if visit.gone.is_set():
                self._learn(visit, shared.waited)
                raise ServerError(INTERNAL_ERROR, "The client has gone")
            if given and given.done() and not given.cancelled():
                return given.result()
            if takes_task:
                call = await self.as_task(visit, shared, int(USUAL_LIFE.total_seconds()))
                return {"resultType": "task", **task_of(call, modern=True)}
        tool = self._connections.last_catalog(visit.server.key).tool(shared.call.name) or {}
        name = await self.tool_name(visit)
        shared.times_pending += 1
        return pending(shared.call.id, name, times=shared.times_pending, is_error=may_fail and "outputSchema" in tool)

    def _learn(self, visit: Visit, seconds: float) -> None:
        learned = self._patience.learn(visit, seconds)
        if learned is not None and learned != visit.learned:
            noted = self._store.program_tokens.learn(visit.user_id, visit.token_id, learned)
            background.start(noted, name="patience of an agent")

    async def _task_after(self, shared: SharedCall, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._calls.until_asking(shared.call.id)
                if not self._calls.asks(shared.call.id):
                    # It is just ending.
                    await asyncio.Event().wait()

    async def _asking_after(self, visit: Visit, shared: SharedCall, seconds: float, asking: Asking | None) -> None:
        """Wait so long, and then until a person is being asked: a call that merely takes long is waited for."""
        if shared.call.kind is not CallKind.TOOL:
            # A prompt or a resource has no result that could say so.
            await asyncio.Event().wait()
        # Before it is needed to say with which tool the result comes.
        await asyncio.gather(asyncio.sleep(seconds), self._connections.know_tools(visit.server))
        while True:
            await self._calls.until_asking(shared.call.id)
            if not self._calls.asks(shared.call.id):
                # It is just ending.
                await asyncio.Event().wait()
            if asking:
                await asking.until_left(shared)
            if self._calls.asks(shared.call.id):
                return


def _judgement(proposal: Proposal, rules: Sequence[Rule]) -> Judgement:
    rule = deciding_rule(proposal, rules, now())
    return Judgement(rule.then, version_of_rule(rule), rule.id) if rule else Judgement()
