"""The first pages of a newcomer: an empty inbox says what keeps it empty."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from datetime import UTC, timedelta, timezone
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.house import House, house
from tests.mcp_servers import stdio
from tests.pages.person import Person
from tests.program import Api, Program, program
from tests.store.rows import a_request
from webclient.domain.model import Json, RequestState, Via, now
from webclient.web.http.templating import render_text
from webclient.web.pages.inbox import inbox_entries
from webclient.web.pages.inbox.inbox_entries import Recent, count_recent

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


async def _answer(core: House, via: Via, to: RequestState = RequestState.DECLINED) -> None:
    """Put a question to the user, and settle it."""
    requests, request = core.services.store.of("ada").requests, a_request()
    await requests.add(request)
    await requests.settle(request.id, to=to, via=via)


async def test_today_counts_the_persons_own_answers(tmp_path: Path) -> None:
    async with house(tmp_path) as core:
        await _answer(core, Via.PAGE)
        await _answer(core, Via.PAGE, RequestState.ACCEPTED)
        await _answer(core, Via.API)
        assert await count_recent(core.services, "ada", UTC, is_empty=True) == Recent(3, 2)
        # Where something waits, the number is not shown.
        assert await count_recent(core.services, "ada", UTC, is_empty=False) == Recent(3)


@pytest.mark.parametrize(("oclock", "answered"), [(1, 0), (23, 1)])
async def test_today_is_that_of_the_persons_zone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, oclock: int, answered: int
) -> None:
    async with house(tmp_path) as core:
        await _answer(core, Via.PAGE)
        later = now() + timedelta(hours=6)
        zone = timezone(timedelta(hours=(oclock - later.hour + 12) % 24 - 12))
        monkeypatch.setattr(inbox_entries, "now", lambda: later)
        assert await count_recent(core.services, "ada", zone, is_empty=True) == Recent(1, answered)


def test_an_empty_inbox_says_how_much_was_answered() -> None:
    page_context = SimpleNamespace(servers=[SimpleNamespace(fails=False)], failing=[])
    shown = [
        render_text("requests/_empty.html", page_context=page_context, recent=recent)
        for recent in (Recent(5, 5), Recent(5))
    ]
    assert ["5 answered today" in each for each in shown] == [True, False]
    assert "5 questions were settled" in shown[1]
