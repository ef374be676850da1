"""Suggestions for arguments, from real servers of both eras (MCP, Completion)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Literal

import pytest

from tests.house import House, config, house
from tests.mcp_servers import stdio
from tests.mcp_servers.asker.completion import MANY
from webclient.domain.errors import ConflictError
from webclient.domain.model import ArgumentValues, Era, Json, TypedArgument
from webclient.protocol.calls.argument_values import MOST_VALUES, usable_values
from webclient.servers.connections import completion
from webclient.servers.connections.completion import Completion, completes_arguments

pytestmark = pytest.mark.anyio

ERAS = (Era.PUSH, Era.ROUNDS)
TEMPLATE = "ask://{topic}"
CAPABILITIES: tuple[Json | None, ...] = (None, {}, {"completions": {}})


def typed(
    value: str, argument: str = "country", kind: Literal["prompt", "template"] = "prompt", **others: str
) -> TypedArgument:
    name = "itinerary" if kind == "prompt" else TEMPLATE
    return TypedArgument(kind=kind, name=name, argument=argument, value=value, others=tuple(others.items()))


@pytest.fixture(scope="module")
async def rooms(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:  # noqa: ARG001
    servers = [config(era, stdio("asker", "--era", era)) for era in ERAS]
    async with house(tmp_path_factory.mktemp("completion"), [*servers, config("plain", stdio("plain"))]) as rooms:
        yield rooms


async def values(rooms: House, server: str, wanted: TypedArgument) -> ArgumentValues:
    connected = await rooms.connected(server)
    return await rooms.services.connections.connected(connected).argument_values(wanted)


@pytest.mark.parametrize("era", ERAS)
async def test_values_follow_what_is_typed_and_filled_in(rooms: House, era: Era) -> None:
    assert (await values(rooms, era, typed("p"))).values == ("Peru",)
    assert (await values(rooms, era, typed("", "city", country="France"))).values == ("Lyon", "Paris")
    assert (await values(rooms, era, typed("no such country"))).values == ()


@pytest.mark.parametrize("era", ERAS)
async def test_the_reference_names_the_prompt_or_the_template(rooms: House, era: Era) -> None:
    """MCP, Completion, Reference Types; Context: arguments "SHOULD" be included."""
    [seen] = (await values(rooms, era, typed("echo", "city", country="Peru"))).values
    assert json.loads(seen) == {"ref": {"type": "ref/prompt", "name": "itinerary"}, "filled": {"country": "Peru"}}
    [seen] = (await values(rooms, era, typed("echo", "topic", "template"))).values
    assert json.loads(seen) == {"ref": {"type": "ref/resource", "uri": TEMPLATE}, "filled": {}}


@pytest.mark.parametrize("era", ERAS)
async def test_a_hundred_values_say_that_there_are_more(rooms: House, era: Era) -> None:
    found = await values(rooms, era, typed("many"))
    assert (len(found.values), found.has_more) == (MOST_VALUES, True)
    assert MANY > MOST_VALUES


@pytest.mark.parametrize(
    ("sent", "count", "has_more"),
    [
        ({"values": ["a", "b"]}, 2, False),
        ({"values": ["a"], "hasMore": True}, 1, True),
        ({"values": ["a"], "total": 2}, 1, True),
        ({"values": [str(n) for n in range(150)]}, MOST_VALUES, True),
        ({"values": ["a", "a", 7, "x" * 1001]}, 1, True),
        ({"values": None}, 0, False),
    ],
)
def test_the_values_of_a_server_are_bounded(sent: Json, count: int, has_more: bool) -> None:
    """MCP, Completion: the values "MUST NOT exceed 100 items"."""
    found = usable_values(sent)
    assert (len(found.values), found.has_more) == (count, has_more)


async def test_a_server_that_fails_suggests_nothing(rooms: House) -> None:
    assert await values(rooms, Era.PUSH, typed("fail")) == ArgumentValues()


async def test_a_slow_server_suggests_nothing_in_time(rooms: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(completion, "LONGEST", 0.2)
    async with asyncio.timeout(30):
        assert await values(rooms, Era.PUSH, typed("slow")) == ArgumentValues()
    assert (await values(rooms, Era.PUSH, typed("fr"))).values == ("France",)


async def test_a_server_without_the_capability_is_not_asked(rooms: House) -> None:
    """MCP, Completion, Capabilities: a server that supports it "MUST declare" it."""
    assert await values(rooms, "plain", typed("x")) == ArgumentValues()
    assert [completes_arguments(declared) for declared in CAPABILITIES] == [False, False, True]


async def test_an_equal_question_is_asked_once() -> None:
    """MCP, Completion, Implementation Considerations: "SHOULD cache completion results where appropriate"."""
    sent: list[str] = []
    suggestions = Completion()
    for value in ("a", "b", "a"):
        await suggestions.values(typed(value), lambda value=value: _answer(sent, value))  # type: ignore[misc]
    assert sent == ["a", "b"]


async def test_few_of_many_completions_at_once_are_sent() -> None:
    """MCP, Completion, Security: "MUST implement appropriate rate limiting"."""
    sent: list[str] = []
    suggestions = Completion()
    found = await asyncio.gather(
        *(
            suggestions.values(typed(str(n)), lambda n=n: _answer(sent, str(n), 0.05))  # type: ignore[misc]
            for n in range(50)
        )
    )
    assert len(sent) <= completion.MOST_AT_ONCE + 1
    assert found[-1].values == ("49",)


async def test_a_failure_is_not_remembered() -> None:
    suggestions = Completion()

    async def fail() -> ArgumentValues:
        raise ConflictError("away")

    assert await suggestions.values(typed("a"), fail) == ArgumentValues()
    assert (await suggestions.values(typed("a"), lambda: _answer([], "a"))).values == ("a",)


async def _answer(sent: list[str], value: str, seconds: float = 0) -> ArgumentValues:
    sent.append(value)
    await asyncio.sleep(seconds)
    return ArgumentValues(values=(value,))
