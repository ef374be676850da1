"""A sign-in from the refusal of a server to the token, and what becomes of it in between."""

from __future__ import annotations

import asyncio
import logging
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest

from tests.oauth.conftest import REDIRECT_URI, Desk
from tests.oauth.provider import ISSUER, RESOURCE_METADATA, SERVER, SERVER_METADATA, error
from webclient.domain.errors import NotFoundError, SignInFailedError
from webclient.domain.model import ReasonCode, SignInStepKind
from webclient.servers.sign_in import SignIns

pytestmark = pytest.mark.anyio


@pytest.mark.smoke
async def test_a_user_signs_in(desk: Desk) -> None:
    token = await desk.sign_in()
    assert desk.provider.accepts(token)
    assert desk.auth.wanted is None
    assert desk.auth.granted
    assert desk.auth.granted.issuer == ISSUER
    assert desk.provider.fetched() == [RESOURCE_METADATA, SERVER_METADATA]
    await desk.sign_ins.until_signed_in(desk.server)


async def test_the_address_has_all_parameters(desk: Desk) -> None:
    desk.provider.metadata["authorization_endpoint"] = f"{ISSUER}/authorize?p=b2c_1&state=fixed"
    await desk.refused()
    url = (await desk.wanted()).authorization_url
    query = parse_qs(urlsplit(url).query)
    assert url.startswith(f"{ISSUER}/authorize?p=b2c_1&")
    assert query["resource"] == [SERVER]
    assert query["client_id"] == ["registered-1"]
    assert query["redirect_uri"] == [REDIRECT_URI]
    assert len(query["state"]) == len(query["code_challenge"]) == 1
    assert "scope" not in query


async def test_the_resource_is_in_all_requests_as_the_server_spells_it(desk: Desk) -> None:
    """MCP, Authorization, Resource Parameter Implementation (MUST); RFC 8707."""
    desk.provider.resource["resource"] = "http://127.0.0.1:9001"
    token = await desk.sign_in()
    assert await desk.refused(token=token)
    assert [body["resource"] for body in desk.provider.posted("/token")] == ["http://127.0.0.1:9001"] * 2


async def test_several_refusals_share_one_sign_in(desk: Desk) -> None:
    await asyncio.gather(*(desk.refused() for _ in range(5)))
    first = await desk.wanted()
    await desk.refused()
    assert await desk.wanted() == first
    assert len(desk.provider.posted("/register")) == 1


async def test_a_refusal_may_not_ask(desk: Desk) -> None:
    assert await desk.refused(may_ask=False) is None
    assert desk.provider.requests == []
    with pytest.raises(SignInFailedError) as error:
        await desk.sign_ins.until_signed_in(desk.server)
    assert error.value.reason
    assert error.value.reason.code is ReasonCode.SIGN_IN_REQUIRED


@pytest.mark.smoke
async def test_a_waiting_call_goes_on_after_the_sign_in(desk: Desk) -> None:
    await desk.refused()
    waiting = asyncio.create_task(desk.sign_ins.until_signed_in(desk.server))
    await desk.come_back()
    await waiting


async def test_a_dismissed_sign_in_ends_the_waiting(desk: Desk) -> None:
    await desk.refused()
    waiting = asyncio.create_task(desk.sign_ins.until_signed_in(desk.server))
    await desk.sign_ins.cancel(desk.server.user_id, (await desk.wanted()).id)
    with pytest.raises(SignInFailedError):
        await waiting
    assert await desk.failure() is ReasonCode.SIGN_IN_DISMISSED
    await desk.refused()
    assert await desk.wanted()


async def test_a_sign_in_survives_a_restart(desk: Desk) -> None:
    await desk.refused()
    before = await desk.wanted()
    await desk.restart()
    assert await desk.wanted() == before
    assert (await desk.come_back()).reason is None
    token = await desk.token()
    await desk.restart()
    assert await desk.token() == token
    assert len(desk.provider.fetched()) == 2


async def test_the_link_follows_the_host_of_the_browser(desk: Desk) -> None:
    await desk.refused()
    pending = await desk.wanted()
    other = REDIRECT_URI.replace("127.0.0.1", "localhost")
    started = await desk.sign_ins.start(desk.server.user_id, pending.id, other)
    assert parse_qs(urlsplit(started.url).query)["redirect_uri"] == [other]
    finished = await desk.sign_ins.finish(desk.provider.authorize(started.url), started.nonce, None)
    assert finished.reason is None
    assert len(desk.provider.posted("/register")) == 1


