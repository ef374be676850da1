"""Fixtures of the tests of notices: a receiver of webhooks, and notices that wait for nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from tests.receiver import Receiver, receiving
from webclient.notifications import outbox, schedule
from webclient.store.live import Hub


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as receiver:
        yield receiver


@pytest.fixture
def hub() -> Hub:
    return Hub()


@pytest.fixture
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look again soon, and try again soon."""
    monkeypatch.setattr(schedule, "PAUSE", timedelta(milliseconds=20))
    monkeypatch.setattr(outbox, "pause_after", lambda failures, _retry_after: timedelta(milliseconds=failures))
