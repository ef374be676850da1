"""The page of insights: how often calls of agents were asked about, and how the person decided."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse

from webclient.domain.insights import LONGEST_DAYS, MOST_RECORDS, USUAL_DAYS, Decided, insights_of
from webclient.domain.model import ADMINISTRATORS, now
from webclient.web.http import PrincipalDep, ServicesDep, render
from webclient.web.pages.page_context import read_page_context

router = APIRouter(prefix="/rules", include_in_schema=False)

CHOICES = (7, USUAL_DAYS, LONGEST_DAYS)
"""The numbers of days to choose from."""

SHOWN = 50
"""Tools and rules that the page names."""


@router.get("/insights")
async def show_insights(
    http_request: Request,
    services: ServicesDep,
    principal: PrincipalDep,
    days: Annotated[int, Query(ge=1, le=LONGEST_DAYS)] = USUAL_DAYS,
) -> HTMLResponse:
    """Show the insights of the last days."""
    since = now() - timedelta(days=days)
    insights = insights_of(await services.store.of(principal.user_id).approvals.newest(since, MOST_RECORDS))
    above = await services.store.rules.of(ADMINISTRATORS)
    own = await services.store.rules.of(principal.user_id)
    tokens = await services.store.of(principal.user_id).tokens.all()
    servers = await services.store.of(principal.user_id).servers.all()
    rules, at = {rule.id: rule for rule in (*above, *own)}, now()
    return render(
        http_request,
        "rules/insights.html",
        page_context=await read_page_context(services, principal.user_id),
        insights=insights,
        days=days,
        choices=CHOICES,
        most=MOST_RECORDS,
        shown=SHOWN,
        kinds=Decided,
        # Of rules that are gone there is nothing to change.
        waved_through=[
            (rules[each.rule_id], each.sum)
            for each in insights.rules
            if each.sum.is_waved_through and each.rule_id in rules
        ][:SHOWN],
        reporting={rule.id for rule in rules.values() if rule.only_reports_at(at)},
        own={rule.id for rule in own},
        labels={token.id: token.label for token in tokens} | {server.id: server.label for server in servers},
        servers={server.id for server in servers},
        agents={token.id for token in tokens if "gateway" in token.scopes and not token.revoked_at},
    )
