"""Tokens that are bound to a key (DPoP, RFC 9449): where the server wants them, with a proof for each request."""

from __future__ import annotations

import re
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx2
import jwt
import pytest
from jwt import PyJWK

from tests.oauth.conftest import CHALLENGE, Desk
from tests.oauth.provider import ISSUER, RESOURCE_METADATA, SERVER, error
from tests.oidc_provider import openid_provider
from webclient.domain.model import LOCAL_USER, Json, ReasonCode, Unauthorized, now
from webclient.servers.sign_in import SignIns

pytestmark = pytest.mark.anyio

BOUND = f'DPoP resource_metadata="{RESOURCE_METADATA}"'
EITHER = f'Bearer resource_metadata="{RESOURCE_METADATA}", DPoP'
TOKEN_ENDPOINT = f"{ISSUER}/token"


def checked(proof: str, method: str, url: str) -> Json:
    """Return the claims of a self-signed proof, with the thumbprint of its key."""
    header = jwt.get_unverified_header(proof)
    assert header["typ"] == "dpop+jwt"
    assert set(header["jwk"]) == {"kty", "crv", "x", "y"}
    claims: Json = jwt.decode(proof, PyJWK(header["jwk"], "ES256").key, ["ES256"])
    assert (claims["htm"], claims["htu"]) == (method, url)
    # RFC 7638, section 3, by hand.
    members = ",".join(f'"{name}":"{header["jwk"][name]}"' for name in ("crv", "kty", "x", "y"))
    return claims | {"jkt": digest(f"{{{members}}}")}


def digest(text: str) -> str:
    """Return a SHA-256 digest as JWTs have it."""
    return urlsafe_b64encode(sha256(text.encode()).digest()).decode().rstrip("=")


