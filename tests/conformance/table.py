"""The page `docs/conformance.md`, made from the results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.conformance.extensions import section
from tests.conformance.runs import Scenario
from tests.conformance.suites import Suite
from tests.mcp_servers import ROOT

PAGE = ROOT / "docs/conformance.md"

_HEAD = """# Conformance

`make conformance` runs the client scenarios of the official suite, npm `@modelcontextprotocol/conformance`, against the
running program through its JSON API, and writes this page; `make test` runs them as well. The suite plays the server;
a small driver (`tests/conformance/driver.py`) plays the person, who signs in, runs each tool and answers with the
defaults. Scenarios that fail beside all others are run again alone.

A scenario is green when none of its checks fails. How many checks a scenario makes depends on the requests of a run, so
the numbers are printed and not written here.

Not run is `auth/2025-03-26-oauth-metadata-backcompat` of 0.1.16, which no requirement counts: its metadata names an
issuer other than the address it is found at, and RFC 8414 (section 3.3) and MCP 2026-07-28 forbid such metadata. The
newer suite has corrected the scenario, and there it passes for protocol version 2025-03-26.

At the gateway (`docs/gateway.md`), the server scenarios of both revisions pass as they do at the server itself, check
by check (`tests/conformance/test_gateway.py`). Excepted are scenarios in which the suite answers a question of the
server: at the gateway a person answers in the inbox, and the agent gets the result.
"""


def page(results: Mapping[Suite, Sequence[Scenario]]) -> str:
    """Return the page for these results."""
    return _HEAD + section() + "".join(_section(suite, scenarios) for suite, scenarios in results.items())


def _section(suite: Suite, scenarios: Sequence[Scenario]) -> str:
    green = sum(each.is_green for each in scenarios)
    rows = "".join(f"| {each.name} | {_state(each)} |\n" for each in scenarios)
    title = f"{suite.name} (suite {suite.package}): {green} of {len(scenarios)} green"
    return f"\n## {title}\n\n| scenario | result |\n| --- | --- |\n{rows}"


def _state(scenario: Scenario) -> str:
    if scenario.is_green:
        return "green" if not scenario.warned else "green, with a warning"
    return "red"
