"""Suggests a rule to a person who approves the same tool of an agent again and again without reading.

A call is approved unread if its card was there for `UNREAD` milliseconds at most, and nothing of it was changed. After
`TIMES` such approvals in a row, the outcome suggests a rule, which is made by a click and never by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from fastapi import APIRouter
from starlette.responses import Response

from webclient.domain.approvals import Verb, decision_of
from webclient.domain.errors import ConflictError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import MOST_RULES, UNREAD, InputRequest, Rule, weight_of
from webclient.services import Services
from webclient.web.http import RequestDep, ServicesDep, Undo, redirect
from webclient.web.pages.inbox.cards import Card, OutcomeCard
from webclient.web.pages.inbox.permissions import FOR_GOOD, THE_SAME, asks_anyway, may_allow, may_repeat, permission
from webclient.web.pages.inbox.proposals import Suggestion

TIMES = 5
"""Approvals in a row after which a rule is suggested."""

LOOKED_BACK = timedelta(days=30)
"""How far back these may be."""

GRAVE = 2
"""The weight of calls that may delete, overwrite or pay."""

router = APIRouter(include_in_schema=False)


@router.post("/requests/{request_id}/rule")
async def make_rule(services: ServicesDep, request: RequestDep) -> Response:
    """Make the rule that the outcome of this question suggests."""
    suggestion = await suggestion_for(services, request)
    if suggestion is None:
        # Such as after the first of two clicks.
        return redirect("/rules", _("This rule was made before, or is no longer suggested."))

    def with_rule(own: list[Rule]) -> list[Rule]:
        if len(own) >= MOST_RULES:
            raise ConflictError(_("There can be {n} rules. Remove one first.").format(n=MOST_RULES))
        return own if _is_there(suggestion.rule, own) else [suggestion.rule, *own]

    await services.store.rules.change(request.user_id, with_rule)
    undo = Undo(action=f"/rules/{suggestion.rule.id}/remove", button=_("Remove rule"))
    return redirect("/", _("The rule holds from the next call on."), undo=undo)


async def with_suggestion(services: Services, card: Card) -> Card:
    """Return the card of an answered question with the rule that it suggests, if any."""
    if not isinstance(card, OutcomeCard):
        return card
    return replace(card, suggestion=await suggestion_for(services, card.request))


async def suggestion_for(services: Services, settled: InputRequest) -> Suggestion | None:
    """Return the rule to suggest after this approval. None: the person read it, or no rule would help or be safe."""
    decision = decision_of(settled)
    if decision is None or decision.arguments is None or not _is_unread(settled) or not may_allow(settled):
        return None
    if not settled.asked_by.token_id or await asks_anyway(services, settled):
        return None
    alike = await services.store.of(settled.user_id).approvals.decided_alike(settled, LOOKED_BACK, TIMES)
    if len(alike) < TIMES or not all(each.is_unread for each in alike):
        return None
    is_same = len({each.digest for each in alike}) == 1 and may_repeat(settled, decision.arguments)
    if not is_same and weight_of(settled.risk) >= GRAVE:
        # A person who waves through what is hard to undo gets no rule for it with any arguments.
        return None
    rule = permission(settled, decision.arguments, THE_SAME if is_same else FOR_GOOD)
    own = await services.store.rules.of(settled.user_id)
    return None if _is_there(rule, own) else Suggestion(rule=rule, labels=_labels(settled))


def _is_unread(settled: InputRequest) -> bool:
    decision = decision_of(settled)
    is_unchanged = decision is not None and decision.verb is Verb.APPROVE
    return is_unchanged and settled.looked_ms is not None and settled.looked_ms <= UNREAD


def _is_there(rule: Rule, own: Sequence[Rule]) -> bool:
    return any(replace(each, id=rule.id) == rule for each in own)


def _labels(settled: InputRequest) -> Mapping[str, str]:
    by = settled.asked_by
    return {by.token_id or "": by.label, settled.server_id: str(settled.params.get("server", ""))}
