"""The rule that decides on a call, and what rules above it report that only report."""

from __future__ import annotations

import time
import timeit
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from functools import reduce
from typing import Any

import pytest

from webclient.content.forms import fault_in_condition, holds
from webclient.domain.model import MOST_REPORTS, Era, Json, Report, Rule, Server, Then, now
from webclient.gateway.rules import Proposal, deciding_rule, reports_on, version_of_rule

AT = now()
BANK = Server(id="s1", user_id="ada", label="Bank", transport={}, era=Era.AUTO)
CALL = Proposal(token_id="t1", agent="Agent", server=BANK, tool={"name": "pay"}, arguments={})
ASK = Rule(id="ask", then=Then.ASK, report_only=True)
REFUSE = Rule(id="refuse", then=Then.REFUSE)


def effect(*rules: Rule) -> tuple[Rule | None, Sequence[Report]]:
    """Return the rule that decides on the call, and what others report."""
    rule = deciding_rule(CALL, rules, AT)
    return rule, reports_on(CALL, rules, AT, rule)


def report(rule: Rule, instead_of: Then) -> Report:
    """Return the report of a rule."""
    return Report(rule=rule.id, then=rule.then, instead_of=instead_of)


def test_a_rule_that_only_reports_leaves_the_decision() -> None:
    assert effect(ASK) == (None, (report(ASK, Then.RUN),))
    assert effect(ASK, REFUSE) == (REFUSE, (report(ASK, Then.REFUSE),))


def test_below_the_deciding_rule_or_beside_the_call_none_reports() -> None:
    assert effect(REFUSE, ASK) == (REFUSE, ())
    assert effect(replace(ASK, tool="look")) == (None, ())


def test_a_rule_counts_from_its_moment_on() -> None:
    begun, waiting = replace(ASK, counts_from=AT), replace(ASK, counts_from=AT + timedelta(seconds=1))
    assert effect(waiting) == (None, (report(waiting, Then.RUN),))
    assert effect(begun) == (begun, ())


def test_a_call_notes_a_bounded_number_of_reports() -> None:
    rule, reports = effect(*[replace(ASK, id=str(n)) for n in range(MOST_REPORTS + 1)], REFUSE)
    assert (rule, len(reports)) == (REFUSE, MOST_REPORTS)


@pytest.mark.parametrize(
    "condition",
    [
        {"properties": {"to": {"pattern": "(?=a)(a+)+$"}}},
        {"$ref": "#"},
        {"enum": [f"{number:09}" for number in range(100_000)]},
        reduce(lambda inner, _level: {"not": inner}, range(5_000), dict[str, Any]()),
    ],
    ids=["backtracking", "recursion", "enum", "depth"],
)
def test_a_hostile_condition_is_refused_or_cheap(condition: Json) -> None:
    began = time.perf_counter()
    if not fault_in_condition(condition):
        holds(condition, {"to": "a" * 50_000 + "!"})
    assert time.perf_counter() - began < 1


def test_a_pattern_that_is_slow_elsewhere_takes_linear_time() -> None:
    condition = {"properties": {"to": {"pattern": "^(a+)+$"}}}
    began = time.perf_counter()
    assert fault_in_condition(condition) or holds(condition, {"to": "a" * 50_000 + "!"}) is not True
    assert time.perf_counter() - began < 1


def test_rules_cost_a_call_little() -> None:
    bounds = {f"n{number}": {"type": "integer", "maximum": 10, "minimum": -10} for number in range(50)}
    asks = Rule(id="many", then=Then.ASK, arguments={"properties": bounds, "required": list(bounds)})
    call = replace(CALL, arguments=dict.fromkeys(bounds, 5))
    assert _least_ms(CALL, replace(ASK, tool="other")) < 0.1
    assert deciding_rule(call, [asks], AT) is asks
    assert _least_ms(call, asks) < 1


def _least_ms(call: Proposal, rule: Rule) -> float:
    return 1000 * min(timeit.repeat(lambda: deciding_rule(call, [rule], AT), number=10, repeat=20)) / 10


def test_a_rule_that_begins_to_count_keeps_its_version() -> None:
    begun = replace(ASK, counts_from=AT, until=AT + timedelta(hours=1))
    made_to_count = replace(begun, report_only=False, counts_from=None)
    assert version_of_rule(begun) == version_of_rule(made_to_count)
    assert version_of_rule(begun) != version_of_rule(replace(begun, until=None))
    assert version_of_rule(begun) != version_of_rule(replace(begun, then=Then.REFUSE))
