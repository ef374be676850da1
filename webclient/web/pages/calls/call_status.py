"""The status of a call as pages show it, which also depends on how its questions ended."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from webclient.domain.model import (
    AnyRequest,
    Call,
    CallKind,
    CallState,
    InputRequest,
    Json,
    ListedRequest,
    ReasonCode,
    RequestState,
    Server,
)
from webclient.services import Services
from webclient.web.pages.servers.catalog_entries import title_of

LOOKED_THROUGH = 50
"""The newest calls of a server among which those with a task are shown; calls that have not ended are always shown."""


class CallStatus(StrEnum):
    """The status of a call on pages."""

    NEEDS_YOU = "needs_you"
    MAY_NEED_YOU = "may_need_you"
    RUNNING = "running"
    COMPLETED = "completed"
    DECLINED = "declined"
    DISMISSED = "dismissed"
    FAILED = "failed"
    STOPPED = "stopped"
    ENDED = "ended"
    INTERRUPTED = "interrupted"


_STATUSES = {
    CallState.RUNNING: CallStatus.RUNNING,
    CallState.INPUT_REQUIRED: CallStatus.NEEDS_YOU,
    CallState.DONE: CallStatus.COMPLETED,
    CallState.FAILED: CallStatus.FAILED,
    CallState.CANCELLED: CallStatus.STOPPED,
    CallState.INTERRUPTED: CallStatus.INTERRUPTED,
}
_ASKING = {RequestState.DECLINED: CallStatus.DECLINED, RequestState.CANCELLED: CallStatus.DISMISSED}


def status_of(call: Call, asking: RequestState | None = None) -> CallStatus:
    """Return the status of a call; `asking` is how the person ended its last question without an answer, or None."""
    if call.state is CallState.INPUT_REQUIRED and call.may_wait:
        return CallStatus.MAY_NEED_YOU
    if call.reports_error:
        return CallStatus.FAILED
    if call.reason_code is ReasonCode.ENDED_BY_DEMO:
        return CallStatus.ENDED
    if call.state is CallState.DONE and asking is not None:
        return _ASKING.get(asking, CallStatus.COMPLETED)
    return _STATUSES[call.state]


def asking_of(requests: Sequence[InputRequest | ListedRequest]) -> RequestState | None:
    """Return how the person ended the last of a call's requests without an answer; None if they did not."""
    last = requests[-1] if requests else None
    # Without `via` it was not the person: a muted server is cancelled by itself.
    return last.state if last and last.state in _ASKING and last.via is not None else None


def catalog_item(services: Services, call: Call, server: Server | None) -> Json:
    """Return the server's own description of a call's tool or prompt, verbatim; empty if unknown."""
    if server is None or call.kind is CallKind.RESOURCE:
        return {}
    catalog = services.connections.last_catalog(server.key)
    items = catalog.tools if call.kind is CallKind.TOOL else catalog.prompts
    return next((each for each in items if each.get("name") == call.name), {})


def call_title(services: Services, call: Call, server: Server | None) -> str:
    """Return the title of a call's tool or prompt; "" if unknown."""
    title = title_of(catalog_item(services, call, server))
    return title if title != call.name else ""


def title_for(services: Services, request: AnyRequest) -> str:
    """Return the title of the tool or prompt during whose call a server asks; "" if unknown."""
    name = request.call_name
    if not name or request.asked_by.is_program:
        return ""
    catalog = services.connections.last_catalog(request.server_key)
    title = next((title_of(each) for each in (*catalog.tools, *catalog.prompts) if each.get("name") == name), "")
    return title if title != name else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRow:
    """A call in a list; `asking` as in `status_of`, `title` as in `call_title`."""

    call: Call
    asking: RequestState | None = None
    title: str = ""

    @property
    def status(self) -> CallStatus:
        """The status of the call on pages."""
        return status_of(self.call, self.asking)


async def read_call_rows(services: Services, user_id: str, calls: Iterable[Call]) -> list[CallRow]:
    """Return the rows of these calls, in their order."""
    calls = list(calls)
    ended = [call.id for call in calls if call.state.ended]
    asking = await services.store.of(user_id).requests_of_calls.unanswered(ended) if ended else {}
    servers = {each.id: each for each in await services.store.of(user_id).servers.all()} if calls else {}
    return [
        CallRow(call=call, asking=asking.get(call.id), title=call_title(services, call, servers.get(call.server_id)))
        for call in calls
    ]


async def calls_with_tasks(services: Services, user_id: str, server_id: str) -> list[Call]:
    """Return the calls that run as tasks of a server, or did, newest first."""
    find = services.store.of(user_id).calls.find
    open_ = [call for state in _OPEN for call in await find(server_id=server_id, state=state)]
    newest = await find(server_id=server_id, limit=LOOKED_THROUGH)
    found = {call.id: call for call in [*open_, *newest] if call.task}
    return sorted(found.values(), key=lambda call: (call.created_at, call.id), reverse=True)


_OPEN = (CallState.RUNNING, CallState.INPUT_REQUIRED)
