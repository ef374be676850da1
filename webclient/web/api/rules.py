"""The API of rules: what becomes of the calls of agents before they run."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, timedelta
from typing import Annotated, Any, Self

from fastapi import APIRouter, Query
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, JsonValue, StrictBool, model_validator

from webclient.auth import Principal
from webclient.content.forms import fault_in_condition
from webclient.domain.errors import ForbiddenError
from webclient.domain.i18n import gettext as _
from webclient.domain.insights import LONGEST_DAYS, MOST_RECORDS, USUAL_DAYS, Decided, Sum, insights_of
from webclient.domain.model import ADMINISTRATORS, MOST_RULES, Rule, Then, new_id, now
from webclient.services import Services
from webclient.web.api.shapes import Filled, Maybe, Moment, Shape
from webclient.web.http import PrincipalDep, ServicesDep, problems

router = APIRouter(prefix="/rules", tags=["rules"])


class RuleBody(BaseModel):
    """A rule; what is left out fits every call."""

    model_config = ConfigDict(extra="forbid")

    id: str | None = Field(None, max_length=64)
    agent: str = Field("", max_length=200, description="The name of an agent, or the id of its token.")
    server: str = Field("", max_length=200, description="The label or the id of a server.")
    tool: str = Field("", max_length=256, description="The name of a tool; `*` stands for any text.")
    annotations: dict[str, JsonValue] | None = Field(
        None, max_length=20, description="Annotations of the tool; null: it does not have it."
    )
    arguments: dict[str, JsonValue] | StrictBool | None = Field(
        None, description="A JSON Schema that the arguments fit. One with an unknown part is refused."
    )
    tool_digest: str = Field("", max_length=64, description="The version of the tool that the rule is about.")
    then: Then
    report_only: StrictBool = Field(False, description="It has no effect; calls note what it would have done.")
    counts_from: AwareDatetime | None = Field(None, description="A `report_only` rule has its effect from then.")
    until: AwareDatetime | None = Field(None, description="The rule is over then.")
    everyone: StrictBool = Field(False, description="A rule of administrators, for the agents of all users.")

    @model_validator(mode="after")
    def _checkable(self) -> Self:
        if self.arguments is not None and (fault := fault_in_condition(self.arguments)):
            raise ValueError(fault)
        if self.counts_from is not None and not self.report_only:
            raise ValueError("only a rule with 'report_only' takes 'counts_from'")
        return self

    def as_rule(self) -> Rule:
        """Return the rule, with an id."""
        given = self.model_dump(exclude={"everyone"})
        moments = {"until": self.until, "counts_from": self.counts_from}
        in_utc = {name: moment and moment.astimezone(UTC) for name, moment in moments.items()}
        return Rule(**given | {"id": self.id or new_id()} | in_utc)


class RulesBody(BaseModel):
    """All rules of a user, in their order."""

    model_config = ConfigDict(extra="forbid")

    rules: list[RuleBody] = Field(max_length=MOST_RULES)


class RuleShape(Shape):
    """A rule on the calls of agents; the first one that fits a call decides.

    One for `everyone` was made by an administrator. A rule that is `report_only` has no effect before
    `counts_from`, or ever without one.
    """

    id: str
    agent: Filled[str] = None
    server: Filled[str] = None
    tool: Filled[str] = None
    annotations: Maybe[dict[str, Any]] = None
    arguments: Maybe[dict[str, Any] | bool] = None
    tool_digest: Filled[str] = None
    then: Then
    report_only: Filled[bool] = None
    counts_from: Maybe[Moment] = None
    until: Maybe[Moment] = None
    everyone: Filled[bool] = None


class RulesShape(Shape):
    """The rules for the agents of a user: first those of administrators."""

    rules: list[RuleShape]


class SumShape(Shape):
    """The number of questions whether a call may run (`requests`), and how they ended.

    `ended` are those that the person dismissed, or that were withdrawn, interrupted or refused. `unread` were approved
    as proposed within two seconds after their card was shown. `median_seconds` is from the question to the decision.
    """

    requests: int
    approved: int
    edited: int
    rejected: int
    answered: int
    expired: int
    ended: int
    waiting: int
    unread: int
    median_seconds: Maybe[float] = None


class ToolSumShape(SumShape):
    """The sum for a tool of a server, or of a program that asks by itself (`server_id`), and an agent."""

    tool: str
    server_id: str
    agent: str
    token_id: Maybe[str] = None


class RuleSumShape(SumShape):
    """The sum for a rule that had calls asked."""

    rule: str


class InsightsShape(Shape):
    """How the questions of the last days were decided, by tool and agent, and by rule; most asked first."""

    days: int
    most: int = Field(description="Questions that are looked at; if there are more, the oldest are left out.")
    total: SumShape
    tools: list[ToolSumShape]
    rules: list[RuleSumShape]


@router.get("/insights", responses=problems(422))
async def get_insights(
    services: ServicesDep, principal: PrincipalDep, days: Annotated[int, Query(ge=1, le=LONGEST_DAYS)] = USUAL_DAYS
) -> InsightsShape:
    """Get how the person decided on calls of agents in the last days."""
    since = now() - timedelta(days=days)
    found = insights_of(await services.store.of(principal.user_id).approvals.newest(since, MOST_RECORDS))
    return InsightsShape(
        days=days,
        most=MOST_RECORDS,
        total=SumShape(**_sum(found.total)),
        tools=[
            ToolSumShape(
                tool=each.tool, server_id=each.server_id, agent=each.agent, token_id=each.token_id, **_sum(each.sum)
            )
            for each in found.tools
        ],
        rules=[RuleSumShape(rule=each.rule_id, **_sum(each.sum)) for each in found.rules],
    )


def _sum(found: Sum) -> dict[str, Any]:
    seconds = None if found.median is None else found.median.total_seconds()
    counts = {kind.value: found.counts.get(kind, 0) for kind in Decided}
    return {"requests": found.requests, "unread": found.unread, "median_seconds": seconds} | counts


@router.get("")
async def get_rules(services: ServicesDep, principal: PrincipalDep) -> RulesShape:
    """Get the rules in the order in which they are looked at: first those of administrators."""
    return await _shape(services, principal)


@router.put("", responses=problems(400, 403, 413, 415, 422))
async def put_rules(body: RulesBody, services: ServicesDep, principal: PrincipalDep) -> RulesShape:
    """Replace the rules. An administrator replaces those for everyone as well; others send them as they are, or not."""
    await _put_for_everyone(services, principal, [each.as_rule() for each in body.rules if each.everyone])
    own = [each.as_rule() for each in body.rules if not each.everyone]
    await services.store.rules.change(principal.user_id, lambda _before: own)
    return await _shape(services, principal)


async def _put_for_everyone(services: Services, principal: Principal, rules: Sequence[Rule]) -> None:
    before = await services.store.rules.of(ADMINISTRATORS)
    if list(rules) == list(before):
        return
    if principal.is_admin:
        await services.store.rules.change(ADMINISTRATORS, lambda _before: rules)
    elif rules:
        raise ForbiddenError(_("Only an administrator changes rules for everyone."))


async def _shape(services: Services, principal: Principal) -> RulesShape:
    above = await services.store.rules.of(ADMINISTRATORS)
    own = await services.store.rules.of(principal.user_id)
    found = [RuleShape.of(rule, everyone=True) for rule in above]
    return RulesShape(rules=[*found, *(RuleShape.of(rule, everyone=None) for rule in own)])
