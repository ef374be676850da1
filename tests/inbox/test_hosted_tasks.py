"""The tasks that we host, as their servers see them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.store.rows import a_request
from webclient.domain.model import Origin, RequesterIds, now
from webclient.inbox.hosted_tasks import task_of


@pytest.mark.parametrize(
    ("age", "pause"),
    [
        (timedelta(), timedelta(seconds=1)),
        (timedelta(seconds=20), timedelta(seconds=1)),
        (timedelta(minutes=5), timedelta(seconds=5)),
        (timedelta(days=1), timedelta(seconds=15)),
    ],
)
def test_the_suggested_pause_grows_with_the_age(age: timedelta, pause: timedelta) -> None:
    """H6 (MCP 2025-11-25, Tasks): a receiver MAY suggest how often to poll, and the suggestion may change."""
    request = a_request(origin=Origin.HOSTED, ids=RequesterIds(hosted_task_id="t1"), created_at=now() - age)
    assert timedelta(milliseconds=task_of(request)["pollInterval"]) == pause
