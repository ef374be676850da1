"""The client ID at an authorization server: configured, a metadata document, or registered."""

from __future__ import annotations

from base64 import b64encode

import httpx2
import pytest

from tests.oauth.conftest import REDIRECT_URI, Desk
from tests.oauth.provider import ISSUER, Provider, answer
from webclient.domain.model import Json, ReasonCode
from webclient.servers.sign_in import client_document, redirect_uris
from webclient.servers.sign_in.registration import MOST_REGISTRATIONS, MOST_REMEMBERED, Registrations

pytestmark = pytest.mark.anyio

DOCUMENT = "https://box.example.com/oauth/client.json"


async def test_a_registration_names_both_loopback_hosts(desk: Desk) -> None:
    """MCP 2026-07-28, Authorization: `application_type` MUST be right (SEP-837)."""
    await desk.sign_in()
    [body] = desk.provider.posted("/register")
    assert (
        body["redirect_uris"]
        == redirect_uris(desk.settings)
        == [
            REDIRECT_URI,
            "http://localhost:8765/oauth/callback",
        ]
    )
    assert body["application_type"] == "native"
    assert body["grant_types"] == ["authorization_code", "refresh_token"]
    assert body["token_endpoint_auth_method"] == "none"


async def test_a_public_address_registers_a_web_application(desk: Desk) -> None:
    await desk.use({}, public_url="https://box.example.com")
    await desk.refused()
    await desk.wanted()
    [body] = desk.provider.posted("/register")
    assert (body["application_type"], body["redirect_uris"]) == ("web", ["https://box.example.com/oauth/callback"])


async def test_a_registration_is_used_again(desk: Desk) -> None:
    await desk.sign_in()
    await desk.sign_ins.sign_out(desk.server)
    await desk.restart()
    await desk.sign_in()
    assert len(desk.provider.posted("/register")) == 1


async def test_another_port_registers_again(desk: Desk) -> None:
    await desk.sign_in()
    await desk.sign_ins.sign_out(desk.server)
    await desk.use({}, port=9)
    await desk.refused()
    await desk.wanted()
    assert len(desk.provider.posted("/register")) == 2


async def test_an_expired_secret_registers_again(desk: Desk) -> None:
    desk.provider.secret = "secret"
    desk.provider.registered = {"client_secret_expires_at": 1}
    await desk.sign_in()
    await desk.sign_ins.sign_out(desk.server)
    await desk.sign_in()
    assert len(desk.provider.posted("/register")) == 2


async def test_a_scope_that_was_not_registered_registers_again(desk: Desk) -> None:
    await desk.refused('Bearer scope="read"')
    await desk.come_back()
    await desk.sign_ins.sign_out(desk.server)
    await desk.refused('Bearer scope="write"')
    await desk.wanted()
    assert [body["scope"] for body in desk.provider.posted("/register")] == ["read", "write"]


async def test_a_forgotten_client_registers_again(desk: Desk) -> None:
    """An authorization server that lost its registrations."""
    await desk.refused()
    await desk.wanted()
    desk.provider.client_id = "registered-2"
    finished = await desk.come_back()
    assert finished.reason
    assert finished.reason.code is ReasonCode.SIGN_IN_CLIENT_UNKNOWN
    await desk.sign_in()
    assert len(desk.provider.posted("/register")) == 2


async def test_dismissing_an_opened_sign_in_registers_again(desk: Desk) -> None:
    """The authorization server may have shown an error page that leads nowhere."""
    await desk.refused()
    pending = await desk.wanted()
    await desk.sign_ins.start(desk.server.user_id, pending.id, REDIRECT_URI)
    await desk.sign_ins.cancel(desk.server.user_id, pending.id)
    await desk.refused()
    await desk.wanted()
    assert len(desk.provider.posted("/register")) == 2


@pytest.mark.parametrize(
    ("registered", "reason"),
    [
        ({"token_endpoint_auth_method": "tls_client_auth"}, ReasonCode.SIGN_IN_REGISTRATION_UNUSABLE),
        ({"token_endpoint_auth_method": "client_secret_basic"}, ReasonCode.SIGN_IN_REGISTRATION_UNUSABLE),
        ({"redirect_uris": ["https://evil.example/"]}, ReasonCode.SIGN_IN_REGISTRATION_UNUSABLE),
        ({"redirect_uris": None}, ReasonCode.SIGN_IN_REGISTRATION_UNUSABLE),
        ({"client_id": None}, ReasonCode.SIGN_IN_REGISTRATION_REFUSED),
        ({"client_id": ["a"]}, ReasonCode.SIGN_IN_REGISTRATION_REFUSED),
    ],
)
async def test_an_unusable_registration_says_what_to_do(desk: Desk, registered: Json, reason: ReasonCode) -> None:
    desk.provider.registered = registered
    await desk.refused()
    assert await desk.failure() is reason


