"""Runs of a model that fail: each failure is a reason for the person, and nothing broken goes to a server."""

from __future__ import annotations

import json
import sys

import httpx2
import pytest

from tests.models.asking import (
    HELLO,
    INFO,
    KEY,
    WEATHER,
    FakeProvider,
    Slow,
    call,
    code,
    events,
    failure,
    part,
    refused,
    request,
    run,
    streamed,
    user,
)
from tests.receiver import receiving
from webclient.domain.model import Json, Reason, ReasonCode
from webclient.sampling.llm import ModelFailedError, chat_answer
from webclient.sampling.llm.openai_model import OpenAIModel
from webclient.sampling.llm.provider import ModelProvider

pytestmark = pytest.mark.anyio


async def test_a_missing_key_fails_before_anything_is_sent() -> None:
    provider = FakeProvider([streamed(*HELLO)])
    with pytest.raises(ModelFailedError) as raised:
        await run(provider.model(key="", key_variable="ACME_KEY"), request(user("hi")))
    assert raised.value.reason == Reason.of(ReasonCode.MODEL_KEY_MISSING, model="Acme", variable="ACME_KEY")
    assert provider.requests == []


async def test_an_absent_provider_and_an_unknown_host_differ() -> None:
    async with receiving() as gone:
        absent = gone.port
    for host, expected in (
        (f"127.0.0.1:{absent}", ReasonCode.NOTHING_LISTENS),
        ("nowhere.invalid", ReasonCode.HOST_UNKNOWN),
    ):
        model = OpenAIModel(INFO, ModelProvider(url=f"http://{host}/v1"))
        with pytest.raises(ModelFailedError) as raised:
            await run(model, request(user("hi")))
        assert raised.value.reason
        assert raised.value.reason.code is expected
        await model.close()


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (refused(401, "Incorrect API key provided: sk-the**************sees"), ReasonCode.MODEL_KEY_REJECTED),
        (refused(402), ReasonCode.MODEL_QUOTA_USED),
        (refused(403, f"The key {KEY} may not use this model."), ReasonCode.MODEL_REQUEST_REFUSED),
        (refused(404), ReasonCode.MODEL_UNKNOWN),
        (refused(400, "too long", code="context_length_exceeded"), ReasonCode.MODEL_REQUEST_REFUSED),
        (httpx2.Response(400, text="<html>"), ReasonCode.MODEL_REQUEST_REFUSED),
        (httpx2.Response(400, json=[[[[[[1]]]]]]), ReasonCode.MODEL_REQUEST_REFUSED),
        (refused(429), ReasonCode.MODEL_BUSY),
        (refused(429, "quota", code="insufficient_quota"), ReasonCode.MODEL_QUOTA_USED),
        (refused(500), ReasonCode.MODEL_PROVIDER_FAILED),
        (httpx2.Response(503, text="busy"), ReasonCode.MODEL_PROVIDER_FAILED),
        (httpx2.Response(302, headers={"location": "https://evil.example/v1"}), ReasonCode.MODEL_REDIRECTED),
        (httpx2.ConnectError("no"), ReasonCode.MODEL_UNREACHABLE),
        (httpx2.ConnectTimeout("no"), ReasonCode.MODEL_TIMEOUT),
        (httpx2.ReadTimeout("no"), ReasonCode.MODEL_TIMEOUT),
        (httpx2.Response(200, html="<html>"), ReasonCode.MODEL_ANSWER_UNUSABLE),
        (httpx2.Response(200), ReasonCode.MODEL_ANSWER_CUT),
        (httpx2.Response(200, json=[]), ReasonCode.MODEL_ANSWER_UNUSABLE),
        (
            httpx2.Response(200, headers={"content-type": "application/json"}),
            ReasonCode.MODEL_ANSWER_UNUSABLE,
        ),
        (streamed(*HELLO[:2], end=""), ReasonCode.MODEL_ANSWER_CUT),
        (streamed(end="data: {nonsense\n\n"), ReasonCode.MODEL_ANSWER_UNUSABLE),
        (streamed(HELLO[0], {"error": {"message": "overloaded"}}), ReasonCode.MODEL_ANSWER_FAILED),
        (streamed(part(finish="stop")), ReasonCode.MODEL_ANSWER_EMPTY),
        (streamed(part({"content": " \n"}, "stop")), ReasonCode.MODEL_ANSWER_EMPTY),
        (streamed(part(finish="length")), ReasonCode.MODEL_LIMIT_TOO_LOW),
        (streamed(part(finish="content_filter")), ReasonCode.MODEL_ANSWER_FILTERED),
        (streamed(part(call(0, "trains", "{}"), "tool_calls")), ReasonCode.MODEL_TOOL_NOT_ALLOWED),
        (
            httpx2.Response(200, headers={"content-encoding": "gzip"}, content=b""),
            ReasonCode.MODEL_ANSWER_TOO_LARGE,
        ),
    ],
)
async def test_a_failure_is_a_reason_for_the_person(answer: httpx2.Response | Exception, expected: ReasonCode) -> None:
    assert await code(answer) == expected


