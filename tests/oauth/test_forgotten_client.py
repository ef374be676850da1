"""An authorization server that has forgotten our registration: each way back registers again, and not for ever."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest

from tests.oauth.conftest import REDIRECT_URI, Desk
from tests.oauth.provider import ISSUER, answer, error
from webclient.domain.errors import ConflictError, SignInFailedError
from webclient.domain.model import LOCAL_USER, Auth, PendingSignIn, ReasonCode, Server, now
from webclient.servers.sign_in import ProtectedServer
from webclient.servers.sign_in.registration import MOST_REGISTRATIONS

pytestmark = pytest.mark.anyio

Back = Callable[[Desk], Awaitable[None]]


def client_of(url: str) -> str:
    return parse_qs(urlsplit(url).query)["client_id"][0]


async def opened(desk: Desk) -> str:
    """Open the wanted sign-in in the browser, and return its address."""
    pending = await desk.wanted()
    return (await desk.sign_ins.start(LOCAL_USER, pending.id, REDIRECT_URI)).url


async def forgotten(desk: Desk) -> PendingSignIn:
    """Want a sign-in from an authorization server that forgets the client before its user comes."""
    await desk.refused()
    pending = await desk.wanted()
    desk.provider.client_id = "registered-2"
    return pending


async def test_a_sign_in_that_is_opened_again_registers_again(desk: Desk) -> None:
    await forgotten(desk)
    first = await opened(desk)
    second = await opened(desk)
    assert [client_of(first), client_of(second)] == ["registered-1", "registered-2"]
    assert (await desk.sign_ins.finish(desk.provider.authorize(second), None, LOCAL_USER)).reason is None
    assert await desk.token()


async def test_a_sign_in_that_is_opened_once_keeps_its_client(desk: Desk) -> None:
    await desk.refused()
    assert client_of(await opened(desk)) == "registered-1"
    assert len(desk.provider.posted("/register")) == 1


async def test_the_link_before_finishes_nothing_and_ends_nothing(desk: Desk) -> None:
    await forgotten(desk)
    first = await opened(desk)
    second = await opened(desk)
    late = await desk.sign_ins.finish(desk.provider.authorize(first), None, LOCAL_USER)
    assert late.reason
    assert late.reason.code is ReasonCode.SIGN_IN_UNKNOWN
    assert (await desk.sign_ins.finish(desk.provider.authorize(second), None, LOCAL_USER)).reason is None


async def test_without_another_registration_the_link_stays(desk: Desk) -> None:
    await desk.refused()
    first = await opened(desk)
    desk.provider.answers[f"{ISSUER}/register"] = httpx2.Response(503)
    assert await opened(desk) == first
    assert (await desk.sign_ins.finish(desk.provider.authorize(first), None, LOCAL_USER)).reason is None


async def test_a_restart_remembers_that_a_sign_in_was_opened(desk: Desk) -> None:
    await forgotten(desk)
    await opened(desk)
    await desk.restart()
    assert client_of(await opened(desk)) == "registered-2"


async def test_registering_again_keeps_the_sign_in_and_its_waiters(desk: Desk) -> None:
    before = await forgotten(desk)
    await desk.sign_ins.register_again(LOCAL_USER, before.id)
    after = await desk.wanted()
    assert after.id == before.id
    assert after.was_registered_again
    assert client_of(after.authorization_url) == "registered-2"
    assert after.secrets["state"] != before.secrets["state"]
    await desk.come_back()
    await desk.sign_ins.until_signed_in(desk.server)


async def test_a_failed_registration_says_why_and_keeps_the_sign_in(desk: Desk) -> None:
    pending = await forgotten(desk)
    desk.provider.answers[f"{ISSUER}/register"] = httpx2.Response(503)
    with pytest.raises(SignInFailedError) as failed:
        await desk.sign_ins.register_again(LOCAL_USER, pending.id)
    assert failed.value.reason
    assert failed.value.reason.code is ReasonCode.SIGN_IN_UNAVAILABLE
    assert await desk.wanted() == pending


@pytest.mark.parametrize("document", [False, True])
async def test_a_client_that_we_did_not_register_is_never_replaced(desk: Desk, document: bool) -> None:
    """By hand, or by the address of a metadata document: another registration would be another client."""
    desk.provider.metadata["client_id_metadata_document_supported"] = True
    await desk.use({"client_metadata_url": "https://other.example/client"} if document else {"client_id": "mine"})
    pending = await forgotten(desk)
    first = await opened(desk)
    assert await opened(desk) == first
    with pytest.raises(ConflictError):
        await desk.sign_ins.register_again(LOCAL_USER, pending.id)
    assert (await desk.come_back(code=None, error="invalid_client")).reason
    await desk.refused()
    assert client_of((await desk.wanted()).authorization_url) == client_of(first)
    assert desk.provider.posted("/register") == []


@pytest.mark.parametrize(
    ("code", "description"),
    [
        ("invalid_client", None),
        ("unauthorized_client", None),
        ("invalid_request", "Client ID '0b1c' not found"),
        ("invalid_request", "Unknown client: 0b1c"),
        ("access_denied", "The requested OAuth 2.0 Client does not exist."),
    ],
)
async def test_a_way_back_with_an_unknown_client_registers_again(
    desk: Desk, code: str, description: str | None
) -> None:
    await forgotten(desk)
    finished = await desk.come_back(code=None, error=code, error_description=description)
    assert finished.reason
    assert finished.reason.code is ReasonCode.SIGN_IN_CLIENT_UNKNOWN
    assert await desk.sign_in()
    assert len(desk.provider.posted("/register")) == 2


async def test_another_error_on_the_way_back_keeps_the_client(desk: Desk) -> None:
    await desk.refused()
    await desk.come_back(code=None, error="access_denied", error_description="The client is not allowed to see this.")
    await desk.sign_in()
    assert len(desk.provider.posted("/register")) == 1


async def test_the_word_of_another_issuer_forgets_no_client(desk: Desk) -> None:
    await desk.refused()
    await desk.come_back(code=None, error="invalid_client", iss="https://evil.example")
    await desk.sign_in()
    assert len(desk.provider.posted("/register")) == 1


@pytest.mark.parametrize(
    "refusal",
    [
        error("invalid_client", 401),
        answer({"error": "invalid_request", "error_description": "Client ID '0b1c' not found"}, 400),
        httpx2.Response(401, text="<h1>Unauthorized</h1>"),
    ],
)
async def test_an_unknown_client_at_the_token_endpoint_is_replaced(desk: Desk, refusal: httpx2.Response) -> None:
    await desk.refused()
    desk.provider.answers[f"{ISSUER}/token"] = refusal
    finished = await desk.come_back()
    assert finished.reason
    assert finished.reason.code is ReasonCode.SIGN_IN_CLIENT_UNKNOWN
    desk.provider.answers.clear()
    await desk.sign_in()
    assert len(desk.provider.posted("/register")) == 2


async def dismiss(desk: Desk) -> None:
    await desk.sign_ins.cancel(LOCAL_USER, (await desk.wanted()).id)


async def sign_out(desk: Desk) -> None:
    await desk.sign_ins.sign_out(desk.server)


async def leave_it_open_for_an_hour(desk: Desk) -> None:
    pending = await desk.wanted()
    await opened(desk)
    row = replace(desk.auth.wanted or pending, expires_at=now())
    assert await desk.store.of(LOCAL_USER).sign_ins.change(row)
    await desk.restart()


@pytest.mark.parametrize("give_up", [dismiss, sign_out, leave_it_open_for_an_hour])
async def test_giving_a_sign_in_up_registers_again(desk: Desk, give_up: Back) -> None:
    """Also without opening it here: a program may have opened its address."""
    await forgotten(desk)
    await give_up(desk)
    assert await desk.sign_in()
    assert len(desk.provider.posted("/register")) == 2


async def test_a_sign_in_that_expires_unopened_keeps_its_client(desk: Desk) -> None:
    """A server to which no user signs in wants another sign-in each hour."""
    await desk.refused()
    row = replace(await desk.wanted(), expires_at=now())
    assert await desk.store.of(LOCAL_USER).sign_ins.change(row)
    await desk.restart()
    await desk.refused()
    await desk.wanted()
    assert len(desk.provider.posted("/register")) == 1


async def test_an_unknown_client_at_a_revocation_is_replaced(desk: Desk) -> None:
    """RFC 7009, section 2.2.1: the client is checked as at the token endpoint."""
    await desk.sign_in()
    desk.provider.client_id = "registered-2"
    desk.provider.answers[f"{ISSUER}/revoke"] = error("invalid_client", 401)
    await desk.sign_ins.sign_out(desk.server)
    # Its end waits for the revocation.
    await desk.restart()
    assert await desk.sign_in()
    assert len(desk.provider.posted("/register")) == 2


async def other_server(desk: Desk) -> ProtectedServer:
    """Add another server of the same issuer."""
    row = Server(user_id=LOCAL_USER, label="hotels", transport={"type": "http", "url": desk.server.url})
    await desk.store.of(LOCAL_USER).servers.add(row)
    return replace(desk.server, server_id=row.id)


async def test_two_servers_of_an_issuer_share_the_new_registration(desk: Desk) -> None:
    first, second = desk.server, await other_server(desk)
    for desk.server in (first, second):
        await desk.refused()
        await desk.wanted()
    desk.provider.client_id = "registered-2"
    for desk.server in (first, second):
        await desk.sign_ins.register_again(LOCAL_USER, (await desk.wanted()).id)
        await desk.come_back()
        assert await desk.token()
    assert len(desk.provider.posted("/register")) == 2


async def test_a_late_refusal_of_the_old_client_keeps_the_new_one(desk: Desk) -> None:
    first, second = desk.server, await other_server(desk)
    for desk.server in (first, second):
        old = await desk.sign_in()
    desk.provider.client_id = "registered-2"
    for desk.server in (first, second):
        desk.provider.access.clear()
        old = (await desk.token()) or old
        await desk.refused(token=old)
        await desk.until(lambda auth: auth.wanted)
        await desk.come_back()
        assert await desk.token()
    assert len(desk.provider.posted("/register")) == 2


async def test_an_issuer_that_forgets_at_once_ends_in_a_reason(desk: Desk) -> None:
    """However often a user or a program tries: no loop registers without end."""
    desk.provider.answers[f"{ISSUER}/token"] = error("invalid_client", 401)

    def is_over(auth: Auth) -> bool:
        return bool(auth.wanted or (auth.error and auth.error.code is ReasonCode.SIGN_IN_REGISTERED_OFTEN))

    for _attempt in range(MOST_REGISTRATIONS):
        await desk.refused()
        assert (await desk.come_back()).reason
    await desk.refused()
    assert (await desk.until(is_over)).wanted is None
    assert len(desk.provider.posted("/register")) == MOST_REGISTRATIONS


async def test_a_sign_in_is_opened_at_the_limit_too(desk: Desk) -> None:
    await desk.refused()
    addresses = [await opened(desk) for _time in range(MOST_REGISTRATIONS + 3)]
    assert len(desk.provider.posted("/register")) == MOST_REGISTRATIONS
    assert addresses[-1] == addresses[-2]
    assert (await desk.sign_ins.finish(desk.provider.authorize(addresses[-1]), None, LOCAL_USER)).reason is None
