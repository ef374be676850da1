"""Insights of approvals: how often each tool was asked about, how people decided, and how long they took.

Pure functions over what the store has of each question.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from statistics import median
from typing import TypeVar

from webclient.domain.model import UNREAD, ReasonCode, RequestState

USUAL_DAYS, LONGEST_DAYS = 30, 90
"""Days that are looked at, unless the reader says otherwise, and at most."""

MOST_RECORDS = 10_000
"""Questions that are looked at; if there are more, the oldest are left out."""

K = TypeVar("K", bound=Hashable)


class Decided(StrEnum):
    """The end of a question whether a call may run."""

    APPROVED = "approved"
    EDITED = "edited"
    REJECTED = "rejected"
    ANSWERED = "answered"
    """With words in the place of the tool."""
    EXPIRED = "expired"
    ENDED = "ended"
    """Dismissed by the person, or withdrawn, interrupted or refused."""
    WAITING = "waiting"


BY_PERSON = frozenset({Decided.APPROVED, Decided.EDITED, Decided.REJECTED, Decided.ANSWERED})
"""The decisions of a person, which took them time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRecord:
    """A question whether a call may run, without what the call says.

    `agent` is the name of the program that asks or of the agent that calls, and `token_id` its token. `rule_id` is the
    rule that had it asked, None if its program asked by itself.
    """

    tool: str
    server_id: str
    agent: str
    token_id: str | None
    rule_id: str | None
    state: RequestState
    reason_code: ReasonCode | None
    created_at: datetime
    settled_at: datetime | None
    looked_ms: int | None

    @property
    def decided(self) -> Decided:
        """How it ended, or that it waits."""
        if self.state is RequestState.ACCEPTED:
            return _ACCEPTED.get(self.reason_code, Decided.APPROVED)
        return _STATES.get(self.state, Decided.ENDED)

    @property
    def is_unread(self) -> bool:
        """Whether it was approved as proposed, sooner than a person can read."""
        is_quick = self.looked_ms is not None and self.looked_ms <= UNREAD
        return is_quick and self.decided is Decided.APPROVED


_ACCEPTED: Mapping[ReasonCode | None, Decided] = {
    ReasonCode.APPROVED_AS_EDITED: Decided.EDITED,
    ReasonCode.ANSWERED_FOR_TOOL: Decided.ANSWERED,
}
_STATES = {
    RequestState.PENDING: Decided.WAITING,
    RequestState.DECLINED: Decided.REJECTED,
    RequestState.EXPIRED: Decided.EXPIRED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sum:
    """The sum of some questions: how many were `requests`, how many of each end, and how many were approved `unread`.

    `median` is the time from the question to the decision of a person, None if no person has decided.
    """

    requests: int
    counts: Mapping[Decided, int]
    unread: int
    median: timedelta | None

    @property
    def is_waved_through(self) -> bool:
        """Whether every decision was an approval without a change."""
        others = BY_PERSON - {Decided.APPROVED}
        return self.counts[Decided.APPROVED] > 0 and not any(self.counts[each] for each in others)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSum:
    """The sum of the questions about a tool of a server, for an agent."""

    tool: str
    server_id: str
    agent: str
    token_id: str | None
    sum: Sum


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSum:
    """The sum of the questions that a rule had asked."""

    rule_id: str
    sum: Sum


@dataclass(frozen=True, slots=True, kw_only=True)
class Insights:
    """The sums of all questions, also by tool and agent and by rule. The largest sums come first."""

    total: Sum
    tools: Sequence[ToolSum]
    rules: Sequence[RuleSum]


def insights_of(records: Sequence[ApprovalRecord]) -> Insights:
    """Return the sums of questions."""
    by_tool = _grouped(records, lambda each: (each.tool, each.server_id, each.token_id or "", each.agent))
    by_rule = _grouped((each for each in records if each.rule_id), lambda each: each.rule_id or "")
    tools = [
        ToolSum(tool=tool, server_id=server_id, agent=agent, token_id=token_id or None, sum=_sum(group))
        for (tool, server_id, token_id, agent), group in by_tool.items()
    ]
    rules = [RuleSum(rule_id=rule_id, sum=_sum(group)) for rule_id, group in by_rule.items()]
    return Insights(
        total=_sum(records),
        tools=sorted(tools, key=lambda each: -each.sum.requests),
        rules=sorted(rules, key=lambda each: -each.sum.requests),
    )


def _grouped(records: Iterable[ApprovalRecord], key: Callable[[ApprovalRecord], K]) -> Mapping[K, list[ApprovalRecord]]:
    groups: defaultdict[K, list[ApprovalRecord]] = defaultdict(list)
    for each in records:
        groups[key(each)].append(each)
    return groups


def _sum(records: Sequence[ApprovalRecord]) -> Sum:
    took = [
        # The clock may have been set back meanwhile.
        max(0, (each.settled_at - each.created_at).total_seconds())
        for each in records
        if each.settled_at and each.decided in BY_PERSON
    ]
    return Sum(
        requests=len(records),
        counts=Counter(each.decided for each in records),
        unread=sum(each.is_unread for each in records),
        median=timedelta(seconds=median(took)) if took else None,
    )
