"""Posts to addresses that a person or a program named."""

from __future__ import annotations

import anyio
import pytest

from tests.receiver import PATIENCE, receiving
from webclient.network import Poster, networks_of, posting

pytestmark = pytest.mark.anyio


async def test_receivers_that_hang_keep_no_other_post_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posting, "SECONDS", 2 * PATIENCE)
    poster = Poster(networks_of(["127.0.0.1"]))
    async with receiving() as hanging, receiving() as other, anyio.create_task_group() as posts:
        hanging.silent = True
        for _each in range(12):
            posts.start_soon(poster.post, hanging.url, b"{}", {})
        for _each in range(12):
            await hanging.next()
        assert (await poster.post(other.url, b"{}", {})).is_success
        posts.cancel_scope.cancel()
    await poster.close()
