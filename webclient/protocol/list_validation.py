"""Takes what is not MCP out of a list of tools, prompts or resources, so that the rest can be used.

The SDK refuses a whole page for one entry that is not described as the protocol demands.
"""

from __future__ import annotations

from typing import Any

from mcp.types import methods
from pydantic import ValidationError

from webclient.model import Json

LEFT_OUT = "mcp-webclient/leftOut"
"""The key under which a sifted page has the names of the entries that it lacks; ours, whatever the server says."""

KEYS = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}
"""The requests whose results are sifted, and where their entries stand."""

_NAMED = 200
"""Characters of a name that are told."""


def sift(method: str, version: str, page: Json, most: int) -> None:
    """Take out of `page`, the result of `method`, the entries that the SDK would refuse it for; note their names.

    No more than `most` are looked at, and one more than that is kept at most.
    """
    page.pop(LEFT_OUT, None)
    key = KEYS[method]
    entries = page.get(key)
    if not isinstance(entries, list):
        return
    del entries[most + 1 :]
    if _fits(method, version, page) or not _fits(method, version, {**page, key: []}):
        return
    fitting = [(each, _fits(method, version, {**page, key: [each]})) for each in entries]
    page[key] = [each for each, fits in fitting if fits]
    page[LEFT_OUT] = [_name(each) for each, fits in fitting if not fits]


def _fits(method: str, version: str, page: Json) -> bool:
    try:
        methods.validate_server_result(method, version, page)
    except (ValidationError, RecursionError):
        return False
    return True


def _name(entry: Any) -> str:
    named = entry.get("name") if isinstance(entry, dict) else None
    return named[:_NAMED] if isinstance(named, str) else "?"
