"""Decides by rules what becomes of an agent's call: it runs, a person is asked first, or it is refused.

Pure functions. The first rule that fits wins; a call that no rule fits runs. Rules that only report decide nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from fnmatch import fnmatchcase
from itertools import islice, takewhile

from webclient.content.forms import holds
from webclient.domain.approvals import version_of
from webclient.domain.model import MOST_REPORTS, Json, Report, Rule, Server, Then
from webclient.gateway.visit import slug
from webclient.support.standard_json import digest_of_json, json_equal


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """The call that an agent wants to make, at a server of the user.

    `tool` is as the server lists it; `is_listed`: it does, so what it says of the tool is known.
    """

    token_id: str
    agent: str
    server: Server
    tool: Json
    arguments: Json
    is_listed: bool = True


def deciding_rule(proposal: Proposal, rules: Sequence[Rule], at: datetime) -> Rule | None:
    """Return the rule that decides on a call at this moment; None if no rule fits."""
    return next((rule for rule in rules if not rule.only_reports_at(at) and fits(rule, proposal, at)), None)


def reports_on(proposal: Proposal, rules: Sequence[Rule], at: datetime, decided_by: Rule | None) -> tuple[Report, ...]:
    """Return what the rules above the deciding one would have done that only report."""
    above = takewhile(lambda rule: rule is not decided_by, rules)
    reporting = (rule for rule in above if rule.only_reports_at(at) and fits(rule, proposal, at))
    instead_of = decided_by.then if decided_by else Then.RUN
    # One too many is not looked for either: a condition costs time.
    return tuple(
        Report(rule=rule.id, then=rule.then, instead_of=instead_of) for rule in islice(reporting, MOST_REPORTS)
    )


def version_of_rule(rule: Rule) -> str:
    """Return the digest of a rule without its name, and without since when it counts."""
    written = {**asdict(rule), "id": "", "report_only": False, "until": rule.until and rule.until.isoformat()}
    del written["counts_from"]
    return digest_of_json(written)


def fits(rule: Rule, proposal: Proposal, at: datetime) -> bool:
    """Return whether a rule is about a call; what costs most is looked at last."""
    return (
        rule.holds_at(at)
        and rule.agent in ("", proposal.agent, proposal.token_id)
        and rule.server in ("", proposal.server.id, proposal.server.label, slug(proposal.server.label))
        and (not rule.tool or fnmatchcase(str(proposal.tool.get("name", "")), _only_stars(rule.tool)))
        and _is_annotated(rule, proposal)
        and (not rule.tool_digest or rule.tool_digest == version_of(proposal.tool))
        and (rule.arguments is None or _may_hold(rule, proposal.arguments))
    )


def _may_hold(rule: Rule, arguments: Json) -> bool:
    """Return whether the arguments fit; where that is too much to be checked, the rule does what is safe."""
    found = holds(rule.arguments, arguments)
    return rule.then is not Then.RUN if found is None else found


def _is_annotated(rule: Rule, proposal: Proposal) -> bool:
    """Return whether the tool has the annotations; for one that is not listed, the rule does what is safe."""
    if not rule.annotations:
        return True
    if not proposal.is_listed:
        return rule.then is not Then.RUN
    annotations = proposal.tool.get("annotations")
    given = annotations if isinstance(annotations, dict) else {}
    return all(json_equal(given.get(name), wanted) for name, wanted in rule.annotations.items())


def _only_stars(pattern: str) -> str:
    """Return the pattern with `*` as its only special sign."""
    return pattern.replace("[", "[[]").replace("?", "[?]")
