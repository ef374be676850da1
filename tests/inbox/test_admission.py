"""Admission counts what servers ask for as long as it has to: by user, and once for what comes again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import NoReturn

import pytest

from tests.answering import answer
from tests.inbox.test_inbox import form_request
from tests.inbox.test_policy import a_server
from webclient.domain.model import Action, Reason, ReasonCode, RequestState, Server
from webclient.inbox import Admission, Inbox, Limits, policy
from webclient.inbox.policy import RefusedError
from webclient.store import StorageError, Store
from webclient.store.live import Hub

pytestmark = pytest.mark.anyio

ONE_AT_ALL = Limits(burst=1, rate=0)


@asynccontextmanager
async def admission_of(store: Store, limits: Limits) -> AsyncIterator[Admission]:
    """Admit by these limits while the block runs."""
    hub = Hub()
    inbox = Inbox(store, hub)
    admission = Admission(store, hub, inbox, limits)
    yield admission
    await admission.close()
    await inbox.close()


async def takes_one(admission: Admission, server: Server, *, stored: bool = True) -> bool:
    """Return whether the server may ask once more; a request that is not `stored` stays on its way."""
    request = form_request(user_id=server.user_id, server_id=server.id)
    try:
        await admission.admit(server, [request])
    except RefusedError:
        return False
    if stored:
        admission.release(request)
    return True


async def test_the_counts_of_a_user_who_left_are_dropped(store: Store) -> None:
    ada, bob = a_server(id="s1"), replace(a_server(id="s1"), user_id="bob")
    async with admission_of(store, ONE_AT_ALL) as admission:
        assert [await takes_one(admission, each) for each in (ada, bob, ada, bob)] == [True, True, False, False]
        await admission.let_go("ada")
        assert [await takes_one(admission, each) for each in (ada, bob)] == [True, False]


async def test_counts_are_kept_while_a_request_is_stored(store: Store) -> None:
    server = a_server(id="s1")
    async with admission_of(store, ONE_AT_ALL) as admission:
        assert await takes_one(admission, server, stored=False)
        await admission.let_go("ada")
        assert not await takes_one(admission, server)


async def test_a_refusal_that_comes_again_is_not_shown(store: Store) -> None:
    server, request = a_server(id="s1"), form_request(server_id="s1")
    async with admission_of(store, Limits(burst=0)) as admission:
        for again in (False, True, True):
            with pytest.raises(RefusedError):
                await admission.admit(server, [request], again=again)
    [shown] = await store.of("ada").requests.find(state=RequestState.REFUSED)
    assert shown.count == 1


async def test_a_muted_request_that_comes_again_is_not_shown(store: Store) -> None:
    server, request = a_server(id="s1", muted_at=form_request().created_at), form_request(server_id="s1")
    async with admission_of(store, Limits()) as admission:
        assert [await admission.admit(server, [request], again=again) for again in (False, True)] == [False, False]
    [shown] = await store.of("ada").requests.find(state=RequestState.CANCELLED)
    assert shown.count == 1


async def test_an_answer_lets_its_server_ask_again(store: Store) -> None:
    server = a_server(id="s1")
    async with admission_of(store, ONE_AT_ALL) as admission:
        assert [await takes_one(admission, server) for _time in range(2)] == [True, False]
        inbox = admission._quiet._inbox
        request = form_request(server_id="s1")
        await inbox.put([request])
        await answer(inbox, "ada", request.id, Action.DECLINE)
        assert [await takes_one(admission, server) for _time in range(2)] == [True, False]


async def test_a_refusal_for_the_user_frees_the_slots_of_the_server(store: Store) -> None:
    one, other = a_server(id="s1"), a_server(id="s2")
    async with admission_of(store, Limits(pending=1, user_pending=1)) as admission:
        coming = form_request(server_id="s1")
        await admission.admit(one, [coming])
        assert not await takes_one(admission, other)
        admission.release(coming)
        assert await takes_one(admission, other)


@pytest.mark.parametrize("error", [StorageError(Reason(ReasonCode.DATABASE_FULL)), asyncio.CancelledError()])
async def test_a_count_that_fails_frees_the_slots_of_the_server(
    store: Store, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    async with admission_of(store, Limits(pending=1)) as admission:
        server = a_server(id="s1")

        async def fail(*_given: object) -> NoReturn:
            raise error

        with monkeypatch.context() as patch:
            patch.setattr(admission._user("ada"), "take", fail)
            with pytest.raises(type(error)):
                await admission.admit(server, [form_request(server_id="s1")])
        assert await takes_one(admission, server)


async def test_refused_automatic_requests_free_the_slots_beside_them(store: Store) -> None:
    """A round is admitted whole: its form has no slot if its folders are refused."""
    server = a_server(id="s1", roots=())
    async with admission_of(store, Limits(burst=2, rate=0, pending=1)) as admission:
        folders = [form_request(server_id="s1", kind="roots", params={}) for _each in range(3)]
        with pytest.raises(RefusedError):
            await admission.admit(server, [form_request(server_id="s1"), *folders])
        assert await takes_one(admission, server)


async def test_a_server_that_was_removed_has_no_counts(store: Store) -> None:
    server = a_server(id="s1")
    async with admission_of(store, ONE_AT_ALL) as admission:
        assert [await takes_one(admission, server) for _time in range(2)] == [True, False]
        await admission.forget(server)
        assert await takes_one(admission, server)


async def test_a_flood_is_one_entry_and_other_refusals_one_a_call(store: Store) -> None:
    server = a_server(id="s1", modes=())
    async with admission_of(store, Limits()) as admission:
        for call_id in ("c1", "c1", "c2"):
            await admission.refuse(form_request(server_id="s1", call_id=call_id), policy.too_often(Limits()))
            with pytest.raises(RefusedError):
                await admission.admit(server, [form_request(server_id="s1", call_id=call_id)])
    refused = await store.of("ada").requests.find(state=RequestState.REFUSED)
    assert all(each.settled_at for each in refused)
    counts = sorted((str(each.reason_code), each.call_id, each.count) for each in refused)
    assert counts == [("form_mode_off", "c1", 2), ("form_mode_off", "c2", 1), ("rate_limit", "c1", 3)]
