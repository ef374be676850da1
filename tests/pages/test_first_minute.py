"""The first pages of a newcomer: an empty inbox says what keeps it empty."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import pytest

from tests.mcp_servers import stdio
from tests.pages.person import Person
from tests.program import Api, Program, program
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

NOWHERE: Json = {"url": "http://127.0.0.1:9/mcp"}


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    """The program with one server that answers and two that do not."""
    servers = {"plain": stdio("plain"), "typo": NOWHERE, "gone": NOWHERE}
    async with program(tmp_path_factory.mktemp("first"), servers=servers) as served:
        yield served


async def _labelled(api: Api, *labels: str) -> dict[str, str]:
    """Return the ids of servers once they are connected, or have failed, by label."""
    await api.server("plain")
    servers = (await api.json("GET", "/servers"))["servers"]
    while any("error" not in each for each in servers if each["label"] != "plain"):
        servers = (await api.json("GET", "/servers"))["servers"]
    return {each["label"]: each["id"] for each in servers if each["label"] in labels}


async def test_an_empty_inbox_names_the_servers_that_fail(api: Api, person: Person) -> None:
    ids = await _labelled(api, "plain", "typo", "gone")
    page = await person.page("/")
    [failing] = re.findall(r'<div [^>]*data-failing="2".*?</div>', page, re.DOTALL)
    assert [ids[label] in failing for label in ("typo", "gone", "plain")] == [True, True, False]
    # Only a server that works has a button that opens it.
    empty = page[page.index('id="caught-up"') :].replace(failing, "")
    assert [f'class="button" href="/servers/{ids[label]}"' in empty for label in ("typo", "plain")] == [False, True]
