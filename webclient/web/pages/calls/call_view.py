"""One call as its page shows it: the same object for the page, its partials and every push."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from webclient.content.forms import DOTS
from webclient.domain.approvals import APPROVAL
from webclient.domain.executions import Execution, effect_of
from webclient.domain.model import (
    Call,
    CallLog,
    CallState,
    InputRequest,
    Json,
    ListedRequest,
    RequestState,
    Server,
    ServerStatus,
)
from webclient.services import Services
from webclient.web.pages.calls.call_status import CallStatus, asking_of, call_title, status_of
from webclient.web.pages.calls.call_timeline import (
    NAMED,
    TimelineEntry,
    approval_entries,
    away,
    sent_entries,
    waits_for,
)
from webclient.web.pages.calls.contents import Content, read_contents, structured_content
from webclient.web.pages.calls.task_view import TaskView, task_view_of
from webclient.web.pages.inbox.sign_in_cards import SignInCard, card_of
from webclient.web.pages.page_context import find_server


@dataclass(frozen=True, kw_only=True)
class CallView:
    """A call with its server (None if removed), the connection's status and its own requests.

    `title` is that of its tool or prompt, as far as the catalog is known here, or "". `server_sign_in` is the sign-in
    that its server wants, `links` are opened ones that it waits for, `approvals` the questions whether it may run.
    `task_view` is None for a call without a task.
    """

    call: Call
    title: str
    server: Server | None
    status: ServerStatus
    requests: Sequence[ListedRequest]
    links: Sequence[InputRequest]
    approvals: Sequence[InputRequest] = ()
    log: CallLog
    server_sign_in: SignInCard | None = None
    task_view: TaskView | None = None

    @property
    def sign_in(self) -> SignInCard | None:
        """The card of the sign-in that the call waits for, or None."""
        answered = self.call.state is CallState.INPUT_REQUIRED and not any(request.open for request in self.requests)
        return self.server_sign_in if (answered and not self.call.may_wait) or self.away else None

    @property
    def steps(self) -> Sequence[Json]:
        """The last messages on progress, each with its moment; none if there is only one."""
        messages = (self.call.progress or {}).get("messages") or ()
        return [{"at": datetime.fromisoformat(each["at"]), "text": each["text"]} for each in messages]

    @property
    def arguments(self) -> Json:
        """The arguments, with dots in place of values that may be secret."""
        return {**(self.call.arguments or {}), **dict.fromkeys(self.call.hidden, DOTS)}

    @cached_property
    def contents(self) -> Sequence[Content]:
        """The blocks of the result."""
        return read_contents(self.call.result)

    @property
    def structured(self) -> Any:
        """The structured content of the result, unless one of its blocks says the same."""
        return structured_content(self.call.result, self.contents)

    @property
    def sent(self) -> list[TimelineEntry]:
        """The entries of the timeline that have no card and may still change."""
        return [*approval_entries(self.call, self.approvals), *sent_entries(self.call, self.requests)]

    @property
    def passed(self) -> timedelta:
        """The time from the start of an ended call to its end."""
        return self.call.updated_at - self.call.created_at

    @property
    def asking(self) -> RequestState | None:
        """How the person ended the last question of the call without an answer, or None."""
        return asking_of(self.requests)

    @property
    def call_status(self) -> CallStatus:
        """The status of the call on pages."""
        return status_of(self.call, self.asking)

    @property
    def waits_for(self) -> str:
        """The sentence on what the call waits for."""
        return waits_for(self.call, self.requests, self.links)

    @property
    def waits_for_agent(self) -> bool:
        """Whether it was approved, and runs when its agent asks for the result."""
        effect = effect_of(self.call, self.approvals[-1]) if self.approvals else None
        return effect is not None and effect.execution is Execution.WAITS

    @property
    def hurries(self) -> bool:
        """Whether one of its requests, or its task, has or may have a deadline."""
        if self.call.may_wait or (self.task_view and self.task_view.expires_at):
            return True
        return any(each.pending and each.expires_at for each in self.requests)

    @property
    def away(self) -> str:
        """The sentence on the connection that the call waits for, or ""."""
        return away(self.call, self.requests, self.status)


async def read_call_view(services: Services, call: Call) -> CallView:
    """Read everything that the page of a call shows, except the cards."""
    server = await find_server(services, call.user_id, call.server_id)
    store = services.store.of(call.user_id)
    requests = await store.request_lists.of_call(call.id)
    waiting = [each.id for each in requests if each.state is RequestState.WAITING and not each.is_by_itself]
    approvals = [each.id for each in requests if each.kind == APPROVAL]
    wanted = [*waiting[:NAMED], *approvals]
    found = await store.requests.by_ids(wanted) if wanted else {}
    return CallView(
        call=call,
        title=call_title(services, call, server),
        server=server,
        status=services.connections.status(call.server_key),
        requests=requests,
        links=[found[id_] for id_ in waiting if id_ in found],
        approvals=[found[id_] for id_ in approvals if id_ in found],
        server_sign_in=card_of(server, services.sign_ins.auth_of(server.key)) if server else None,
        log=await store.logs.get(call.id),
        task_view=task_view_of(call, services.calls.next_check(call.id)),
    )
