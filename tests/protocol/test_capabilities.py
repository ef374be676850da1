"""The announcement of elicitation, sampling, tasks and roots in messages to a server."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from mcp.shared.message import SessionMessage
from mcp.types import CLIENT_CAPABILITIES_META_KEY, LOG_LEVEL_META_KEY, JSONRPCRequest

from webclient.domain.model import LOCAL_USER, Extension, Json, Mode, Root, Server
from webclient.protocol.messages.capabilities import announced

SAMPLING: Json = {"sampling": {"tools": {}}}
ALL: Json = {"elicitation": {"form": {}, "url": {}}, "experimental": {}} | SAMPLING
CASES: list[tuple[list[Mode], Json]] = [
    (list(Mode), ALL),
    ([Mode.FORM, Mode.URL], {"elicitation": {"form": {}, "url": {}}, "experimental": {}}),
    ([Mode.FORM], {"elicitation": {"form": {}}, "experimental": {}}),
    ([Mode.SAMPLING], {"experimental": {}} | SAMPLING),
    ([], {"experimental": {}}),
]


def sent(method: str, params: Json, modes: list[Mode], roots: tuple[Root, ...] | None = None, **values: Any) -> Any:
    """Return the parameters of a request on its way to the server; the SDK's own object must not change."""
    message = JSONRPCRequest(jsonrpc="2.0", id=1, method=method, params=params)
    before = deepcopy(params)
    server = Server(**{"user_id": LOCAL_USER, "label": "it", "transport": {}} | values, modes=tuple(modes), roots=roots)
    result = announced(SessionMessage(message), server).message
    assert message.params == before
    assert isinstance(result, JSONRPCRequest)
    return result.params


@pytest.mark.parametrize(("modes", "capabilities"), CASES)
def test_initialize_announces_the_permitted_modes(modes: list[Mode], capabilities: Json) -> None:
    """S1. MCP 2025-11-25, Elicitation and Sampling, Capabilities: clients MUST declare what they support."""
    announced = sent("initialize", {"capabilities": ALL}, modes)["capabilities"]
    assert {name: value for name, value in announced.items() if name != "tasks"} == capabilities


@pytest.mark.parametrize(("modes", "capabilities"), CASES)
def test_hosting_is_announced_for_permitted_requests(modes: list[Mode], capabilities: Json) -> None:
    """H1 (MCP 2025-11-25, Tasks, Capabilities): declared by request type; 2026-07-28 has no such tasks."""
    hosted: Json = {"elicitation": {"create": {}}, "sampling": {"createMessage": {}}}
    requests = {name: value for name, value in hosted.items() if name in capabilities}
    announced = sent("initialize", {"capabilities": ALL}, modes)["capabilities"]
    assert announced.get("tasks") == ({"list": {}, "cancel": {}, "requests": requests} if requests else None)
    modern = sent("tools/call", {"_meta": {CLIENT_CAPABILITIES_META_KEY: ALL}}, modes)
    assert "tasks" not in modern["_meta"][CLIENT_CAPABILITIES_META_KEY]


@pytest.mark.parametrize(("modes", "capabilities"), CASES)
def test_each_modern_request_announces_modes_and_tasks(modes: list[Mode], capabilities: Json) -> None:
    """Extension Tasks of 2026-07-28 (SEP-2663), Capabilities: the client declares it in each request (X14)."""
    params = {"name": "book", "_meta": {CLIENT_CAPABILITIES_META_KEY: ALL, "progressToken": 1}}
    given = sent("tools/call", params, modes)
    all_of_them = capabilities | {"extensions": {"io.modelcontextprotocol/tasks": {}}}
    meta = {CLIENT_CAPABILITIES_META_KEY: all_of_them, LOG_LEVEL_META_KEY: "debug", "progressToken": 1}
    assert given["_meta"] == meta
    assert given["name"] == "book"


def test_a_tool_argument_named_capabilities_stays() -> None:
    params = {"capabilities": ALL}
    assert sent("tools/call", params, []) == params


@pytest.mark.parametrize("roots", [(), (Root(uri="file:///home/me"),)])
def test_roots_are_announced_if_the_user_keeps_a_list(roots: tuple[Root, ...]) -> None:
    """F1, F2 (MCP 2025-11-25, Roots, Capabilities): MUST declare `roots`; 2026-07-28 has no `listChanged`."""
    by_sdk: Json = {"roots": {"listChanged": True}}
    given = sent("initialize", {"capabilities": by_sdk}, [], roots=roots)
    assert given["capabilities"] == {"roots": {"listChanged": True}}
    modern = sent("tools/call", {"_meta": {CLIENT_CAPABILITIES_META_KEY: by_sdk}}, [], roots=roots)
    assert modern["_meta"][CLIENT_CAPABILITIES_META_KEY]["roots"] == {}
    assert sent("initialize", {"capabilities": by_sdk}, [])["capabilities"] == {}


@pytest.mark.parametrize("method", ["tasks/get", "tasks/update", "tasks/cancel", "tools/call"])
def test_a_request_on_a_task_announces_tasks_all_the_same(method: str) -> None:
    """Extension Tasks (SEP-2663), X14: a task that runs already goes on when its extension is switched off."""
    off = (Extension.TASKS,)
    given = sent(method, {"_meta": {CLIENT_CAPABILITIES_META_KEY: {}}}, [], extensions_off=off)
    announced = given["_meta"][CLIENT_CAPABILITIES_META_KEY].get("extensions")
    assert announced == (None if method == "tools/call" else {Extension.TASKS: {}})


def test_extensions_of_authorization_are_announced_over_http() -> None:
    over_http: Json = {"type": "http", "url": "http://127.0.0.1/mcp"}
    older = sent("initialize", {"capabilities": {}}, [], transport=over_http)["capabilities"]
    assert older == {"extensions": {Extension.CLIENT_CREDENTIALS: {}, Extension.ENTERPRISE: {}}}
    assert sent("initialize", {"capabilities": {}}, [])["capabilities"] == {}
