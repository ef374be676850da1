"""Questions of programs when two processes share one database: the same key is one question, whichever was first."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.postgresql import PostgreSQL
from webclient.domain.model import LOCAL_USER, InputRequest
from webclient.inbox import Admission, Asker, Inbox, Limits, NewRequest, ProgramRequests
from webclient.inbox.program_answers import AnswerWebhooks
from webclient.store import StorageError, Store
from webclient.store.database import postgresql
from webclient.store.live import Hub

pytestmark = pytest.mark.anyio

PROGRAM = Asker(user_id=LOCAL_USER, id="program-agent", label="Agent")


@pytest.fixture
def url(postgresql: PostgreSQL) -> Iterator[str]:
    with postgresql.database() as name:
        yield postgresql.url(name)


@asynccontextmanager
async def node(store: Store) -> AsyncIterator[tuple[ProgramRequests, Inbox]]:
    """Take the questions of programs as a process with this store does."""
    hub = Hub()
    inbox = Inbox(store, hub)
    admission = Admission(store, hub, inbox, Limits())
    yield ProgramRequests(store, hub, inbox, admission, AnswerWebhooks(store, hub)), inbox
    await admission.close()
    await inbox.close()
    await store.close()


def new_request(**changes: Any) -> NewRequest:
    params = {"mode": "form", "message": "Where to?", "requestedSchema": {"type": "object", "properties": {}}}
    return NewRequest(**{"kind": "form", "params": params, "expires_in": timedelta(hours=1), "key": "k", **changes})


async def test_one_key_at_two_processes_at_once_is_one_request(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql, "LOCK_TIMEOUT", "10ms")
    owner, late = Store(tmp_path, url=url), Store(tmp_path, url=url)
    await owner.open()
    # The first one holds the database. The second one reads it, and cannot write, so it is not opened.
    async with node(owner) as (first, _inbox), node(late) as (second, its_inbox):
        put = its_inbox.put

        async def put_late(*arguments: Any) -> bool:
            # Both have found no request with the key by now.
            await first.ask(PROGRAM, new_request())
            return await put(*arguments)

        its_inbox.put = put_late  # type: ignore[method-assign, assignment]
        found = await second.ask(PROGRAM, new_request())
        assert await owner.of(LOCAL_USER).requests.find() == [found]
        # Without the same key, nothing was stored, and the program learns that.
        its_inbox.put = put  # type: ignore[method-assign]
        with pytest.raises(StorageError):
            await second.ask(PROGRAM, new_request(key="other"))


async def test_questions_of_one_program_do_not_wait_for_each_other(store: Store) -> None:
    async with node(store) as (programs, inbox):
        put, stored, go_on = inbox.put, asyncio.Event(), asyncio.Event()

        async def put_slowly(requests: Sequence[InputRequest], *arguments: Any) -> bool:
            if requests[0].params["message"] == "Slow?":
                stored.set()
                await go_on.wait()
            return await put(requests, *arguments)

        inbox.put = put_slowly  # type: ignore[method-assign, assignment]
        slow = new_request(params={**new_request().params, "message": "Slow?"})
        async with asyncio.TaskGroup() as group:
            first, again = (group.create_task(programs.ask(PROGRAM, slow)) for _ in range(2))
            await stored.wait()
            # With another key, and with none.
            assert (await programs.ask(PROGRAM, new_request(key="other"))).pending
            assert (await programs.ask(PROGRAM, new_request(key=None))).pending
            assert not first.done()
            go_on.set()
        assert first.result() == again.result()
        assert len(await store.of(LOCAL_USER).requests.find()) == 3
