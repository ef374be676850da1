"""The running program that agents ask, with a token for them, and the person who answers."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.embedders.minting import ISSUER, ORIGIN, SECRET, minted
from tests.program import Api, Program, program
from tests.receiver import Receiver, receiving
from webclient.domain.model import Json


@dataclass(frozen=True, slots=True)
class Desk:
    """A program that runs: its `api` as the person has it, and the `token` of an agent."""

    program: Program
    api: Api
    token: str

    async def pending(self, message: str, state: str = "pending") -> Json:
        """Wait for a question with this message that waits, or has another state."""
        async with self.api.stream("GET", "/events", timeout=None) as events:
            lines = events.aiter_lines()
            while True:
                found: list[Json] = (await self.api.json("GET", "/requests", params={"state": state}))["requests"]
                for request in found:
                    if message in request["params"]["message"]:
                        return request
                await anext(lines)


@pytest.fixture(scope="module")
async def running(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    """Serve the program for one module, with an application that vouches for users."""
    folder = tmp_path_factory.mktemp("clients")
    may = ["inbox", "ask", "embed:admin"]
    chat = {"issuer": ISSUER, "origins": [ORIGIN], "secret_env": "CHAT_SECRET", "may": may}
    (folder / "embedders.json").write_text(json.dumps({"chat": chat}), "utf-8")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("CHAT_SECRET", SECRET)
        environment.setenv("WEBCLIENT_WEBHOOK_NETWORKS", "127.0.0.0/8")
        async with program(folder, options=["--embedders", str(folder / "embedders.json")]) as served:
            yield served


@asynccontextmanager
async def embedded_user(served: Program, sub: str) -> AsyncIterator[Api]:
    """Sign in as a user of the application, as its frame does."""
    async with served.client() as api:
        session = await api.json("POST", "/sessions", 201, json={"token": minted(sub=sub)})
        api.headers["Authorization"] = f"Bearer {session['token']}"
        yield api


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as receiver:
        yield receiver


@pytest.fixture
async def desk(running: Program) -> AsyncIterator[Desk]:
    """Make a token for an agent."""
    async with desk_at(running) as desk:
        yield desk


@pytest.fixture
async def limited_desk(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Desk]:
    """Serve a program that takes one question, and then so many each second."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("WEBCLIENT_ASK_BURST", "1")
        environment.setenv("WEBCLIENT_ASK_RATE", str(request.param))
        async with program(tmp_path) as served, desk_at(served) as desk:
            yield desk


@asynccontextmanager
async def desk_at(served: Program) -> AsyncIterator[Desk]:
    """Make a token for an agent of this program."""
    async with served.client() as api:
        made = await api.json("POST", "/tokens", 201, json={"label": "Agent", "scopes": ["ask"]})
        yield Desk(served, api, made["secret"])
