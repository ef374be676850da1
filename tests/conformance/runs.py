"""Runs the suites against one program, all scenarios of a suite at once, and the failed ones again alone."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE, STDOUT

import anyio

from tests.conformance.suites import NODE, Suite
from tests.program import Program, program

DRIVER = Path(__file__).with_name("driver.py")

TIMEOUT = "60000"
"""Milliseconds that a scenario may take: all of a suite run at once, beside other tests."""

_LINE = re.compile(r"^[✓✗] (?P<name>\S+): (?P<passed>\d+) passed, (?P<failed>\d+) failed(?:, (?P<warned>\d+) warn)?")
_ALONE = re.compile(r"^Passed: (?P<passed>\d+)/\d+, (?P<failed>\d+) failed, (?P<warned>\d+) warn", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Scenario:
    """The result of one scenario: how many checks passed, failed or warned, and its `output`."""

    name: str
    passed: int
    failed: int
    warned: int
    output: str = ""

    @property
    def checks(self) -> str:
        """How many checks passed, of how many."""
        return f"{self.passed} of {self.passed + self.failed + self.warned}"

    @property
    def is_green(self) -> bool:
        """Whether no check failed."""
        return self.failed == 0 and self.passed > 0


async def run(suite: Suite, folder: Path) -> list[Scenario]:
    """Return the scenarios of the suite in its order."""
    async with program(folder) as served:
        output = await _output(served, suite, *suite.options)
        lines = [_LINE.match(line) for line in output.splitlines()]
        found = [_scenario(match["name"], match) for match in lines if match]
        return [each if each.is_green else await _alone(served, suite, each) for each in found]


async def _alone(served: Program, suite: Suite, before: Scenario) -> Scenario:
    """Run a scenario again that failed beside all others, where the time may have been short."""
    output = await _output(served, suite, "--scenario", before.name, *_version(suite))
    match = _ALONE.search(output)
    return _scenario(before.name, match, output) if match else before


def _version(suite: Suite) -> tuple[str, ...]:
    return ("--spec-version", suite.version) if suite.package != "0.1.16" else ()


def _scenario(name: str, counts: Mapping[str, str | None] | re.Match[str], output: str = "") -> Scenario:
    passed, failed, warned = (int(counts[each] or 0) for each in ("passed", "failed", "warned"))
    return Scenario(name, passed, failed, warned, output)


async def _output(served: Program, suite: Suite, *options: str) -> str:
    person = shlex.join([sys.executable, str(DRIVER)])
    line = [str(NODE), str(suite.command), "client", "--command", person, "--timeout", TIMEOUT, *options]
    environment = {"CONFORMANCE_API": f"{served.base}/api/v1", "CONFORMANCE_TOKEN": served.token}
    environment |= {"CONFORMANCE_VERSION": suite.version}
    done = await anyio.run_process(line, stdout=PIPE, stderr=STDOUT, check=False, env={**os.environ, **environment})
    return done.stdout.decode(errors="replace")
