"""Questions of programs: a key is one question also for two processes, and each question ends once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.answering import answer
from tests.postgresql import PostgreSQL
from webclient.domain.errors import AlreadySettledError, InvalidInputError
from webclient.domain.model import LOCAL_USER, Action, InputRequest, ReasonCode, RequestState
from webclient.inbox import Admission, Asker, Inbox, Limits, NewRequest, ProgramRequests, RefusedError
from webclient.inbox.program_answers import AnswerWebhooks
from webclient.inbox.program_requests import OTHERS
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
async def node(store: Store, others: Limits = OTHERS) -> AsyncIterator[tuple[ProgramRequests, Inbox]]:
    """Take the questions of programs as a process with this store does."""
    hub = Hub()
    inbox = Inbox(store, hub)
    admission = Admission(store, hub, inbox, Limits())
    yield ProgramRequests(store, hub, inbox, admission, AnswerWebhooks(store, hub), others=others), inbox
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


async def test_a_key_is_for_one_question(store: Store) -> None:
    async with node(store) as (programs, _inbox):
        known = await programs.ask(PROGRAM, new_request())
        assert (await programs.ask(PROGRAM, new_request())).id == known.id
        other = {**new_request().params, "message": "Why?"}
        for changes in ({"params": other}, {"kind": "url"}):
            with pytest.raises(InvalidInputError):
                await programs.ask(PROGRAM, new_request(**changes))


async def test_a_withdrawn_question_says_why_and_ends_once(store: Store) -> None:
    async with node(store) as (programs, _inbox):
        plain, explained = [await programs.ask(PROGRAM, new_request(key=None)) for _request in range(2)]
        ended = await programs.withdraw(plain)
        assert (ended.state, ended.reason_code) == (RequestState.WITHDRAWN, ReasonCode.WITHDRAWN)
        assert (await programs.withdraw(explained, "It is too late.")).reason_code is ReasonCode.WITHDRAWN_BECAUSE
        with pytest.raises(AlreadySettledError):
            await programs.withdraw(plain)


async def test_questions_of_a_revoked_or_muted_program_end(store: Store) -> None:
    async with node(store) as (programs, _inbox):
        requests = store.of(LOCAL_USER).requests
        revoked = await programs.ask(PROGRAM, new_request(key=None))
        await programs.revoked(PROGRAM.id)
        assert (await requests.get(revoked.id)).state is RequestState.WITHDRAWN
        muted = await programs.ask(PROGRAM, new_request(key=None))
        await programs.mute(muted)
        assert (await requests.get(muted.id)).state is RequestState.CANCELLED


async def test_a_program_waits_until_its_question_is_settled(store: Store) -> None:
    async with node(store) as (programs, inbox):
        request = await programs.ask(PROGRAM, new_request())
        assert (await programs.settled(request, 0)).pending
        waiting = asyncio.create_task(programs.settled(request, 600))
        await programs.ask(PROGRAM, new_request(key="other"))
        await answer(inbox, LOCAL_USER, request.id, Action.DECLINE)
        assert (await waiting).state is RequestState.DECLINED


async def test_a_fetched_answer_is_published_once(store: Store) -> None:
    async with node(store) as (programs, inbox):
        request = await programs.ask(PROGRAM, new_request())
        settled = await answer(inbox, LOCAL_USER, request.id, Action.DECLINE)
        with programs._hub.subscribe(LOCAL_USER) as events:
            await programs.fetched(settled)
            await programs.fetched(settled)
            assert [getattr(each, "subject", "") for each in events.drain()] == [request.id]


async def test_questions_to_others_have_limits_of_their_own(store: Store) -> None:
    asker = replace(PROGRAM, made_by="Bob")
    async with node(store, Limits(burst=1, rate=0.001)) as (programs, _inbox):
        assert (await programs.ask(asker, new_request(key=None))).pending
        with pytest.raises(RefusedError) as refused:
            await programs.ask(asker, new_request(key=None))
        assert refused.value.refusal.reason.code is ReasonCode.OTHERS_RATE_LIMIT
        assert refused.value.refusal.retry_after
        # The program's own user is not meant.
        assert (await programs.ask(PROGRAM, new_request(key=None))).pending
        await programs.revoked(asker.id)
        assert (await programs.ask(asker, new_request(key=None))).pending


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
