"""Tokens without a person: client credentials with a secret or a key, and an enterprise's identity provider."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import httpx2
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from tests.oauth.conftest import Desk
from tests.oauth.provider import ISSUER, SERVER, answer, error
from webclient.domain.errors import SignInFailedError
from webclient.domain.model import Json, ReasonCode, now

pytestmark = pytest.mark.anyio

MACHINE: Json = {"grant": "client_credentials", "client_id": "robot", "client_secret": "s"}
IDP = "http://127.0.0.1:9005"
ENTERPRISE: Json = {
    "client_id": "robot",
    "client_secret": "s",
    "idp_issuer": IDP,
    "idp_client_id": "at-idp",
    "idp_id_token": "the.id.token",
    "idp_token_endpoint": f"{IDP}/token",
}


def pem(key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey) -> str:
    """Return a private key as its owner enters it."""
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


@pytest.fixture
async def machine(desk: Desk) -> Desk:
    """A server that a machine uses, with a client of its own."""
    desk.provider.client_id, desk.provider.secret = "robot", "s"
    await desk.use(MACHINE)
    return desk


async def test_a_machine_gets_a_token_at_once(machine: Desk) -> None:
    """MCP extension OAuth Client Credentials; RFC 6749, section 4.4."""
    token = await machine.refused('Bearer scope="read"')
    assert machine.provider.accepts(token)
    [body] = machine.provider.posted("/token")
    assert body == {"grant_type": "client_credentials", "client_id": "robot", "scope": "read", "resource": SERVER}
    assert (machine.auth.wanted, machine.auth.error) == (None, None)
    assert machine.provider.posted("/register") == []
    await machine.sign_ins.until_signed_in(machine.server)


async def test_many_connections_of_a_machine_request_once(machine: Desk) -> None:
    tokens = await asyncio.gather(*(machine.refused() for _ in range(5)))
    assert len(set(tokens)) == 1
    assert len(machine.provider.posted("/token")) == 1


async def test_a_machine_needs_no_pkce(machine: Desk) -> None:
    for name in ("code_challenge_methods_supported", "authorization_endpoint", "registration_endpoint"):
        del machine.provider.metadata[name]
    assert await machine.refused()


async def test_an_ending_token_of_a_machine_is_requested_again(machine: Desk) -> None:
    old = await machine.refused()
    grants = machine.store.of(machine.server.user_id).grants
    grant = await grants.get(machine.server.server_id)
    assert grant
    await grants.save(replace(grant, expires_at=now() + timedelta(seconds=5)))
    await machine.restart()
    new = await machine.token()
    assert new != old
    assert machine.provider.accepts(new)


async def test_a_machine_whose_token_never_works_stops(machine: Desk) -> None:
    token = await machine.refused()
    for _ in range(3):
        assert await machine.refused(token=token) is None
    assert await machine.failure() is ReasonCode.SIGN_IN_TOKEN_REJECTED
    assert len(machine.provider.posted("/token")) == 1


async def test_a_machine_whose_token_ended_gets_another(machine: Desk) -> None:
    token = await machine.refused()
    machine.accept(token)
    assert machine.provider.accepts(await machine.refused(token=token))


async def test_a_machine_gets_more_scopes_by_itself(machine: Desk) -> None:
    token = await machine.refused('Bearer scope="read"')
    challenge = 'Bearer error="insufficient_scope", scope="write"'
    new = await machine.refused(challenge, status=403, token=token)
    assert machine.provider.access[str(new)] == "read write"
    for _ in range(3):
        new = await machine.refused(challenge, status=403, token=new) or new
    assert await machine.failure() is ReasonCode.SIGN_IN_SCOPE_LIMIT
    assert len(machine.provider.posted("/token")) == 3


async def test_a_refused_machine_makes_no_caller_wait(machine: Desk) -> None:
    machine.provider.secret = "other"
    assert await machine.refused() is None
    with pytest.raises(SignInFailedError):
        await machine.sign_ins.until_signed_in(machine.server)
    assert await machine.failure() is ReasonCode.SIGN_IN_REFUSED


async def test_a_machine_needs_a_client_id(desk: Desk) -> None:
    await desk.use({"grant": "client_credentials"})
    assert await desk.refused() is None
    assert await desk.failure() is ReasonCode.SIGN_IN_NOT_CONFIGURED


@pytest.mark.parametrize(
    ("key", "algorithm"),
    [
        (ec.generate_private_key(ec.SECP256R1()), "ES256"),
        (rsa.generate_private_key(public_exponent=65537, key_size=2048), "RS256"),
    ],
)
async def test_a_key_signs_who_the_machine_is(
    desk: Desk, key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey, algorithm: str
) -> None:
    """RFC 7523, section 3; the audience is the issuer (RFC 7523bis), and the client ID is in the assertion alone."""
    await desk.use({"grant": "client_credentials", "client_id": "robot", "private_key": pem(key)})
    assert await desk.refused()
    [body] = desk.provider.posted("/token")
    claims = jwt.decode(body["client_assertion"], key.public_key(), [algorithm], audience=ISSUER)
    assert (claims["iss"], claims["sub"]) == ("robot", "robot")
    assert claims["exp"] - claims["iat"] <= 300
    assert claims["jti"]
    assert "client_id" not in body


@pytest.mark.parametrize("key", ["not a key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"])
async def test_an_unusable_key_is_reported(desk: Desk, key: str) -> None:
    await desk.use({"grant": "client_credentials", "client_id": "robot", "private_key": key})
    assert await desk.refused() is None
    assert await desk.failure() is ReasonCode.SIGN_IN_KEY_UNUSABLE


@pytest.fixture
async def enterprise(desk: Desk) -> Desk:
    """A server whose users the identity provider of an enterprise vouches for."""
    desk.provider.client_id, desk.provider.secret = "robot", "s"
    desk.provider.answers[f"{IDP}/token"] = answer(
        {
            "access_token": "the.id.jag",
            "issued_token_type": "urn:ietf:params:oauth:token-type:id-jag",
            "token_type": "N_A",
        }
    )
    await desk.use(ENTERPRISE)
    return desk


async def test_an_identity_provider_vouches_for_the_user(enterprise: Desk) -> None:
    """MCP extension Enterprise-Managed Authorization: token exchange, then the JWT bearer grant."""
    token = await enterprise.refused()
    assert enterprise.provider.accepts(token)
    exchange = next(body for _method, url, body in enterprise.provider.requests if url == f"{IDP}/token")
    assert exchange == {
        "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange",
        "requested_token_type": "urn:ietf:params:oauth:token-type:id-jag",
        "audience": ISSUER,
        "resource": SERVER,
        "subject_token": "the.id.token",
        "subject_token_type": "urn:ietf:params:oauth:token-type:id_token",
        "client_id": "at-idp",
    }
    [body] = enterprise.provider.posted("/token")
    assert (body["grant_type"], body["assertion"]) == ("urn:ietf:params:oauth:grant-type:jwt-bearer", "the.id.jag")


async def test_the_identity_provider_may_be_discovered(enterprise: Desk) -> None:
    metadata = {"issuer": IDP, "token_endpoint": f"{IDP}/token"}
    enterprise.provider.answers[f"{IDP}/.well-known/openid-configuration"] = answer(metadata)
    await enterprise.use({**ENTERPRISE, "idp_token_endpoint": ""})
    assert await enterprise.refused()


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (error("invalid_client"), ReasonCode.SIGN_IN_REFUSED),
        (error("access_denied"), ReasonCode.SIGN_IN_COMPANY_DENIED),
        (error("invalid_grant"), ReasonCode.SIGN_IN_COMPANY_DENIED),
        (error("interaction_required"), ReasonCode.SIGN_IN_COMPANY_AGAIN),
        (error("temporarily_unavailable"), ReasonCode.SIGN_IN_UNAVAILABLE),
        (httpx2.Response(503), ReasonCode.SIGN_IN_UNAVAILABLE),
        (answer({"access_token": "a", "issued_token_type": "other"}), ReasonCode.SIGN_IN_NO_TOKEN),
        (answer({}), ReasonCode.SIGN_IN_NO_TOKEN),
    ],
)
async def test_an_identity_provider_may_refuse(enterprise: Desk, given: httpx2.Response, reason: ReasonCode) -> None:
    enterprise.provider.answers[f"{IDP}/token"] = given
    assert await enterprise.refused() is None
    assert await enterprise.failure() is reason
    assert enterprise.provider.posted("/token") == []
