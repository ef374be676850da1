"""The real package against OpenAI-compatible servers by others: tools over three turns, streaming, errors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.models.asking import INFO, KEY, request, result, run, text_of, tool, user
from tests.models.foreign import BOOK, BOOKED, LAST, LOOK, TRAINS, WEATHER, aimock, fakellm
from webclient.domain.model import Json, ReasonCode
from webclient.sampling.llm import ModelFailedError, TextPiece, ToolUsePiece
from webclient.sampling.llm.openai_model import OpenAIModel
from webclient.sampling.llm.provider import ModelProvider

pytestmark = pytest.mark.anyio

TOOLS = [tool("weather", city={"type": "string"}), tool("trains", to={"type": "string"}), tool("book")]


@pytest.fixture(scope="module", params=[fakellm, aimock], ids=["fakellm", "aimock"])
def url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("foreign")
    with request.param(folder) as address:
        yield address


def model(url: str, key: str | None = KEY, *, streams: bool = True) -> OpenAIModel:
    return OpenAIModel(INFO, ModelProvider(url=url, key=key, streams=streams))


@pytest.mark.parametrize("streams", [True, False])
async def test_tools_are_used_over_three_turns(url: str, streams: bool) -> None:
    """The server that asks runs the tools and asks again with the whole history (2025-11-25, Sampling with Tools)."""
    # fakellm takes conversations with the same first message for one.
    messages = [user(f"Find me a warm place, and a train. Stream: {streams}")]
    pieces, done = await run(model(url, streams=streams), request(*messages, tools=TOOLS))
    first = done.result["content"]
    assert [(each["name"], each["input"]) for each in first if each["type"] == "tool_use"] == LOOK
    assert done.result["stopReason"] == "toolUse"
    assert {piece.index for piece in pieces if isinstance(piece, ToolUsePiece)} == {0, 1}

    ids = [each["id"] for each in first if each["type"] == "tool_use"]
    messages += [_said(done.result), user(result(ids[0], WEATHER), result(ids[1], TRAINS))]
    _pieces, done = await run(model(url, streams=streams), request(*messages, tools=TOOLS))
    (book,) = [each for each in done.result["content"] if each["type"] == "tool_use"]
    assert [(book["name"], book["input"])] == BOOK

    messages += [_said(done.result), user(result(book["id"], BOOKED))]
    pieces, done = await run(model(url, streams=streams), request(*messages, tools=TOOLS))
    assert done.result["content"] == {"type": "text", "text": LAST}
    assert done.result["stopReason"] == "endTurn"
    assert text_of(pieces) == LAST
    # A stream comes in several parts.
    assert (len([piece for piece in pieces if isinstance(piece, TextPiece)]) > 1) is streams
    assert done.usage.output_tokens > 0


@pytest.mark.parametrize(
    ("words", "code"), [("busy", ReasonCode.MODEL_BUSY), ("wrong", ReasonCode.MODEL_REQUEST_REFUSED)]
)
async def test_an_error_of_a_real_server_is_a_reason(url: str, words: str, code: ReasonCode) -> None:
    with pytest.raises(ModelFailedError) as raised:
        # fakellm has no errors for streams.
        await run(model(url, streams=False), request(user(words)))
    assert raised.value.reason
    assert raised.value.reason.code == code
    assert raised.value.reason.params.get("words", "This is wrong") == "This is wrong"


async def test_a_wrong_key_is_a_reason_without_the_key(tmp_path: Path) -> None:
    with aimock(tmp_path) as url, pytest.raises(ModelFailedError) as raised:
        await run(model(url, "sk-another-key"), request(user("hi")))
    assert raised.value.reason
    assert raised.value.reason.code == ReasonCode.MODEL_KEY_REJECTED
    assert "sk-" not in str(raised.value)


def _said(answer: Json) -> Json:
    return {"role": "assistant", "content": answer["content"]}
