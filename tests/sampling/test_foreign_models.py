"""The whole way of a borrowed model: an MCP server, this program, the real package, and a provider by others."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest

from tests.forks import launched
from tests.house import House, config, house
from tests.mcp_servers import ROOT
from tests.models.asking import KEY
from tests.models.foreign import Script, aimock, fakellm
from webclient.domain.model import Action, Call, CallState, Era, InputRequest, Json, ReasonCode, Sampling, Stage
from webclient.inbox import check_answer
from webclient.sampling.llm import read_models

pytestmark = pytest.mark.anyio

KYOTO = "Kyoto — rain, but temples."
WEEKEND = Script(
    [("weather", {"destination": "Lisbon"}), ("weather", {"destination": "Cusco"})],
    ("Cusco: clouds", [("weather", {"destination": "Kyoto"})]),
    ("Kyoto: light rain", KYOTO),
)
ERAS = (Era.PUSH, Era.ROUNDS)
COMMAND, *ARGUMENTS = launched("webclient.demo")
DEMO: Json = {"type": "stdio", "command": COMMAND, "args": ARGUMENTS, "env": None, "cwd": str(ROOT)}

every_era = pytest.mark.parametrize("era", ERAS)


@pytest.fixture(scope="module", params=[fakellm, aimock], ids=["fakellm", "aimock"])
async def rooms(
    anyio_backend: str,  # noqa: ARG001  (its scope)
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[House]:
    """The program with the demo's server in both eras, and two models at a provider: the second has a wrong key."""
    folder = tmp_path_factory.mktemp("foreign")
    with request.param(folder, WEEKEND) as url:
        entry: Json = {"model": "foreign-1", "baseUrl": url}
        entries = [
            entry | {"id": "foreign", "apiKeyEnv": "FOREIGN_KEY"},
            entry | {"id": "closed", "apiKeyEnv": "FOREIGN_KEY_THAT_NOBODY_SET"},
        ]
        path = folder / "models.json"
        path.write_text(json.dumps({"models": entries}), "utf-8")
        models = read_models(path, {"FOREIGN_KEY": KEY})
        async with house(folder, [config(era, DEMO, era) for era in ERAS], models=models) as rooms:
            for era in ERAS:
                await rooms.connected(era)
            yield rooms


async def generated(rooms: House, call: Call, model: str = "foreign") -> tuple[InputRequest, Sampling]:
    """Let a model answer the pending request of a call; return where it stands when the model has ended."""
    [request] = await rooms.pending_requests(call)
    await rooms.services.sampling.generate(request, model)

    async def look() -> tuple[InputRequest, Sampling] | None:
        row = await rooms.services.store.of(request.user_id).requests.get(request.id)
        sampling = row.sampling
        return (row, sampling) if sampling and sampling.stage is not Stage.GENERATING else None

    return await rooms.until(look)


@every_era
async def test_a_server_borrows_a_model_with_tools_over_three_turns(rooms: House, era: Era) -> None:
    """MCP 2025-11-25 and 2026-07-28, Sampling with Tools: the server runs the tools, and asks again."""
    # fakellm takes conversations with the same first message for one.
    call = await rooms.call(era, "plan_weekend", {"wish": f"temples, in {era}"})
    for turn in (1, 2, 3):
        request, sampling = await generated(rooms, call)
        assert (sampling.stage, sampling.turn, sampling.model) == (Stage.REVIEWING, turn, "foreign")
        assert sampling.usage
        assert request.content is None
        await rooms.services.inbox.answer(await check_answer(request, Action.ACCEPT))
        await rooms.settled(request)
    done = await rooms.ended(call)
    assert done.state is CallState.DONE, done.error
    assert (done.result or {})["content"][0]["text"] == KYOTO


async def test_a_provider_that_fails_leaves_the_request_to_the_person(rooms: House) -> None:
    """The server learns nothing of the failure; another model, or the person, answers."""
    call = await rooms.call(Era.PUSH, "plan_weekend", {"wish": "a missing key"})
    request, sampling = await generated(rooms, call, "closed")
    assert (sampling.stage, request.pending) == (Stage.PENDING, True)
    assert sampling.failure
    assert sampling.failure.code == ReasonCode.MODEL_KEY_MISSING
    request, sampling = await generated(rooms, call)
    assert (sampling.stage, sampling.failure) == (Stage.REVIEWING, None)
    await rooms.answer(request, Action.DECLINE)
    assert (await rooms.ended(call)).state.ended
