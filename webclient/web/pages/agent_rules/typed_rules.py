"""A new rule as it was typed into the form of the page: what is wrong with it, and the rule that it makes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from webclient.content.forms import fault_in_condition
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Json, Rule, Then, new_id, now
from webclient.web.pages.posted_form import Posted, first

EXAMPLE = '{"required": ["amount"], "properties": {"amount": {"minimum": 100}}}'
"""A condition, as the form shows one."""

HINTS: Mapping[str, Json] = {
    "destructive": {"destructiveHint": True},
    "read_only": {"readOnlyHint": True},
    "open_world": {"openWorldHint": True},
    "changes_outside": {"readOnlyHint": False, "openWorldHint": True},
    "silent": {"readOnlyHint": None, "destructiveHint": None},
}
"""The annotations that the form has, by the value of its choice."""

NOW, IN_A_WEEK = "now", "in_a_week"
"""The values of the choice when the rule begins to count."""

TRIAL = timedelta(days=7)
"""How long a new rule only reports, if the person wants that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedRule:
    """A new rule as it was typed; `errors` are sentences by field."""

    then: str = Then.ASK
    agent: str = ""
    server: str = ""
    tool: str = ""
    hint: str = ""
    condition: str = ""
    begins: str = NOW
    errors: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether nothing says which calls it is about."""
        return not (self.agent or self.server or self.tool or self.hint or self.condition)

    def as_rule(self) -> Rule:
        """Return the rule; only without errors."""
        waits = self.begins == IN_A_WEEK
        return Rule(
            id=new_id(),
            then=Then(self.then),
            agent=self.agent,
            server=self.server,
            tool=self.tool,
            annotations=HINTS.get(self.hint),
            arguments=json.loads(self.condition) if self.condition else None,
            report_only=waits,
            counts_from=now() + TRIAL if waits else None,
        )


STARTERS = (TypedRule(hint="destructive"), TypedRule(hint="changes_outside"), TypedRule(hint="silent"))
"""The rules that the page has ready; `docs/approvals.md` has the count of annotations from which they follow."""


def starters_beside(rules: Sequence[Rule]) -> list[TypedRule]:
    """Return the ready rules that are not among these, reporting or not."""
    there = [replace(rule, id="", report_only=False, counts_from=None) for rule in rules]
    return [each for each in STARTERS if replace(each.as_rule(), id="") not in there]


def read_rule(posted: Posted) -> TypedRule:
    """Read the posted form."""
    typed = TypedRule(
        then=first(posted, "then"),
        agent=first(posted, "agent"),
        server=first(posted, "server"),
        tool=first(posted, "tool").strip(),
        hint=first(posted, "hint"),
        condition=first(posted, "condition").strip(),
        begins=first(posted, "begins"),
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
