"""A real authorization server that forgets its clients when it restarts, FastMCP's, before its user signs in."""

from __future__ import annotations

from pathlib import Path

import httpx2
import pytest

from tests.api.test_sign_in import until
from tests.mcp_servers.forgetting import forgetting, free_port
from tests.program import Api, program
from webclient.domain.model import Era, Json

pytestmark = pytest.mark.anyio

ERAS = [("mcp-1", Era.PUSH), ("mcp-2", Era.ROUNDS)]


async def answer_of_the_provider(api: Api, path: str) -> httpx2.Response:
    """Open the address of the wanted sign-in as a browser does, and return the answer."""
    auth = (await until(api, path, lambda each: "auth" in each))["auth"]
    async with httpx2.AsyncClient() as browser:
        return await browser.get(auth["authorization_url"])


async def wanting(api: Api) -> tuple[str, str]:
    """Connect the server, and wait until it wants a sign-in; return its id and path."""
    [server] = (await api.json("GET", "/servers"))["servers"]
    path = f"/servers/{server['id']}"
    await api.json("POST", f"{path}/connect", 202)
    await until(api, path, lambda each: "auth" in each)
    return server["id"], path


async def open_card(api: Api, base: str, path: str) -> Json:
    """Press the button of the card; return the wanted sign-in after that."""
    auth = (await api.json("GET", path))["auth"]
    opened = await api.request("POST", f"{base}/sign-ins/{auth['id']}/open", headers={"Origin": base})
    assert opened.status_code == 200, opened.text
    after: Json = (await api.json("GET", path))["auth"]
    assert after["id"] == auth["id"]
    return after


@pytest.mark.parametrize(("environment", "era"), ERAS)
async def test_a_call_goes_on_after_its_provider_forgot_us(tmp_path: Path, environment: str, era: Era) -> None:
    """Opened once, the link shows an error of the provider; opened again, it leads to the sign-in."""
    port = free_port()
    servers = {"it": {"url": f"http://127.0.0.1:{port}/mcp", "type": "http", "era": str(era)}}
    async with program(tmp_path, servers=servers) as served, served.client() as api:
        async with forgetting(environment, port):
            server_id, path = await wanting(api)
            body = {"server_id": server_id, "kind": "tool", "name": "order", "arguments": {}}
            call = await api.in_state(await api.json("POST", "/calls", 202, json=body), "input_required")
        async with forgetting(environment, port):
            await open_card(api, served.base, path)
            refused = await answer_of_the_provider(api, path)
            assert refused.status_code == 400
            await open_card(api, served.base, path)
            allowed = await answer_of_the_provider(api, path)
            assert allowed.status_code == 302
            assert (await api.request("GET", allowed.headers["location"])).status_code == 303
            signed_in = await until(api, path, lambda each: each["state"] == "connected")
            assert signed_in["protocol_version"] == era
            [request] = (await until(api, f"/requests?call_id={call['id']}", lambda each: each["requests"]))["requests"]
            await api.answer(request, action="accept", content={"value": "tea"})
            done = await api.in_state(call, "done")
            assert "ordered tea" in str(done["result"])


@pytest.mark.parametrize(("environment", "era"), ERAS)
async def test_a_program_registers_again(tmp_path: Path, environment: str, era: Era) -> None:
    port = free_port()
    servers = {"it": {"url": f"http://127.0.0.1:{port}/mcp", "type": "http", "era": str(era)}}
    async with program(tmp_path, servers=servers) as served, served.client() as api:
        async with forgetting(environment, port):
            _server_id, path = await wanting(api)
            before = (await api.json("GET", path))["auth"]
        async with forgetting(environment, port):
            assert (await answer_of_the_provider(api, path)).status_code == 400
            after = (await api.json("POST", f"{path}/sign-in/register"))["auth"]
            assert after["id"] == before["id"]
            allowed = await answer_of_the_provider(api, path)
            assert allowed.status_code == 302
            await api.request("GET", allowed.headers["location"])
            await until(api, path, lambda each: each["state"] == "connected")
            await api.json("POST", f"{path}/sign-in/register", 404)
