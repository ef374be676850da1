"""The cost of rules for a call of an agent: one that does not fit, and one with a condition of fifty bounds that does.

`python -m bench.rules` measures it in this process, without a server: the least of two hundred times.
"""

from __future__ import annotations

import timeit
from pathlib import Path

from bench.measures import Measure, alone
from webclient.domain.model import Rule, Server, Then, now
from webclient.gateway.rules import Proposal, deciding_rule

TIMES = 10
BOUNDS = {f"n{number}": {"type": "integer", "maximum": 10, "minimum": -10} for number in range(50)}
CALL = Proposal(
    token_id="t1",  # noqa: S106  (no secret)
    agent="Agent",
    server=Server(id="s1", user_id="ada", label="Bank", transport={}),
    tool={"name": "pay"},
    arguments=dict.fromkeys(BOUNDS, 5),
)
RULES = {
    "a rule of another tool": Rule(id="other", then=Then.ASK, tool="other"),
    "a rule with fifty bounds, which fit": Rule(
        id="many", then=Then.ASK, arguments={"properties": BOUNDS, "required": list(BOUNDS)}
    ),
}


async def measure(_folder: Path) -> list[Measure]:
    """Return the microseconds that each rule costs a call."""
    return [Measure(f"{name}, for each call", _microseconds(rule), None, "µs") for name, rule in RULES.items()]


def _microseconds(rule: Rule) -> float:
    at = now()
    return 1e6 * min(timeit.repeat(lambda: deciding_rule(CALL, [rule], at), number=TIMES, repeat=200)) / TIMES


if __name__ == "__main__":
    alone(measure)
