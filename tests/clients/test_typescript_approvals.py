"""`approve` of the client package for TypeScript: the decision of a person on a tool call, with the running program."""

from __future__ import annotations

import json
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from anyio import open_process
from anyio.abc import Process

from tests.clients.conftest import Desk
from tests.clients.installed import installed
from tests.clients.test_approvals import PAY, TOOL
from tests.clients.test_typescript import printed
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

Asking = Callable[..., AbstractAsyncContextManager[Process]]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return installed(tmp_path_factory.mktemp("package"))


@pytest.fixture
def asking(package: Path, desk: Desk) -> Asking:
    """Return what runs a program that asks about a call, with these options of `approve`."""

    @asynccontextmanager
    async def run(tool: object = TOOL, options: Json | None = None, **further: object) -> AsyncIterator[Process]:
        given = [json.dumps(each) for each in (options or {}, further, tool, PAY)]
        line = ["node", str(package / "decision.mjs"), desk.program.base, desk.token, *given]
        async with await open_process(line, stderr=None) as process:
            yield process

    return run


@pytest.mark.parametrize(
    ("answer", "given"),
    [
        ({"action": "accept"}, ("approve", PAY, "")),
        ({"action": "accept", "content": {"arguments": {"amount": 25}}}, ("edit", {"amount": 25}, "")),
        ({"action": "decline", "message": "Not today."}, ("reject", None, "Not today.")),
        ({"action": "accept", "content": {"respond": "Paid."}}, ("respond", None, "Paid.")),
        ({"action": "cancel"}, (None, None, "")),
    ],
)
async def test_each_decision_comes_back(
    desk: Desk, asking: Asking, answer: Json, given: tuple[str | None, Json | None, str]
) -> None:
    verb, arguments, words = given
    why = f"In TypeScript because of {answer}"
    async with asking(message=why, label="billing") as process:
        request = await desk.pending(why)
        assert request["kind"] == "approval"
        assert request["params"]["tool"]["inputSchema"] == TOOL["inputSchema"]
        await desk.api.answer(request, **answer)
        decision = await printed(process)
    assert (decision.get("verb"), decision.get("arguments"), decision["mayRun"]) == (verb, arguments, bool(arguments))
    assert words in decision["message"]
    assert decision["mayRun"] or decision["words"]


async def test_a_killed_program_finds_its_decision(desk: Desk, asking: Asking) -> None:
    why, key = "Killed before the decision", "a key in TypeScript"
    async with asking("pay", message=why, key=key) as process:
        request = await desk.pending(why)
        process.kill()
        assert await process.wait() == -signal.SIGKILL
    await desk.api.answer(request, action="accept")
    async with asking("pay", message=why, key=key) as process:
        assert (await printed(process))["arguments"] == PAY


async def test_a_decision_that_the_program_cannot_honour_is_refused(desk: Desk, asking: Asking) -> None:
    async with asking(message="Only yes or no in TypeScript", allow=["approve", "reject"]) as process:
        request = await desk.pending("Only yes or no in TypeScript")
        await desk.api.answer(request, 422, action="accept", content={"arguments": {"amount": 1}})
        await desk.api.answer(request, action="decline")
        assert (await printed(process))["verb"] == "reject"


async def test_a_program_that_stops_waiting_withdraws_its_question(desk: Desk, asking: Asking) -> None:
    async with asking(message="Stopped in TypeScript") as process:
        request = await desk.pending("Stopped in TypeScript")
        assert process.stdin
        await process.stdin.aclose()
        decision = await printed(process)
    assert (decision.get("verb"), decision["mayRun"]) == (None, False)
    assert (await desk.api.json("GET", f"/requests/{request['id']}"))["state"] == "withdrawn"


async def test_a_program_that_waits_too_long_gets_no_decision(asking: Asking) -> None:
    async with asking(message="Too late in TypeScript", options={"timeout": 1}) as process:
        decision = await printed(process)
    assert (decision.get("verb"), decision["mayRun"]) == (None, False)
    assert decision["words"]
