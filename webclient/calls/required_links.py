"""The error -32042: a server that cannot go on before the person has opened links, and the wait until they have.

The error is read defensively, entry by entry: the SDK's own reader drops all entries if one is malformed.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from webclient.content.visible_text import shortened
from webclient.domain.model import InputRequest, Json, Reason, ReasonCode, RequestState
from webclient.inbox import Inbox, link_of
from webclient.protocol import ServerError
from webclient.support.standard_json import json_equal

CODE = -32042
"""URLElicitationRequiredError (MCP 2025-11-25, URL Elicitation Required Error)."""

MAX_LINKS = 20
"""Links of one error that are shown: a person does not open more, and the error may list a million."""


class UnopenedError(Exception):
    """The call fails, because a link that it needs was not opened or finished; `error` is what its server sent.

    `where` is the host of that link, "" if there was no link to open.
    """

    def __init__(self, reason: Reason, error: Json, where: str = "") -> None:
        super().__init__(reason.code)
        self.reason = reason
        self.error = error
        self.where = where


@dataclass(frozen=True, slots=True, kw_only=True)
class LinksRequired:
    """The server requires links before it can go on.

    `links` are the `params` of url elicitations; `refused` are malformed entries, each with the reason; `error` is the
    error as it came; `missing` says why there is no link at all, if there is none.
    """

    error: Json
    links: list[Json]
    refused: list[tuple[Json, Reason]]
    missing: ReasonCode = ReasonCode.LINKS_INVALID

    @property
    def entries(self) -> dict[str, Json]:
        """The links, and then the malformed entries, as requests by their number."""
        all_params = [*self.links, *(params for params, _reason in self.refused)]
        return {
            str(number): {"method": "elicitation/create", "params": params}
            for number, params in enumerate(all_params, start=1)
        }

    @property
    def malformed(self) -> dict[str, Reason]:
        """The reasons of the malformed entries by their number."""
        return {str(number): reason for number, (_params, reason) in enumerate(self.refused, start=len(self.links) + 1)}


def links_required(error: ServerError) -> LinksRequired | None:
    """Read the links that an error requires; None if it is another error."""
    if error.code != CODE:
        return None
    entries = error.data.get("elicitations") if isinstance(error.data, dict) else None
    if not isinstance(entries, list) or not entries:
        return LinksRequired(error=error.as_json, links=[], refused=[], missing=ReasonCode.LINKS_MISSING)
    faults = [(entry, _fault(entry)) for entry in _unique(entries[:MAX_LINKS])]
    links = [entry for entry, fault in faults if not fault]
    refused = [(entry if isinstance(entry, dict) else {"entry": entry}, fault) for entry, fault in faults if fault]
    if len(entries) > MAX_LINKS:
        refused.append(({}, Reason.of(ReasonCode.TOO_MANY_LINKS, n=len(entries), most=MAX_LINKS)))
    return LinksRequired(error=error.as_json, links=links, refused=refused)


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
        raise UnopenedError(_reason(request), error, _host(request))
    return newest


def _all_finished(links: Sequence[InputRequest]) -> bool:
    return all(request.state is RequestState.COMPLETED for request in links)


def _unopened(links: Sequence[InputRequest]) -> list[InputRequest]:
    open_or_finished = (RequestState.PENDING, RequestState.WAITING, RequestState.COMPLETED)
    return [request for request in links if request.state not in open_or_finished]


def _reason(request: InputRequest) -> Reason:
    if request.given_up:
        code = ReasonCode.LINK_GIVEN_UP
    elif request.state is RequestState.DECLINED:
        code = ReasonCode.LINK_DECLINED
    elif request.state is RequestState.CANCELLED:
        code = ReasonCode.LINK_DISMISSED
    else:
        code = ReasonCode.LINK_NOT_OPENED
    return Reason.of(code, where=_host(request))


def _host(request: InputRequest) -> str:
    return link_of(request).host or shortened(str(request.params.get("url")), 100)
