"""The page of rules: what agents may run, about which calls the person is asked first, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from webclient.auth import Principal
from webclient.content.forms import fault_in_condition
from webclient.domain.errors import NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import ADMINISTRATORS, MOST_RULES, Json, Rule, Then, new_id, now
from webclient.services import Services
from webclient.web.http import PrincipalDep, ServicesDep, redirect, render
from webclient.web.pages.page_context import read_page_context
from webclient.web.pages.posted_form import Posted, PostedDep, first

EXAMPLE = '{"required": ["amount"], "properties": {"amount": {"minimum": 100}}}'
"""A condition, as the form shows one."""

HINTS: Mapping[str, Json] = {
    "destructive": {"destructiveHint": True},
    "read_only": {"readOnlyHint": True},
    "open_world": {"openWorldHint": True},
}
"""The annotations that the form has, by the value of its choice."""

router = APIRouter(prefix="/rules", include_in_schema=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedRule:
    """A new rule as it was typed; `errors` are sentences by field."""

    then: str = Then.ASK
    agent: str = ""
    server: str = ""
    tool: str = ""
    hint: str = ""
    condition: str = ""
    errors: Mapping[str, str] = field(default_factory=dict)


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
    """Show the rules in their order, and the form for a new one."""
    return await _show(http_request, services, principal, TypedRule(agent=agent, server=server, tool=tool))


@router.post("")
async def add_rule(
    http_request: Request, services: ServicesDep, principal: PrincipalDep, posted: PostedDep
) -> Response:
    """Add a rule above the others of the user."""
    typed = _typed(posted)
    if len(await services.store.rules.of(principal.user_id)) >= MOST_RULES:
        typed = replace(typed, errors={"tool": _("There can be {n} rules. Remove one first.").format(n=MOST_RULES)})
    if typed.errors:
        return await _show(http_request, services, principal, typed, status=422)
    new = _rule(typed)
    await services.store.rules.change(principal.user_id, lambda own: [new, *own])
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


def _place(own: Sequence[Rule], rule_id: str) -> int:
    """Return the place of a rule. Raises NotFoundError."""
    for place, rule in enumerate(own):
        if rule.id == rule_id:
            return place
    raise NotFoundError(_("There is no rule “{id}”.").format(id=rule_id))


async def _show(
    http_request: Request, services: Services, principal: Principal, typed: TypedRule, *, status: int = 200
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
        typed=typed,
        example=EXAMPLE,
    )


def _typed(posted: Posted) -> TypedRule:
    typed = TypedRule(
        then=first(posted, "then"),
        agent=first(posted, "agent"),
        server=first(posted, "server"),
        tool=first(posted, "tool").strip(),
        hint=first(posted, "hint"),
        condition=first(posted, "condition").strip(),
    )
    return replace(typed, errors=_errors(typed))


def _errors(typed: TypedRule) -> Mapping[str, str]:
    errors = {}
    if typed.then not in list(Then):
        errors["then"] = _("Choose what the rule does.")
    if len(typed.tool) > 256:
        errors["tool"] = _("Use at most {n} characters.").format(n=256)
    if typed.condition:
        try:
            fault = fault_in_condition(json.loads(typed.condition))
        except (ValueError, RecursionError) as wrong:
            fault = _("This is not JSON: {error}").format(error=wrong)
        if fault:
            errors["condition"] = fault
    return errors


def _rule(typed: TypedRule) -> Rule:
    return Rule(
        id=new_id(),
        then=Then(typed.then),
        agent=typed.agent,
        server=typed.server,
        tool=typed.tool,
        annotations=HINTS.get(typed.hint),
        arguments=json.loads(typed.condition) if typed.condition else None,
    )
