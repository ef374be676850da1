"""The error -32042: a server that cannot go on before the person has opened links, and the wait until they have.

The error is read defensively, entry by entry: the SDK's own reader drops all entries if one is malformed.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from webclient.i18n import gettext as _
from webclient.inbox import Inbox, link_of
from webclient.json_equality import json_equal
from webclient.model import InputRequest, Json, Reason, ReasonCode, RequestState
from webclient.protocol.server_error import ServerError
from webclient.reasons import sentence
from webclient.visible_text import shortened

CODE = -32042
"""URLElicitationRequiredError (MCP 2025-11-25, URL Elicitation Required Error)."""

MAX_LINKS = 20
"""Links of one error that are shown: a person does not open more, and the error may list a million."""


class UnopenedError(Exception):
    """The call fails, because a link to `host` that it needs was not opened or finished; `error` is the call's.

    Without a `host` there was no link to open.
    """

    def __init__(self, error: Json, host: str = "") -> None:
        super().__init__(error["message"])
        self.error = error
        self.host = host


@dataclass(frozen=True, slots=True, kw_only=True)
class LinksRequired:
    """The server requires links before it can go on.

    `links` are the `params` of url elicitations; `refused` are malformed entries, each with the reason; `error` is the
    error as it came; `missing` says what it lacks if there is no link at all.
    """

    error: Json
    links: list[Json]
    refused: list[tuple[Json, Reason]]
    missing: str = ""


def links_required(error: ServerError) -> LinksRequired | None:
    """Read the links that an error requires; None if it is another error."""
    if error.code != CODE:
        return None
    entries = error.data.get("elicitations") if isinstance(error.data, dict) else None
    if not isinstance(entries, list) or not entries:
        missing = _("its list of links (data.elicitations) is missing or empty")
        return LinksRequired(error=error.as_json, links=[], refused=[], missing=missing)
    faults = [(entry, _fault(entry)) for entry in _unique(entries[:MAX_LINKS])]
    links = [entry for entry, fault in faults if not fault]
    refused = [(entry if isinstance(entry, dict) else {"entry": entry}, fault) for entry, fault in faults if fault]
    if len(entries) > MAX_LINKS:
        refused.append(({}, Reason.of(ReasonCode.TOO_MANY_LINKS, n=len(entries), most=MAX_LINKS)))
    missing = "" if links else _("none of its entries is a link")
    return LinksRequired(error=error.as_json, links=links, refused=refused, missing=missing)


def _unique(entries: list[Any]) -> list[Any]:
    unique: list[Any] = []
    for entry in entries:
        if not any(json_equal(entry, each) for each in unique):
            unique.append(entry)
    return unique


def _fault(entry: Any) -> Reason | None:
    """Say what is wrong with an entry: it MUST be an elicitation in url mode (MCP 2025-11-25, Elicitation)."""
    if not isinstance(entry, dict):
        return Reason(ReasonCode.ENTRY_NOT_AN_OBJECT)
    if entry.get("mode") != "url":
        return Reason.of(ReasonCode.ENTRY_NOT_A_LINK, mode=shortened(json.dumps(entry.get("mode")), 100))
    if not isinstance(entry.get("url"), str):
        return Reason(ReasonCode.ENTRY_WITHOUT_URL)
    if not isinstance(entry.get("message", ""), str):
        return Reason(ReasonCode.ENTRY_MESSAGE_NOT_TEXT)
    return None


async def until_finished(inbox: Inbox, links: Collection[InputRequest], error: Json) -> list[InputRequest]:
    """Wait until every one of these links is finished. Raises UnopenedError as soon as one cannot be any more."""
    newest = await inbox.until(links, lambda found: bool(_unopened(found)) or _all_finished(found))
    for request in _unopened(newest):
        raise UnopenedError({**error, "message": _sentence(request)}, _host(request))
    return newest


def _all_finished(links: Sequence[InputRequest]) -> bool:
    return all(request.state is RequestState.COMPLETED for request in links)


def _unopened(links: Sequence[InputRequest]) -> list[InputRequest]:
    open_or_finished = (RequestState.PENDING, RequestState.WAITING, RequestState.COMPLETED)
    return [request for request in links if request.state not in open_or_finished]


def _sentence(request: InputRequest) -> str:
    host = _host(request)
    if request.given_up:
        return _("You gave up waiting for {host}, which the call needs.").format(host=host)
    if request.state is RequestState.DECLINED:
        return _("You declined to open {host}, which the call needs.").format(host=host)
    if request.state is RequestState.CANCELLED:
        return _("You did not open {host}, which the call needs.").format(host=host)
    pattern = _("The call needs {host}, which was not opened. {reason}")
    return pattern.format(host=host, reason=sentence(request.reason) if request.reason else "").rstrip()


def _host(request: InputRequest) -> str:
    return link_of(request).host or shortened(str(request.params.get("url")), 100)