@pytest.mark.parametrize("content_type", ["application/json", "text/event-stream"])
@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (httpx2.ReadTimeout("no"), ReasonCode.MODEL_TIMEOUT),
        (httpx2.RemoteProtocolError("no"), ReasonCode.MODEL_ANSWER_CUT),
    ],
)
async def test_a_connection_that_is_lost_within_an_answer_is_a_reason(
    content_type: str, error: httpx2.HTTPError, expected: ReasonCode
) -> None:
    lost = Slow(events([HELLO[0]], end=""), ends_with=error)
    answer = httpx2.Response(200, headers={"content-type": content_type}, stream=lost)
    assert await code(answer) == expected
    assert lost.closed.is_set()


async def test_a_failed_request_is_not_sent_again() -> None:
    provider = FakeProvider([refused(503), streamed(*HELLO)])
    with pytest.raises(Exception, match="503"):
        await run(provider.model(), request(user("hi")))
    assert len(provider.requests) == 1


async def test_a_provider_that_wants_a_key_says_so_without_one() -> None:
    assert await code(refused(401), key=None) == ReasonCode.MODEL_KEY_WANTED


@pytest.mark.parametrize(
    ("arguments", "finish", "expected"),
    [
        ('{"city": ', "tool_calls", ReasonCode.MODEL_ARGUMENTS_INVALID),
        ("[1]", "tool_calls", ReasonCode.MODEL_ARGUMENTS_INVALID),
        ('{"n": NaN}', "tool_calls", ReasonCode.MODEL_ARGUMENTS_INVALID),
        ('{"n": 1e999}', "tool_calls", ReasonCode.MODEL_ARGUMENTS_INVALID),
        ('{"a":' * 100_000, "tool_calls", ReasonCode.MODEL_ARGUMENTS_INVALID),
        ('{"a":' * 300 + "1" + "}" * 300, "tool_calls", ReasonCode.MODEL_ARGUMENTS_INVALID),
        ('{"city": ', "length", ReasonCode.MODEL_ARGUMENTS_CUT),
    ],
)
async def test_broken_arguments_never_reach_a_server(arguments: str, finish: str, expected: ReasonCode) -> None:
    broken = streamed(part(call(0, "trains", arguments, "a")), part(finish=finish))
    assert await code(broken, WEATHER) == expected


async def test_tools_that_are_forbidden_are_not_used() -> None:
    """2025-11-25, Sampling, Tool Choice: with none, the model MUST NOT use any tools."""
    used = streamed(part(call(0, "trains", "{}", "a")), part(finish="tool_calls"))
    assert await code(used, WEATHER | {"toolChoice": {"mode": "none"}}) == ReasonCode.MODEL_TOOL_NOT_ALLOWED


async def test_an_answer_without_an_end_is_ended_at_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_answer, "LARGEST", 100)
    assert await code(streamed(*[part({"content": "x" * 60})] * 2)) == ReasonCode.MODEL_ANSWER_TOO_LARGE
    many = {"tool_calls": [{"index": n, "function": {"name": "t"}} for n in range(200)]}
    assert await code(streamed(part(many)), WEATHER) == ReasonCode.MODEL_ANSWER_TOO_LARGE


async def test_content_that_the_model_cannot_take_is_named() -> None:
    error = await failure(streamed(*HELLO), request(user({"type": "audio", "data": "", "mimeType": "audio/ogg"})))
    assert error.reason
    assert error.reason.code == ReasonCode.MODEL_CONTENT_UNSUPPORTED
    assert error.reason.params["kind"] == "audio/ogg"


async def test_nesting_that_is_too_deep_is_named() -> None:
    schema: Json = {}
    for _level in range(300):
        schema = {"not": schema}
    deep = request(user("hi"), tools=[{"name": "deep", "inputSchema": schema}])
    assert await code(streamed(*HELLO), deep) == ReasonCode.MODEL_CONTENT_UNSUPPORTED


async def test_the_message_of_a_provider_is_short_and_without_the_key() -> None:
    error = await failure(refused(400, f"{KEY} is bad. " * 100))
    assert error.reason
    assert KEY not in json.dumps(dict(error.reason.params))
    assert len(str(error.reason.params["words"])) <= 500


async def test_a_missing_package_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    assert await code(streamed(*HELLO)) == ReasonCode.MODEL_EXTRA_MISSING
