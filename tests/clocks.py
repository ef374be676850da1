"""A clock that a test sets forward and back in this process; timers still run on the real one."""

from __future__ import annotations

from datetime import datetime, timedelta, tzinfo

import pytest

from webclient.domain.model import common


def set_clock(monkeypatch: pytest.MonkeyPatch, by: timedelta) -> None:
    """Set the clock of the program, from its real time."""

    class Shifted(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return datetime.now(tz) + by

    # The program has one clock: `now` in this module, which looks the name up when it is called.
    monkeypatch.setattr(common, "datetime", Shifted)
