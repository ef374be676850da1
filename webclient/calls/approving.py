"""The approval of an agent's call: a person decides on exactly what runs, before its server gets anything of it.

The decision is used once: it is taken up in one unit of work with the arguments that may run, and then the call is sent
as any other, once. Until its server may have got it, a restart begins again at the same question: it holds for this
tool as it was shown, and under the rule that asked.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import timedelta

from webclient.calls.checkpoint import ApprovalCheckpoint, to_json
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
    Then,
    new_id,
    now,
)
from webclient.inbox import RetentionPolicy
from webclient.servers.connections import Connection
from webclient.store import Store
from webclient.support.standard_json import digest_of_json, json_equal

VALID = timedelta(hours=24)
"""How long a proposed call waits for a decision."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The effect of the rules on a call; `rule` and `rule_id` are the version and id of the one that decides, or ""."""

    then: Then = Then.RUN
    rule: str = ""
    rule_id: str = ""


Judge = Callable[[Call, Json, Json], Awaitable[Judgement]]
"""Judges a call with this tool and these arguments by the rules of this moment."""


async def free(_call: Call, _tool: Json, _arguments: Json) -> Judgement:
    """Return that no rule decides."""
    return Judgement()


@dataclass(frozen=True, slots=True, kw_only=True)
class AskFirst:
    """The tool about whose call a person is asked first, as its server lists it, and the version and id of the rule."""

    tool: Json
    rule: str = ""
    rule_id: str = ""


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


@dataclass(slots=True, kw_only=True)
class Approvals:
    """Puts proposed calls to the person, and takes up the decisions; what was approved is judged once more."""

    store: Store
    services: DriverServices
    retention_policy: RetentionPolicy
    judge: Judge = free

    async def until_decided(self, running: RunningCall, server: Server, checkpoint: ApprovalCheckpoint) -> None:
        """Wait until the call may run, with the arguments of the decision.

        If its tool, or the rule that asks, has changed meanwhile, the person is asked again. Raises NotApprovedError,
        AnsweredError, RefusedError, and ConflictError if the call has ended.
        """
        while True:
            decision = await self._decision(running, server, checkpoint)
            tool = await self._tool_when_wanted(running, server)
            judged = await self._judged(running.call, tool, decision)
            renewed = _renewed(checkpoint, tool, judged)
            if renewed is None:
                await self._take_up(running, decision, checkpoint)
                return
            checkpoint = renewed
            await running.save_checkpoint(checkpoint)

    async def still(self, running: RunningCall, server: Server) -> None:
        """Do the same for a call that was approved, but has waited since then."""
        if running.approved:
            await self.until_decided(running, server, running.approved)

    async def is_as_shown(self, running: RunningCall, connection: Connection) -> bool:
        """Return whether the tool of an approved call is as it was shown; true for other calls."""
        approved = running.approved
        return approved is None or json_equal(await self._tool_now(running, connection), approved.tool)

    async def _judged(self, call: Call, tool: Json, decision: Decision) -> Judgement:
        """Judge the proposed call by the rules as they are now. Raises NotApprovedError if one refuses what may run."""
        proposed, may_run = call.arguments or {}, decision.arguments or {}
        judged = await self.judge(call, tool, proposed)
        to_run = judged if json_equal(may_run, proposed) else await self.judge(call, tool, may_run)
        if to_run.then is Then.REFUSE:
            raise NotApprovedError(Reason(ReasonCode.REFUSED_BY_RULE))
        return judged

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
            tool = await self._tool_now(running, connection)
            if running.wanted.is_set():
                return tool

    async def _tool_now(self, running: RunningCall, connection: Connection) -> Json:
        # Not from the cache: a server need not announce that a tool has changed.
        await self.services.connections.know_tools(connection.server, refresh=True)
        return shown_tool(connection.catalog.tool(running.call.name) or {"name": running.call.name})

    async def _take_up(self, running: RunningCall, decision: Decision, checkpoint: ApprovalCheckpoint) -> None:
        """Write what may run in one unit of work; nothing of it was sent yet."""
        call, arguments = running.call, decision.arguments or {}
        withheld = self.retention_policy.withheld_from_call(checkpoint.tool.get("inputSchema"), arguments)
        # After a restart it may be taken up once more, and then the arguments are those of the decision already.
        before = (call.approval or {}).get("proposed") or digest_of_json(call.arguments or {})
        approval = decision.as_json(withheld) | {"proposed": before, "request": checkpoint.request}
        columns: Json = {"arguments": arguments, "withheld": list(withheld), "approval": approval}
        if not await running.change(checkpoint=to_json(checkpoint), **columns):
            raise ConflictError(Reason(ReasonCode.CALL_OVER))
        running.call = replace(call, arguments=arguments, withheld=withheld, approval=approval)
        running.approved = checkpoint


def checkpoint_of(ask_first: AskFirst) -> ApprovalCheckpoint:
    """Return the checkpoint of a call that waits for a decision."""
    tool = shown_tool(ask_first.tool)
    return ApprovalCheckpoint(request=new_id(), tool=tool, rule=ask_first.rule, rule_id=ask_first.rule_id)


def _renewed(checkpoint: ApprovalCheckpoint, tool: Json, judged: Judgement) -> ApprovalCheckpoint | None:
    """Return the checkpoint with another question; None if what was decided holds.

    A rule that is gone, or lets such calls run now, changes nothing: the person has decided on this call.
    """
    asks = judged.then is not Then.RUN
    rule_changed = asks and checkpoint.rule not in ("", judged.rule)
    if json_equal(tool, checkpoint.tool) and not rule_changed:
        return None
    by = judged if asks else checkpoint
    changed = not json_equal(tool, checkpoint.tool)
    return ApprovalCheckpoint(
        request=new_id(), tool=tool, changed=changed, rule=by.rule, rule_id=by.rule_id, rule_changed=rule_changed
    )


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
        reason=_why_again(checkpoint),
        rule_id=checkpoint.rule_id or None,
        created_at=created_at,
        expires_at=created_at + VALID,
    )


def _params(call: Call, tool: Json) -> Json:
    return {"tool": tool, "arguments": call.arguments or {}, "server": call.server_label, **_allowed(tool)}


def _why_again(checkpoint: ApprovalCheckpoint) -> Reason | None:
    if checkpoint.changed:
        return Reason(ReasonCode.TOOL_CHANGED)
    return Reason(ReasonCode.RULE_CHANGED) if checkpoint.rule_changed else None


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
