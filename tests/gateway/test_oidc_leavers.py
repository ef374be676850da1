"""Agents that sign in at the company's provider, when their person signs out there, is disabled, or leaves."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from tests.house import config
from tests.identity.oidc_front import BASE, TOKEN, Front, served
from tests.mcp_servers import asker_entries
from webclient.auth import oidc_agents
from webclient.domain.model import Era, Json

SERVERS = {Era.PUSH: "push", Era.ROUNDS: "rounds"}
FORM: Json = {"name": "ask_form", "arguments": {}}
OWN = {"Sec-Fetch-Site": "same-origin"}
ADMIN = {"Authorization": f"Bearer {TOKEN}"}
PREFIX = "io.modelcontextprotocol/"


class Agent:
    """An agent of Ada with a token of the provider."""

    def __init__(self, front: Front, server: str, **claims: Any) -> None:
        self._front = front
        self._server = server
        self._token = front.fake.access_token(aud=f"{BASE}/mcp/{server}", **claims)

    def call(self, params: Json) -> tuple[int, Json]:
        """Call a tool; return the status, and the result or what was said in its place."""
        meta = {"protocolVersion": Era.ROUNDS, "clientInfo": {"name": "a", "version": "1"}, "clientCapabilities": {}}
        params = params | {"_meta": {f"{PREFIX}{key}": value for key, value in meta.items()}}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        headers = {
            "Authorization": f"Bearer {self._token}",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": Era.ROUNDS.value,
            "Mcp-Method": "tools/call",
            "Mcp-Name": params["name"],
        }
        response = self._front.client.post(f"/mcp/{self._server}", json=message, headers=headers)
        lines = [line for line in response.text.splitlines() if line.startswith(("{", "data:"))]
        said: Json = json.loads(lines[-1].removeprefix("data:")) if lines else {}
        return response.status_code, said.get("result", said)

    def awaited(self, call_id: str, wait: float = 60) -> tuple[int, Json]:
        """Ask for the result of a call."""
        return self.call({"name": "await_answer", "arguments": {"call": call_id, "wait": wait}})


@contextmanager
def _house(folder: Path, era: Era) -> Iterator[tuple[Front, Agent]]:
    entry = {key: value for key, value in asker_entries()[SERVERS[era]].items() if key != "era"}
    with served(folder, configured=[config("it", {"type": "stdio", "cwd": None, **entry}, era)]) as front:
        front.sign_in()
        until(lambda: _get(front, "/servers")["servers"][0]["state"] == "connected")
        yield front, Agent(front, "it")


def until(holds: Any) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _get(front: Front, path: str) -> Json:
    found: Json = front.client.get(f"/api/v1{path}", headers=OWN).json()
    return found


def _open(front: Front) -> list[Json]:
    found: list[Json] = _get(front, "/requests?state=pending")["requests"]
    return found


def _answer(front: Front, request: Json) -> None:
    answer = {"action": "accept", "content": {"name": "Ada"}}
    answered = front.client.post(f"/api/v1/requests/{request['id']}/answer", json=answer, headers=OWN)
    assert answered.status_code == 200


@pytest.mark.parametrize("era", [Era.PUSH, Era.ROUNDS])
def test_a_logout_at_the_provider_leaves_calls_of_agents(tmp_path: Path, era: Era) -> None:
    with _house(tmp_path, era) as (front, agent):
        _status, pending = agent.call(FORM)
        call_id = pending["_meta"]["mcp-webclient/call"]
        ended = front.client.post("/auth/backchannel-logout", data={"logout_token": front.fake.logout_token()})
        assert ended.status_code == 200
        assert front.me() == 401
        status, still = agent.awaited(call_id, 0)
        assert (status, still["_meta"]) == (200, pending["_meta"])
        front.sign_in()
        (request,) = _open(front)
        _answer(front, request)
        _status, result = agent.awaited(call_id)
        assert result["structuredContent"] == {"action": "accept", "content": {"name": "Ada"}}


@pytest.mark.parametrize("era", [Era.PUSH, Era.ROUNDS])
def test_calls_of_agents_end_with_a_disabled_user(tmp_path: Path, era: Era) -> None:
    with _house(tmp_path, era) as (front, agent), ThreadPoolExecutor() as threads:
        user_id = front.me()["user_id"]
        calling = threads.submit(agent.call, FORM)
        until(lambda: _open(front))
        (request,) = _open(front)
        front.client.cookies.clear()
        assert front.client.post(f"/api/v1/users/{user_id}/disable", headers=ADMIN).status_code == 200
        # The response ends at once, and the next request is refused.
        status, said = calling.result()
        assert (status, "content" in said) == (503, False)
        status, said = agent.call(FORM)
        assert (status, said["code"]) == (403, "disabled_user")
        # What was asked has ended too, and stays so for a user who comes back.
        front.client.post(f"/api/v1/users/{user_id}/enable", headers=ADMIN)
        front.sign_in()
        ended = _get(front, f"/requests/{request['id']}")
        assert (ended["state"], ended["reason_code"]) == ("interrupted", "user_disabled")
        assert _get(front, f"/calls/{request['call_id']}")["state"] == "interrupted"
        assert agent.awaited(request["call_id"], 0)[1]["isError"]


def test_a_token_ends_its_response_and_not_its_call(tmp_path: Path) -> None:
    """The provider gives a person who has signed out no further token; one that it gives takes the call up."""
    with _house(tmp_path, Era.ROUNDS) as (front, agent), patch.object(oidc_agents, "LEEWAY", timedelta()):
        brief = Agent(front, "it", exp=int(time.time()) + 4)
        status, pending = brief.call(FORM)
        assert (status, "structuredContent" in pending) == (200, False)
        (request,) = _open(front)
        _answer(front, request)
        _status, result = agent.call(FORM)
        assert result["structuredContent"]["content"] == {"name": "Ada"}
        assert len(_get(front, "/calls")["calls"]) == 1
