"""The registry of kinds: a new kind needs no edit elsewhere."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from jinja2 import ChoiceLoader, DictLoader

from tests.house import TOKEN, House, config, settings
from tests.mcp_servers import stdio
from webclient.content.forms.parse import Parsed
from webclient.domain.errors import InvalidAnswerError
from webclient.domain.model import Action, CallState, Era, InputRequest, Json, Mode, RequestState
from webclient.inbox import KINDS, CheckedAnswer, Kind, kinds
from webclient.runtime.app import create_app
from webclient.web.http.templating import environment

pytestmark = pytest.mark.anyio

SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string", "minLength": 2}, "n": {"type": "integer", "default": 5}},
    "required": ["name"],
}


class Toy(Kind):
    """A number to guess."""

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
    """Serve the program in this process; yield it and a client."""
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


async def test_a_new_kind_is_recognised_shown_and_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = environment.loader
    assert ours
    monkeypatch.setattr(environment, "loader", ChoiceLoader([DictLoader({Toy().template: TOY}), ours]))
    monkeypatch.setattr(kinds, "KINDS", [Toy(), *KINDS])
    async with served(tmp_path) as (rooms, client):
        call = await rooms.call("it", "ask_form", {"schema": SCHEMA, "message": "Guess a number"})
        [request] = await rooms.pending_requests(call)
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
        assert f'id="entry-{request.id}"' in (await client.get("/history")).text
