"""The kinds of requests: a new one needs no edit elsewhere, and an answer is read once and judged once."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import httpx2
import pytest
from jinja2 import ChoiceLoader, DictLoader

from tests.house import TOKEN, House, config, settings
from tests.mcp_servers import stdio
from webclient.app import create_app
from webclient.errors import InvalidAnswerError
from webclient.forms.parse import Parsed
from webclient.http.templating import environment
from webclient.inbox import KINDS, CheckedAnswer, Kind, kinds
from webclient.model import Action, CallState, Era, InputRequest, Json, Mode, RequestState

pytestmark = pytest.mark.anyio

SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string", "minLength": 2}, "n": {"type": "integer", "default": 5}},
    "required": ["name"],
}


class Toy(Kind):
    """A number that is to be guessed."""

    name = "toy"
    mode = Mode.FORM

    def takes(self, method: str, params: Json) -> bool:
        return method == "elicitation/create" and str(params.get("message", "")).startswith("Guess")

    def read(self, request: InputRequest, posted: Any) -> Parsed:
        del request
        return Parsed(content={"guess": int(dict(posted)["guess"])})

    def check_parsed(self, request: InputRequest, parsed: Parsed) -> CheckedAnswer:
        return self.check_accepted(request, parsed.content)

    def check_accepted(self, request: InputRequest, content: Json | None) -> CheckedAnswer:
        if (content or {}).get("guess") != 7:
            raise InvalidAnswerError("Guess again.", {"": "Guess again."})
        return CheckedAnswer(request=request, action=Action.ACCEPT, content=content)


TOY = '<article class="card" id="request-{{ card.request.id }}">A toy{{ card.errors.get("") }}</article>'


@asynccontextmanager
async def served(data_dir: Path) -> AsyncIterator[tuple[House, httpx2.AsyncClient]]:
    """Give the program in this process, with the asking server, and a client of its pages and API."""
    app = create_app(settings(data_dir), [config("it", stdio("asker", "--era", Era.PUSH))])
    async with app.router.lifespan_context(app):
        client = httpx2.AsyncClient(
            transport=httpx2.ASGITransport(app=app),
            base_url="http://127.0.0.1:8000",
            headers={"Authorization": f"Bearer {TOKEN}"},
        )
        async with client:
            rooms = House(app.state.services)
            await rooms.connected("it")
            yield rooms, client


async def test_a_new_kind_is_taken_in_shown_and_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = environment.loader
    assert ours
    monkeypatch.setattr(environment, "loader", ChoiceLoader([DictLoader({Toy().template: TOY}), ours]))
    monkeypatch.setattr(kinds, "KINDS", [Toy(), *KINDS])
    async with served(tmp_path) as (rooms, client):
        call = await rooms.call("it", "ask_form", {"schema": SCHEMA, "message": "Guess a number"})
        [request] = await rooms.asked(call)
        assert request.kind == "toy"
        assert (await client.get(f"/api/v1/requests/{request.id}")).json()["kind"] == "toy"
        assert f'id="request-{request.id}">A toy' in (await client.get("/")).text
        wrong = await client.post(f"/requests/{request.id}", data={"action": "accept", "guess": "3"})
        assert (wrong.status_code, "A toyGuess again." in wrong.text) == (422, True)
        wrong = await client.post(f"/api/v1/requests/{request.id}/answer", json={"action": "accept"})
        assert wrong.status_code == 422
        await client.post(f"/requests/{request.id}", data={"action": "accept", "guess": "7"})
        ended = await rooms.ended(call)
        assert ended.state is CallState.DONE
        assert '"guess": 7' in str(ended.result)
        answered = await rooms.settled(request)
        assert (answered.state, answered.content) == (RequestState.ACCEPTED, {"guess": 7})
        assert "You answered it." in (await client.get("/history")).text


@pytest.fixture
def run_schema_work(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every time that a form is read, or content judged by a schema."""
    seen: list[str] = []

    def counting(word: str, do: Callable[..., Any]) -> Callable[..., Any]:
        def count(*args: Any, **options: Any) -> Any:
            seen.append(word)
            return do(*args, **options)

        return count

    for name, function, word in (
        ("inbox.kinds.prepared", "read_form", "read"),
        ("forms.validation", "violations", "judge"),
        ("forms.parse", "violations", "judge"),
        ("inbox.kinds.form", "withheld_values", "look for secrets"),
    ):
        module = import_module(f"webclient.{name}")
        monkeypatch.setattr(module, function, counting(word, getattr(module, function)))
    return seen


@pytest.mark.parametrize("name", ["Ada", "A", "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"])
async def test_a_posted_answer_is_judged_once(tmp_path: Path, run_schema_work: list[str], name: str) -> None:
    async with served(tmp_path) as (rooms, client):
        call = await rooms.call("it", "ask_form", {"schema": {**SCHEMA, "title": f"page {name}"}})
        [request] = await rooms.asked(call)
        await client.get("/")
        assert run_schema_work == ["read", "judge"]
        run_schema_work.clear()
        posted = await client.post(f"/requests/{request.id}", data={"action": "accept", "f0": name, "f1": "5"})
        assert posted.status_code == (303 if name == "Ada" else 422)
        assert run_schema_work.count("judge") == 1
        assert "read" not in run_schema_work
        assert run_schema_work.count("look for secrets") <= 1
        await rooms.services.calls.cancel(call) if name != "Ada" else await rooms.ended(call)


async def test_an_answer_of_a_program_is_judged_once(tmp_path: Path, run_schema_work: list[str]) -> None:
    async with served(tmp_path) as (rooms, client):
        call = await rooms.call("it", "ask_form", {"schema": {**SCHEMA, "title": "api"}})
        [request] = await rooms.asked(call)
        path = f"/api/v1/requests/{request.id}/answer"
        run_schema_work.clear()
        assert (await client.post(path, json={"action": "accept", "content": {"name": 7}})).status_code == 422
        assert run_schema_work == ["read", "judge"]
        run_schema_work.clear()
        accepted = await client.post(path, json={"action": "accept", "content": {"name": "Ada"}})
        assert (accepted.status_code, run_schema_work) == (200, ["judge", "look for secrets"])
        await rooms.ended(call)
