"""The approval of an agent's call: a person decides on exactly what runs, before its server gets anything of it.

The decision is used once: it is taken up in one unit of work with the arguments that may run, and from then on the call
is sent as any other, once. Before that nothing has run, and after a restart the same question decides.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta

from webclient.calls.checkpoint import ApprovalCheckpoint, UnsentCheckpoint, to_json
from webclient.calls.driving import DriverServices
from webclient.calls.running import RunningCall
from webclient.domain.approvals import APPROVAL, Decision, Verb, decision_of, shown_tool
from webclient.domain.errors import ConflictError, NotFoundError
from webclient.domain.model import (
    Call,
    CallContext,
    CallState,
    InputRequest,
    Json,
    Origin,
    Reason,
    ReasonCode,
    Requester,
    RequesterKind,
    RequestState,
    Server,
    new_id,
    now,
)
from webclient.inbox import RetentionPolicy
from webclient.store import Store
from webclient.support.standard_json import digest_of_json, json_equal

VALID = timedelta(hours=24)
"""How long a proposed call waits for a decision."""


class NotApprovedError(Exception):
    """The call may not run, for that reason."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.code)
        self.reason = reason


class AnsweredError(Exception):
    """The person has answered, so the tool does not run."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


@dataclass(frozen=True, slots=True, kw_only=True)
class Approvals:
    """Puts proposed calls to the person, and takes up the decisions."""

    store: Store
    services: DriverServices
    retention_policy: RetentionPolicy

    async def until_decided(self, running: RunningCall, server: Server, checkpoint: ApprovalCheckpoint) -> None:
        """Wait until the call may run, with the arguments of the decision.

        If its tool has changed meanwhile, the person is asked again. Raises NotApprovedError, AnsweredError,
        RefusedError, and ConflictError if the call has ended.
        """
        while True:
            decision = await self._decision(running, server, checkpoint)
            tool = await self._tool_when_wanted(running, server)
            if json_equal(tool, checkpoint.tool):
                await self._take_up(running, decision, tool)
                return
            checkpoint = ApprovalCheckpoint(request=new_id(), tool=tool, changed=True)
            await running.save_checkpoint(checkpoint)

    async def _decision(self, running: RunningCall, server: Server, checkpoint: ApprovalCheckpoint) -> Decision:
        request = await self._put(running, server, checkpoint)
        async with running.waiting(round_number=0):
            [settled] = await self.services.inbox.until([request], lambda found: not found[0].pending)
        decision = decision_of(settled)
        if decision is None:
            raise NotApprovedError(_why(settled))
        if decision.verb is Verb.REJECT:
            raise NotApprovedError(_rejected(decision))
        if decision.verb is Verb.RESPOND:
            raise AnsweredError(decision.message or "")
        return decision

    async def _put(self, running: RunningCall, server: Server, checkpoint: ApprovalCheckpoint) -> InputRequest:
        """Show the question, unless it is there since before a restart; return it."""
        try:
            return await self.store.of(server.user_id).requests.get(checkpoint.request)
        except NotFoundError:
            request = _request_of(running.call, checkpoint)
        with running.changing(required=True, state=CallState.INPUT_REQUIRED) as change:
            await self.services.intake.propose(server, request, change)
        if not change.is_written:
            raise ConflictError(Reason(ReasonCode.CALL_OVER))
        return request

    async def _tool_when_wanted(self, running: RunningCall, server: Server) -> Json:
        """Wait until the agent is there and the server is connected; return the tool as it is then.

        Nothing runs for an agent that has gone; its next try takes the decision up.
        """
        while True:
            await running.wanted.wait()
            connection = await self.services.connections.ready(server.key)
            if not connection.knows_catalog:
                await self.services.connections.know_tools(server)
            if running.wanted.is_set():
                return shown_tool(connection.catalog.tool(running.call.name) or {"name": running.call.name})

    async def _take_up(self, running: RunningCall, decision: Decision, tool: Json) -> None:
        """Write what may run, and that nothing of it was sent yet, in one unit of work."""
        call, arguments = running.call, decision.arguments or {}
        withheld = self.retention_policy.withheld_from_call(tool.get("inputSchema"), arguments)
        approval = decision.as_json(withheld) | {"proposed": digest_of_json(call.arguments or {})}
        running.call = replace(call, arguments=arguments, withheld=withheld, approval=approval)
        unsent = to_json(UnsentCheckpoint(as_task=running.as_task))
        columns = {"arguments": arguments, "withheld": list(withheld), "approval": approval}
        if not await running.change(at_once=False, checkpoint=unsent, **columns):
            raise ConflictError(Reason(ReasonCode.CALL_OVER))


def checkpoint_of(tool: Json) -> ApprovalCheckpoint:
    """Return the checkpoint of a call of this tool that waits for a decision."""
    return ApprovalCheckpoint(request=new_id(), tool=shown_tool(tool))


def _request_of(call: Call, checkpoint: ApprovalCheckpoint) -> InputRequest:
    created_at, agent = now(), call.agent
    return InputRequest(
        id=checkpoint.request,
        user_id=call.user_id,
        server_id=call.server_id,
        call_id=call.id,
        kind=APPROVAL,
        origin=Origin.APPROVAL,
        params=_params(call, checkpoint.tool),
        asked_by=Requester(
            kind=RequesterKind.AGENT,
            label=agent.label if agent else "",
            address="",
            claims=(agent.claims if agent else "") or None,
            token_id=agent.token_id if agent else None,
        ),
        during=CallContext(kind=call.kind, name=call.name),
        reason=Reason(ReasonCode.TOOL_CHANGED) if checkpoint.changed else None,
        created_at=created_at,
        expires_at=created_at + VALID,
    )


def _params(call: Call, tool: Json) -> Json:
    return {"tool": tool, "arguments": call.arguments or {}, "server": call.server_label, **_allowed(tool)}


def _allowed(tool: Json) -> Json:
    """Return what can be decided: clients refuse words in the place of a result with a declared structure."""
    return {"allow": [Verb.APPROVE, Verb.EDIT, Verb.REJECT]} if "outputSchema" in tool else {}


def _rejected(decision: Decision) -> Reason:
    if not decision.message:
        return Reason(ReasonCode.NOT_APPROVED)
    return Reason.of(ReasonCode.NOT_APPROVED_BECAUSE, words=decision.message)


def _why(settled: InputRequest) -> Reason:
    """Return why a call whose question ended without a decision does not run."""
    if settled.state is RequestState.EXPIRED:
        return Reason(ReasonCode.APPROVAL_EXPIRED)
    return settled.reason or Reason(ReasonCode.APPROVAL_DISMISSED)
