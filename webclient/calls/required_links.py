"""The error -32042: a server that cannot go on before the person has opened one or several links.

Read defensively: what the SDK's own reader does with one malformed entry is to throw all of them away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mcp import MCPError
from mcp.types import URL_ELICITATION_REQUIRED

from webclient.i18n import gettext as _
from webclient.json_equality import json_equal
from webclient.model import Json

MOST = 20
"""Links of one error that are shown; nobody opens more, and the error may list a million."""


@dataclass(frozen=True, slots=True)
class UrlRequired:
    """What the error asks for: `links` are the `params` of url elicitations, `refused` is what is none, and why.

    `error` is the error as it came, `missing` says what it leaves out when there is no link at all.
    """

    error: Json
    links: list[Json]
    refused: list[tuple[Json, str]]
    missing: str = ""


def url_required(error: MCPError) -> UrlRequired | None:
    """Return what the error asks for, or None if it is another error."""
    if error.error.code != URL_ELICITATION_REQUIRED:
        return None
    told = error.error.model_dump(mode="json", by_alias=True, exclude_none=True)
    data = error.error.data
    entries = data.get("elicitations") if isinstance(data, dict) else None
    if not isinstance(entries, list) or not entries:
        return UrlRequired(told, [], [], _("its list of links (data.elicitations) is missing or empty"))
    run_schema_work = [(entry, _wrong(entry)) for entry in _unique(entries[:MOST])]
    links = [entry for entry, wrong in run_schema_work if not wrong]
    refused = [(_params(entry), wrong) for entry, wrong in run_schema_work if wrong]
    if len(entries) > MOST:
        refused.append(({}, _("there are {n} of them, and {most} are shown.").format(n=len(entries), most=MOST)))
    missing = "" if links else _("none of what it lists is a link")
    return UrlRequired(told, links, refused, missing)


def _unique(entries: list[Any]) -> list[Any]:
    return [
        entry for number, entry in enumerate(entries) if not any(json_equal(entry, each) for each in entries[:number])
    ]


def _wrong(entry: Any) -> str:
    """Return what is wrong with an entry: it MUST be an elicitation in url mode (MCP 2025-11-25, Elicitation)."""
    if not isinstance(entry, dict):
        return _("it is no object.")
    if entry.get("mode") != "url":
        return _("its mode is {mode!r} and should be 'url'.").format(mode=entry.get("mode"))
    if not isinstance(entry.get("url"), str):
        return _("it has no url.")
    if not isinstance(entry.get("message", ""), str):
        return _("its message is no text.")
    return ""


def _params(entry: Any) -> Json:
    return entry if isinstance(entry, dict) else {"entry": entry}
