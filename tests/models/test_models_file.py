"""The models file: entries, keys from the environment, and the sentence on the first mistake."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.house import settings
from tests.models.asking import HELLO as ANSWER
from tests.models.asking import FakeProvider, request, run, streamed, user
from webclient.domain.model import Json, ReasonCode
from webclient.sampling.llm import ModelFailedError, Models, Prices, read_models
from webclient.sampling.llm.openai_model import OpenAIModel
from webclient.services import build
from webclient.settings import ConfigError

pytestmark = pytest.mark.anyio

LOCAL: Json = {"id": "qwen", "model": "qwen3:8b", "baseUrl": "http://127.0.0.1:11434/v1"}
HOSTED: Json = {
    "id": "gpt",
    "model": "gpt-9",
    "label": "GPT 9",
    "baseUrl": "https://api.example.com/v1",
    "apiKeyEnv": "GPT_KEY",
    "intelligence": 0.9,
    "speed": 0.4,
    "cost": 0.8,
    "prices": {"input": 2.5, "output": 10, "currency": "EUR"},
    "standsFor": ["claude"],
    "limit": "max_completion_tokens",
    "omit": ["temperature"],
    "audio": True,
    "images": False,
    "stream": False,
    "silenceSeconds": 60,
}
SCRIPTED: Json = {"id": "script", "model": "scripted", "script": [{"text": "Hello to you"}]}


def written(folder: Path, content: Any) -> Path:
    path = folder / "models.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return path


def read(folder: Path, *entries: Json, **environ: str) -> Models:
    return Models(read_models(written(folder, {"models": list(entries)}), environ))


def error(folder: Path, content: Any) -> str:
    with pytest.raises(ConfigError) as raised:
        read_models(written(folder, content), {})
    return str(raised.value)


def test_a_model_has_its_names_figures_and_prices(tmp_path: Path) -> None:
    local, hosted = read(tmp_path, LOCAL, HOSTED).all
    assert (local.label, local.name, local.host) == ("qwen3:8b", "qwen3:8b", "127.0.0.1:11434")
    assert (local.intelligence, local.speed, local.cost, local.prices) == (0.5, 0.5, 0.5, None)
    assert (hosted.label, hosted.name, hosted.host) == ("GPT 9", "gpt-9", "api.example.com")
    assert (hosted.intelligence, hosted.speed, hosted.cost) == (0.9, 0.4, 0.8)
    assert (hosted.prices, hosted.stands_for) == (Prices(input=2.5, output=10, currency="EUR"), ("claude",))


def test_how_a_model_is_asked_comes_from_the_file(tmp_path: Path) -> None:
    (model,) = read_models(written(tmp_path, {"models": [HOSTED]}), {"GPT_KEY": "sk-1", "OTHER_KEY": "sk-2"})
    assert isinstance(model, OpenAIModel)
    provider = model._provider
    assert (provider.url, provider.key, provider.limit) == (
        "https://api.example.com/v1",
        "sk-1",
        "max_completion_tokens",
    )
    assert (provider.omit, provider.streams, provider.seconds) == (frozenset({"temperature"}), False, 60)
    assert (provider.accepts.images, provider.accepts.audio) == (False, True)
    assert "sk-1" not in repr(provider)


async def test_a_key_that_is_not_set_is_missed_when_the_model_runs(tmp_path: Path) -> None:
    models = read(tmp_path, HOSTED)
    with pytest.raises(ModelFailedError) as raised:
        await anext(models.generate("gpt", request(user("hi"))))
    assert raised.value.reason
    assert raised.value.reason.code == ReasonCode.MODEL_KEY_MISSING
    assert raised.value.reason.params["variable"] == "GPT_KEY"


def test_a_key_is_stripped_and_checked_without_being_shown(tmp_path: Path) -> None:
    path = written(tmp_path, {"models": [LOCAL, HOSTED]})
    (_local, model) = read_models(path, {"GPT_KEY": " sk-1\n"})
    assert isinstance(model, OpenAIModel)
    assert model._provider.key == "sk-1"
    for key in ("sk-hidden\nmore", "sk-hidden-ä", "sk-hidden\0"):
        with pytest.raises(ConfigError) as raised:
            read_models(path, {"GPT_KEY": key})
        assert "models[1].apiKeyEnv" in str(raised.value)
        assert "hidden" not in str(raised.value)


async def test_a_scripted_model_needs_no_provider(tmp_path: Path) -> None:
    (model,) = read_models(written(tmp_path, {"models": [SCRIPTED]}), {})
    _pieces, done = await run(model, request(user("hi")))
    assert done.result["content"]["text"] == "Hello to you"


def test_comments_and_trailing_commas_are_allowed(tmp_path: Path) -> None:
    path = written(tmp_path, '{"models": [ /* none yet */ ], // later\n}')
    assert read_models(path, {}) == []


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ("{", "models.json:1"),
        ([], "array"),
        ({}, "models"),
        ({"models": {}}, "models"),
        ({"models": [LOCAL], "keys": {}}, "keys"),
        ({"models": [LOCAL, LOCAL]}, "qwen"),
        ({"models": [{"id": "a"}]}, "models[0].model"),
        ({"models": [{"id": "a b", "model": "x", "baseUrl": "http://[::1]/v1"}]}, "models[0].id"),
        ({"models": [{"id": "a", "model": "x"}]}, "baseUrl"),
        ({"models": [LOCAL | {"script": [{"text": "x"}]}]}, "baseUrl"),
        ({"models": [LOCAL | {"baseUrl": "ftp://x"}]}, "models[0].baseUrl"),
        ({"models": [LOCAL | {"baseUrl": "https://user:hidden@x/v1"}]}, "password"),
        ({"models": [LOCAL | {"baseUrl": "https://x/v1?key=hidden"}]}, "query"),
        ({"models": [LOCAL | {"apiKey": "hidden"}]}, "models[0].apiKey"),
        ({"models": [LOCAL | {"intelligence": 2}]}, "models[0].intelligence"),
        ({"models": [LOCAL | {"omit": ["max_tokens"]}]}, "models[0].omit"),
        ({"models": [LOCAL | {"prices": {"input": -1, "output": 1}}]}, "models[0].prices.input"),
        ({"models": [LOCAL | {"baseUrl": "http://gpu.example.com/v1", "apiKeyEnv": "KEY"}]}, "https"),
    ],
)
def test_a_mistake_is_a_sentence_with_its_place(tmp_path: Path, content: Any, place: str) -> None:
    found = error(tmp_path, content)
    assert place in found
    assert "hidden" not in found
    assert found.endswith(".")


def test_a_key_goes_over_http_within_this_machine_or_if_allowed(tmp_path: Path) -> None:
    for url in ("http://127.0.0.1:1/v1", "http://localhost:1/v1", "http://[::1]:1/v1", "https://gpu.example.com/v1"):
        assert read(tmp_path, LOCAL | {"baseUrl": url, "apiKeyEnv": "KEY"}).all
    allowed = {"baseUrl": "http://gpu.example.com/v1", "apiKeyEnv": "KEY", "allowHttp": True}
    assert read(tmp_path, LOCAL | allowed).all
    assert read(tmp_path, LOCAL | {"baseUrl": "http://gpu.example.com/v1"}).all


def test_a_missing_file_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        read_models(tmp_path / "none.json", {})


def test_the_services_have_the_models_of_the_settings(tmp_path: Path) -> None:
    path = written(tmp_path, {"models": [LOCAL]})
    assert [each.id for each in build(settings(tmp_path, models=path)).models.all] == ["qwen"]
    assert build(settings(tmp_path)).models.all == []


async def test_a_model_takes_its_address_as_it_is_written() -> None:
    provider = FakeProvider([streamed(*ANSWER)])
    await run(provider.model(url="http://127.0.0.1:1/openai/v1/"), request(user("hi")))
    assert str(provider.requests[0].url) == "http://127.0.0.1:1/openai/v1/chat/completions"
