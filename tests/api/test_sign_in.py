"""Sign-in to servers in the JSON API: what programs see of it, and what they do about it."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from tests.mcp_servers import running
from tests.mcp_servers.authorization_server import AuthorizationServer, authorization_server
from tests.mcp_servers.token_proxy import token_proxy
from tests.program import Api, program
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio


@pytest.fixture
async def oauth() -> AsyncIterator[AuthorizationServer]:
    async with running() as server, token_proxy(server.address) as proxy, authorization_server(proxy) as oauth:
        yield oauth


async def until(api: Api, path: str, look: Callable[[Json], object]) -> Json:
    """Read the server after each event until it looks so."""
    async with api.stream("GET", "/events", timeout=None) as events:
        lines = events.aiter_lines()
        while True:
            server: Json = await api.json("GET", path)
            if look(server):
                return server
            await anext(lines)


async def test_a_program_sees_a_wanted_sign_in_and_dismisses_it(tmp_path: Path, oauth: AuthorizationServer) -> None:
    async with program(tmp_path, servers={"it": {"url": oauth.proxy.address}}) as served, served.client() as api:
        [server] = (await api.json("GET", "/servers"))["servers"]
        path = f"/servers/{server['id']}"
        auth = (await until(api, path, lambda each: "auth" in each))["auth"]
        assert auth["authorization_url"].startswith(f"{oauth.address}/authorize?")
        assert (auth["issuer"], auth["scopes"], auth["new_scopes"]) == (oauth.address, [], [])
        assert auth["id"]
        assert auth["expires_at"]
        dismissed = await api.json("DELETE", f"{path}/sign-in")
        assert "auth" not in dismissed
        assert dismissed["auth_error"]["code"] == "sign_in_dismissed"
        assert dismissed["auth_error"]["message"]
        await api.json("DELETE", f"{path}/sign-in", 404)
        await until(api, path, lambda each: each["state"] == "error")
        await api.json("POST", f"{path}/sign-in", 202)
        again = await until(api, path, lambda each: "auth" in each)
        assert again["auth"]["id"] != auth["id"]
        signed_out = await api.json("POST", f"{path}/sign-out")
        assert not {"auth", "auth_error", "signed_in"} & signed_out.keys()


async def test_the_secrets_of_a_sign_in_are_never_returned(tmp_path: Path) -> None:
    oauth = {"client_id": "c1", "client_secret": "s3cret-of-the-client", "exceptions": ["no_resource"]}
    async with program(tmp_path) as served, served.client() as api:
        transport = {"type": "http", "url": "http://127.0.0.1:9/mcp"}
        added = await api.request("POST", "/servers", json={"label": "it", "transport": transport, "oauth": oauth})
        assert added.status_code == 201
        path = f"/servers/{added.json()['id']}"
        assert added.json()["oauth"] == {"client_id": "c1", "exceptions": ["no_resource"]}
        assert added.json()["oauth_secrets"] == ["client_secret"]
        changed = await api.request("PATCH", path, json={"oauth": {**oauth, "client_id": "c2"}})
        listed = await api.request("GET", "/servers")
        assert (await api.json("GET", path))["oauth"]["client_id"] == "c2"
        for response in (added, changed, listed):
            assert "s3cret" not in response.text


async def test_wrong_settings_of_a_sign_in_change_nothing(tmp_path: Path) -> None:
    async with program(tmp_path) as served, served.client() as api:
        transport = {"type": "http", "url": "http://127.0.0.1:9/mcp"}
        server = await api.json("POST", "/servers", 201, json={"label": "it", "transport": transport})
        problem = await api.json("PATCH", f"/servers/{server['id']}", 422, json={"label": "new", "oauth": {"x": 1}})
        assert list(problem["errors"]) == ["x"]
        assert (await api.json("GET", f"/servers/{server['id']}"))["label"] == "it"


async def test_a_call_that_waits_for_a_sign_in_survives_a_kill(tmp_path: Path, oauth: AuthorizationServer) -> None:
    oauth.proxy.free = lambda _verb, message: message.get("method") != "tools/call"
    servers = {"it": {"url": oauth.proxy.address}}
    async with program(tmp_path, servers=servers) as first, first.client() as api:
        call = await api.in_state(await api.call("it", "structured"), "input_required")
        path = f"/servers/{call['server_id']}"
        auth = (await until(api, path, lambda each: "auth" in each))["auth"]
        os.kill(first.pid, signal.SIGKILL)
    async with program(tmp_path, servers=servers) as second, second.client() as api:
        assert (await api.json("GET", path))["auth"] == auth
        assert (await api.json("GET", f"/calls/{call['id']}"))["state"] == "input_required"
        assert await api.json("GET", "/requests", params={"call_id": call["id"]}) == {"requests": []}
        await api.json("DELETE", f"{path}/sign-in")
        failed = await api.in_state(call, "failed")
        assert failed["error"]["reason_code"] == "sign_in_dismissed"
