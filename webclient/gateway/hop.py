"""The parts of messages that belong to one hop, so that they differ on the two sides of the gateway.

All else passes as it came. `docs/gateway.md` has the list.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from webclient.domain.model import Json, Trace, read_trace, with_trace

_PREFIX = "io.modelcontextprotocol/"

_ENVELOPE = ("protocolVersion", "clientInfo", "clientCapabilities", "logLevel")

_OF_ONE_HOP = frozenset({"progressToken", *(f"{_PREFIX}{name}" for name in _ENVELOPE)})
"""Keys of the `_meta` of a request that tell of its sender and of this request alone."""

_CACHED = frozenset({"tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"})
"""Methods whose results say in 2026-07-28 how long they are valid."""

_PASSED = ("tools", "prompts", "resources", "completions", "logging", "experimental", "extensions")
"""Capabilities of a server that the gateway passes on."""

_LISTED = ("tools", "prompts", "resources")

CAPABILITIES = f"{_PREFIX}clientCapabilities"

TASKS = f"{_PREFIX}tasks"

_SUBSCRIPTION = f"{_PREFIX}subscriptionId"


def trace_of(params: Mapping[str, Any], headers: Mapping[str, str]) -> Trace | None:
    """Return the trace of an agent's request: that of `_meta`, or else of the headers of its HTTP request."""
    meta = params.get("_meta")
    return (read_trace(meta) if isinstance(meta, Mapping) else None) or read_trace(headers)


def onward(params: Mapping[str, Any], trace: Trace | None) -> Json:
    """Return the parameters of an agent's request as the server gets them, with this trace."""
    meta = params.get("_meta")
    if not isinstance(meta, Mapping):
        meta = {}
    remaining = {key: value for key, value in with_trace(meta, trace).items() if key not in _OF_ONE_HOP}
    others = {key: value for key, value in params.items() if key != "_meta"}
    return others | ({"_meta": remaining} if remaining else {})


def back(method: str, result: Json, *, modern: bool) -> Json:
    """Return a server's result as the agent gets it; `modern`: the agent speaks 2026-07-28."""
    if modern:
        cached = {"ttlMs": 0, "cacheScope": "private"} if method in _CACHED else {}
        return {"resultType": "complete", **cached, **result}
    later = {"ttlMs", "cacheScope"} if method in _CACHED else set()
    if result.get("resultType") == "complete":
        later.add("resultType")
    return {key: value for key, value in result.items() if key not in later}


def notice(params: Mapping[str, Any], meta: Mapping[str, Any]) -> Json | None:
    """Return the parameters of a notification as the agent gets them."""
    given = params.get("_meta")
    others = {key: value for key, value in params.items() if key != "_meta"}
    if not isinstance(given, Mapping):
        given = {}
    passed = {key: value for key, value in given.items() if key != _SUBSCRIPTION} | dict(meta)
    return others | ({"_meta": passed} if passed else {}) or None


def passed_capabilities(capabilities: Json | None) -> Json:
    """Return the capabilities that an agent sees; those of the server are None if it is not connected.

    Agents hear of changes of each list: the server tells of them, or it may have others in its next session.
    """
    if capabilities is None:
        # They are listed once it is.
        return {name: {"listChanged": True} for name in _LISTED}
    passed = {name: dict(capabilities[name]) for name in _PASSED if isinstance(capabilities.get(name), Mapping)}
    for name in _LISTED:
        if name in passed:
            passed[name]["listChanged"] = True
    if "extensions" in passed:
        # A call that runs as a task at the server is one whole call here.
        passed["extensions"].pop(TASKS, None)
    return {name: value for name, value in passed.items() if value or name != "extensions"}
