"""The page of rules: what agents may run, about which calls the person is asked first, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from webclient.auth import Principal
from webclient.domain.errors import NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import ADMINISTRATORS, MOST_RULES, Rule, now
from webclient.services import Services
from webclient.web.http import PrincipalDep, ServicesDep, redirect, render
from webclient.web.pages.agent_rules.rule_effects import MOST_REPORTED, read_reports, try_rule
from webclient.web.pages.agent_rules.typed_rules import EXAMPLE, TypedRule, read_rule, starters_beside
from webclient.web.pages.page_context import read_page_context
from webclient.web.pages.posted_form import PostedDep, first

TRY = "try"
"""The button that tries a rule on the newest calls, and adds nothing."""

router = APIRouter(prefix="/rules", include_in_schema=False)


@router.get("")
async def show_rules(
    http_request: Request,
    services: ServicesDep,
    principal: PrincipalDep,
    *,
    agent: str = "",
    server: str = "",
    tool: str = "",
) -> HTMLResponse:
    """Show the rules in their order, and the form for a new one; one that is filled in is tried at once."""
    typed = TypedRule(agent=agent, server=server, tool=tool)
    return await _show(http_request, services, principal, typed, is_tried=not typed.is_empty)


@router.post("")
async def add_rule(
    http_request: Request, services: ServicesDep, principal: PrincipalDep, posted: PostedDep
) -> Response:
    """Add a rule above the others of the user, or try it."""
    typed = read_rule(posted)
    if first(posted, TRY) and not typed.errors:
        return await _show(http_request, services, principal, typed, is_tried=True)
    if len(await services.store.rules.of(principal.user_id)) >= MOST_RULES:
        typed = replace(typed, errors={"tool": _("There can be {n} rules. Remove one first.").format(n=MOST_RULES)})
    if typed.errors:
        return await _show(http_request, services, principal, typed, status=422)
    new = typed.as_rule()
    await services.store.rules.change(principal.user_id, lambda own: [new, *own])
    if new.report_only:
        return redirect("/rules", _("The rule only reports for a week. Then it counts."))
    return redirect("/rules", _("The rule holds from the next call on."))


@router.post("/{rule_id}/remove")
async def remove_rule(rule_id: str, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Remove a rule of the user."""

    def without(own: list[Rule]) -> list[Rule]:
        del own[_place(own, rule_id)]
        return own

    await services.store.rules.change(principal.user_id, without)
    return redirect("/rules", _("The rule was removed."))


@router.post("/{rule_id}/up")
async def move_up(rule_id: str, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Move a rule of the user before the one above it."""

    def moved(own: list[Rule]) -> list[Rule]:
        place = _place(own, rule_id)
        own.insert(max(0, place - 1), own.pop(place))
        return own

    await services.store.rules.change(principal.user_id, moved)
    return redirect("/rules", _("The rule was moved."))


@router.post("/{rule_id}/count")
async def count_now(rule_id: str, services: ServicesDep, principal: PrincipalDep) -> Response:
    """Have a rule that only reports count from now on."""

    def counting(own: list[Rule]) -> list[Rule]:
        place = _place(own, rule_id)
        own[place] = replace(own[place], report_only=False, counts_from=None)
        return own

    await services.store.rules.change(principal.user_id, counting)
    return redirect("/rules", _("The rule holds from the next call on."))


def _place(own: Sequence[Rule], rule_id: str) -> int:
    """Return the place of a rule. Raises NotFoundError."""
    for place, rule in enumerate(own):
        if rule.id == rule_id:
            return place
    raise NotFoundError(_("There is no rule “{id}”.").format(id=rule_id))


async def _show(
    http_request: Request,
    services: Services,
    principal: Principal,
    typed: TypedRule,
    *,
    is_tried: bool = False,
    status: int = 200,
) -> HTMLResponse:
    above = await services.store.rules.of(ADMINISTRATORS)
    own = await services.store.rules.of(principal.user_id)
    tokens = await services.store.of(principal.user_id).tokens.all()
    servers = await services.store.of(principal.user_id).servers.all()
    at = now()
    return render(
        http_request,
        "rules/page.html",
        status=status,
        page_context=await read_page_context(services, principal.user_id),
        above=[rule for rule in above if rule.holds_at(at)],
        own=[rule for rule in own if rule.holds_at(at)],
        labels={token.id: token.label for token in tokens} | {server.id: server.label for server in servers},
        agents=[token for token in tokens if "gateway" in token.scopes and not token.revoked_at],
        servers=servers,
        reporting={rule.id for rule in (*above, *own) if rule.only_reports_at(at)},
        reports=await read_reports(services, principal.user_id),
        most_reported=MOST_REPORTED,
        typed=typed,
        trial=await try_rule(services, principal.user_id, typed.as_rule()) if is_tried else None,
        example=EXAMPLE,
        starters=starters_beside([rule for rule in (*above, *own) if rule.holds_at(at)]),
    )
