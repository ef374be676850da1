"""nginx and Caddy in front of the program, with the files of deploy/: TLS, HTTP/2, streams, a path, and addresses."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest

from tests.deploy.front import Front, caddy, free_port, nginx
from tests.deploy.sign_in_proxy import serving
from tests.mcp_servers import running
from tests.program import PATIENCE, Program, program

pytestmark = pytest.mark.anyio

FRONTS = {"nginx": nginx, "caddy": caddy}
ATTEMPTS = 3


@pytest.fixture(scope="module")
async def served(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:
    """The program as docs/deploy.md starts it."""
    options = ["--public-url", "https://localhost/inbox", "--trusted-proxy", "127.0.0.1"]
    options += ["--identity", "local", "--identity", "proxy", "--auth-header", "X-Forwarded-User"]
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("WEBCLIENT_MAX_SIGN_IN_ATTEMPTS", str(ATTEMPTS))
        async with running() as asker:
            servers = {"asking": {"url": asker.address, "era": "2025-11-25"}}
            async with program(tmp_path_factory.mktemp("deploy"), servers=servers, options=options) as served:
                yield served


@pytest.fixture(scope="module", params=FRONTS)
async def front(
    request: pytest.FixtureRequest, served: Program, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Front]:
    """A proxy in front of the program."""
    folder: Path = tmp_path_factory.mktemp(request.param)
    async with FRONTS[request.param](folder, free_port(), served.base.removeprefix("http://")) as front:
        yield front


def browser_at(front: Front, **headers: str) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(
        base_url=front.origin, verify=front.tls, http2=True, timeout=PATIENCE, headers={"Accept": "text/html"} | headers
    )


async def test_a_browser_signs_in_and_reads_pages_over_http2(front: Front, served: Program) -> None:
    async with browser_at(front, Origin=front.origin) as browser:
        response = await browser.get("/inbox", follow_redirects=True)
        assert (response.url.path, response.status_code) == ("/inbox/", 401)
        response = await browser.post("/inbox/login", data={"token": served.token})
        cookie = response.headers["set-cookie"]
        assert "Path=/inbox/;" in cookie
        assert "Secure" in cookie
        response = await browser.get("/inbox/servers")
        assert (response.status_code, response.http_version) == (200, "HTTP/2")
        assert response.headers["cache-control"] == "no-store"


async def test_an_event_passes_the_proxy_at_once(front: Front, served: Program) -> None:
    """A proxy that buffers would hold it back until kilobytes have come, which takes longer than any patience."""
    bearer = {"Authorization": f"Bearer {served.token}"}
    async with (
        browser_at(front, **bearer) as browser,
        served.client() as api,
        browser.stream("GET", "/inbox/api/v1/events", timeout=None) as events,
    ):
        lines = events.aiter_lines()
        call = await api.call("asking", "ask_form")
        [request] = await api.pending_requests(call)
        await until(lines, request["id"])
        await api.answer(request, action="decline")


DEAF = """
    location /deaf/ {
        proxy_pass http://mcp_webclient/;
        proxy_http_version 1.0;
        proxy_set_header Host $http_host;
        proxy_ignore_headers X-Accel-Buffering;

    }
"""
"""The program once more, as nginx did it by default for long: with buffers, and over HTTP/1.0.

