"""A model of an OpenAI-compatible provider: what it sends, with the provider in this process."""

from __future__ import annotations

import asyncio
import logging
from contextlib import aclosing

import httpx2
import pytest

from tests.models.asking import (
    HELLO,
    INFO,
    KEY,
    URL,
    WEATHER,
    FakeProvider,
    Slow,
    assistant,
    code,
    events,
    refused,
    request,
    result,
    run,
    streamed,
    use,
    user,
)
from webclient.domain.model import Json
from webclient.sampling.llm import Models
from webclient.sampling.llm.openai_model import OpenAIModel
from webclient.sampling.llm.provider import ModelProvider, host_of

pytestmark = pytest.mark.anyio


async def test_the_key_goes_to_the_provider_alone_with_few_headers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-another-provider")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-another-provider")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "x-secret: 1")
    provider = FakeProvider([streamed(*HELLO)])
    model = provider.model()
    await run(model, request(user("hi")))
    (sent,) = provider.requests
    assert str(sent.url) == f"{URL}/chat/completions"
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert "another" not in str(sent.headers)
    assert not any(name.startswith("x-") for name in sent.headers)
    assert KEY not in repr(model._provider) + repr(model.info)


async def test_a_model_without_a_key_sends_none() -> None:
    provider = FakeProvider([streamed(*HELLO)])
    await run(provider.model(key=None), request(user("hi")))
    assert "authorization" not in provider.requests[0].headers


async def test_a_conversation_with_results_goes_back_to_the_model() -> None:
    provider = FakeProvider([streamed(*HELLO)])
    turns = [*WEATHER["messages"], assistant(use("weather.now", "call_a", city="Ulm")), user(result("call_a", "3 °C"))]
    await run(provider.model(), WEATHER | {"messages": turns})
    body = provider.bodies[0]
    name = body["tools"][0]["function"]["name"]
    assert body["messages"][1]["tool_calls"][0]["function"]["name"] == name != "weather.now"
    assert body["messages"][2] == {"role": "tool", "tool_call_id": "call_a", "content": "3 °C"}


async def test_a_model_that_wants_the_newer_limit_gets_it() -> None:
    """2026-07-28, Sampling: the client MUST respect maxTokens (S5), so the limit is renamed and never left out."""
    provider = FakeProvider(
        [
            refused(400, "Unsupported parameter: 'max_tokens' is not supported. Use …", param="max_tokens"),
            refused(400, "Unsupported value: 'temperature' does not support 0.2 with this model."),
            refused(422, "", detail=[{"msg": "x", "loc": ["body"]}], param="stop"),
            streamed(*HELLO),
            streamed(*HELLO),
        ]
    )
    model = provider.model()
    params = request(user("hi"), temperature=0.2, stopSequences=["###"])
    models = Models([model])
    for _time in range(2):
        assert [piece async for piece in models.generate("acme", params)]
    await models.close()
    *_, adapted, again = provider.bodies
    assert len(provider.bodies) == 5
    assert adapted == again
    assert adapted["max_completion_tokens"] == 100
    assert not {"max_tokens", "temperature", "stop"} & adapted.keys()


async def test_a_refused_limit_is_not_sent_for_ever() -> None:
    provider = FakeProvider([refused(400, "no", param="max_tokens"), refused(400, "no", param="max_completion_tokens")])
    with pytest.raises(Exception, match="no"):
        await run(provider.model(), request(user("hi")))
    assert len(provider.requests) == 2


async def test_parameters_that_the_file_leaves_out_are_not_sent() -> None:
    provider = FakeProvider([streamed(*HELLO)])
    model = provider.model(omit=frozenset({"temperature", "stream_options"}), limit="max_completion_tokens")
    await run(model, request(user("hi"), temperature=1))
    assert not {"temperature", "stream_options", "max_tokens"} & provider.bodies[0].keys()
    assert provider.bodies[0]["max_completion_tokens"] == 100


@pytest.mark.parametrize(
    ("params", "sent"),
    [
        (request(user("half \ud800")), "half \ufffd"),
        (request(user("whole 😀")), "whole 😀"),
        (request(user("nul \0"), temperature=float("nan")), "nul \0"),
    ],
)
async def test_text_that_json_lacks_is_replaced(params: Json, sent: str) -> None:
    provider = FakeProvider([streamed(*HELLO)])
    await run(provider.model(), params)
    assert provider.bodies[0]["messages"][0]["content"] == sent
    assert provider.bodies[0].get("temperature") is None


@pytest.mark.parametrize("is_cancelled", [True, False])
async def test_ending_a_run_closes_the_stream_of_the_provider(is_cancelled: bool) -> None:
    body = Slow(events([HELLO[0]], end=""))
    provider = FakeProvider([httpx2.Response(200, headers={"content-type": "text/event-stream"}, stream=body)])
    models = Models([provider.model()])
    begun = asyncio.Event()

    async def consume() -> None:
        async with aclosing(models.generate("acme", request(user("hi")))) as pieces:
            async for _piece in pieces:
                begun.set()
                if not is_cancelled:
                    return

    task = asyncio.create_task(consume())
    await begun.wait()
    if is_cancelled:
        task.cancel()
    await asyncio.wait([task])
    assert body.closed.is_set()
    await models.close()


async def test_no_log_has_the_conversation_or_the_key(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG), caplog.at_level(logging.DEBUG, logger="openai"):
        await run(FakeProvider([streamed(*HELLO)]).model(), request(user("my secret plan")))
        await code(refused(400, "Bad request"))
    assert "secret plan" not in caplog.text
    assert KEY not in caplog.text


async def test_a_model_that_never_ran_closes_at_once() -> None:
    await OpenAIModel(INFO, ModelProvider(url=URL)).close()


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://api.openai.com/v1", "api.openai.com"),
        ("http://127.0.0.1:11434/v1", "127.0.0.1:11434"),
        ("http://[::1]:8000/v1", "[::1]:8000"),
    ],
)
def test_a_host_has_its_port_and_nothing_else(url: str, host: str) -> None:
    assert host_of(url) == host
