"""Short pauses for all tests of servers: just long enough to see that there is a pause."""

from __future__ import annotations

import pytest

from webclient.protocol.transports import http
from webclient.servers.connections import next_attempt
from webclient.store.database import health


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pause for parts of a second before something is tried again, growing as ever."""
    monkeypatch.setattr(next_attempt, "PAUSES", (0.05, 0.1, 0.2, 0.4))
    monkeypatch.setattr(http, "LISTEN_PAUSES", (0.05, 0.1, 0.2, 0.4))
    monkeypatch.setattr(health, "PAUSE", 0.05)
