"""Decides by rules what becomes of an agent's call: it runs, a person is asked first, or it is refused.

Pure functions. The first rule that fits wins; a call that no rule fits runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Any

from webclient.content.forms import holds
from webclient.domain.model import Json, Rule, Server, Then
from webclient.gateway.visit import slug
from webclient.support.standard_json import digest_of_json, json_equal

_BOUND = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")
"""The parts of a tool whose change makes it another version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """The call that an agent wants to make, at a server of the user."""

    token_id: str
    agent: str
    server: Server
    tool: Json
    arguments: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The effect of the rule with this id on a call; `reported` are the ids of rules that only report."""

    then: Then = Then.RUN
    rule: str = ""
    reported: tuple[str, ...] = ()


def verdict_on(proposal: Proposal, rules: Sequence[Rule], at: datetime) -> Verdict:
    """Return what becomes of a call at this moment."""
    reported: list[str] = []
    for rule in rules:
        if not fits(rule, proposal, at):
            continue
        if not rule.report_only:
            return Verdict(then=rule.then, rule=rule.id, reported=tuple(reported))
        if rule.then is not Then.RUN:
            reported.append(rule.id)
    return Verdict(reported=tuple(reported))


def fits(rule: Rule, proposal: Proposal, at: datetime) -> bool:
    """Return whether a rule is about a call; what costs most is looked at last."""
    return (
        (rule.until is None or at < rule.until)
        and rule.agent in ("", proposal.agent, proposal.token_id)
        and rule.server in ("", proposal.server.id, proposal.server.label, slug(proposal.server.label))
        and (not rule.tool or fnmatchcase(str(proposal.tool.get("name", "")), _only_stars(rule.tool)))
        and _is_annotated(rule, proposal.tool.get("annotations"))
        and rule.tool_digest in ("", *([version_of(proposal.tool)] if rule.tool_digest else ()))
        and (rule.arguments is None or _may_hold(rule, proposal.arguments))
    )


def _may_hold(rule: Rule, arguments: Json) -> bool:
    """Return whether the arguments fit; where that is too much to be checked, the rule does what is safe."""
    found = holds(rule.arguments, arguments)
    return rule.then is not Then.RUN if found is None else found


def version_of(tool: Json) -> str:
    """Return the digest of a tool's description and schema."""
    return digest_of_json({name: tool[name] for name in _BOUND if name in tool})


def _is_annotated(rule: Rule, annotations: Any) -> bool:
    if not rule.annotations:
        return True
    given = annotations if isinstance(annotations, dict) else {}
    return all(json_equal(given.get(name), wanted) for name, wanted in rule.annotations.items())


def _only_stars(pattern: str) -> str:
    """Return the pattern with `*` as its only special sign."""
    return pattern.replace("[", "[[]").replace("?", "[?]")
