"""The start and the end of all services: after any failure on the way, nothing is left open."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.house import house, settings
from webclient import services as webclient_services
from webclient.calls import Calls
from webclient.inbox import Inbox
from webclient.sampling import Samplings
from webclient.servers.connections import Presence
from webclient.store import Store

pytestmark = pytest.mark.anyio


async def is_free(data_dir: Path) -> bool:
    """Return whether another process could use this data, because the lock on it is released."""
    store = Store(data_dir)
    await store.open()
    await store.close()
    return True


async def test_a_failing_start_leaves_nothing_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_arguments: object) -> None:
        raise LookupError

    monkeypatch.setattr(Presence, "open", broken)
    services = webclient_services.build(settings(tmp_path), ())
    with pytest.raises(LookupError):
        async with webclient_services.running(services):
            pass
    assert await is_free(tmp_path)


@pytest.mark.parametrize("part", [Inbox, Samplings, Calls])
async def test_a_part_that_cannot_be_closed_keeps_no_other_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: type
) -> None:
    async def broken(*_arguments: object) -> None:
        raise LookupError

    monkeypatch.setattr(part, "close", broken)
    with pytest.raises(LookupError):
        async with house(tmp_path):
            pass
    assert await is_free(tmp_path)