class Binding:
    """A token endpoint that binds tokens to the key of a proof, and wants its newest nonce."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.proofs: list[Json] = []
        self.nonce: str | None = None
        self.kind = "DPoP"
        desk.provider.metadata["dpop_signing_alg_values_supported"] = ["RS256", "ES256"]
        desk.provider.answers[TOKEN_ENDPOINT] = self.handle

    def handle(self, request: httpx2.Request) -> httpx2.Response:
        """Check the proof, then answer as the provider does."""
        if "dpop" in request.headers:
            self.proofs.append(checked(request.headers["dpop"], "POST", TOKEN_ENDPOINT))
            if self.nonce and self.proofs[-1].get("nonce") != self.nonce:
                return httpx2.Response(400, headers={"dpop-nonce": self.nonce}, json={"error": "use_dpop_nonce"})
        del self.desk.provider.answers[TOKEN_ENDPOINT]
        self.desk.provider.requests.pop()
        self.desk.provider.token = {"token_type": self.kind if "dpop" in request.headers else "Bearer"}
        answered = self.desk.provider.handle(request)
        answered.read()
        self.desk.provider.answers[TOKEN_ENDPOINT] = self.handle
        return answered

    def headers(self, token: str | None) -> Mapping[str, str]:
        """Return the headers with which the program presents a token."""
        return self.desk.sign_ins.authorization_for(self.desk.server).headers(str(token), "POST", f"{SERVER}?a=b#c")


@pytest.fixture
def binding(desk: Desk) -> Binding:
    """A provider that can bind tokens."""
    return Binding(desk)


async def test_a_token_is_bound_if_the_server_wants_that(desk: Desk, binding: Binding) -> None:
    token = await desk.sign_in(BOUND)
    [proof] = binding.proofs
    first, second = binding.headers(token), binding.headers(token)
    assert first["authorization"] == f"DPoP {token}"
    claims, other = (checked(each["DPoP"], "POST", SERVER) for each in (first, second))
    assert (claims["jkt"], claims["ath"]) == (proof["jkt"], digest(token))
    assert len({claims["jti"], other["jti"], proof["jti"]}) == 3
    assert desk.auth.granted
    assert desk.auth.granted.is_bound


async def test_the_code_is_bound_to_the_key_as_well(desk: Desk, binding: Binding) -> None:
    await desk.refused(BOUND)
    url = (await desk.wanted()).authorization_url
    assert (await desk.come_back()).reason is None
    assert httpx2.URL(url).params["dpop_jkt"] == binding.proofs[0]["jkt"]


@pytest.mark.parametrize(
    ("challenge", "resource", "announced"),
    [
        (BOUND, {}, ["ES256"]),
        (EITHER, {}, ["ES256"]),
        (CHALLENGE, {"dpop_bound_access_tokens_required": True}, ["ES256"]),
        (CHALLENGE, {"dpop_signing_alg_values_supported": ["ES256"]}, ["ES256"]),
    ],
)
async def test_proofs_go_where_both_sides_take_them(
    desk: Desk, binding: Binding, challenge: str, resource: Json, announced: list[str]
) -> None:
    await bind(desk, challenge, resource, announced)
    assert len(binding.proofs) == 1
    assert binding.headers(await desk.token())["authorization"].startswith("DPoP ")


@pytest.mark.parametrize(
    ("challenge", "resource", "announced"),
    [
        (EITHER, {}, ["RS256"]),
        (EITHER, {}, None),
        (EITHER, {"dpop_signing_alg_values_supported": ["EdDSA"]}, ["ES256"]),
        # What only the authorization server knows would be refused by the server.
        (CHALLENGE, {}, ["ES256"]),
    ],
)
async def test_other_servers_get_no_proof(
    desk: Desk, binding: Binding, challenge: str, resource: Json, announced: list[str] | None
) -> None:
    await bind(desk, challenge, resource, announced)
    assert binding.proofs == []
    assert binding.headers(await desk.token())["authorization"].startswith("Bearer ")


async def bind(desk: Desk, challenge: str, resource: Json, announced: list[str] | None) -> None:
    """Sign in to a server and at a provider that say this."""
    desk.provider.metadata["dpop_signing_alg_values_supported"] = announced
    desk.provider.resource |= resource
    await desk.sign_in(challenge)


@pytest.mark.parametrize("announced", [None, [], ["RS256"]])
async def test_a_required_proof_that_cannot_be_had_is_reported(
    desk: Desk, binding: Binding, announced: list[str] | None
) -> None:
    desk.provider.metadata["dpop_signing_alg_values_supported"] = announced
    await desk.refused(BOUND)
    assert await desk.failure() is ReasonCode.SIGN_IN_NO_PROOF
    assert binding.proofs == []


async def test_a_provider_may_ignore_proofs(desk: Desk, binding: Binding) -> None:
    """RFC 9449, section 5: the type of the token says whether it is bound."""
    binding.kind = "Bearer"
    token = await desk.sign_in(EITHER)
    assert binding.headers(token) == {"authorization": f"Bearer {token}"}


async def test_the_token_endpoint_may_want_a_nonce(desk: Desk, binding: Binding) -> None:
    binding.nonce = "one"
    await desk.sign_in(BOUND)
    assert [proof.get("nonce") for proof in binding.proofs] == [None, "one"]
    assert len(desk.provider.posted("/token")) == 1 + 1


async def test_a_nonce_that_never_fits_ends(desk: Desk, binding: Binding) -> None:
    desk.provider.answers[TOKEN_ENDPOINT] = httpx2.Response(
        400, headers={"dpop-nonce": "other"}, json={"error": "use_dpop_nonce"}
    )
    await desk.refused(BOUND)
    finished = await desk.come_back()
    assert finished.reason
    assert finished.reason.code is ReasonCode.SIGN_IN_REFUSED
    assert len(desk.provider.posted("/token")) == 2
    assert binding.proofs == []


async def test_the_server_may_want_a_nonce(desk: Desk, binding: Binding) -> None:
    token = await desk.sign_in(BOUND)
    sign_in = desk.sign_ins.authorization_for(desk.server)

    def refusal(nonce: str) -> Unauthorized:
        sign_in.note_nonce(nonce)
        challenges = ('DPoP error="use_dpop_nonce"',)
        return Unauthorized(status=401, challenges=challenges, token=token, proof=proof, nonce=nonce)

    proof = binding.headers(token)["DPoP"]
    for nonce in ("one", "two"):
        assert await sign_in.after(refusal(nonce), may_ask=True) == token
        proof = binding.headers(token)["DPoP"]
        assert checked(proof, "POST", SERVER)["nonce"] == nonce
    # The token was not the fault, so it is not renewed; the same nonce does not send the request again.
    assert len(binding.proofs) == 1
    assert await sign_in.after(refusal("two"), may_ask=False) != token


async def test_one_key_serves_until_the_next_sign_in(desk: Desk, binding: Binding) -> None:
    token = await desk.sign_in(BOUND)
    grants = desk.store.of(desk.server.user_id).grants
    grant = await grants.get(desk.server.server_id)
    assert grant
    await grants.save(replace(grant, expires_at=now() + timedelta(seconds=5)))
    await desk.restart()
    renewed = await desk.token()
    assert renewed != token
    assert checked(binding.headers(renewed)["DPoP"], "POST", SERVER)["jkt"] == binding.proofs[0]["jkt"]
    assert [proof["jkt"] for proof in binding.proofs] == [binding.proofs[0]["jkt"]] * 2


async def test_a_refused_proof_signs_no_user_out(desk: Desk, binding: Binding) -> None:
    """A clock that is wrong makes every proof invalid."""
    token = await desk.sign_in(BOUND)
    desk.provider.answers[TOKEN_ENDPOINT] = error("invalid_dpop_proof")
    await desk.refused(BOUND, token=token)
    assert await desk.token() == token
    assert len(binding.proofs) == 1


async def test_a_machine_proves_as_well(desk: Desk, binding: Binding) -> None:
    desk.provider.client_id, desk.provider.secret = "robot", "s"
    await desk.use({"grant": "client_credentials", "client_id": "robot", "client_secret": "s"})
    token = await desk.refused(BOUND)
    assert binding.headers(token)["authorization"] == f"DPoP {token}"


async def test_the_key_cannot_be_found(desk: Desk, binding: Binding) -> None:
    token = await desk.sign_in(BOUND)
    assert desk.auth.granted
    pem = desk.auth.granted.secrets["proof_key"]
    line = pem.splitlines()[1]
    for file in desk.settings.data_dir.rglob("*"):
        assert not file.is_file() or line.encode() not in file.read_bytes(), file
    assert line not in repr(desk.auth) + repr(binding.headers(token))


def forms(page: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the forms of a page of the provider: where each goes, and its hidden fields."""
    for action, body in re.findall(r'<form[^>]*action="([^"]+)"[^>]*>(.*?)</form>', page, re.DOTALL):
        yield action, dict(re.findall(r'name="(\w+)" value="([^"]*)"', body))