async def test_a_scope_that_cannot_be_registered_is_left_out(desk: Desk) -> None:
    """As oidc-provider does with scopes of a resource, which it grants all the same."""

    def refuse_scope(request: httpx2.Request) -> httpx2.Response:
        if b"scope" in request.content:
            return answer({"error": "invalid_client_metadata"}, 400)
        return answer({"client_id": desk.provider.client_id, "redirect_uris": [REDIRECT_URI], "scope": "openid"}, 201)

    desk.provider.answers[f"{ISSUER}/register"] = refuse_scope
    await desk.sign_in('Bearer scope="read"')
    await desk.sign_ins.sign_out(desk.server)
    await desk.sign_in('Bearer scope="read"')
    assert len(desk.provider.posted("/register")) == 2


async def test_a_refused_registration_says_why(desk: Desk) -> None:
    """MCP 2026-07-28, Authorization, Dynamic Client Registration: explain a refusal (MUST)."""
    refusal = {"error": "invalid_redirect_uri", "error_description": "Loopback is not allowed."}
    desk.provider.answers[f"{ISSUER}/register"] = answer(refusal, 400)
    await desk.refused()
    assert await desk.failure() is ReasonCode.SIGN_IN_REGISTRATION_REFUSED
    assert desk.auth.error
    assert desk.auth.error.params["error"] == "invalid_redirect_uri: Loopback is not allowed."
    assert desk.auth.error.params["redirect_uri"] == REDIRECT_URI


async def test_a_failing_registration_may_work_later(desk: Desk) -> None:
    desk.provider.answers[f"{ISSUER}/register"] = httpx2.Response(503)
    await desk.refused()
    assert await desk.failure() is ReasonCode.SIGN_IN_UNAVAILABLE
    desk.provider.answers.clear()
    await desk.refused()
    assert await desk.wanted()


async def test_without_registration_the_user_enters_a_client_id(desk: Desk) -> None:
    del desk.provider.metadata["registration_endpoint"]
    await desk.refused()
    assert await desk.failure() is ReasonCode.SIGN_IN_NO_REGISTRATION
    desk.provider.client_id = "mine"
    await desk.use({"client_id": "mine"})
    assert await desk.sign_in()
    assert desk.provider.posted("/register") == []


async def test_a_method_is_asked_for_that_the_server_knows(desk: Desk) -> None:
    desk.provider.metadata["token_endpoint_auth_methods_supported"] = ["client_secret_post", "client_secret_basic"]
    desk.provider.secret = "s: %"
    await desk.sign_in()
    assert desk.provider.posted("/register")[0]["token_endpoint_auth_method"] == "client_secret_basic"