async def test_another_users_sign_in_is_unknown(desk: Desk) -> None:
    await desk.refused()
    pending = await desk.wanted()
    with pytest.raises(NotFoundError):
        await desk.sign_ins.start("bob", pending.id, REDIRECT_URI)
    with pytest.raises(NotFoundError):
        await desk.sign_ins.cancel("bob", pending.id)


async def test_signing_out_revokes_and_deletes(desk: Desk) -> None:
    await desk.sign_in()
    refresh = next(iter(desk.provider.refresh))
    await desk.sign_ins.sign_out(desk.server)
    assert await desk.token() is None
    assert await desk.store.of(desk.server.user_id).grants.all() == []
    await desk.sign_ins.close()
    assert desk.provider.revoked == [refresh]


async def test_signing_out_stops_a_sign_in_in_preparation(desk: Desk) -> None:
    reached = asyncio.Event()

    async def handle(_request: httpx2.Request) -> httpx2.Response:
        reached.set()
        await asyncio.Event().wait()
        raise AssertionError

    await desk.sign_ins.close()
    desk.sign_ins = SignIns(
        desk.store, desk.hub, desk.settings, transport_of=lambda _zones: httpx2.MockTransport(handle)
    )
    await desk.refused()
    waiting = asyncio.create_task(desk.sign_ins.until_signed_in(desk.server))
    await reached.wait()
    await desk.sign_ins.sign_out(desk.server)
    with pytest.raises(SignInFailedError):
        await waiting
    assert desk.auth.wanted is None


async def test_signing_out_deletes_although_revoking_fails(desk: Desk) -> None:
    del desk.provider.metadata["revocation_endpoint"]
    await desk.sign_in()
    await desk.sign_ins.sign_out(desk.server)
    assert await desk.store.of(desk.server.user_id).grants.all() == []
    assert await desk.store.of(desk.server.user_id).registrations.get(ISSUER, REDIRECT_URI)


async def test_a_user_begins_a_sign_in_without_a_refusal(desk: Desk) -> None:
    await desk.sign_ins.begin(desk.server)
    assert await desk.wanted()
    assert desk.provider.fetched()[0] == SERVER


async def test_the_trace_has_each_step_and_no_secret(desk: Desk) -> None:
    await desk.sign_in()
    steps = desk.sign_ins.trace_of(desk.server.key)
    assert [step.kind for step in steps] == [
        SignInStepKind.RESOURCE_METADATA,
        SignInStepKind.SERVER_METADATA,
        SignInStepKind.REGISTRATION,
        SignInStepKind.AUTHORIZATION,
        SignInStepKind.TOKEN,
    ]
    assert [step.status for step in steps] == [200, 200, 201, None, 200]
    assert not [secret for secret in desk.provider.secrets if secret in repr(steps)]


async def test_no_secret_is_in_a_log(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    """Not even with all libraries at DEBUG, nor in what an error says."""
    caplog.set_level(logging.DEBUG)
    token = await desk.sign_in()
    await desk.refused(token=token)
    desk.provider.answers[f"{ISSUER}/token"] = error("invalid_grant")
    desk.accept(await desk.token())
    await desk.refused(token=await desk.token())
    wanted = await desk.wanted()
    finished = await desk.come_back()
    seen = "\n".join(
        [*caplog.messages, repr(finished), repr(wanted), repr(desk.auth), repr(desk.sign_ins.trace_of(desk.server.key))]
    )
    assert len(desk.provider.secrets) >= 7
    assert [secret for secret in desk.provider.secrets if secret in seen] == []
    assert "SECRET" not in seen


async def test_a_removed_server_takes_its_sign_in_along(desk: Desk) -> None:
    await desk.refused()
    url = (await desk.wanted()).authorization_url
    await desk.sign_ins.forget(desk.server)
    finished = await desk.sign_ins.finish(desk.provider.authorize(url), None, None)
    assert finished.reason
    assert finished.reason.code is ReasonCode.SIGN_IN_UNKNOWN
    assert desk.sign_ins.trace_of(desk.server.key) == ()