async def agreed(url: str, redirect_uri: str) -> str:
    """Sign in and consent at the provider, and return the query of the redirect."""
    async with httpx2.AsyncClient() as browser:
        response = await browser.get(url)
        for _step in range(20):
            if response.has_redirect_location:
                url = urljoin(str(response.url), response.headers["location"])
                if url.startswith(redirect_uri):
                    return urlsplit(url).query
                response = await browser.get(url)
            else:
                action, fields = next(forms(response.text))
                typed = {"login": "alice", "password": "x"} if 'name="login"' in response.text else {}
                response = await browser.post(urljoin(str(response.url), action), data=fields | typed)
    raise AssertionError("the provider sends no browser back")


@pytest.mark.slow
async def test_a_real_provider_binds_and_renews(desk: Desk) -> None:
    """npm oidc-provider, which wants a nonce in each proof, refuses a refresh token without its key, and checks all."""
    async with openid_provider() as issuer:
        desk.provider.resource = {
            "resource": SERVER,
            "authorization_servers": [issuer],
            "dpop_bound_access_tokens_required": True,
            "scopes_supported": ["mcp:use"],
        }

        async def handle(request: httpx2.Request) -> httpx2.Response:
            if str(request.url).startswith(issuer):
                async with httpx2.AsyncClient() as client:
                    found = await client.send(request)
                return httpx2.Response(
                    found.status_code, headers=found.headers, stream=httpx2.ByteStream(found.content)
                )
            return desk.provider.handle(request)

        desk.sign_ins = SignIns(
            desk.store, desk.hub, desk.settings, transport_of=lambda _zones: httpx2.MockTransport(handle)
        )
        await desk.sign_ins.load(LOCAL_USER)
        await desk.refused()
        pending = await desk.wanted()
        query = await agreed(pending.authorization_url, pending.secrets["redirect_uri"])
        assert (await desk.sign_ins.finish(query, None, None)).reason is None
        tokens = [await desk.token()]
        desk.accept(tokens[0])
        tokens.append(await desk.refused(token=tokens[0]))
        assert tokens[0] != tokens[1]
        sign_in = desk.sign_ins.authorization_for(desk.server)
        proof = checked(sign_in.headers(str(tokens[1]), "POST", SERVER)["DPoP"], "POST", SERVER)
        claims: list[dict[str, Any]] = [jwt.decode(str(each), options={"verify_signature": False}) for each in tokens]
        assert [each["cnf"]["jkt"] for each in claims] == [proof["jkt"]] * 2
