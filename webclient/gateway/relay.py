"""Answers the requests of agents, of both eras: a call by `AgentCalls`, all else by the server itself.

It stands before the handlers of the SDK's server, and gives their place to none of them: what it returns goes out as it
is, keys included that the SDK does not know.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from typing import Any, cast

from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp_types import SERVER_INFO_META_KEY, methods
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel
from starlette.requests import Request as HTTPRequest

from webclient import protocol
from webclient.domain.errors import ConflictError, WebclientError
from webclient.domain.model import CallKind, Era, Json, Trace
from webclient.domain.spans import TOOL_ERROR, Span, SpanKind, Spans, subject_of
from webclient.gateway.agent_calls import AWAIT, AWAIT_TOOL, AgentCalls, agent_call
from webclient.gateway.agent_requests import asking_of
from webclient.gateway.agent_tasks import AgentTasks
from webclient.gateway.fingerprints import guessed_patience, signs_of
from webclient.gateway.followers import Followers
from webclient.gateway.hop import back, onward, passed_capabilities, trace_of
from webclient.gateway.outcomes import refused, unknown_call, without_excess
from webclient.gateway.passing import Passing
from webclient.gateway.shared_calls import SharedCall
from webclient.gateway.steps import Steps
from webclient.gateway.subscriptions import METHODS, Subscriptions, sender, teller
from webclient.gateway.tasks import catalog_for, seconds_wanted, takes_tasks, with_tasks
from webclient.gateway.together import Together
from webclient.gateway.visit import JointVisit, Visit
from webclient.network import LOOP_HEADER, arrived_through
from webclient.protocol import INTERNAL_ERROR, MalformedResultError, ServerError
from webclient.servers.connections import Connections
from webclient.store import MovedError, Store

_KINDS = {"tools/call": CallKind.TOOL, "prompts/get": CallKind.PROMPT, "resources/read": CallKind.RESOURCE}

_DESCRIBED = frozenset({"initialize", "server/discover"})

_TASKS = "tasks/"
"""How methods begin that are about the tasks of agents; those at the server belong to this program."""

_TIMED_OUT = ("timed out", "timeout", "time out")


class Relay:
    """The middleware of the SDK's server."""

    def __init__(
        self,
        store: Store,
        connections: Connections,
        calls: AgentCalls,
        tasks: AgentTasks,
        followers: Followers,
        *,
        spans: Spans,
        passing: Passing,
    ) -> None:
        self._passing = passing
        self._store = store
        self._spans = spans
        self._connections = connections
        self._calls = calls
        self._tasks = tasks
        self._together = Together(connections)
        self._subscriptions = Subscriptions(store, connections, self._together, followers)
        self._running: dict[tuple[str, str | int], str] = {}

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Answer a request; a notification goes to the SDK."""
        visit: Visit | JointVisit = _http_request(ctx).state.visit
        if ctx.request_id is None:
            self._notified(ctx)
            await call_next(ctx)
            await self._pass_on(ctx, visit)
            if ctx.method == "notifications/initialized":
                await self._subscriptions.hold(ctx, visit, _session_id(ctx))
            return None
        # Until here the body was read; the answer may take days.
        visit.leave()
        if ctx.method == "ping":
            return await call_next(ctx)
        if ctx.method in _DESCRIBED:
            return self._described(visit, await call_next(ctx))
        modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
        try:
            if ctx.method in METHODS:
                return back(ctx.method, await self._subscriptions.answer(ctx, visit, _session_id(ctx)), modern=modern)
            with self._span(ctx) as span:
                if ctx.method.startswith(_TASKS):
                    result = await self._of_tasks(ctx, visit, modern=modern)
                else:
                    result = await self._result(ctx, visit, span.place if span else None)
                if span and result.get("isError") is True:
                    span.error = TOOL_ERROR
                return back(ctx.method, result, modern=modern)
        except ServerError as error:
            raise MCPError(error.code, error.message, error.data) from None
        except (WebclientError, MalformedResultError) as error:
            visit.moved = await self._moved(visit, error)
            raise MCPError(INTERNAL_ERROR, str(error)) from None

    async def _moved(self, visit: Visit | JointVisit, error: Exception) -> MovedError | None:
        """Return that the user of a request lives on another node, if that is why nothing was done for it."""
        if visit.begun.is_set():
            return None
        try:
            if isinstance(error, ConflictError):
                # The servers of a user who has just moved are not connected here any more.
                await self._store.of(visit.user_id).check_home()
        except MovedError as moved:
            return moved
        return error if isinstance(error, MovedError) else None

    def _span(self, ctx: ServerRequestContext[Any, Any]) -> AbstractContextManager[Span | None]:
        """Return the span of a request; without spans, that of its agent stands in its place."""
        params = ctx.params or {}
        subject = subject_of(_KINDS.get(ctx.method), str(params.get("name", ""))) or {"mcp.method.name": ctx.method}
        attributes = subject | {"mcp.protocol.version": ctx.protocol_version}
        parent = trace_of(params, _http_request(ctx).headers)
        return self._spans.span(" ".join(subject.values()), parent, SpanKind.SERVER, attributes)

    async def _result(
        self, ctx: ServerRequestContext[Any, Any], visit: Visit | JointVisit, trace: Trace | None
    ) -> Json:
        arrived_through(_http_request(ctx).headers.get(LOOP_HEADER, ""))
        params = onward(ctx.params or {}, trace)
        if isinstance(visit, JointVisit):
            return await self._jointly(ctx, visit, params)
        return await self._at_server(ctx, visit, params)

    async def _jointly(self, ctx: ServerRequestContext[Any, Any], visit: JointVisit, params: Json) -> Json:
        """Return a list of all servers, or what the one has returned to which the request belongs."""
        if (listed := await self._together.listed(visit, ctx.method)) is not None:
            is_of_tools = ctx.method == "tools/list"
            return {"tools": catalog_for(listed["tools"], ctx.protocol_version)} if is_of_tools else listed
        if ctx.method == "tools/call" and params.get("name") == AWAIT:
            given = params.get("arguments")
            call_id = given.get("call") if isinstance(given, dict) else None
            server_id = await self._calls.server_id_of(visit, call_id)
            server = next((each for each in visit.servers if each.id == server_id), None)
            return await self._at_server(ctx, visit.at(server, joint=True), params) if server else unknown_call(call_id)
        try:
            server, own = await self._together.routed(visit, ctx.method, params)
        except ConflictError as error:
            return refused(_KINDS.get(ctx.method, CallKind.PROMPT), str(error))
        return await self._at_server(ctx, visit.at(server, joint=True), own)

    async def _at_server(self, ctx: ServerRequestContext[Any, Any], visit: Visit, params: Json) -> Json:
        if kind := _KINDS.get(ctx.method):
            return await self._called(ctx, visit, kind, params)
        connection = self._connections.connected(visit.server)
        listed = await protocol.pass_on(connection.session, ctx.method, params)
        result = without_excess(ctx.method, listed, connection.limits.max_catalog_entries)
        if ctx.method != "tools/list":
            return result
        tools = catalog_for(result.get("tools", []), ctx.protocol_version)
        if not result.get("nextCursor"):
            tools = [*tools, AWAIT_TOOL | {"name": await self._calls.tool_name(visit)}]
        return result | {"tools": tools}

    async def _of_tasks(self, ctx: ServerRequestContext[Any, Any], visit: Visit | JointVisit, *, modern: bool) -> Json:
        params = dict(ctx.params or {})
        if modern:
            return await self._tasks.answer_modern(visit, ctx.method, params, declared=takes_tasks(params))
        wants = self._subscriptions.wants(ctx, _session_id(ctx))
        async with Steps(ctx.session.report_progress, sender(ctx, {}), wants) as steps:
            return await self._tasks.answer_legacy(visit, ctx.method, params, steps)

    async def _called(self, ctx: ServerRequestContext[Any, Any], visit: Visit, kind: CallKind, params: Json) -> Json:
        client = ctx.session.client_params.client_info if ctx.session.client_params else None
        wanted = agent_call(kind, params, client.name if client else "", client.version if client else "")
        if kind is CallKind.TOOL and (seconds := seconds_wanted(params, ctx.protocol_version)):
            return await self._tasks.created(visit, replace(wanted, task_seconds=seconds))
        modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
        wanted = replace(wanted, takes_task=modern and takes_tasks(ctx.params))
        if modern and visit.passes_on:
            await self._take(visit, params)
        key = _key(ctx, ctx.request_id or 0)
        visit.guessed = guessed_patience(signs_of(ctx, _http_request(ctx).headers.get("user-agent", "")))

        def began(shared: SharedCall) -> None:
            # Until the call is over, because word that it is cancelled may come after this request has ended.
            self._running[key] = shared.call.id
            shared.over.add_done_callback(lambda _over: self._running.pop(key, None))

        wants = self._subscriptions.wants(ctx, _session_id(ctx))
        async with Steps(ctx.session.report_progress, sender(ctx, {}), wants) as steps:
            asking = asking_of(ctx, visit, self._passing, teller(ctx, steps))
            return await self._calls.result(visit, wanted, steps, began, asking)

    async def _take(self, visit: Visit, params: Json) -> None:
        """Take what an agent of 2026-07-28 answers; the call that it sends again joins the one that waits."""
        given = params.get("inputResponses")
        call = await self._calls.stored(visit, params.get("requestState")) if isinstance(given, dict) else None
        if call and isinstance(given, dict):
            await self._passing.take_all(call, given)

    def _notified(self, ctx: ServerRequestContext[Any, Any]) -> None:
        """Cancel the call that an agent of 2025-11-25 cancels; one of 2026-07-28 closes the stream instead."""
        if ctx.method != "notifications/cancelled" or not ctx.params:
            return
        request_id, why = ctx.params.get("requestId"), str(ctx.params.get("reason", "")).casefold()
        if isinstance(request_id, str | int) and not any(words in why for words in _TIMED_OUT):
            self._calls.stop(self._running.pop(_key(ctx, request_id), ""))

    async def _pass_on(self, ctx: ServerRequestContext[Any, Any], visit: Visit | JointVisit) -> None:
        """Pass on a notification that MCP does not have, to the server that may know it."""
        if ctx.method in methods.SPEC_CLIENT_NOTIFICATION_METHODS or ctx.method.startswith("notifications/tasks"):
            return
        arrived_through(_http_request(ctx).headers.get(LOOP_HEADER, ""))
        params = ctx.params or {}
        trace = trace_of(params, _http_request(ctx).headers)
        server = self._together.beyond(visit) if isinstance(visit, JointVisit) else visit.server
        with suppress(ConflictError, ServerError):
            if server:
                session = self._connections.connected(server).session
                await protocol.pass_notification_on(session, ctx.method, onward(params, trace) or None)

    def _described(self, visit: Visit | JointVisit, described: HandlerResult) -> Json:
        """Return the answer to a handshake, with the capabilities and the instructions of the server, or of all."""
        ours: Json = (
            described.model_dump(by_alias=True, mode="json", exclude_none=True)
            if isinstance(described, BaseModel)
            else dict(described or {})
        )
        version = ours.get("protocolVersion", Era.ROUNDS)
        if isinstance(visit, JointVisit):
            ours |= self._together.described(visit)
            return ours | {"capabilities": with_tasks(ours["capabilities"], version)}
        status = self._connections.status(visit.server.key)
        ours["capabilities"] = with_tasks(passed_capabilities(status.capabilities), version)
        if status.instructions:
            ours["instructions"] = status.instructions
        for place, key in ((ours, "serverInfo"), (ours.get("_meta"), SERVER_INFO_META_KEY)):
            if isinstance(place, dict) and isinstance(info := place.get(key), Mapping):
                place[key] = {**info, "title": visit.server.label}
        return ours


def _http_request(ctx: ServerRequestContext[Any, Any]) -> HTTPRequest:
    return cast("HTTPRequest", ctx.request)


def _session_id(ctx: ServerRequestContext[Any, Any]) -> str:
    """Return the id of the session of 2025-11-25."""
    return _http_request(ctx).headers.get("mcp-session-id", "")


def _key(ctx: ServerRequestContext[Any, Any], request_id: str | int) -> tuple[str, str | int]:
    """Return the key of a request: its id is unique within its session."""
    return _session_id(ctx), request_id
