"""An answer that comes before its card can have been read is refused, and keeps what was typed."""

from __future__ import annotations

import re
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.mcp_servers import running
from tests.pages.person import Person, card
from tests.program import Api, Program, program
from webclient.web.pages.inbox.too_soon import SOONEST

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    async with running() as asker:
        servers = {"push": {"url": asker.address, "era": "2025-11-25"}}
        async with program(tmp_path_factory.mktemp("too_soon"), servers=servers) as served:
            yield served


async def pending_request(api: Api) -> Any:
    [request] = await api.pending_requests(await api.call("push", "ask_form"))
    return request


async def test_an_answer_as_soon_as_the_card_is_shown_is_refused(api: Api, person: Person) -> None:
    request = await pending_request(api)
    path, moment = f"/requests/{request['id']}", round(time.time() * 1000)
    # A minute ahead, so that the time that this test takes does not matter.
    refused = await person.submit(path, 422, action="accept", f0="Ada", shown=str(moment + 60_000))
    assert 'value="Ada"' in card(refused.text, request)
    assert int(re.findall(r'name="shown" value="(\d+)"', refused.text)[0]) >= moment
    await person.submit(path, 303, action="accept", f0="Ada", shown=str(moment - SOONEST))


@pytest.mark.parametrize("shown", ["", "-1", "x", "9" * 5000, "²"])
async def test_an_unreadable_time_of_a_card_is_ignored(api: Api, person: Person, shown: str) -> None:
    request = await pending_request(api)
    await person.submit(f"/requests/{request['id']}", 303, action="decline", shown=shown)