Over HTTP/1.1, nginx passes on each chunk of a response, also when it buffers.
"""


async def test_nginx_buffers_streams_without_our_header(served: Program, tmp_path: Path) -> None:
    """What the header is for: an event passes, and nothing of the same event that is buffered."""
    upstream = served.base.removeprefix("http://")
    received: list[str] = []
    async with (
        nginx(tmp_path, free_port(), upstream, more=DEAF) as front,
        browser_at(front, Authorization=f"Bearer {served.token}") as browser,
        served.client() as api,
        api.stream("GET", "/events") as direct,
        browser.stream("GET", "/inbox/api/v1/events", timeout=None) as passed,
        asyncio.TaskGroup() as tasks,
    ):
        assert direct.headers["x-accel-buffering"] == "no"
        buffered = tasks.create_task(receive(browser, "/deaf/api/v1/events", received))
        call = await api.call("asking", "ask_form")
        [request] = await api.pending_requests(call)
        await until(passed.aiter_lines(), request["id"])
        # This response passes nginx later than the event.
        assert (await browser.get("/deaf/api/v1/servers")).status_code == 200
        assert [line for line in received if line.startswith("data")] == []
        buffered.cancel()
        await api.answer(request, action="decline")


async def receive(browser: httpx2.AsyncClient, path: str, received: list[str]) -> None:
    """Add the lines of a stream as they come."""
    async with browser.stream("GET", path, timeout=None) as stream:
        async for line in stream.aiter_lines():
            received += [line]


async def until(lines: AsyncIterator[str], text: str) -> None:
    """Read lines until one has a text."""
    async with asyncio.timeout(PATIENCE):
        while text not in await anext(lines):
            pass


async def test_paths_outside_the_base_and_metrics_are_not_served(front: Front, served: Program) -> None:
    async with browser_at(front, Authorization=f"Bearer {served.token}") as browser:
        for path in ("/servers", "/api/v1/servers", "/inboxes", "/inbox/metrics"):
            response = await browser.get(path)
            assert response.status_code == 404, path


async def test_a_client_cannot_say_who_it_is(front: Front) -> None:
    async with browser_at(front, **{"X-Forwarded-User": "ada"}) as browser:
        assert (await browser.get("/inbox/api/v1/me")).status_code == 401


async def test_a_client_cannot_choose_its_address(front: Front) -> None:
    async with browser_at(front, Origin=front.origin) as browser:
        statuses = []
        for number in range(ATTEMPTS + 2):
            forwarded = {"X-Forwarded-For": f"203.0.113.{number}", "Forwarded": f"for=203.0.113.{number}"}
            response = await browser.post("/inbox/login", data={"token": f"{front.origin}{number}"}, headers=forwarded)
            statuses.append(response.status_code)
        # Both proxies have one address, so the second one may begin where the first one ended.
        assert statuses[-1] == 429


@pytest.mark.parametrize("name", FRONTS)
async def test_a_sign_in_proxy_is_asked_before_each_request(name: str, served: Program, tmp_path: Path) -> None:
    upstream = served.base.removeprefix("http://")
    async with (
        serving() as sign_in,
        FRONTS[name](tmp_path, free_port(), upstream, sign_in=sign_in) as front,
        browser_at(front) as browser,
    ):
        # The link of a notification comes back after the sign-in.
        page = await browser.get("/inbox/requests/q1", headers={"Sec-Fetch-Mode": "navigate"})
        assert page.status_code == 302
        assert page.headers["location"].partition("/oauth2/")[2] == "sign_in?rd=/inbox/requests/q1"
        assert (await browser.get("/inbox/api/v1/servers", headers={"Sec-Fetch-Mode": "cors"})).status_code == 401
        assert (await browser.get("/oauth2/sign_in")).text == "sign in here"
        names = {}
        for user in ("ada", "ben"):
            # Who is signed in is what the proxy says, not what the client writes.
            headers = {"Cookie": f"who={user}", "X-Forwarded-User": "eve", "X-Auth-Request-User": "eve"}
            me = await browser.get("/inbox/api/v1/me", headers=headers)
            assert me.status_code == 200, me.text
            names[user] = me.json()["user_id"]
        assert len(set(names.values())) == 2
        async with served.client() as direct:
            direct.headers["X-Forwarded-User"] = "ben"
            del direct.headers["Authorization"]
            assert (await direct.json("GET", "/me"))["user_id"] == names["ben"]


@pytest.mark.parametrize("name", FRONTS)
async def test_a_proxy_at_the_unix_socket_is_trusted(name: str, tmp_path: Path) -> None:
    path = tmp_path / "http"
    options = ["--public-url", "https://localhost/inbox", "--unix-socket", str(path), "--trusted-proxy", "unix"]
    options += ["--identity", "proxy", "--auth-header", "X-Forwarded-User"]
    upstream = f"unix:{path}" if name == "nginx" else f"unix/{path}"
    async with (
        program(tmp_path, options=options) as served,
        serving() as sign_in,
        FRONTS[name](tmp_path, free_port(), upstream, sign_in=sign_in) as front,
        browser_at(front, Cookie="who=ada", Origin=front.origin) as browser,
    ):
        assert served.login == "https://localhost/inbox/"
        me = await browser.get("/inbox/api/v1/me")
        assert (me.status_code, me.json()["role"]) == (200, "user")
        # The scheme is the one that the browser used, or the origin would be another one.
        assert (await browser.post("/inbox/logout")).status_code == 303
        assert (await browser.get("/inbox/api/v1/me", headers={"Cookie": ""})).status_code in (302, 401)
    assert not path.exists()
