"""Measures and their report."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

import anyio

SERVER = {"command": sys.executable, "args": ["-m", "bench.server"], "era": "2025-11-25"}


@dataclass(frozen=True, slots=True)
class Measure:
    """One line of the report: ours against the yardstick of the same run, if there is one.

    With `p99`, `ours` is a median.
    """

    name: str
    ours: float
    yardstick: float | None
    unit: str
    p99: float | None = None

    def __str__(self) -> str:
        ours = f"{_readable(self.ours)} {self.unit}"
        if self.p99 is not None:
            return f"{self.name:<58} {ours:>16}   p99 {_readable(self.p99)} {self.unit}"
        if self.yardstick is None:
            return f"{self.name:<58} {ours:>16}"
        ratio = self.ours / self.yardstick
        return f"{self.name:<58} {ours:>16}   against {_readable(self.yardstick)} {self.unit}: {ratio:.2f}"


def spread(name: str, milliseconds: Sequence[float]) -> Measure:
    """Return the line with the median and the 99th percentile."""
    return Measure(name, median(milliseconds), None, "ms", percentile(milliseconds, 99))


def _readable(value: float) -> str:
    return f"{value:,.{1 if value >= 10 else 2}f}"


def percentile(values: Sequence[float], percent: int) -> float:
    """Return the value below which so many percent of the values lie."""
    return quantiles(values, n=100)[percent - 1]


def resident(pid: int) -> float:
    """Return the resident memory of a process, in kilobytes (Linux)."""
    lines = Path(f"/proc/{pid}/status").read_text("utf-8").splitlines()
    return float(next(line.split()[1] for line in lines if line.startswith("VmRSS")))


def used_seconds(pid: int) -> float:
    """Return the seconds of processor time that a process has used (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def alone(measure: Callable[[Path], Awaitable[list[Measure]]]) -> None:
    """Measure in a new folder and print the lines: for a module that is run by itself."""

    async def main() -> None:
        with tempfile.TemporaryDirectory() as folder:
            print(*await measure(Path(folder)), sep="\n")

    anyio.run(main)
