"""One request costs few hops between threads, from its server to the card in an open page, and back."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.house import config, house
from tests.mcp_servers import stdio
from webclient.domain.model import LOCAL_USER, Action, Era, now
from webclient.inbox import check_answer
from webclient.store import Store
from webclient.store.database.database import Database
from webclient.store.live import Event, Gap
from webclient.web.pages.open_page import OpenPage
from webclient.web.pages.stream import Viewer

pytestmark = pytest.mark.anyio

PATIENCE = 30

ON_A_CLOCK = {"accounts", "sign-ins", "retention", "health"}
"""Standing tasks that look at the store at any moment, for no request."""


@contextmanager
def counting(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Collect the names of units of work, without those of standing tasks."""
    names: list[str] = []
    with monkeypatch.context() as patched:
        for way in ("read", "write"):
            original = getattr(Database, way)

            def counted(self: Database, unit: Any, *values: Any, _run: Any = original, **named: Any) -> Any:
                task = asyncio.current_task()
                if self is store._database and task and task.get_name() not in ON_A_CLOCK:
                    names.append(_name(unit))
                return _run(self, unit, *values, **named)

            patched.setattr(Database, way, counted)
        yield names


def _name(unit: Any) -> str:
    method = getattr(unit, "func", unit)
    # A write is wrapped by the check whether this process may write.
    return str((unit.args[0] if method.__name__ == "_fenced" else method).__qualname__)


async def test_a_request_reaches_its_row_in_few_hops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with house(tmp_path, [config("it", stdio("asker"), Era.PUSH)]) as rooms:
        await rooms.connected("it")
        services = rooms.services
        viewer = Viewer(OpenPage(services, LOCAL_USER, "inbox", "", now()))
        row = 'data-state="pending"'
        # Statements are compiled, and catalogs read, before anything is counted.
        first = await rooms.call("it", "ask_form")
        [request] = await rooms.pending_requests(first)
        await rooms.answer(request, Action.DECLINE)
        await rooms.ended(first)
        with counting(services.store, monkeypatch) as names, services.hub.subscribe(LOCAL_USER) as events:
            await rooms.call("it", "ask_form")
            batch: list[Event | Gap] = []
            async with asyncio.timeout(PATIENCE):
                # What the page reads for the call's own events is not counted, whenever they arrive.
                while not any(isinstance(event, Event) and event.kind == "request" for event in batch):
                    batch += [await anext(events), *events.drain()]
            shown = "".join([html async for html in viewer.updates(batch)])
        assert row in shown
        from_request_to_row = names[names.index("UserRequests.add") :]
        # The request with the state of its call, the rows of their events, and those of its entry.
        assert from_request_to_row[0] == "UserRequests.add"
        assert len(from_request_to_row) <= 3


async def test_an_answer_is_delivered_in_few_hops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with house(tmp_path, [config("it", stdio("asker"), Era.PUSH)]) as rooms:
        await rooms.connected("it")
        call = await rooms.call("it", "ask_form")
        [request] = await rooms.pending_requests(call)
        checked = await check_answer(request, Action.DECLINE)
        services = rooms.services
        with counting(services.store, monkeypatch) as names, services.hub.subscribe(LOCAL_USER) as events:
            await services.inbox.answer(checked)
            async with asyncio.timeout(PATIENCE):
                while "UserRequests.deliver" not in names:
                    await anext(events)
        assert names[0] == "UserRequests.settle"
        until_delivered = names[: names.index("UserRequests.deliver") + 1]
        assert until_delivered == ["UserRequests.settle", "UserRequests.deliver"]
