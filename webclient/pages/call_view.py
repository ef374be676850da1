"""One call as its page shows it: the same object for the page, its partials and every push."""

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
    """A call with its server (None if removed), the connection's status and its own requests."""

    call: Call
    server: Server | None
    status: ServerStatus
    requests: Sequence[InputRequest]
    log: CallLog

    @property
    def arguments(self) -> Json:
        """The arguments, with dots in place of values that may be secret."""
        return {**(self.call.arguments or {}), **dict.fromkeys(self.call.hidden, DOTS)}

    @property
    def contents(self) -> Sequence[Content]:
        """The blocks of the result."""
        return read_contents(self.call.result)

    @property
    def steps(self) -> list[Step]:
        """The timeline, oldest step first."""
        return timeline(self.call, self.requests)

    @property
    def waits_for(self) -> str:
        """The sentence on what the call waits for."""
        return waits_for(self.call, self.requests)

    @property
    def hurries(self) -> bool:
        """Whether one of its requests has or may have a deadline."""
        return self.call.may_wait or any(each.pending and each.expires_at for each in self.requests)

    @property
    def away(self) -> str:
        """The sentence on the connection that the call waits for, or ""."""
        return away(self.call, self.requests, self.status)


async def read_call_view(services: Services, call: Call) -> CallView:
    """Read everything that the page of a call shows, except the cards."""
    return CallView(
        call=call,
        server=await find_server(services, call.user_id, call.server_id),
        status=services.connections.status(call.server_id),
        requests=await services.store.of(call.user_id).requests.find(call_id=call.id),
        log=await services.store.of(call.user_id).logs.get(call.id),
    )
