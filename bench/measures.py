"""What is measured, and how it is reported."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles

SERVER = {"command": sys.executable, "args": ["-m", "bench.server"], "era": "2025-11-25"}


@dataclass(frozen=True, slots=True)
class Measure:
    """One line of the report: ours against the yardstick of the same run, if there is one."""

    name: str
    ours: float
    yardstick: float | None
    unit: str

    def __str__(self) -> str:
        ours = f"{_readable(self.ours)} {self.unit}"
        if self.yardstick is None:
            return f"{self.name:<58} {ours:>16}"
        ratio = self.ours / self.yardstick
        return f"{self.name:<58} {ours:>16}   against {_readable(self.yardstick)} {self.unit}: {ratio:.2f}"


def _readable(value: float) -> str:
    return f"{value:,.{1 if value >= 10 else 2}f}"


def percentile(values: Sequence[float], percent: int) -> float:
    """Return the value below which so many percent of the values lie."""
    return quantiles(values, n=100)[percent - 1]


def resident(pid: int) -> float:
    """Return the resident memory of a process, in kilobytes (Linux)."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return float(next(line.split()[1] for line in lines if line.startswith("VmRSS")))
