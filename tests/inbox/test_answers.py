"""Answers: a form is read once, and an answer is judged once, on the page and through the API."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.inbox.kinds.test_kinds import SCHEMA, served
from tests.inbox.test_inbox import form_request
from webclient.domain.errors import AlreadySettledError, InvalidAnswerError
from webclient.domain.model import Action, RequestState
from webclient.inbox import check_answer

pytestmark = pytest.mark.anyio


@pytest.fixture
def run_schema_work(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The list of reads of a form, checks against a schema, searches for secrets."""
    seen: list[str] = []

    def counting(word: str, do: Callable[..., Any]) -> Callable[..., Any]:
        def count(*args: Any, **options: Any) -> Any:
            seen.append(word)
            return do(*args, **options)

        return count

    for name, function, word in (
        ("inbox.kinds.prepared", "read_form", "read"),
        ("content.forms.validation", "violations", "judge"),
        ("content.forms.parse", "violations", "judge"),
        ("inbox.kinds.form", "withheld_values", "look for secrets"),
    ):
        module = import_module(f"webclient.{name}")
        monkeypatch.setattr(module, function, counting(word, getattr(module, function)))
    return seen


@pytest.mark.parametrize("name", ["Ada", "A", "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"])
async def test_a_posted_answer_is_judged_once(tmp_path: Path, run_schema_work: list[str], name: str) -> None:
    async with served(tmp_path) as (rooms, client):
        call = await rooms.call("it", "ask_form", {"schema": {**SCHEMA, "title": f"page {name}"}})
        [request] = await rooms.pending_requests(call)
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
        [request] = await rooms.pending_requests(call)
        path = f"/api/v1/requests/{request.id}/answer"
        run_schema_work.clear()
        assert (await client.post(path, json={"action": "accept", "content": {"name": 7}})).status_code == 422
        assert run_schema_work == ["judge"]
        run_schema_work.clear()
        accepted = await client.post(path, json={"action": "accept", "content": {"name": "Ada"}})
        assert (accepted.status_code, run_schema_work) == (200, ["judge", "look for secrets"])
        await rooms.ended(call)


@pytest.mark.parametrize(
    ("typed", "sent"), [("Too late.\r\nNext week?", "Too late.\nNext week?"), (" a\tb\n", "a\tb"), ("née ☃", "née ☃")]
)
async def test_a_message_keeps_its_lines_and_tabs(typed: str, sent: str) -> None:
    checked = await check_answer(form_request(), Action.DECLINE, message=typed)
    assert (checked.action, checked.message) == (Action.DECLINE, sent)


@pytest.mark.parametrize("char", ["\0", "\r", "\x7f", "\x85", "\ud800"])
async def test_a_message_with_an_unsendable_character_is_refused(char: str) -> None:
    with pytest.raises(InvalidAnswerError):
        await check_answer(form_request(), Action.DECLINE, message=f"Too{char}late")


async def test_the_outcome_comes_before_faults_of_an_answer() -> None:
    request = form_request(state=RequestState.WITHDRAWN)
    with pytest.raises(AlreadySettledError):
        await check_answer(request, Action.ACCEPT, {"name": 7}, message="No.")
