"""A call as its page tells it: one object that the page, its parts and every push to it show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webclient.forms import DOTS
from webclient.model import Call, CallLog, InputRequest, Json, Server, ServerStatus
from webclient.pages.call_timeline import Step, away, timeline, waits_for
from webclient.pages.contents import Content, read_contents
from webclient.pages.page_context import find_server
from webclient.services import Services


@dataclass(frozen=True, slots=True, kw_only=True)
class CallView:
    """A call, its server unless that was removed since, how the connection stands, and the call's own questions."""

    call: Call
    server: Server | None
    status: ServerStatus
    requests: Sequence[InputRequest]
    log: CallLog

    @property
    def arguments(self) -> Json:
        """What it was called with, with dots for what may be a secret and is still kept."""
        return {**(self.call.arguments or {}), **dict.fromkeys(self.call.hidden, DOTS)}

    @property
    def contents(self) -> Sequence[Content]:
        """What came back, block by block."""
        return read_contents(self.call.result)

    @property
    def steps(self) -> list[Step]:
        """What happened so far, oldest first."""
        return timeline(self.call, self.requests)

    @property
    def waits_for(self) -> str:
        """What it waits for, while it waits."""
        return waits_for(self.call, self.requests)

    @property
    def hurries(self) -> bool:
        """Whether time runs against one of its questions, or may."""
        return self.call.may_wait or any(each.pending and each.expires_at for each in self.requests)

    @property
    def away(self) -> str:
        """Why it cannot go on though all is answered, or ""."""
        return away(self.call, self.requests, self.status)


async def read_call_view(services: Services, call: Call) -> CallView:
    """Read all that the page of a call tells of it, other than the cards."""
    return CallView(
        call=call,
        server=await find_server(services, call.user_id, call.server_id),
        status=services.connections.status(call.server_id),
        requests=await services.store.of(call.user_id).requests.find(call_id=call.id),
        log=await services.store.of(call.user_id).logs.get(call.id),
    )
