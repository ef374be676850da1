"""The API of sampling, without a model: the person is the model."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.api.test_server_rules import patched
from tests.mcp_servers import asker_entries
from tests.program import Api, Program, program
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

PARAMS: Json = {
    "messages": [{"role": "user", "content": {"type": "text", "text": "Hello"}}],
    "maxTokens": 100,
    "systemPrompt": "Be brief.",
}
ANSWER: Json = {"role": "assistant", "content": {"type": "text", "text": "Hi"}, "model": "a program"}


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    entries = {name: entry for name, entry in asker_entries().items() if name == "push"}
    async with program(tmp_path_factory.mktemp("sampling"), servers=entries) as served:
        yield served


async def test_a_program_edits_and_answers_a_sampling_request(api: Api) -> None:
    """The contract, section 7: the content is the result as MCP has it."""
    call = await api.call("push", "sample", {"params": PARAMS})
    [request] = await api.pending_requests(call)
    assert (request["kind"], request["sampling"]) == (
        "sampling",
        {"stage": "pending", "conversation": request["id"], "turn": 1, "seen": 0},
    )
    path = f"/requests/{request['id']}"
    edited = PARAMS | {"systemPrompt": "Be kind."}
    changed = await api.json("PATCH", f"{path}/sampling", json={"params": edited})
    assert (changed["sampling"]["edited"], changed["params"]["systemPrompt"]) == (edited, "Be brief.")
    wrong = await api.json("PATCH", f"{path}/sampling", 422, json={"params": PARAMS | {"maxTokens": 1000}})
    assert list(wrong["errors"]) == ["maxTokens"]
    assert "edited" not in (await api.json("PATCH", f"{path}/sampling", json={"params": None}))["sampling"]
    assert (await api.json("GET", "/models"))["models"] == []
    refused = await api.json("POST", f"{path}/generate", 409, json={})
    assert refused["reason_code"] == "sampling_no_model"
    assert (await api.json("PATCH", f"{path}/sampling", 409, json={"result": ANSWER}))["status"] == 409
    assert (await api.json("POST", f"{path}/stop"))["sampling"]["stage"] == "pending"
    wrong = await api.json("POST", f"{path}/answer", 422, json={"action": "accept", "content": {"text": "Hi"}})
    assert wrong["errors"]
    await api.json("POST", f"{path}/answer", 422, json={"action": "accept"})
    answered = await api.json("POST", f"{path}/answer", json={"action": "accept", "content": ANSWER})
    assert (answered["state"], answered["content"], "stage" in answered["sampling"]) == ("accepted", ANSWER, False)
    done = await api.in_state(call, "done")
    assert done["result"]["structuredContent"] == ANSWER
    await api.json("POST", f"{path}/generate", 409, json={})


async def test_the_rule_of_a_server_is_changed_key_by_key(api: Api) -> None:
    rule = (await patched(api, "push", sampling={"approve": True, "tokens": 1000}))["sampling"]
    assert (rule["approve"], rule["unseen"], rule["turns"], rule["tokens"]) == (True, False, 25, 1000)
    rule = (await patched(api, "push", sampling={"approve": False, "tokens": None}))["sampling"]
    assert (rule["approve"], rule["tokens"]) == (False, None)
    for wrong in ({"turns": 0}, {"tokens": -1}, {"approve": 1}, {"unknown": 1}, {"cost": "much"}):
        await patched(api, "push", 422, sampling=wrong)
    spent = await api.json("GET", f"/servers/{await api.server('push')}/sampling")
    assert (spent["requests"], spent["tokens"], spent["costs"]) == (0, 0, {})


async def test_other_questions_have_no_stages(api: Api) -> None:
    [request] = await api.pending_requests(await api.call("push", "ask_form"))
    for method, path in (("PATCH", "sampling"), ("POST", "generate"), ("POST", "stop")):
        body: Json = {"params": PARAMS} if method == "PATCH" else {}
        refused = await api.json(method, f"/requests/{request['id']}/{path}", 409, json=body)
        assert refused["reason_code"] == "sampling_other_kind"
    await api.answer(request, action="cancel")
