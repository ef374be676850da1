"""Decides on tool calls that other gateways pass on themselves, by the rules of the user and the person's approvals.

A gateway asks before it passes a call on, and waits a while. The person decides on a card, and the decision counts
once, for an equal call within an hour. A gateway cannot change the call, so there is no edit.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from math import ceil

from webclient.domain.approvals import APPROVAL, Verb, decision_of, digest_of, shown_tool
from webclient.domain.errors import ConflictError, InvalidInputError, NotFoundError
from webclient.domain.model import (
    CallContext,
    CallKind,
    Delivery,
    InputRequest,
    Json,
    Reason,
    ReasonCode,
    Rule,
    Server,
    Then,
    now,
)
from webclient.domain.reasons import sentence
from webclient.gateway.foreign_calls import ForeignCall
from webclient.gateway.rules import Proposal, deciding_rule, version_of_rule
from webclient.gateway.visit import server_at
from webclient.inbox import Asker, NewRequest, ProgramRequests, RefusedError
from webclient.servers.connections import Connections
from webclient.store import Store
from webclient.support.standard_json import digest_of_json, json_equal

VALID = timedelta(hours=24)
"""How long a proposed call waits for a decision."""

DECISION_VALID = timedelta(hours=1)
"""How long a decision waits for the call."""

CLOCKS_APART = timedelta(minutes=1)
"""How far a decision may lie in the future, by the clock of this process: more, and its age is not known."""

AGAIN = 10
"""Seconds after which a gateway may send a call again that waits."""

SOON = 3.0
"""Seconds for which a server is waited for whose tools are not known yet."""

MOST = 10_000
"""Calls of which is remembered how often they were decided; the store has the same, more slowly."""

WAITS = (
    "A person is being asked whether this call may run, and has not decided yet; nothing has been done so far. "
    "Make exactly the same call again later to get the decision."
)

CHANGED = "The description or the schema of the tool has changed since you approved this call, so it did not run."

BESIDE = "Sent along with the arguments: {beside}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Denial:
    """Why a call may not run: `words` for the model, a `state` for programs, and when to come again if it waits."""

    words: str
    state: str
    retry_after: int | None = None


_WAITING = Denial(words=WAITS, state="pending", retry_after=AGAIN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """A gateway that asks: the program that it is here, the name of its server, and how many seconds it waits.

    `wait` runs what takes so long, and `is_here` returns whether the gateway has not gone meanwhile.
    """

    asker: Asker
    server: str
    seconds: float
    wait: Callable[[Awaitable[InputRequest]], Awaitable[InputRequest]]
    is_here: Callable[[], Awaitable[bool]]


class Authorizer:
    """Answers gateways that ask before each tool call."""

    def __init__(self, store: Store, connections: Connections, program_requests: ProgramRequests) -> None:
        self._store = store
        self._connections = connections
        self._requests = program_requests
        self._decided: dict[str, int] = {}

    async def denial(self, visitor: Visitor, call: ForeignCall) -> Denial | None:
        """Return why a call may not run now; None: it may, once."""
        proposal = await self._proposal(visitor, call)
        rule = await self._rule(visitor, proposal)
        if rule is None or rule.then is Then.RUN:
            return None
        if rule.then is Then.REFUSE:
            return _by_rule()
        try:
            digest_of(call.name, call.arguments)
            return await self._request(visitor, call, proposal, rule)
        except (InvalidInputError, RefusedError) as error:
            return _refused(error)

    async def _proposal(self, visitor: Visitor, call: ForeignCall) -> Proposal:
        server, tool = await self._tool(visitor, call.name)
        return Proposal(
            token_id=visitor.asker.token_id or visitor.asker.id,
            agent=visitor.asker.label,
            server=server,
            tool=tool or {"name": call.name},
            arguments=call.arguments,
            is_listed=tool is not None,
        )

    async def _tool(self, visitor: Visitor, name: str) -> tuple[Server, Json | None]:
        """Return the server of this name and its tool, None if that is not known here."""
        user_id = visitor.asker.user_id
        try:
            server = server_at(visitor.server, await self._store.of(user_id).servers.all())
        except (NotFoundError, ConflictError):
            transport: Json = {"type": "elsewhere"}
            return Server(id=visitor.server, user_id=user_id, label=visitor.server, transport=transport), None
        if not self._connections.knows_catalog(server):
            await self._connections.reach(server, SOON)
        await self._connections.know_tools(server)
        return server, self._connections.last_catalog(server.key).tool(name)

    async def _rule(self, visitor: Visitor, proposal: Proposal) -> Rule | None:
        return deciding_rule(proposal, await self._store.rules.all_for(visitor.asker.user_id), now())

    async def _request(self, visitor: Visitor, call: ForeignCall, proposal: Proposal, asks: Rule) -> Denial | None:
        """Wait for the decision on a call, and take it up. Raises RefusedError and InvalidInputError."""
        key = digest_of_json([visitor.server, call.name, digest_of_json(call.arguments), digest_of_json(call.beside)])
        new = _new_request(proposal, call, asks)
        while True:
            number = self._decided.get(key, 0)
            request, was_open = await self._settled(visitor, replace(new, key=f"authorizer {key} {number}"))
            # Checked last: nothing is taken up for a gateway that has gone, so the next equal call finds it.
            if request.pending or not await visitor.is_here():
                return _WAITING
            # Once more: it may have changed while the person was asked. One that lets the call run changes nothing.
            rule = await self._rule(visitor, proposal)
            if may_run(request) and rule and rule.then is Then.REFUSE:
                return _by_rule()
            is_taken = is_valid(request) and await self._requests.fetched(request)
            self._count(key, number + 1)
            if is_taken and may_run(request) and (why := _changed(request, proposal, rule)):
                new = _new_request(proposal, call, rule or asks, why)
            elif is_taken or (was_open and decision_of(request) is None):
                return None if may_run(request) else _denial_of(request)

    async def _settled(self, visitor: Visitor, new: NewRequest) -> tuple[InputRequest, bool]:
        """Return the question once it is settled or the time is up, and whether it was open before; ask a new one."""
        request = await self._requests.with_key(visitor.asker, new.key or "")
        if request and not request.pending:
            return request, False
        request = request or await self._requests.ask(visitor.asker, new)
        return await visitor.wait(self._requests.settled(request, visitor.seconds)), True

    def _count(self, key: str, decided: int) -> None:
        self._decided.pop(key, None)
        self._decided[key] = decided
        if len(self._decided) > MOST:
            del self._decided[next(iter(self._decided))]


def may_run(request: InputRequest) -> bool:
    """Return whether the person has approved a call."""
    decision = decision_of(request)
    return decision is not None and decision.verb is Verb.APPROVE


def is_valid(request: InputRequest) -> bool:
    """Return whether the decision was not taken up, and is not too old; one of unknown age may be."""
    age = now() - (request.settled_at or request.created_at)
    return request.delivery is Delivery.SENDING and -CLOCKS_APART <= age <= DECISION_VALID


def _changed(request: InputRequest, proposal: Proposal, rule: Rule | None) -> str:
    """Return why an approval does not hold: the tool or the rule that asks is another version; "" if it does."""
    if not json_equal(request.params["tool"], shown_tool(proposal.tool)):
        return CHANGED
    # A card of an earlier version of this program has no version of its rule.
    asked_by = request.params.get("rule")
    if rule and rule.then is Then.ASK and asked_by and asked_by != version_of_rule(rule):
        return sentence(Reason(ReasonCode.RULE_CHANGED))
    return ""


def _new_request(proposal: Proposal, call: ForeignCall, rule: Rule, why: str = "") -> NewRequest:
    beside = BESIDE.format(beside=call.shown_beside) if call.shown_beside else ""
    message = {"message": " ".join(filter(None, (why, beside)))} if why or beside else {}
    params = {"tool": shown_tool(proposal.tool), "arguments": call.arguments, "allow": [Verb.APPROVE, Verb.REJECT]}
    return NewRequest(
        kind=APPROVAL,
        # With the server, a person can allow later calls as well.
        params={**params, **message, "server": proposal.server.label, "rule": version_of_rule(rule)},
        claims=proposal.server.label,
        during=CallContext(kind=CallKind.TOOL, name=call.name),
        rule_id=rule.id,
        expires_in=VALID,
    )


def _by_rule() -> Denial:
    return Denial(words=sentence(Reason(ReasonCode.REFUSED_BY_RULE)), state="refused")


def _denial_of(request: InputRequest) -> Denial:
    decision = decision_of(request)
    if decision is None:
        return Denial(words=sentence(request.reason or Reason(ReasonCode.APPROVAL_DISMISSED)), state="undecided")
    words = decision.message
    code = Reason.of(ReasonCode.NOT_APPROVED_BECAUSE, words=words) if words else Reason(ReasonCode.NOT_APPROVED)
    return Denial(words=sentence(code), state="rejected")


def _refused(error: InvalidInputError | RefusedError) -> Denial:
    if isinstance(error, InvalidInputError):
        return Denial(words=str(error), state="refused")
    after = error.refusal.retry_after
    return Denial(
        words=sentence(error.refusal.reason), state="refused", retry_after=None if after is None else ceil(after)
    )
