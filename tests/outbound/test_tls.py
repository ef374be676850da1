"""TLS of every outgoing connection: a private authority is trusted beside the system's, and no socket is left open."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.assertions.signing import AWS, CLOUDFLARE, signing_proxy
from tests.embedders.minting import ISSUER, MAKERS, ORIGIN, minted
from tests.house import House, config, house, settings
from tests.mcp_servers import running
from tests.mcp_servers.proxy import proxied
from tests.models.asking import request, user
from tests.private_authority import PrivateAuthority, answering
from tests.served import served
from webclient.auth.assertions import AssertionRefusedError, Assertions
from webclient.auth.jwt import JwtFault
from webclient.domain.model import LOCAL_USER, NoticeSettings, NoticeTarget, ReasonCode, Server, ServerState, TargetKind
from webclient.network import CheckedTransport, GuardedTransport, Poster, Zone, networks_of, tls_context
from webclient.network.webhooks import Webhook, Webhooks, new_secret
from webclient.sampling.llm import ModelFailedError
from webclient.servers.connections import try_server
from webclient.servers.icons.choice import Icon
from webclient.servers.sign_in import ProtectedServer
from webclient.services import build
from webclient.services import running as services_running
from webclient.settings.assertions import AssertionKind
from webclient.support.log_lines import forget_lines

pytestmark = pytest.mark.anyio

trusting = pytest.mark.parametrize("trusts", [True, False], ids=["with-the-setting", "without-it"])


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> PrivateAuthority:
    return PrivateAuthority(tmp_path_factory.mktemp("authority"))


def test_the_authorities_of_the_system_are_trusted_as_well(authority: PrivateAuthority) -> None:
    usual, both = tls_context().get_ca_certs(binary_form=True), tls_context(authority.ca_file)
    assert usual
    assert len(both.get_ca_certs(binary_form=True)) == len(usual) + 1
    assert set(usual) < set(both.get_ca_certs(binary_form=True))


def test_the_context_is_made_once(authority: PrivateAuthority) -> None:
    assert tls_context(authority.ca_file) is tls_context(authority.ca_file)
    assert tls_context() is tls_context()


@pytest.mark.parametrize("name", ["ca.pem", "server.pem"])
async def test_the_file_may_have_a_certificate_without_its_issuer(authority: PrivateAuthority, name: str) -> None:
    requests: list[str] = []
    with answering(authority, requests.append) as address:
        poster = Poster(networks_of(["127.0.0.0/8"]), authority.ca_file.with_name(name))
        assert (await poster.post(address, b"", {})).is_success
        await poster.close()
    assert requests


# Handshakes that are cancelled


@dataclass(slots=True)
class SilentServer:
    """Takes what a client sends and answers nothing; the events say how far a client got."""

    port: int = 0
    greeted: asyncio.Event = field(default_factory=asyncio.Event)
    hung_up: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readexactly(1)
            self.greeted.set()
            await reader.read()
        except ConnectionError:
            pass
        finally:
            self.hung_up.set()
            writer.close()


@asynccontextmanager
async def silent_server() -> AsyncIterator[SilentServer]:
    silent = SilentServer()
    async with await asyncio.start_server(silent.serve, "127.0.0.1", 0) as listening:
        silent.port = listening.sockets[0].getsockname()[1]
        yield silent


def _plain() -> httpx2.AsyncClient:
    return httpx2.AsyncClient(verify=tls_context(), trust_env=False)


def _guarded() -> httpx2.AsyncClient:
    transport = GuardedTransport(tls_context(), httpx2.Limits(), networks_of(["127.0.0.0/8"]))
    return httpx2.AsyncClient(transport=transport)


def _checked() -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=CheckedTransport({Zone.LOOPBACK}, tls_context()))


@pytest.mark.parametrize("client_of", [_plain, _guarded, _checked])
async def test_a_cancelled_handshake_hangs_up_at_once(client_of: Callable[[], httpx2.AsyncClient]) -> None:
    async with silent_server() as silent, client_of() as client, asyncio.timeout(30):
        request = asyncio.create_task(client.get(f"https://127.0.0.1:{silent.port}/"))
        await silent.greeted.wait()
        request.cancel()
        with pytest.raises(asyncio.CancelledError):
            await request
        await silent.hung_up.wait()


# MCP servers


@pytest.mark.parametrize("transport", ["http", "sse"])
async def test_a_server_is_connected_with_the_setting(
    tmp_path: Path, authority: PrivateAuthority, transport: Any
) -> None:
    async with running(transport=transport) as server, proxied(server.address, authority.tls) as (_proxy, address):
        assert address.startswith("https://")
        servers = [config("it", {"type": transport, "url": address})]
        async with house(tmp_path, servers, ca_file=authority.ca_file) as rooms:
            await rooms.connected("it")


async def test_a_server_is_refused_without_the_setting(tmp_path: Path, authority: PrivateAuthority) -> None:
    async with (
        running() as server,
        proxied(server.address, authority.tls) as (_proxy, address),
        house(tmp_path, [config("it", {"type": "http", "url": address})]) as rooms,
    ):
        status = await rooms.status("it", ServerState.ERROR, ServerState.CONNECTED)
    assert status.error
    assert status.error.reason.code is ReasonCode.CERTIFICATE_INVALID
    assert status.error.reason.params["host"] == "127.0.0.1"


@trusting
async def test_a_server_is_tried_before_it_is_added(tmp_path: Path, authority: PrivateAuthority, trusts: bool) -> None:
    async with (
        running() as server,
        proxied(server.address, authority.tls) as (_proxy, address),
        house(tmp_path, ca_file=authority.ca_file if trusts else None) as rooms,
    ):
        connections = rooms.services.connections
        trial = await try_server(_server(address), connections.limits, connections.guard)
    assert (trial.fault is None) is trusts


# Everything else that connects


async def _icon(rooms: House, address: str) -> None:
    await rooms.services.icons.picture(
        _server(address), Icon(source=f"{address}/icon.png", declared=""), may_fetch=True
    )


async def _sign_in(rooms: House, address: str) -> None:
    server = ProtectedServer(user_id=LOCAL_USER, server_id="s", url=f"{address}/mcp")
    await rooms.services.sign_ins.begin(server)

    async def look() -> bool:
        return bool(rooms.services.sign_ins.trace_of(server.key))

    await rooms.until(look)
    refused = {step.reason.code for step in rooms.services.sign_ins.trace_of(server.key) if step.reason}
    assert (ReasonCode.CERTIFICATE_INVALID in refused) is (rooms.services.settings.ca_file is None)


async def _notice(rooms: House, address: str) -> None:
    secrets = {"url": address, "secret": new_secret()}
    target = NoticeTarget(user_id=LOCAL_USER, kind=TargetKind.WEBHOOK, label="bot", secrets=secrets)
    await rooms.services.notices.send_test(NoticeSettings(user_id=LOCAL_USER), target)


async def _model(rooms: House, _address: str) -> None:
    with pytest.raises(ModelFailedError) as failed:
        async for _piece in rooms.services.models.generate("own", request(user("Hello"))):
            pass
    assert failed.value.reason
    untrusted = failed.value.reason.code is ReasonCode.CERTIFICATE_INVALID
    assert untrusted is (rooms.services.settings.ca_file is None)


@trusting
@pytest.mark.parametrize("connect", [_icon, _sign_in, _notice, _model])
async def test_a_connection_is_made_only_with_the_setting(
    tmp_path: Path, authority: PrivateAuthority, connect: Callable[[House, str], Awaitable[None]], trusts: bool
) -> None:
    requests: list[str] = []
    with answering(authority, requests.append) as address:
        models = tmp_path / "models.json"
        models.write_text(json.dumps({"models": [{"id": "own", "model": "own", "baseUrl": f"{address}/v1"}]}), "utf-8")
        values: dict[str, Any] = {"webhook_networks": ["127.0.0.0/8"], "models": models}
        services = build(settings(tmp_path, ca_file=authority.ca_file if trusts else None, **values))
        async with services_running(services):
            await connect(House(services), address)
    assert bool(requests) is trusts


@trusting
async def test_an_answer_is_posted_only_with_the_setting(authority: PrivateAuthority, trusts: bool) -> None:
    requests: list[str] = []
    with answering(authority, requests.append) as address:
        webhooks = Webhooks(networks_of(["127.0.0.0/8"]), authority.ca_file if trusts else None)
        posted = await webhooks.send(Webhook(url=address, secret=new_secret()), "id", {})
        await webhooks.close()
    assert posted.is_success is bool(requests) is trusts


@trusting
@pytest.mark.parametrize("kind", [CLOUDFLARE, AWS])
async def test_keys_of_a_proxy_are_fetched_only_with_the_setting(
    tmp_path: Path, authority: PrivateAuthority, kind: AssertionKind, trusts: bool, caplog: pytest.LogCaptureFixture
) -> None:
    forget_lines()
    async with signing_proxy(kind, tmp_path) as proxy, proxied(proxy.address, authority.tls) as (_proxy, address):
        keys = address if kind is AWS else f"{address}/keys"
        loaded = proxy.loaded(tmp_path, auth_keys=keys, ca_file=authority.ca_file if trusts else None)
        if trusts:
            assert (await Assertions(loaded).verify(proxy.signed())).person
            return
        with pytest.raises(AssertionRefusedError) as error:
            await Assertions(loaded).verify(proxy.signed())
    assert error.value.code is JwtFault.KEYS_UNREACHABLE
    assert "--ca-file" in caplog.text


@trusting
def test_keys_of_an_embedder_are_fetched_only_with_the_setting(
    tmp_path: Path, authority: PrivateAuthority, trusts: bool
) -> None:
    make, public = MAKERS["EdDSA"]
    key = make()
    published = {"keys": [public(key.public_key()) | {"kid": "one"}]}
    with answering(authority, lambda _address: published) as address:
        embedders = tmp_path / "embedders.json"
        chat = {"issuer": ISSUER, "origins": [ORIGIN], "jwks_url": f"{address}/keys", "may": ["inbox"]}
        embedders.write_text(json.dumps({"chat": chat}), "utf-8")
        ca_file = authority.ca_file if trusts else None
        with served(tmp_path, embedders=embedders, identity=["local", "host"], ca_file=ca_file) as client:
            token = minted(key, "EdDSA", {"kid": "one"})
            response = client.post("/api/v1/sessions", json={"token": token})
    assert response.status_code == (201 if trusts else 401), response.text


def _server(address: str) -> Server:
    return Server(user_id=LOCAL_USER, label="it", transport={"type": "http", "url": address})
