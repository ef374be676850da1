"""Metadata of servers and authorization servers: where it is looked for, and which of it is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpcore2
import httpx2
import pytest

from tests.oauth.conftest import CHALLENGE, Desk
from tests.oauth.provider import ISSUER, RESOURCE_METADATA, SERVER, SERVER_METADATA, Provider, answer
from webclient.domain.model import ReasonCode

pytestmark = pytest.mark.anyio

ROOT_METADATA = "http://127.0.0.1:9001/.well-known/oauth-protected-resource"
OLD_METADATA = "http://127.0.0.1:9001/.well-known/oauth-authorization-server"
OPENID = f"{ISSUER}/.well-known/openid-configuration"


async def test_the_named_metadata_comes_first(desk: Desk) -> None:
    """MCP, Authorization, Protected Resource Metadata Discovery Requirements (MUST)."""
    named = "http://127.0.0.1:9001/elsewhere"
    desk.provider.answers[named] = answer(desk.provider.resource)
    await desk.refused(f'Bearer resource_metadata="{named}"')
    await desk.wanted()
    assert desk.provider.fetched()[0] == named


async def test_the_path_comes_before_the_root(desk: Desk) -> None:
    """MCP, Authorization, Protected Resource Metadata Discovery Requirements (MUST)."""
    desk.provider.answers[RESOURCE_METADATA] = httpx2.Response(404)
    desk.provider.answers[ROOT_METADATA] = answer(desk.provider.resource)
    await desk.refused("Bearer")
    await desk.wanted()
    assert desk.provider.fetched()[:2] == [RESOURCE_METADATA, ROOT_METADATA]


async def test_openid_discovery_comes_after_oauth(desk: Desk) -> None:
    """MCP, Authorization, Authorization Server Metadata Discovery (MUST)."""
    desk.provider.answers[SERVER_METADATA] = httpx2.Response(404)
    desk.provider.answers[OPENID] = answer(desk.provider.metadata)
    await desk.refused()
    await desk.wanted()
    assert desk.provider.fetched()[1:] == [SERVER_METADATA, OPENID]


async def test_an_issuer_with_a_path_has_three_addresses(desk: Desk) -> None:
    """MCP, Authorization, Authorization Server Metadata Discovery (MUST)."""
    desk.provider.resource["authorization_servers"] = [f"{ISSUER}/tenant"]
    last = f"{ISSUER}/tenant/.well-known/openid-configuration"
    desk.provider.answers[last] = answer(desk.provider.metadata | {"issuer": f"{ISSUER}/tenant"})
    await desk.refused()
    await desk.wanted()
    assert desk.provider.fetched()[1:] == [
        f"{ISSUER}/.well-known/oauth-authorization-server/tenant",
        f"{ISSUER}/.well-known/openid-configuration/tenant",
        last,
    ]


async def test_of_several_authorization_servers_a_known_one_is_used(desk: Desk) -> None:
    await desk.sign_in()
    await desk.sign_ins.sign_out(desk.server)
    desk.provider.resource["authorization_servers"] = ["http://127.0.0.1:9999", ISSUER]
    await desk.refused()
    assert (await desk.wanted()).issuer == ISSUER


async def test_of_several_authorization_servers_the_first_is_used(desk: Desk) -> None:
    desk.provider.resource["authorization_servers"] = [ISSUER, "http://127.0.0.1:9999"]
    await desk.refused()
    assert (await desk.wanted()).issuer == ISSUER


async def test_the_slash_of_a_bare_origin_is_the_same_issuer(desk: Desk) -> None:
    desk.provider.metadata["issuer"] = f"{ISSUER}/"
    await desk.refused()
    assert (await desk.wanted()).issuer == f"{ISSUER}/"
    assert (await desk.come_back()).reason is None


def change(part: str, **values: Any) -> Callable[[Provider], None]:
    """Return a switch that changes a document; None removes a member."""

    def turn(provider: Provider) -> None:
        document: dict[str, Any] = getattr(provider, part)
        document.update(values)
        for name in [name for name, value in values.items() if value is None]:
            del document[name]

    return turn


def answering(url: str, response: Any) -> Callable[[Provider], None]:
    """Return a switch that replaces the answer of an address."""
    return lambda provider: provider.answers.update({url: response})


def raising(error: Exception) -> Callable[[httpx2.Request], httpx2.Response]:
    """Return an answer that is an error of the network."""

    def fail(_request: httpx2.Request) -> httpx2.Response:
        raise error

    return fail


COMPRESSED = httpx2.Response(200, headers={"content-encoding": "gzip"}, stream=httpx2.ByteStream(b"\x1f\x8b"))
FAULTS: dict[str, tuple[Callable[[Provider], None], ReasonCode]] = {
    "no PKCE": (change("metadata", code_challenge_methods_supported=None), ReasonCode.SIGN_IN_NO_PKCE),
    "plain PKCE": (change("metadata", code_challenge_methods_supported=["plain"]), ReasonCode.SIGN_IN_NO_PKCE),
    "other issuer": (change("metadata", issuer="http://127.0.0.1:9999"), ReasonCode.SIGN_IN_OTHER_ISSUER),
    "other tenant": (change("metadata", issuer=f"{ISSUER}/other"), ReasonCode.SIGN_IN_OTHER_ISSUER),
    "upper case": (change("metadata", issuer="HTTP://127.0.0.1:9000"), ReasonCode.SIGN_IN_OTHER_ISSUER),
    "no issuer": (change("metadata", issuer=None), ReasonCode.SIGN_IN_OTHER_ISSUER),
    "no endpoint": (change("metadata", authorization_endpoint=None), ReasonCode.SIGN_IN_NO_ENDPOINT),
    "no token": (change("metadata", token_endpoint=None), ReasonCode.SIGN_IN_NO_ENDPOINT),
    "script": (change("metadata", authorization_endpoint="javascript:alert(1)"), ReasonCode.SIGN_IN_NOT_HTTPS),
    "http": (change("metadata", token_endpoint="http://as.example/token"), ReasonCode.SIGN_IN_NOT_HTTPS),
    "userinfo": (change("metadata", token_endpoint="https://u:p@as.example/"), ReasonCode.SIGN_IN_NOT_HTTPS),
    "404": (answering(SERVER_METADATA, httpx2.Response(404)), ReasonCode.SIGN_IN_NO_METADATA),
    "503": (answering(SERVER_METADATA, httpx2.Response(503)), ReasonCode.SIGN_IN_UNAVAILABLE),
    "page": (answering(SERVER_METADATA, httpx2.Response(200, html="<p>Hello")), ReasonCode.SIGN_IN_NO_METADATA),
    "list": (answering(SERVER_METADATA, answer([])), ReasonCode.SIGN_IN_NO_METADATA),
    "deep": (answering(SERVER_METADATA, httpx2.Response(200, text="[" * 100_000)), ReasonCode.SIGN_IN_NO_METADATA),
    "endless": (
        answering(SERVER_METADATA, httpx2.Response(200, text=" " * 300_000)),
        ReasonCode.SIGN_IN_ANSWER_UNUSABLE,
    ),
    "redirect": (
        answering(SERVER_METADATA, httpx2.Response(302, headers={"location": "http://127.0.0.1:1/"})),
        ReasonCode.SIGN_IN_NO_METADATA,
    ),
    "hanging": (answering(SERVER_METADATA, raising(httpcore2.ReadTimeout())), ReasonCode.SIGN_IN_TIMEOUT),
    "closed": (answering(SERVER_METADATA, raising(httpcore2.ConnectError())), ReasonCode.SIGN_IN_UNREACHABLE),
    "other resource": (change("resource", resource="http://127.0.0.1:9002/mcp"), ReasonCode.SIGN_IN_OTHER_RESOURCE),
    "longer resource": (change("resource", resource=f"{SERVER}/more"), ReasonCode.SIGN_IN_OTHER_RESOURCE),
    "begun resource": (change("resource", resource="http://127.0.0.1:9001/mc"), ReasonCode.SIGN_IN_OTHER_RESOURCE),
    "broken resource": (change("resource", resource="http://["), ReasonCode.SIGN_IN_OTHER_RESOURCE),
    "broken server": (change("resource", authorization_servers=["http://["]), ReasonCode.SIGN_IN_NOT_HTTPS),
    "broken endpoint": (change("metadata", token_endpoint="https://[::1"), ReasonCode.SIGN_IN_NOT_HTTPS),
    "no text": (change("metadata", token_endpoint=["x"]), ReasonCode.SIGN_IN_NO_ENDPOINT),
    "no servers": (change("resource", authorization_servers=[]), ReasonCode.SIGN_IN_NO_SERVER),
    "failing resource": (answering(RESOURCE_METADATA, httpx2.Response(500)), ReasonCode.SIGN_IN_UNAVAILABLE),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_stops_the_sign_in_before_it_opens(desk: Desk, fault: str) -> None:
    """MCP, Authorization: PKCE, issuer, resource and https are checked before the user is sent anywhere (MUST)."""
    turn, reason = FAULTS[fault]
    turn(desk.provider)
    await desk.refused()
    assert await desk.failure() is reason
    assert desk.auth.wanted is None
    assert desk.provider.posted("/register") == []


async def test_a_redirect_within_the_origin_is_followed(desk: Desk) -> None:
    moved = f"{ISSUER}/moved"
    desk.provider.answers[SERVER_METADATA] = httpx2.Response(301, headers={"location": "/moved"})
    desk.provider.answers[moved] = answer(desk.provider.metadata)
    await desk.refused()
    assert await desk.wanted()


async def test_redirects_have_an_end(desk: Desk) -> None:
    desk.provider.answers[SERVER_METADATA] = httpx2.Response(301, headers={"location": SERVER_METADATA})
    await desk.refused()
    assert await desk.failure() is ReasonCode.SIGN_IN_NO_METADATA
    assert desk.provider.fetched().count(SERVER_METADATA) == 4


@pytest.mark.parametrize(
    ("exception", "turn"),
    [
        ("pkce_unannounced", change("metadata", code_challenge_methods_supported=None)),
        ("other_issuer", change("metadata", issuer=f"{ISSUER}/v2")),
    ],
)
async def test_an_exception_permits_one_deviation(desk: Desk, exception: str, turn: Callable[[Provider], None]) -> None:
    turn(desk.provider)
    await desk.use({"exceptions": [exception]})
    await desk.refused()
    assert "code_challenge=" in (await desk.wanted()).authorization_url
    assert (await desk.come_back()).reason is None


async def test_no_exception_permits_another_origin(desk: Desk) -> None:
    desk.provider.metadata["issuer"] = "http://127.0.0.1:9999"
    await desk.use({"exceptions": ["other_issuer"]})
    await desk.refused()
    assert await desk.failure() is ReasonCode.SIGN_IN_OTHER_ISSUER


async def test_an_exception_leaves_the_resource_out(desk: Desk) -> None:
    await desk.use({"exceptions": ["no_resource"]})
    token = await desk.sign_in()
    await desk.refused(token=token)
    assert "resource" not in desk.provider.posted("/token")[0] | desk.provider.posted("/token")[1]


async def test_a_server_of_2025_03_26_has_metadata_at_its_origin(desk: Desk) -> None:
    """MCP 2025-03-26, Authorization, Server Metadata Discovery."""
    desk.provider.answers[RESOURCE_METADATA] = httpx2.Response(404)
    desk.provider.answers[OLD_METADATA] = answer(desk.provider.metadata | {"issuer": "http://127.0.0.1:9001"})
    await desk.refused("")
    assert (await desk.wanted()).issuer == "http://127.0.0.1:9001"


async def test_a_server_of_2025_03_26_may_have_no_metadata(desk: Desk) -> None:
    """MCP 2025-03-26, Authorization, Fallbacks for Servers without Metadata Discovery."""
    desk.provider.answers[RESOURCE_METADATA] = httpx2.Response(404)
    registered = {"client_id": "old", "redirect_uris": ["http://127.0.0.1:8765/oauth/callback"]}
    desk.provider.answers["http://127.0.0.1:9001/register"] = answer(registered, 201)
    await desk.refused("Bearer")
    assert (await desk.wanted()).authorization_url.startswith("http://127.0.0.1:9001/authorize?")


@pytest.mark.parametrize("challenge", ["", "Basic realm=x", "Bearer"])
async def test_a_server_without_sign_in_wants_a_key(desk: Desk, challenge: str) -> None:
    desk.provider.answers[RESOURCE_METADATA] = httpx2.Response(404)
    await desk.refused(challenge)
    assert await desk.failure() is ReasonCode.HTTP_UNAUTHORIZED


async def test_a_token_is_for_a_server_with_https_only(desk: Desk) -> None:
    """MCP, Authorization, Communication Security (MUST)."""
    desk.server = type(desk.server)(
        user_id=desk.server.user_id, server_id=desk.server.server_id, url="http://10.0.0.5/mcp"
    )
    await desk.refused(CHALLENGE)
    assert await desk.failure() is ReasonCode.SIGN_IN_NOT_HTTPS
