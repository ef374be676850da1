"""Admission counts what servers ask for as long as it has to: by user, and once for what comes again."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from tests.inbox.test_inbox import form_request
from tests.inbox.test_policy import a_server
from webclient.domain.model import RequestState, Server
from webclient.inbox import Admission, Inbox, Limits
from webclient.inbox.policy import RefusedError
from webclient.store import Store
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
