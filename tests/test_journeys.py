"""Ways of a request through the rooms, as `make house` traces them: one way in, one way out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.house_report import journeys

pytestmark = pytest.mark.anyio


async def test_a_request_changes_rooms_rarely(tmp_path: Path) -> None:
    changes = {name: len(journey.rooms) - 1 for name, journey in (await journeys(tmp_path)).items()}
    assert changes["request in"] < 10
    assert changes["answer out"] < 30
    assert changes["result of the call"] < 20
