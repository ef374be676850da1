"""The drill runs as an operator starts it, and its table is true: here with a few seconds of questions."""

from __future__ import annotations

import subprocess
import sys

from tests.mcp_servers import ROOT
from tests.process import environment


def drill(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ROOT / "deploy" / "drill", "--seconds", "1", "--rate", "2", "--people", "3", "--programs", "2", *arguments],
        env=environment(PYTHON=sys.executable),
        check=False,
        capture_output=True,
        encoding="utf-8",
    )


def rows(done: subprocess.CompletedProcess[str]) -> dict[str, dict[str, str]]:
    """Return the rows of the table by their step, each by its columns."""
    columns, _line, *lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in done.stdout.splitlines()]
    return {cells[0]: dict(zip(columns, cells, strict=True)) for cells in lines}


def test_the_drill_loses_nothing_when_the_program_is_killed() -> None:
    done = drill("--step", "program killed")
    assert done.returncode == 0, done.stdout + done.stderr
    row = rows(done)["program killed"]
    assert int(row["asked"]) > 0
    assert (row["answered"], row["lost"], row["doubled"]) == (row["asked"], "0", "0")
    assert row["not ready"] != "0"
