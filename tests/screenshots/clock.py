"""The clock of the scene: the program shows the moment that a file names, so that each run shows the same times.

`python -m tests.screenshots.clock FILE PYTHON -m webclient …` runs that command line with this clock. Timers still run
on the real one.
"""

from __future__ import annotations

import runpy
import sys
from datetime import datetime, tzinfo
from pathlib import Path

from webclient.domain.model import common


class Clock:
    """Sets the time that the program shows."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def set(self, moment: datetime) -> None:
        """Show `moment` from now on."""
        # Renamed into place, so that the program never reads half of it.
        written = self.file.with_suffix(".new")
        written.write_text(moment.isoformat(), "utf-8")
        written.replace(self.file)

    def command(self) -> list[str]:
        """Return the command that runs a command line of the program with this clock."""
        return [sys.executable, "-m", "tests.screenshots.clock", str(self.file)]


def _run(file: Path, line: list[str]) -> None:
    class Shown(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return datetime.fromisoformat(file.read_text("utf-8")).astimezone(tz)

    # The program has one clock: `now` in this module, which looks the name up when it is called.
    common.datetime = Shown  # type: ignore[attr-defined]
    _python, _option, module, *arguments = line
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    _run(Path(sys.argv[1]), sys.argv[2:])
