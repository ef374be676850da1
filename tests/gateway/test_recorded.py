"""Messages of published servers pass the gateway with every key, in each pair of eras.

A recorded server is played to a client directly and to an agent behind the gateway. `python -m tests.gateway.record`
records them again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass, field, replace

import pytest

from tests.forks import launched
from tests.gateway.agents import ByHand, by_hand, messages_in, token
from tests.gateway.hop_parts import PARTS, rows, without_parts
from tests.gateway.houses import house
from tests.gateway.recording import CALLS, CAPABILITIES, CORPUS, PREFIX, corpus, requests_of, wired
from tests.mcp_servers import ROOT, entry
from tests.program import Program
from webclient.domain.model import Era, Json

pytestmark = pytest.mark.anyio

ERAS = (Era.PUSH, Era.ROUNDS)
RECORDINGS = dict(corpus())
TOKEN = "of the agent"


@dataclass(slots=True)
class Said:
    """The messages for one request: its result or error, and before that the rest."""

    outcome: Json = field(default_factory=dict)
    inputs: list[Json] = field(default_factory=list)
    messages: list[Json] = field(default_factory=list)
    progress: Json = field(default_factory=dict)

    def hear(self, message: Json) -> None:
        """Note a notification; of progress the newest step counts."""
        if message["method"] == "notifications/progress":
            self.progress = {key: value for key, value in message["params"].items() if key != "progressToken"}
        else:
            self.messages.append({key: message[key] for key in ("method", "params")})


def dialogues(recording: Json) -> list[list[Json]]:
    """Return the exchanges after the handshake; those of one call that asks in its result stand together."""
    found: list[list[Json]] = []
    for exchange in recording["exchanges"][1:]:
        if "inputResponses" in exchange["params"]:
            found[-1].append(exchange)
        else:
            found.append([exchange])
    return found


def answers_of(dialogue: list[Json]) -> list[Json]:
    """Return the answers in a dialogue, in their order."""
    pushed = [each["answer"] for exchange in dialogue for each in exchange.get("messages", []) if "answer" in each]
    given = [answer for exchange in dialogue for answer in exchange["params"].get("inputResponses", {}).values()]
    return [*pushed, *given]


def said_in(dialogue: list[Json]) -> Said:
    """Return what the server itself says in a dialogue."""
    said = Said()
    for exchange in dialogue:
        for message in exchange.get("messages", []):
            if "answer" in message:
                said.inputs.append({key: message[key] for key in ("method", "params")})
            else:
                said.hear(message)
        said.inputs += requests_of(exchange.get("result", {})).values()
    said.outcome = {key: dialogue[-1][key] for key in ("result", "error") if key in dialogue[-1]}
    return said


async def heard_by(agent: ByHand, dialogue: list[Json]) -> Said:
    """Have the agent hold a dialogue, and return the messages that it hears."""
    method, params, answers, said = dialogue[0]["method"], dialogue[0]["params"], answers_of(dialogue), Said()
    if method not in CALLS:
        answer = await agent.answer(method, params)
        return Said({key: answer[key] for key in ("result", "error") if key in answer})
    level = {f"{PREFIX}logLevel": "debug"} if agent.era is Era.ROUNDS else {}
    sent = params | {"_meta": {"progressToken": TOKEN, **level}}
    while True:
        last = await (_on_stream if agent.era is Era.PUSH else _at_once)(agent, method, sent, answers, said)
        if not (inputs := requests_of(last.get("result", {}))):
            said.outcome = {key: last[key] for key in ("result", "error") if key in last}
            return said
        said.inputs += inputs.values()
        sent |= {
            "inputResponses": {key: answers.pop(0) for key in inputs},
            "requestState": last["result"]["requestState"],
        }


async def _at_once(agent: ByHand, method: str, params: Json, _answers: list[Json], said: Said) -> Json:
    *before, last = messages_in(await agent.send(method, params))
    for message in before:
        said.hear(message)
    return last


async def _on_stream(agent: ByHand, method: str, params: Json, answers: list[Json], said: Said) -> Json:
    async with agent.on_stream(method, params) as messages:
        async for message in messages:
            if "method" not in message:
                return message
            if "id" in message:
                said.inputs.append({key: message[key] for key in ("method", "params")})
                await agent.respond({"jsonrpc": "2.0", "id": message["id"], "result": answers.pop(0)})
            else:
                said.hear(message)
    raise AssertionError("the response ended early")


@pytest.mark.parametrize("name", RECORDINGS)
async def test_a_recorded_server_says_what_it_said(name: str) -> None:
    """A client without the gateway hears the recording, so the other test compares with that."""
    recording = RECORDINGS[name]
    command = launched("tests.mcp_servers.recorded", str(CORPUS / f"{name}.json"))
    async with wired(command, Era(recording["era"]), ROOT, {}) as wire:
        assert await wire.begin() == recording["exchanges"][0]
        for dialogue in dialogues(recording):
            wire.answers = answers_of(dialogue)
            again = await wire.dialogue(dialogue[0]["method"], dialogue[0]["params"])
            assert _with_fixed_token(again) == dialogue


@pytest.fixture(scope="module")
async def played(
    anyio_backend: str,  # noqa: ARG001
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[tuple[Program, str]]:
    """The program with all recorded servers, and the secret of an agent that is asked."""
    servers = {
        name: entry("recorded", str(CORPUS / f"{name}.json"), era=recording["era"])
        for name, recording in RECORDINGS.items()
    }
    async with house(tmp_path_factory.mktemp("recorded"), **servers) as (running, api):
        yield running, await token(api, pass_on=True, patience=60)


@pytest.mark.parametrize("name", RECORDINGS)
async def test_every_key_of_a_recording_passes(played: tuple[Program, str], name: str) -> None:
    """Agents of both eras hear all that the server says; what it asks is passed on to them."""
    for era in ERAS:
        async with by_hand(*played, name, era) as agent, asyncio.timeout(120):
            agent.capabilities = CAPABILITIES
            await _compare(agent, RECORDINGS[name])


async def _compare(agent: ByHand, recording: Json) -> None:
    def passed(said: Said, method: str) -> Json:
        return asdict(_without_hop(said, method, Era(recording["era"]), agent.era))

    greeting = recording["exchanges"][0]
    assert passed(Said({"result": await agent.begin()}), "initialize") == passed(said_in([greeting]), "initialize")
    for dialogue in dialogues(recording):
        heard, method = await heard_by(agent, dialogue), dialogue[0]["method"]
        assert passed(heard, method) == passed(said_in(dialogue), method), (agent.era, dialogue[0])


def _without_hop(said: Said, method: str, upstream: Era, downstream: Era) -> Said:
    inputs = [
        each | {"params": without_parts(each["method"], each["params"], upstream, downstream)} for each in said.inputs
    ]
    if "result" not in said.outcome:
        return replace(said, inputs=inputs)
    result = without_parts(method, said.outcome["result"], upstream, downstream)
    return replace(said, inputs=inputs, outcome={"result": result})


def test_each_part_of_a_hop_is_documented() -> None:
    assert {part.row for part in PARTS} <= set(rows())


def _with_fixed_token(exchanges: list[Json]) -> list[Json]:
    for exchange in exchanges:
        for message in exchange.get("messages", []):
            if "progressToken" in message.get("params", {}):
                message["params"]["progressToken"] = 1
    return exchanges
