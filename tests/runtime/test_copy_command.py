"""`mcp-webclient copy`: a program that moves from SQLite to PostgreSQL shows the same, and goes on where it was."""

from __future__ import annotations

import asyncio
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.forks import launched
from tests.mcp_servers import STATE_KEY, running
from tests.postgresql import PostgreSQL
from tests.program import Api, Program, program
from webclient.domain.model import Json
from webclient.runtime.exit_status import TEMPORARY, USAGE

pytestmark = pytest.mark.anyio

TOKEN = "a token that stays the same"
AS_PROXY = [
    "--identity",
    "local",
    "--identity",
    "proxy",
    "--auth-header",
    "Remote-User",
    "--trusted-proxy",
    "127.0.0.1",
]
FORM: Json = {"type": "object", "properties": {"name": {"type": "string"}}}
FORM_REQUEST: Json = {"kind": "form", "message": "Who?", "requestedSchema": FORM}


def copy(folder: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run the command on the data folder of a program."""
    line = launched("webclient", "copy", "--data-dir", str(folder / "data"), *arguments)
    env = {**os.environ, **environ}
    return subprocess.run(line, env=env, capture_output=True, encoding="utf-8", check=False)


async def seen(served: Program, api: Api) -> dict[str, Any]:
    """Return what people and programs see."""
    found: dict[str, Any] = {
        path: await api.json("GET", path) for path in ("/tokens", "/history", "/requests?state=pending", "/calls")
    }
    servers = (await api.json("GET", "/servers"))["servers"]
    found["/servers"] = sorted((each["id"], each["label"], str(each["transport"])) for each in servers)
    trail = (await api.get(f"{served.base}/admin/audit", headers={"Accept": "text/html"})).text
    found["/admin/audit"] = trail.count("data-action=")
    return found


async def test_a_program_goes_on_in_postgresql(
    tmp_path: Path, postgresql: PostgreSQL, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEBCLIENT_TOKEN", TOKEN)
    with postgresql.database(empty=True) as name:
        url = postgresql.url(name)
        async with running(arguments=["--state-key", STATE_KEY]) as asker:
            servers = {"rounds": {"url": asker.address, "era": "2026-07-28"}}
            async with program(tmp_path, servers=servers, options=AS_PROXY) as served, served.client() as api:
                done = await api.call("rounds", "ask_form")
                [request] = await api.pending_requests(done)
                await api.answer(request, action="accept", content={"name": "Ada"})
                await api.in_state(done, "done")
                call = await api.call("rounds", "ask_form")
                [waiting] = await api.pending_requests(call)
                made = await api.json("POST", "/tokens", 201, json={"label": "Agent", "scopes": ["ask"]})
                agent = {"Authorization": f"Bearer {made['secret']}"}
                form_request = await api.json("POST", "/requests", 201, json=FORM_REQUEST, headers=agent)
                signed_in = await api.post(f"{served.base}/login", data={"token": TOKEN})
                cookie = {"Cookie": signed_in.headers["set-cookie"].partition(";")[0], "Authorization": ""}
                before = await seen(served, api)
                in_use = await asyncio.to_thread(copy, tmp_path, "--to", url)
                assert (in_use.returncode, "is in use" in in_use.stderr) == (TEMPORARY, True)
            copied = await asyncio.to_thread(copy, tmp_path, WEBCLIENT_DATABASE_URL=url)
            assert copied.returncode == 0, copied.stderr
            assert "secrets.key" in copied.stderr
            again = await asyncio.to_thread(copy, tmp_path, "--to", url)
            assert (again.returncode, "not empty" in again.stderr) == (USAGE, True)
            # The name of a browser's cookie has the port.
            options = [*AS_PROXY, "--database-url", url, "--port", served.base.rpartition(":")[2]]
            async with program(tmp_path, servers=servers, options=options) as moved, moved.client() as api:
                await api.server("rounds")
                after = await seen(moved, api)
                assert after.pop("/admin/audit") >= before.pop("/admin/audit")
                assert after == before
                assert (await api.get("/me", headers=cookie)).status_code == 200
                await api.answer(waiting, action="accept", content={"name": "Ada"})
                finished = await api.in_state(call, "done")
                assert finished["result"]["structuredContent"]["content"] == {"name": "Ada"}
                await api.answer(form_request, action="accept", content={"name": "Bob"})
                fetched = await api.json("GET", f"/requests/{form_request['id']}", headers=agent)
                assert (fetched["state"], fetched["content"]) == ("accepted", {"name": "Bob"})
                refused = await asyncio.to_thread(copy, tmp_path, "--to", url)
                assert (refused.returncode, "is in use" in refused.stderr) == (TEMPORARY, True)


def test_the_target_must_be_named_and_usable(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    for arguments in ([], ["--to", "sqlite:///x"], ["--to", "postgresql://127.0.0.1:1/x"]):
        refused = copy(tmp_path, *arguments)
        assert refused.returncode == USAGE
        assert "Traceback" not in refused.stderr
