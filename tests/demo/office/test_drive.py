"""Demo Drive on its own: what its authorization server gives for a code, and how often."""

from __future__ import annotations

from collections.abc import AsyncIterator
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from mcp.client.auth.oauth2 import PKCEParameters
from mcp.shared.auth import OAuthClientInformationFull
from pydantic import AnyUrl

from tests.demo.office.browsing import OWN
from webclient.demo.drive.app import create_drive
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

ISSUER = "http://localhost:9"
CALLBACK = "http://127.0.0.1:9/callback"
CLIENT = OAuthClientInformationFull(
    client_id="a-client",
    client_secret="its secret",
    redirect_uris=[AnyUrl(CALLBACK)],
    grant_types=["authorization_code"],
    token_endpoint_auth_method="client_secret_post",
)
PKCE = PKCEParameters.generate()


@pytest.fixture
async def drive() -> AsyncIterator[httpx2.AsyncClient]:
    transport = httpx2.ASGITransport(app=create_drive(ISSUER, CLIENT))
    async with httpx2.AsyncClient(transport=transport, base_url=ISSUER, headers=OWN) as drive:
        yield drive


async def answer(drive: httpx2.AsyncClient, decision: str = "allow") -> dict[str, str]:
    """Ask for Alice's consent and return what comes back with the browser."""
    request = {
        "response_type": "code",
        "client_id": "a-client",
        "redirect_uri": CALLBACK,
        "state": "a state",
        "code_challenge": PKCE.code_challenge,
        "code_challenge_method": "S256",
    }
    redirect = await drive.get("/authorize", params=request)
    wish = parse_qs(urlsplit(redirect.headers["location"]).query)["wish"][0]
    await drive.post("/sign-in", data={"account": "alice@drive.example", "wish": wish})
    decided = await drive.post("/consent", data={"decision": decision, "wish": wish})
    assert decided.headers["location"].startswith(f"{CALLBACK}?")
    assert (await drive.post("/consent", data={"decision": "allow", "wish": wish})).status_code == 400
    return {name: values[0] for name, values in parse_qs(urlsplit(decided.headers["location"]).query).items()}


async def exchange(drive: httpx2.AsyncClient, code: str, **changes: str | None) -> httpx2.Response:
    """Ask for a token as the client."""
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": CALLBACK,
        "client_id": "a-client",
        "client_secret": "its secret",
        "code_verifier": PKCE.code_verifier,
    } | changes
    return await drive.post("/token", data={name: value for name, value in form.items() if value is not None})


async def files(drive: httpx2.AsyncClient, token: str) -> httpx2.Response:
    return await drive.get("/files", headers={"Authorization": f"Bearer {token}"})


async def test_a_code_is_exchanged_for_a_token_that_opens_the_files(drive: httpx2.AsyncClient) -> None:
    given = await answer(drive)
    assert (given["iss"], given["state"]) == (ISSUER, "a state")
    token = (await exchange(drive, given["code"])).json()
    assert token["token_type"] == "Bearer"
    listed: Json = (await files(drive, token["access_token"])).json()
    assert listed["account"] == "alice@drive.example"
    metadata = (await drive.get("/.well-known/oauth-authorization-server")).json()
    assert metadata["issuer"] == ISSUER
    assert metadata["code_challenge_methods_supported"] == ["S256"]


async def test_a_refusal_names_its_issuer_as_well(drive: httpx2.AsyncClient) -> None:
    """RFC 9207 section 2: in error responses, too."""
    assert await answer(drive, "refuse") == {"error": "access_denied", "iss": ISSUER, "state": "a state"}


async def test_a_code_that_is_used_twice_revokes_its_token(drive: httpx2.AsyncClient) -> None:
    """RFC 6749 section 4.1.2: MUST NOT be used more than once; SHOULD revoke the tokens issued before."""
    code = (await answer(drive))["code"]
    token = (await exchange(drive, code)).json()["access_token"]
    assert (await files(drive, token)).status_code == 200
    again = await exchange(drive, code)
    assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")
    assert (await files(drive, token)).status_code == 401


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"code_verifier": "w" * 43}, 400),
        ({"code_verifier": None}, 400),
        ({"redirect_uri": "http://127.0.0.1:9/other"}, 400),
        ({"client_secret": "guessed"}, 401),
        ({"client_secret": None}, 401),
        ({"client_id": "another"}, 401),
        ({"grant_type": "refresh_token", "refresh_token": "x"}, 400),
    ],
)
async def test_a_client_without_the_verifier_gets_no_token(
    drive: httpx2.AsyncClient, changes: dict[str, str | None], status: int
) -> None:
    code = (await answer(drive))["code"]
    assert (await exchange(drive, code, **changes)).status_code == status
    assert (await exchange(drive, code)).status_code == 200
