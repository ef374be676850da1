"""The life of a token: renewed early, once, for all connections; kept while the authorization server is down."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import httpx2
import pytest

from tests.oauth.conftest import Desk, make
from tests.oauth.provider import ISSUER, error
from webclient.domain.errors import SignInFailedError
from webclient.domain.model import Grant, ReasonCode, now
from webclient.servers.sign_in import SignIns

pytestmark = pytest.mark.anyio

TOKEN = f"{ISSUER}/token"


async def grant_of(desk: Desk) -> Grant:
    """Return the grant in the store."""
    grant = await desk.store.of(desk.server.user_id).grants.get(desk.server.server_id)
    assert grant
    return grant


async def let_expire(desk: Desk, seconds: float) -> None:
    """Let the token end in so many seconds, and start again."""
    ending = replace(await grant_of(desk), expires_at=now() + timedelta(seconds=seconds))
    await desk.store.of(desk.server.user_id).grants.save(ending)
    await desk.restart()


def refreshes(desk: Desk) -> int:
    """Return how often a token was renewed."""
    return sum(body["grant_type"] == "refresh_token" for body in desk.provider.posted("/token"))


async def test_a_valid_token_costs_no_request(desk: Desk) -> None:
    token = await desk.sign_in()
    before = len(desk.provider.requests)
    assert [await desk.token() for _ in range(3)] == [token] * 3
    assert len(desk.provider.requests) == before


@pytest.mark.parametrize(("seconds", "times"), [(60, 0), (20, 1), (-3600, 1)])
async def test_a_token_is_renewed_half_a_minute_early(desk: Desk, seconds: float, times: int) -> None:
    """Also after a restart: the row has all that this needs, so nothing is discovered again."""
    old = await desk.sign_in()
    fetched = desk.provider.fetched()
    await let_expire(desk, seconds)
    new = await desk.token()
    assert (new != old, refreshes(desk)) == (bool(times), times)
    assert desk.provider.accepts(new)
    assert desk.provider.fetched() == fetched
    assert desk.auth.wanted is None


async def test_many_connections_renew_once(desk: Desk) -> None:
    """A rotated refresh token that is used twice revokes all tokens (RFC 9700, section 4.14.2)."""
    await desk.sign_in()
    await let_expire(desk, 0)
    tokens = await asyncio.gather(*(desk.token() for _ in range(10)))
    assert len(set(tokens)) == 1
    assert desk.provider.accepts(tokens[0])
    assert refreshes(desk) == 1


async def test_two_processes_renew_once(desk: Desk) -> None:
    await desk.sign_in()
    await let_expire(desk, 0)
    other = make(desk.store, desk.hub, desk.settings, desk.provider)
    await other.load(desk.server.user_id)
    both = await asyncio.gather(desk.token(), other.authorization_for(desk.server).token())
    await other.close()
    assert both[0] == both[1]
    assert desk.provider.accepts(both[0])
    assert refreshes(desk) == 1


async def test_a_cancelled_caller_loses_no_token(desk: Desk) -> None:
    await desk.sign_in()
    await let_expire(desk, 0)
    caller = asyncio.create_task(desk.token())
    await asyncio.sleep(0)
    caller.cancel()
    assert desk.provider.accepts(await desk.token())
    assert refreshes(desk) == 1


async def test_closing_completes_a_renewal(desk: Desk) -> None:
    await desk.sign_in()
    await let_expire(desk, 0)
    caller = asyncio.create_task(desk.token())
    await asyncio.sleep(0)
    await desk.sign_ins.close()
    await caller
    stored = await grant_of(desk)
    assert stored.secrets["refresh"] in desk.provider.refresh


async def test_a_refused_token_is_renewed_without_the_user(desk: Desk) -> None:
    token = await desk.sign_in()
    del desk.provider.access[token]
    new = await desk.refused(token=token)
    assert desk.provider.accepts(new)
    assert desk.auth.wanted is None


async def test_a_refusal_of_an_old_token_renews_nothing(desk: Desk) -> None:
    old = await desk.sign_in()
    new = await desk.refused(token=old)
    desk.accept(new)
    assert await desk.refused(token=old) == new
    assert refreshes(desk) == 1


async def test_a_server_may_keep_its_refresh_token(desk: Desk) -> None:
    desk.provider.rotates = False
    token = await desk.sign_in()
    for _ in range(2):
        token = str(await desk.refused(token=token))
        desk.accept(token)
    assert (await grant_of(desk)).secrets["refresh"] in desk.provider.refresh
    assert refreshes(desk) == 2


async def test_scopes_stay_if_the_answer_omits_them(desk: Desk) -> None:
    token = await desk.sign_in('Bearer scope="read write"')
    desk.provider.token = {"scope": None}
    await desk.refused(token=token)
    assert (await grant_of(desk)).scopes == ("read", "write")


async def test_a_refused_refresh_token_asks_the_user(desk: Desk) -> None:
    token = await desk.sign_in()
    desk.provider.refresh.clear()
    assert await desk.refused(token=token) is None
    assert await desk.wanted()
    assert await desk.token() is None
    assert (await desk.come_back()).reason is None
    assert desk.provider.accepts(await desk.token())


async def test_a_refused_refresh_token_needs_permission_to_ask(desk: Desk) -> None:
    """A ping or the end of a connection never begins a sign-in."""
    token = await desk.sign_in()
    desk.provider.refresh.clear()
    assert await desk.refused(token=token, may_ask=False) is None
    assert (desk.auth.wanted, desk.auth.granted) == (None, None)


async def test_a_forgotten_client_is_registered_again(desk: Desk) -> None:
    token = await desk.sign_in()
    desk.provider.client_id = "registered-2"
    await desk.refused(token=token)
    assert "client_id=registered-2" in (await desk.wanted()).authorization_url


@pytest.mark.parametrize("failure", [httpx2.Response(503), httpx2.Response(429), error("temporarily_unavailable")])
async def test_an_authorization_server_that_is_down_signs_no_user_out(desk: Desk, failure: httpx2.Response) -> None:
    token = await desk.sign_in()
    desk.provider.answers[TOKEN] = failure
    assert await desk.refused(token=token) is None
    assert desk.auth.wanted is None
    with pytest.raises(SignInFailedError):
        await desk.sign_ins.until_signed_in(desk.server)
    assert (await grant_of(desk)).secrets["refresh"] in desk.provider.refresh
    desk.provider.answers.clear()
    await desk.restart()
    assert desk.provider.accepts(await desk.refused(token=token))
    assert desk.auth.error is None


async def test_a_failed_renewal_is_not_repeated_at_once(desk: Desk) -> None:
    await desk.sign_in()
    await let_expire(desk, 10)
    desk.provider.answers[TOKEN] = httpx2.Response(503)
    assert len({await desk.token() for _ in range(5)}) == 1
    assert refreshes(desk) == 1


async def test_a_token_without_refresh_token_asks_the_user(desk: Desk) -> None:
    desk.provider.token = {"refresh_token": None}
    token = await desk.sign_in()
    assert await desk.refused(token=token) is None
    assert await desk.wanted()
    assert refreshes(desk) == 0


async def test_a_token_that_never_worked_ends_in_a_reason(desk: Desk) -> None:
    """No loop of sign-ins: the wrong audience is the usual cause."""
    await desk.refused()
    await desk.come_back()
    renewed = await desk.refused(token=await desk.token())
    assert renewed
    assert await desk.refused(token=renewed) is None
    assert await desk.failure() is ReasonCode.SIGN_IN_TOKEN_REJECTED
    assert refreshes(desk) == 1
    await desk.sign_ins.begin(desk.server)
    assert await desk.wanted()


async def test_a_renewed_token_that_is_refused_asks_the_user(desk: Desk) -> None:
    renewed = await desk.refused(token=await desk.sign_in())
    assert await desk.refused(token=renewed) is None
    assert await desk.wanted()
    assert refreshes(desk) == 1


async def test_signing_out_during_a_renewal_stays_signed_out(desk: Desk) -> None:
    token = await desk.sign_in()
    reached, go_on = asyncio.Event(), asyncio.Event()

    async def handle(request: httpx2.Request) -> httpx2.Response:
        response = desk.provider.handle(request)
        if request.url.path == "/token":
            reached.set()
            await go_on.wait()
        return response

    await desk.sign_ins.close()
    desk.sign_ins = SignIns(
        desk.store, desk.hub, desk.settings, transport_of=lambda _zones: httpx2.MockTransport(handle)
    )
    await desk.sign_ins.load(desk.server.user_id)
    renewing = asyncio.create_task(desk.refused(token=token))
    await reached.wait()
    await desk.sign_ins.sign_out(desk.server)
    go_on.set()
    assert await renewing is None
    assert await desk.token() is None
    assert await desk.store.of(desk.server.user_id).grants.all() == []


async def test_a_database_that_fails_raises_nothing(desk: Desk) -> None:
    token = await desk.sign_in()
    await desk.store.close()
    assert await desk.refused(token=token) is None
