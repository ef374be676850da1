"""The guard against SSRF: no server leads us to an address that it could not reach itself."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import anyio.abc
import httpx2
import pytest

from webclient.domain.model import ReasonCode, SignInStep, SignInStepKind
from webclient.network import CheckedTransport, NotHttpsError, Zone, check_url, networks_of, zones_open_to
from webclient.servers.sign_in import guarded_fetch as module
from webclient.servers.sign_in.errors import SignInError, UnavailableError
from webclient.servers.sign_in.fetching import Fetching
from webclient.servers.sign_in.trace import Trace

pytestmark = pytest.mark.anyio

KEY = ("ada", "s1")
PUBLIC = "https://mcp.example/mcp"
LOCAL = "http://127.0.0.1/mcp"
Names = dict[str, list[str]]


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Names:
    """A DNS server of the test; a name that it does not know does not exist."""
    known: Names = {"mcp.example": ["93.184.216.34"]}

    async def getaddrinfo(host: str, port: int, **_options: Any) -> list[Any]:
        try:
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            socket.inet_pton(family, host)
        except OSError:
            if host not in known:
                raise socket.gaierror(host) from None
        else:
            return [(family, 0, 0, "", (host, port))]
        return [(0, 0, 0, "", (address, port)) for address in known[host]]

    monkeypatch.setattr(anyio, "getaddrinfo", getaddrinfo)
    return known


@asynccontextmanager
async def serving(*pieces: bytes, again: int = 1, pause: float = 0) -> AsyncIterator[str]:
    """Answer every connection on a port of this machine with these bytes; yield the address."""

    async def answer(stream: anyio.abc.SocketStream) -> None:
        async with stream:
            with anyio.move_on_after(20):
                try:
                    await stream.receive()
                    for _ in range(again):
                        for piece in pieces:
                            await stream.send(piece)
                            await anyio.sleep(pause)
                except (anyio.BrokenResourceError, anyio.EndOfStream):
                    pass

    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, answer)
        port = listener.extra(anyio.abc.SocketAttribute.local_port)  # noqa: S610  (of anyio)
        yield f"http://127.0.0.1:{port}/"
        tasks.cancel_scope.cancel()


async def fetched(url: str, server: str = LOCAL) -> module.Fetched:
    """Fetch an address on the word of a server."""
    async with Fetching(Trace()).on_behalf_of(KEY, server) as fetch:
        return await fetch.get(url, SignInStepKind.SERVER_METADATA)


OK = b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n"


async def test_a_local_server_may_lead_to_this_machine() -> None:
    async with serving(OK, b'{"a": 1}') as url:
        assert (await fetched(url)).body == {"a": 1}


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "a.localhost"])
async def test_a_public_server_may_not(names: Names, host: str) -> None:
    names.update({"localhost": ["127.0.0.1"], "a.localhost": ["::1"]})
    with pytest.raises(SignInError) as error:
        await fetched(f"http://{host}:1/", PUBLIC)
    assert error.value.reason.code is ReasonCode.SIGN_IN_FORBIDDEN_ADDRESS


@pytest.mark.parametrize(
    "addresses",
    [
        ["10.0.0.5"],
        ["169.254.169.254"],
        ["93.184.216.34", "10.0.0.5"],
        ["64:ff9b::a00:1"],
        ["2002:a00:1::1"],
        ["ff02::1"],
    ],
)
async def test_a_name_with_a_forbidden_address_is_refused(names: Names, addresses: list[str]) -> None:
    """Also if only one of its addresses is."""
    names["as.example"] = addresses
    for server in (PUBLIC, LOCAL):
        with pytest.raises(SignInError) as error:
            await fetched("https://as.example/", server)
        assert error.value.reason.code is ReasonCode.SIGN_IN_FORBIDDEN_ADDRESS
        # The same as for a name that was not found, and without the address.
        del names["as.example"]
        with pytest.raises(SignInError) as unknown:
            await fetched("https://as.example/", server)
        names["as.example"] = addresses
        assert unknown.value.reason == error.value.reason
        assert error.value.reason.params == {"host": "as.example"}
        assert type(unknown.value) is type(error.value)


async def test_a_name_is_checked_where_it_is_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """DNS rebinding: the name is resolved once, and the connection goes to the address that was checked."""
    resolved: list[str] = []

    async def getaddrinfo(host: str, port: int, **_options: Any) -> list[Any]:
        resolved.append(host)
        return [(0, 0, 0, "", ("127.0.0.1" if resolved.count(host) == 1 else "10.0.0.1", port))]

    monkeypatch.setattr(anyio, "getaddrinfo", getaddrinfo)
    async with serving(OK, b"{}") as url:
        assert (await fetched(url.replace("127.0.0.1", "a.localhost"))).is_success
    assert resolved == ["a.localhost"]


async def test_a_redirect_elsewhere_is_not_followed() -> None:
    async with serving(OK, b"{}") as other:
        moved = f"HTTP/1.1 302 Found\r\nlocation: {other}\r\ncontent-length: 0\r\n\r\n"
        async with serving(moved.encode()) as url:
            assert (await fetched(url)).status == 302


@pytest.mark.parametrize(
    ("server", "zones"),
    [
        ("http://127.0.0.1:8000/mcp", {Zone.PUBLIC, Zone.LOOPBACK}),
        ("http://localhost/mcp", {Zone.PUBLIC, Zone.LOOPBACK}),
        ("https://10.0.0.5/mcp", {Zone.PUBLIC, Zone.PRIVATE}),
        ("https://intra.example/mcp", {Zone.PUBLIC, Zone.PRIVATE}),
        ("https://mixed.example/mcp", {Zone.PUBLIC}),
        ("https://sly.example/mcp", {Zone.PUBLIC}),
        ("https://meta.example/mcp", {Zone.PUBLIC}),
        ("https://unknown.example/mcp", {Zone.PUBLIC}),
        ("https://224.0.0.1/mcp", {Zone.PUBLIC}),
    ],
)
async def test_a_server_leads_to_its_own_zone(names: Names, server: str, zones: set[Zone]) -> None:
    names.update({"intra.example": ["10.0.0.5", "fc00::1"], "mixed.example": ["10.0.0.5", "93.184.216.34"]})
    names.update({"sly.example": ["127.0.0.1"], "meta.example": ["169.254.169.254"]})
    assert await zones_open_to(server) == zones


@pytest.mark.parametrize("url", ["https://as.example/x", "http://127.0.0.1:9/", "http://[::1]/", "http://localhost"])
def test_https_and_this_machine_are_allowed(url: str) -> None:
    check_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://as.example",
        "ftp://a",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "https://",
        "https://u@a",
        "x",
        "https://[",
        "",
    ],
)
def test_other_urls_are_refused(url: str) -> None:
    with pytest.raises(NotHttpsError):
        check_url(url)


@pytest.mark.parametrize(
    ("pieces", "again"),
    [
        ((OK, b" " * 65536), 100),
        ((b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n\x1f\x8b",), 1),
        ((b"HTTP/1.1 200 OK\r\n" + b"x: " + b"y" * 200_000,), 10),
        ((b"nonsense\r\n\r\n",), 1),
        ((b"",), 1),
        ((b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{",), 1),
    ],
)
async def test_an_unusable_answer_ends_soon(pieces: tuple[bytes, ...], again: int) -> None:
    async with serving(*pieces, again=again) as url:
        with pytest.raises(UnavailableError):
            await fetched(url)


async def test_a_slow_answer_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TOTAL_SECONDS", 0.3)
    async with serving(OK, b" ", again=100_000, pause=0.05) as url:
        with pytest.raises(UnavailableError):
            await fetched(url)


async def test_a_proxy_of_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would resolve names itself, without the check."""
    for name in ("http_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    async with serving(OK, b"{}") as url:
        assert (await fetched(url)).is_success


async def test_a_named_network_is_open_to_every_server(names: Names) -> None:
    networks = networks_of(["127.0.0.0/8"])
    async with serving(OK, b"{}") as url:
        with pytest.raises(SignInError):
            await fetched(url, PUBLIC)
        async with Fetching(Trace(), networks=networks).on_behalf_of(KEY, PUBLIC) as fetch:
            assert (await fetch.get(url, SignInStepKind.SERVER_METADATA)).is_success
            names["as.example"] = ["127.0.0.1", "10.0.0.5"]
            with pytest.raises(SignInError):
                await fetch.get("https://as.example/", SignInStepKind.SERVER_METADATA)


async def test_a_refused_address_is_a_step_with_a_reason(names: Names) -> None:
    trace, url = Trace(), "https://user:secret@as.example/x?token=secret"
    names["as.example"] = ["10.0.0.5"]
    for each in (url, "https://as.example/x?token=secret"):
        async with Fetching(trace).on_behalf_of(KEY, PUBLIC) as fetch:
            with pytest.raises(SignInError):
                await fetch.get(each, SignInStepKind.SERVER_METADATA)
    steps: list[SignInStep] = list(trace.of(KEY))
    assert [step.url for step in steps] == ["https://as.example/x"] * 2
    assert all(step.reason for step in steps)
    assert "secret" not in repr(steps)


async def test_the_transport_checks_certificates_of_the_name(names: Names) -> None:
    """The connection goes to an address, but the certificate has to be that of the name."""
    async with serving(b"no TLS here") as url:
        names["a.localhost"] = ["127.0.0.1"]
        transport = CheckedTransport({Zone.LOOPBACK}, httpx2.create_ssl_context())
        async with httpx2.AsyncClient(transport=transport) as client:
            with pytest.raises(Exception, match="SSL"):
                await client.get(url.replace("http://127.0.0.1", "https://a.localhost"))


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
