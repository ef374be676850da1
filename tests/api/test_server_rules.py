"""A user's permissions for a server, through the API."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.mcp_servers import asker_entries, running
from tests.program import Api, Program, program
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    async with program(tmp_path_factory.mktemp("rules"), servers=asker_entries()) as served:
        yield served


async def patched(api: Api, name: str, status: int = 200, **values: object) -> Json:
    server = await api.server(name)
    changed: Json = await api.json("PATCH", f"/servers/{server}", status, json=values)
    return changed


async def test_modes_and_label_are_changed_and_shown(api: Api) -> None:
    changed = await patched(api, "rounds", modes=["url"], label="rounded")
    assert (changed["modes"], changed["label"]) == (["url"], "rounded")
    assert (await api.json("GET", f"/servers/{changed['id']}"))["modes"] == ["url"]
    changed = await patched(api, "rounded", modes=["url", "form", "url"], label="rounds")
    assert changed["modes"] == ["form", "url"]


async def test_extensions_are_switched_off_and_on(api: Api) -> None:
    every = [
        "io.modelcontextprotocol/oauth-client-credentials",
        "io.modelcontextprotocol/enterprise-managed-authorization",
    ]
    every += ["io.modelcontextprotocol/tasks"]
    assert (await patched(api, "rounds", extensions=every[1:]))["extensions"] == every[1:]
    assert (await patched(api, "rounds", modes=["form"]))["extensions"] == every[1:]
    assert (await patched(api, "rounds", extensions=[*every, *every]))["extensions"] == every
    await patched(api, "rounds", 422, extensions=["io.modelcontextprotocol/dance"])


async def test_an_unsuitable_server_setting_gets_422(api: Api) -> None:
    await patched(api, "push", 422, modes=["dance"])
    await patched(api, "push", 422, label="")
    await patched(api, "push", 422, muted=0)
    await patched(api, "push", 422, transport={"type": "stdio", "command": "sh"})


async def test_reconnecting_interrupts_pending_requests_visibly(api: Api) -> None:
    [request] = await api.pending_requests(await api.call("push", "ask_form"))
    await patched(api, "push", modes=["form"])
    interrupted = await api.json("GET", f"/requests/{request['id']}")
    assert (interrupted["state"], interrupted["reason_code"]) == ("interrupted", "permissions_changed")
    await api.server("push")


async def test_a_server_is_added_with_modes_and_its_era_can_be_changed(api: Api) -> None:
    async with running() as asker:
        body = {"label": "new", "transport": {"type": "http", "url": asker.address}, "modes": ["form"]}
        added = await api.json("POST", "/servers", 201, json=body)
        assert added["modes"] == ["form"]
        await api.json("POST", f"/servers/{added['id']}/connect", 202)
        assert await api.server("new") == added["id"]
        await patched(api, "new", era="2025-11-25")
        await api.server("new")
        server = await api.json("GET", f"/servers/{added['id']}")
        assert (server["era"], server["protocol_version"]) == ("2025-11-25", "2025-11-25")
        await api.delete(f"/servers/{added['id']}")


async def test_headers_are_replaced_and_never_shown(api: Api) -> None:
    async with running() as asker:
        transport = {"type": "http", "url": asker.address, "headers": {"X-Old": "v3rmilion"}}
        added = await api.json("POST", "/servers", 201, json={"label": "moved", "transport": transport})
        await api.json("POST", f"/servers/{added['id']}/connect", 202)
        [request] = await api.pending_requests(await api.call("moved", "ask_form"))
        changed = await patched(api, "moved", headers={"X-New": "s3cret-value"})
        assert changed["transport"]["headers"] == ["X-New"]
        assert "s3cret-value" not in str(changed)
        interrupted = await api.json("GET", f"/requests/{request['id']}")
        assert (interrupted["state"], interrupted["reason_code"]) == ("interrupted", "address_changed")
        await patched(api, "moved", 422, headers={"X-New": "two\nlines"})
        await api.delete(f"/servers/{added['id']}")
    await patched(api, "push", 403, headers={"X-New": "1"}, label="renamed")
    await api.server("push")


async def test_a_muted_server_is_cancelled_and_unmuted_asks_again(api: Api) -> None:
    call = await api.call("rounds", "ask_form")
    [request] = await api.pending_requests(call)
    assert (await patched(api, "rounds", muted=True))["muted"] is True
    done = await api.in_state(call, "done")
    assert done["result"]["structuredContent"] == {"action": "cancel"}
    cancelled = await api.json("GET", f"/requests/{request['id']}")
    assert (cancelled["state"], cancelled["reason_code"]) == ("cancelled", "server_muted")
    assert (await patched(api, "rounds", muted=False))["muted"] is False
    [request] = await api.pending_requests(await api.call("rounds", "ask_form"))
    await api.answer(request, action="cancel")


async def test_all_requests_of_a_server_are_declined_at_once(api: Api) -> None:
    call = await api.call("rounds", "ask_many", {"n": 3})
    waiting = await api.pending_requests(call)
    path = f"/servers/{await api.server('rounds')}/decline-all"
    declined = (await api.json("POST", path))["requests"]
    assert [(each["id"], each["state"]) for each in declined] == [(each["id"], "declined") for each in waiting]
    assert (await api.json("POST", path))["requests"] == []
    done = await api.in_state(call, "done")
    assert {each["action"] for each in done["result"]["structuredContent"].values()} == {"decline"}


async def test_each_reason_for_which_a_round_is_refused_is_an_entry(api: Api) -> None:
    await patched(api, "rounds", modes=["form"])
    call = await api.call("rounds", "ask_everything")
    await api.in_state(call, "failed")
    found = (await api.json("GET", "/requests", params={"call_id": call["id"]}))["requests"]
    assert {(each["kind"], each["state"], "count" in each) for each in found} == {
        ("url", "refused", False),
        ("sampling", "refused", False),
        ("roots", "refused", False),
    }
    await patched(api, "rounds", modes=["form", "url"])


async def test_folders_are_patched_and_checked(api: Api) -> None:
    body = {"label": "folders", "transport": {"type": "http", "url": "http://127.0.0.1:9/mcp"}, "roots": []}
    server = await api.json("POST", "/servers", 201, json=body)
    path = f"/servers/{server['id']}"
    assert server["roots"] == []
    changed = await api.json("PATCH", path, json={"roots": [{"uri": "/home/me", "name": "Me"}]})
    assert changed["roots"] == [{"uri": "file:///home/me", "name": "Me"}]
    wrong = await api.json("PATCH", path, 422, json={"roots": [{"uri": "/a"}, {"uri": "https://example.com/"}]})
    assert set(wrong["errors"]) == {"roots.1"}
    assert (await api.json("PATCH", path, json={"label": "still"}))["roots"] == changed["roots"]
    assert "roots" not in await api.json("PATCH", path, json={"roots": None})
    local = await api.server("push")
    await api.json("PATCH", f"/servers/{local}", 403, json={"roots": [{"uri": "/"}]})
