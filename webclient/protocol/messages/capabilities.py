"""The capabilities that we announce to a server: what its user permits it to ask for, extensions, and nothing else.

The SDK announces the same to every server, and no extensions, so its messages are edited on their way, in both eras.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from mcp.shared.message import SessionMessage
from mcp.types import CLIENT_CAPABILITIES_META_KEY, LOG_LEVEL_META_KEY, JSONRPCRequest

from webclient.domain.model import Extension, Json, LogLevel, Mode, Server

PERSON_REQUESTS: dict[str, Json] = {
    "elicitation/create": {"action": "cancel"},
    "sampling/createMessage": {"role": "assistant", "content": {"type": "text", "text": ""}, "model": ""},
}
"""The methods that a person answers, each with a result that the SDK passes where it does not pass `{task}`.

The tap sends that.
"""


def task_requests(capabilities: Json) -> Json:
    """Return which requests may be tasks, in the shape of the capability `tasks`.

    In 2025-11-25 a server may want each that a person answers as a task. `capabilities` are the announced ones; a
    request that was not announced may be no task.
    """
    steps = [method.split("/") for method in PERSON_REQUESTS]
    return {name: {action: {}} for name, action in steps if name in capabilities}


def announced(item: SessionMessage, server: Server) -> SessionMessage:
    """Return a message to the server that announces only what its user permits: requests and extensions.

    2025-11-25 announces once, in `initialize`; 2026-07-28 with each request, in its `_meta`.
    """
    message = item.message
    if not isinstance(message, JSONRPCRequest) or not message.params:
        return item
    params = message.params
    if message.method == "initialize" and "capabilities" in params:
        narrowed = _narrowed(params["capabilities"], server) | _roots(server, {"listChanged": True})
        narrowed |= _hosted_tasks(narrowed) | _extensions(server.extensions(modern=False))
        params = params | {"capabilities": narrowed}
    meta = params.get("_meta") or {}
    if CLIENT_CAPABILITIES_META_KEY in meta:
        # 2026-07-28 has no notification of changed roots.
        narrowed = _narrowed(meta[CLIENT_CAPABILITIES_META_KEY], server) | _roots(server, {})
        # A task that runs already goes on: the extension MUST be declared in requests on it (SEP-2663).
        needed = (Extension.TASKS,) if message.method.startswith("tasks/") else ()
        narrowed |= _extensions((*server.extensions(modern=True), *needed))
        meta = {name: value for name, value in meta.items() if name != LOG_LEVEL_META_KEY}
        params = params | {"_meta": meta | {CLIENT_CAPABILITIES_META_KEY: narrowed} | _log_level(server)}
    if params is message.params:
        return item
    return replace(item, message=message.model_copy(update={"params": params}))


def _hosted_tasks(announced: Json) -> Json:
    """Return the capability to host tasks, for the announced requests (MCP 2025-11-25, Tasks, Capabilities)."""
    requests = task_requests(announced)
    return {"tasks": {"list": {}, "cancel": {}, "requests": requests}} if requests else {}


def _narrowed(capabilities: Json, server: Server) -> Json:
    # A copy: the SDK stamps the same object onto every request.
    elicitation = {mode: how for mode, how in capabilities.get("elicitation", {}).items() if mode in server.modes}
    permitted = {"elicitation": elicitation or None, "sampling": Mode.SAMPLING in server.modes or None, "roots": None}
    permitted["extensions"] = None
    return {
        name: elicitation if name == "elicitation" else value
        for name, value in capabilities.items()
        if permitted.get(name, True)
    }


def _extensions(extensions: Iterable[Extension]) -> Json:
    announced = {each.value: each.settings for each in extensions}
    return {"extensions": announced} if announced else {}


def _roots(server: Server, how: Json) -> Json:
    return {"roots": how} if server.roots is not None else {}


def _log_level(server: Server) -> Json:
    """Return what asks for log messages with a 2026-07-28 request; without it a server MUST NOT send any (Logging)."""
    return {} if server.log_level is LogLevel.OFF else {LOG_LEVEL_META_KEY: server.log_level.value}
