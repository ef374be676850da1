"""The tools that a model may use in its answer to a sampling request."""

from __future__ import annotations

from webclient.domain.model import Json


def allowed_tools(params: Json) -> set[str]:
    """Return the names of the tools that the answer may use: those of the request, unless its choice is `none`."""
    if (params.get("toolChoice") or {}).get("mode") == "none":
        return set()
    return {tool["name"] for tool in params.get("tools") or []}
