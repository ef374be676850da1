"""The way back from an authorization server: who may finish a sign-in, once, and with which answers."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from urllib.parse import urlencode

import httpx2
import pytest

from tests.oauth.conftest import REDIRECT_URI, Desk
from tests.oauth.provider import ISSUER, Answer, answer, error
from webclient.domain.model import Reason, ReasonCode, now
from webclient.servers.sign_in import Finished, SignIns

pytestmark = pytest.mark.anyio

TOKEN = f"{ISSUER}/token"


def code_of(finished: Finished) -> ReasonCode | None:
    """Return why a sign-in was not finished."""
    return finished.reason.code if finished.reason else None


async def test_a_state_works_once(desk: Desk) -> None:
    await desk.refused()
    query = desk.provider.authorize((await desk.wanted()).authorization_url)
    both = await asyncio.gather(*(desk.sign_ins.finish(query, None, None) for _tab in range(2)))
    assert sorted(str(code_of(each)) for each in both) == ["None", "sign_in_used"]
    assert code_of(await desk.sign_ins.finish(query, None, None)) is ReasonCode.SIGN_IN_USED
    assert len(desk.provider.posted("/token")) == 1


@pytest.mark.parametrize(
    "query",
    ["", "state=", "state=unknown&code=x", "code=x", "%ff=&;=&state=%00", "state=a&state=b", "&".join(["a=b"] * 999)],
)
async def test_a_hostile_query_ends_in_a_reason(desk: Desk, query: str) -> None:
    await desk.refused()
    pending = await desk.wanted()
    finished = await desk.sign_ins.finish(query, None, None)
    assert finished == Finished(None, None, finished.reason)
    assert code_of(finished) is ReasonCode.SIGN_IN_UNKNOWN
    assert await desk.wanted() == pending


async def test_repeated_parameters_count_as_missing(desk: Desk) -> None:
    """RFC 6749, section 3.1: parameters MUST NOT be included more than once."""
    await desk.refused()
    query = desk.provider.authorize((await desk.wanted()).authorization_url)
    finished = await desk.sign_ins.finish(f"{query}&code=other", None, None)
    assert code_of(finished) is ReasonCode.SIGN_IN_NO_CODE


async def test_a_foreign_user_finishes_nothing(desk: Desk) -> None:
    await desk.refused()
    query = desk.provider.authorize((await desk.wanted()).authorization_url)
    finished = await desk.sign_ins.finish(query, None, "bob")
    assert finished == Finished(None, None, Reason(ReasonCode.SIGN_IN_OTHER_USER))
    assert code_of(await desk.sign_ins.finish(query, None, None)) is None


async def test_another_browser_finishes_nothing(desk: Desk) -> None:
    """The browser that began is known by its cookie, so that no user is lured into finishing a foreign sign-in."""
    await desk.refused()
    pending = await desk.wanted()
    started = await desk.sign_ins.start(desk.server.user_id, pending.id, REDIRECT_URI)
    query = desk.provider.authorize(started.url)
    assert code_of(await desk.sign_ins.finish(query, None, None)) is ReasonCode.SIGN_IN_OTHER_BROWSER
    assert code_of(await desk.sign_ins.finish(query, "wrong", None)) is ReasonCode.SIGN_IN_OTHER_BROWSER
    assert desk.provider.posted("/token") == []
    assert code_of(await desk.sign_ins.finish(query, started.nonce, None)) is None


async def test_the_users_session_is_as_good_as_the_cookie(desk: Desk) -> None:
    await desk.refused()
    pending = await desk.wanted()
    started = await desk.sign_ins.start(desk.server.user_id, pending.id, REDIRECT_URI)
    query = desk.provider.authorize(started.url)
    assert code_of(await desk.sign_ins.finish(query, None, desk.server.user_id)) is None


async def test_several_users_need_the_cookie_or_the_session(desk: Desk) -> None:
    ada = replace(desk.server, user_id="ada")
    [row] = await desk.store.of(desk.server.user_id).servers.all()
    await desk.store.of("ada").servers.add(replace(row, user_id="ada", id="s2"))
    desk.server = replace(ada, server_id="s2")
    await desk.refused()
    query = desk.provider.authorize((await desk.wanted()).authorization_url)
    assert code_of(await desk.sign_ins.finish(query, None, None)) is ReasonCode.SIGN_IN_OTHER_BROWSER
    assert code_of(await desk.sign_ins.finish(query, None, "ada")) is None


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"iss": "http://127.0.0.1:9999"}, ReasonCode.SIGN_IN_OTHER_ISS),
        ({"iss": f"{ISSUER}/"}, ReasonCode.SIGN_IN_OTHER_ISS),
        ({"iss": ISSUER.upper()}, ReasonCode.SIGN_IN_OTHER_ISS),
        ({"iss": ""}, ReasonCode.SIGN_IN_OTHER_ISS),
        ({"iss": None}, ReasonCode.SIGN_IN_MISSING_ISS),
        ({"iss": "http://evil.example", "error": "access_denied"}, ReasonCode.SIGN_IN_OTHER_ISS),
        ({"iss": None, "error": "access_denied"}, ReasonCode.SIGN_IN_MISSING_ISS),
        ({"error": "access_denied", "code": None}, ReasonCode.SIGN_IN_DENIED),
        ({"error": "access_denied"}, ReasonCode.SIGN_IN_DENIED),
        ({"error": "server_error", "code": None}, ReasonCode.SIGN_IN_ERROR),
        ({"code": None}, ReasonCode.SIGN_IN_NO_CODE),
        ({"code": ""}, ReasonCode.SIGN_IN_NO_CODE),
    ],
)
async def test_a_wrong_answer_gets_no_token(desk: Desk, changes: dict[str, str | None], expected: ReasonCode) -> None:
    """MCP 2026-07-28, Authorization, Response Validation (RFC 9207): `iss` comes before error and code (MUST)."""
    await desk.refused()
    finished = await desk.come_back(**changes)
    assert code_of(finished) is expected
    assert finished.server_id == desk.server.server_id
    assert desk.provider.posted("/token") == []
    assert desk.auth.wanted is None
    assert await desk.failure() is expected


async def test_iss_may_be_missing_if_it_was_not_announced(desk: Desk) -> None:
    del desk.provider.metadata["authorization_response_iss_parameter_supported"]
    await desk.refused()
    assert code_of(await desk.come_back(iss=None)) is None


async def test_iss_is_checked_although_it_was_not_announced(desk: Desk) -> None:
    """RFC 9207, section 2.4."""
    del desk.provider.metadata["authorization_response_iss_parameter_supported"]
    await desk.refused()
    assert code_of(await desk.come_back(iss="http://evil.example")) is ReasonCode.SIGN_IN_OTHER_ISS


async def test_an_expired_sign_in_is_not_finished(desk: Desk) -> None:
    await desk.refused()
    pending = replace(await desk.wanted(), expires_at=now() - timedelta(seconds=1))
    await desk.store.of(desk.server.user_id).sign_ins.change(pending)
    assert code_of(await desk.come_back()) is ReasonCode.SIGN_IN_EXPIRED
    assert desk.provider.posted("/token") == []


async def test_a_sign_in_expires_while_a_call_waits(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webclient.servers.sign_in.preparing.LIFETIME", timedelta(0))
    await desk.refused()
    assert await desk.failure() is ReasonCode.SIGN_IN_EXPIRED
    assert desk.auth.wanted is None


async def test_a_query_after_signing_out_is_unknown(desk: Desk) -> None:
    await desk.refused()
    query = desk.provider.authorize((await desk.wanted()).authorization_url)
    await desk.sign_ins.sign_out(desk.server)
    assert code_of(await desk.sign_ins.finish(query, None, None)) is ReasonCode.SIGN_IN_UNKNOWN


async def test_signing_out_during_the_exchange_stays_signed_out(desk: Desk) -> None:
    await desk.refused()
    query = desk.provider.authorize((await desk.wanted()).authorization_url)
    reached, proceed = asyncio.Event(), asyncio.Event()

    async def handle(request: httpx2.Request) -> httpx2.Response:
        reached.set()
        await proceed.wait()
        return desk.provider.handle(request)

    await desk.sign_ins.close()
    desk.sign_ins = SignIns(
        desk.store, desk.hub, desk.settings, transport_of=lambda _zones: httpx2.MockTransport(handle)
    )
    await desk.sign_ins.load(desk.server.user_id)
    finishing = asyncio.create_task(desk.sign_ins.finish(query, None, None))
    await reached.wait()
    await desk.sign_ins.sign_out(desk.server)
    proceed.set()
    assert code_of(await finishing) is ReasonCode.SIGN_IN_UNKNOWN
    assert await desk.token() is None
    assert await desk.store.of(desk.server.user_id).grants.all() == []


async def test_a_removed_server_gets_no_token(desk: Desk) -> None:
    await desk.refused()
    query = desk.provider.authorize((await desk.wanted()).authorization_url)
    await desk.store.of(desk.server.user_id).servers.remove([desk.server.server_id])
    assert code_of(await desk.sign_ins.finish(query, None, None)) is ReasonCode.SIGN_IN_UNKNOWN
    assert desk.provider.posted("/token") == []


FORM = {"access_token": "a", "token_type": "bearer", "expires_in": "60", "scope": "read"}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (answer({"access_token": "a", "token_type": "Bearer"}), None),
        (answer({"access_token": "a", "token_type": "bEARER", "expires_in": "3600"}), None),
        (answer({"access_token": "a", "token_type": "Bearer", "expires_in": 3599.5}), None),
        (answer({"access_token": "a", "token_type": "Bearer", "expires_in": "soon"}), None),
        (answer({"access_token": "a", "token_type": "Bearer", "expires_in": 1e300}), None),
        (answer({"access_token": "a", "token_type": "Bearer", "expires_in": None, "scope": None}), None),
        (answer({"access_token": "a", "token_type": "DPoP"}), ReasonCode.SIGN_IN_OTHER_TOKEN),
        (answer({"access_token": "a"}), ReasonCode.SIGN_IN_OTHER_TOKEN),
        (answer({"access_token": "", "token_type": "Bearer"}), ReasonCode.SIGN_IN_NO_TOKEN),
        (answer({"access_token": "a\r\nx: y", "token_type": "Bearer"}), ReasonCode.SIGN_IN_NO_TOKEN),
        (answer({"access_token": ["a"], "token_type": "Bearer"}), ReasonCode.SIGN_IN_NO_TOKEN),
        (answer({"access_token": "a", "token_type": "Bearer"}, 400), ReasonCode.SIGN_IN_NO_TOKEN),
        (answer([]), ReasonCode.SIGN_IN_NO_TOKEN),
        (answer({"error": "invalid_grant"}), ReasonCode.SIGN_IN_REFUSED),
        (error("invalid_request"), ReasonCode.SIGN_IN_REFUSED),
        (error("invalid_client", 401), ReasonCode.SIGN_IN_CLIENT_UNKNOWN),
        (httpx2.Response(500, json=FORM), ReasonCode.SIGN_IN_UNAVAILABLE),
        (httpx2.Response(429), ReasonCode.SIGN_IN_UNAVAILABLE),
    ],
)
async def test_answers_of_the_token_endpoint(desk: Desk, given: Answer, expected: ReasonCode | None) -> None:
    desk.provider.answers[TOKEN] = given
    await desk.refused()
    finished = await desk.come_back()
    assert code_of(finished) is expected
    assert "SECRET" not in repr((finished, desk.auth.error, desk.sign_ins.trace_of(desk.server.key)))


async def test_a_token_may_come_as_a_form(desk: Desk) -> None:
    headers = {"content-type": "application/x-www-form-urlencoded; charset=utf-8"}
    desk.provider.answers[TOKEN] = httpx2.Response(200, headers=headers, text=urlencode(FORM))
    assert await desk.sign_in() == "a"
    assert desk.auth.granted
    assert desk.auth.granted.expires_at


async def test_fewer_scopes_may_be_granted(desk: Desk) -> None:
    """RFC 6749, section 5.1."""
    desk.provider.grants_only = "read"
    await desk.sign_in('Bearer scope="read write"')
    assert desk.auth.granted
    assert (desk.auth.granted.requested, desk.auth.granted.scopes) == (("read", "write"), ("read",))