async def test_silent_metadata_gets_two_attempts(desk: Desk) -> None:
    del desk.provider.metadata["token_endpoint_auth_methods_supported"]
    seen: list[httpx2.Request] = []

    def refuse_first(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        if len(seen) == 1:
            return answer({"error": "invalid_client_metadata"}, 400)
        return answer({"client_id": "c", "client_secret": "s", "redirect_uris": [REDIRECT_URI]}, 201)

    desk.provider.answers[f"{ISSUER}/register"] = refuse_first
    await desk.refused()
    assert await desk.wanted()
    assert len(seen) == 2


@pytest.mark.parametrize(
    ("methods", "method"),
    [
        (["client_secret_basic", "client_secret_post"], "basic"),
        (["client_secret_post"], "post"),
        (None, "basic"),
        (["none"], "basic"),
    ],
)
async def test_a_configured_secret_is_sent_as_the_server_wants(
    desk: Desk, methods: list[str] | None, method: str
) -> None:
    """RFC 6749, section 2.3.1: both are form-encoded in Basic; RFC 8414: the default is Basic."""
    desk.provider.metadata["token_endpoint_auth_methods_supported"] = methods
    desk.provider.client_id, desk.provider.secret = "my client", "s:/%é"
    headers: list[str | None] = []

    def look(request: httpx2.Request) -> httpx2.Response:
        headers.append(request.headers.get("authorization"))
        return desk.provider._token(request, dict(httpx2.QueryParams(request.content.decode())))

    desk.provider.answers[f"{ISSUER}/token"] = look
    await desk.use({"client_id": "my client", "client_secret": "s:/%é"})
    await desk.sign_in()
    [body] = desk.provider.posted("/token")
    expected = f"Basic {b64encode(b'my%20client:s%3A%2F%25%C3%A9').decode()}"
    assert headers == [expected if method == "basic" else None]
    assert ("client_secret" in body) == (method == "post")
    assert body["client_id"] == "my client"


async def test_a_configured_client_is_not_shown_to_another_issuer(desk: Desk) -> None:
    """MCP 2026-07-28, Authorization: credentials are bound to their issuer (MUST; SEP-2352)."""
    await desk.use({"client_id": "mine", "client_secret": "secret", "issuer": "https://as.example"})
    await desk.refused()
    assert await desk.failure() is ReasonCode.SIGN_IN_CLIENT_OF_OTHER_ISSUER
    assert desk.provider.posted("/token") == []


async def test_a_configured_client_belongs_to_its_first_issuer(desk: Desk) -> None:
    desk.provider.client_id = "mine"
    await desk.use({"client_id": "mine"})
    await desk.sign_in()
    await desk.sign_ins.sign_out(desk.server)
    other = "http://127.0.0.1:9999"
    desk.provider.resource["authorization_servers"] = [other]
    desk.provider.answers[f"{other}/.well-known/oauth-authorization-server"] = answer(
        desk.provider.metadata | {"issuer": other}
    )
    await desk.refused()
    assert await desk.failure() is ReasonCode.SIGN_IN_CLIENT_OF_OTHER_ISSUER


def moved_to(issuer: str, provider: Provider) -> str:
    """Move the server to another authorization server."""
    provider.resource["authorization_servers"] = [issuer]
    metadata = provider.metadata | {"issuer": issuer}
    metadata |= {f"{name}_endpoint": f"{issuer}/{name}" for name in ("authorization", "token", "registration")}
    provider.answers[f"{issuer}/.well-known/oauth-authorization-server"] = answer(metadata)
    provider.answers[f"{issuer}/registration"] = answer({"client_id": "new", "redirect_uris": [REDIRECT_URI]}, 201)
    return issuer


async def test_a_changed_authorization_server_gets_a_new_client(desk: Desk) -> None:
    """SEP-2352: register again, and never reuse the client ID of another authorization server (MUST)."""
    token = await desk.sign_in()
    other = moved_to("http://127.0.0.1:9999", desk.provider)
    assert await desk.refused(token=token)
    desk.provider.refresh.clear()
    await desk.refused(token=await desk.token())
    pending = await desk.wanted()
    assert pending.issuer == other
    assert desk.provider.requests[-1][1] == f"{other}/registration"
    assert "client_id=new" in pending.authorization_url


async def test_our_metadata_document_is_the_client_id(desk: Desk) -> None:
    """MCP, Authorization, Client ID Metadata Documents."""
    desk.provider.metadata["client_id_metadata_document_supported"] = True
    desk.provider.client_id = DOCUMENT
    await desk.use({}, public_url="https://box.example.com")
    await desk.sign_in()
    assert desk.provider.posted("/register") == []
    document = client_document(desk.settings)
    assert document
    assert (document["client_id"], document["redirect_uris"]) == (
        DOCUMENT,
        ["https://box.example.com/oauth/callback"],
    )


async def test_a_document_needs_a_server_that_takes_it(desk: Desk) -> None:
    await desk.use({}, public_url="https://box.example.com")
    await desk.refused()
    await desk.wanted()
    assert len(desk.provider.posted("/register")) == 1


async def test_a_local_program_has_no_document(desk: Desk) -> None:
    assert client_document(desk.settings) is None


async def test_a_configured_document_takes_precedence(desk: Desk) -> None:
    desk.provider.metadata["client_id_metadata_document_supported"] = True
    desk.provider.client_id = "https://other.example/client"
    await desk.use({"client_metadata_url": "https://other.example/client"})
    assert await desk.sign_in()


def test_the_limit_is_of_a_user_at_an_issuer_for_an_hour() -> None:
    at = 0.0
    counted = Registrations(lambda: at)
    assert [counted.add("ada", ISSUER) for _each in range(MOST_REGISTRATIONS + 1)] == [True] * MOST_REGISTRATIONS + [
        False
    ]
    assert counted.add("ada", "https://other.example")
    assert counted.add("bob", ISSUER)
    at = 3601.0
    assert counted.add("ada", ISSUER)


def test_a_server_that_names_many_issuers_fills_no_memory() -> None:
    """Nor with long ones, and what is over takes none."""
    at = 0.0
    counted = Registrations(lambda: at)
    for number in range(3 * MOST_REMEMBERED):
        assert counted.add("ada", f"https://{number}.example/{'x' * 10_000}")
    assert counted.remembered == MOST_REMEMBERED
    at = 3601.0
    counted.add("bob", ISSUER)
    assert counted.remembered == 1
