"""The effects of rules on calls that have been made: of those that only report, and of one that a person tries.

A call is judged by what is stored of it and by its tool as it is now; where that is not enough, it is named as unknown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from webclient.domain.model import Call, Rule, now
from webclient.gateway import Proposal, fits
from webclient.services import Services
from webclient.store import ReportedCall
from webclient.support.schema_thread import run_schema_work

WEEK = timedelta(days=7)
"""How far back reports are shown."""

MOST_REPORTED = 1_000
"""Calls with reports that are looked at; if there are more, the numbers are at least so high."""

SHOWN = 20
"""Calls of a rule that the page names."""

TRIED_ON = 100
"""Newest calls on which a new rule is tried."""


@dataclass(slots=True)
class Reported:
    """The effect that a rule would have had in the last week: on so many calls, the newest of which are `shown`.

    On `alike` of them, nothing would have been different, because another rule did the same.
    """

    total: int = 0
    alike: int = 0
    shown: tuple[ReportedCall, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """The calls that a rule would have fitted among so many; for `unknown` ones, too little of them is stored."""

    looked_at: int
    fitting: Sequence[Call]
    unknown: Sequence[Call]


async def read_reports(services: Services, user_id: str) -> Mapping[str, Reported]:
    """Return by the id of a rule its effect in the last week."""
    found = await services.store.of(user_id).agent_calls.reported(now() - WEEK, MOST_REPORTED)
    by_rule: dict[str, Reported] = {}
    for call in found:
        for report in call.reports:
            of_rule = by_rule.setdefault(report.rule, Reported())
            of_rule.total += 1
            of_rule.alike += report.then == report.instead_of
            of_rule.shown = (*of_rule.shown, call)[:SHOWN]
    return by_rule


async def try_rule(services: Services, user_id: str, rule: Rule) -> Trial:
    """Return which of the newest calls of tools by agents the rule would have fitted."""
    calls = await services.store.of(user_id).agent_calls.newest(TRIED_ON)
    servers = {server.id: server for server in await services.store.of(user_id).servers.all()}
    proposals: list[tuple[Call, Proposal, bool]] = []
    for call in calls:
        if call.agent is None or call.server_id not in servers:
            # No rule fits a call at a server that is gone.
            continue
        is_known = services.connections.knows_catalog(servers[call.server_id])
        listed = services.connections.last_catalog(call.server_key).tool(call.name)
        proposal = Proposal(
            token_id=call.agent.token_id,
            agent=call.agent.label,
            server=servers[call.server_id],
            tool=listed or {"name": call.name},
            arguments=call.arguments or {},
            is_listed=listed is not None,
        )
        proposals.append((call, proposal, is_known or listed is not None))
    fitting, unknown = await run_schema_work(_sorted, rule, proposals, now(), long=rule.arguments is not None)
    return Trial(looked_at=len(calls), fitting=fitting, unknown=unknown)


def _sorted(
    rule: Rule, proposals: Sequence[tuple[Call, Proposal, bool]], at: datetime
) -> tuple[Sequence[Call], Sequence[Call]]:
    """Return the calls that the rule fits, and those of which that is not known."""
    fitting: list[Call] = []
    unknown: list[Call] = []
    for call, proposal, is_known in proposals:
        lacks_arguments = rule.arguments is not None and (call.arguments is None or bool(call.gone))
        lacks_tool = rule.annotations is not None and not is_known
        looser = replace(
            rule,
            arguments=None if lacks_arguments else rule.arguments,
            annotations=None if lacks_tool else rule.annotations,
        )
        if fits(looser, proposal, at):
            (unknown if lacks_arguments or lacks_tool else fitting).append(call)
    return fitting, unknown
