"""Runs the conformance suites and writes `docs/conformance.md`; `make conformance`."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio

from tests.conformance.runs import Scenario, run
from tests.conformance.suites import SUITES, Suite
from tests.conformance.table import PAGE, page


async def main() -> int:
    """Return 1 if a scenario is red."""
    results: dict[Suite, list[Scenario]] = {}
    for suite in SUITES:
        with TemporaryDirectory() as folder:
            results[suite] = await run(suite, Path(folder))
        sys.stdout.writelines(f"{suite.name} {each.name}: {each.checks} checks\n" for each in results[suite])
    PAGE.write_text(page(results), "utf-8")
    return int("| red |" in PAGE.read_text("utf-8"))


if __name__ == "__main__":
    sys.exit(anyio.run(main))
