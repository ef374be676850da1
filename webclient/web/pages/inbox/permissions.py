"""Permissions that a person gives with an approval: a rule, above their others, that lets such calls run."""

from __future__ import annotations

from datetime import timedelta

from webclient.content.forms import fault_in_condition
from webclient.domain.approvals import decision_of, version_of
from webclient.domain.model import ADMINISTRATORS, MOST_RULES, InputRequest, Json, Rule, Then, new_id, now
from webclient.services import Services

FOR_AN_HOUR = "hour"
"""The button that lets the agent run the tool for an hour, with any arguments."""

THE_SAME = "same"
"""The button that lets the agent run the tool with these arguments, for good."""

FOR_GOOD = "always"
"""A rule that lets the agent run the tool with any arguments, for good; it is only suggested."""

HOUR = timedelta(hours=1)


async def allow(services: Services, settled: InputRequest, wanted: str) -> None:
    """Make the rule of the button that was pressed, if the call was approved.

    It is for this agent, at this server, and for the tool as it was shown: another version of it asks again.
    """
    decision = decision_of(settled)
    if wanted not in (FOR_AN_HOUR, THE_SAME) or not may_allow(settled):
        return
    if decision is None or decision.arguments is None or await asks_anyway(services, settled):
        return
    if wanted == FOR_AN_HOUR or may_repeat(settled, decision.arguments):
        new = permission(settled, decision.arguments, wanted)
        # Safe: beyond the limit, no permission is given; a rule that makes way might be one that refuses.
        await services.store.rules.change(settled.user_id, lambda own: [new, *own] if len(own) < MOST_RULES else own)


def may_allow(request: InputRequest) -> bool:
    """Return whether a rule can let such calls run: rules apply to its asker, and the tool's name is not a pattern."""
    # Only agents and gateways of others name a server.
    has_rules = request.asked_by.is_agent or "server" in request.params
    return has_rules and "*" not in str((request.params.get("tool") or {}).get("name"))


async def asks_anyway(services: Services, request: InputRequest) -> bool:
    """Return whether a rule of administrators asks: it stands above all that the user can make."""
    return any(rule.id == request.rule_id for rule in await services.store.rules.of(ADMINISTRATORS))


def may_repeat(request: InputRequest, arguments: Json) -> bool:
    """Return whether the arguments can be a condition; those that may be secrets are not stored."""
    return not request.withheld and not fault_in_condition({"const": arguments})


def permission(settled: InputRequest, arguments: Json, wanted: str) -> Rule:
    """Return the rule that lets such calls run, as wide as `wanted`."""
    tool: Json = settled.params["tool"]
    return Rule(
        id=new_id(),
        then=Then.RUN,
        agent=settled.asked_by.token_id or settled.asked_by.label,
        server=settled.server_id if settled.asked_by.is_agent else str(settled.params["server"]),
        tool=str(tool["name"]),
        tool_digest=version_of(tool),
        arguments={"const": arguments} if wanted == THE_SAME else None,
        until=now() + HOUR if wanted == FOR_AN_HOUR else None,
    )
