"""A reload of the config file and the embedders file, by signal, API and button: wholly, or not at all."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import re
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.embedders.minting import ISSUER, ORIGIN, SECRET, minted
from tests.mcp_servers import entry
from tests.process import PROGRAM
from tests.program import PATIENCE, Api, Program, program
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

OTHER_ORIGIN = "https://other.example.com"
AS_PROXY = ["--identity", "proxy", "--auth-header", "Remote-User", "--trusted-proxy", "127.0.0.1", "--admin", "root"]
AS_PROXY += ["--identity", "local"]
OWN = {"Sec-Fetch-Site": "same-origin"}


def write(folder: Path, servers: Json) -> None:
    """Replace the config file, as editors do: by a rename."""
    new = folder / "mcp.json.new"
    new.write_text(json.dumps({"mcpServers": servers}), "utf-8")
    new.replace(folder / "mcp.json")


def embedders(folder: Path, **entries: Json) -> Path:
    path = folder / "embedders.json"
    path.write_text(json.dumps(entries), "utf-8")
    return path


def chat(**changed: Any) -> Json:
    return {"issuer": ISSUER, "origins": [ORIGIN, OTHER_ORIGIN], "secret_env": "CHAT", "may": ["inbox"]} | changed


async def servers_of(api: Api) -> dict[str, Json]:
    return {each["label"]: each for each in (await api.json("GET", "/servers"))["servers"]}


async def until(api: Api, wanted: Callable[[dict[str, Json]], bool]) -> dict[str, Json]:
    """Wait until the servers are as wanted."""
    async with asyncio.timeout(PATIENCE), api.stream("GET", "/events", timeout=None) as events:
        lines = events.aiter_lines()
        while not wanted(servers := await servers_of(api)):
            await anext(lines)
    return servers


@asynccontextmanager
async def as_user(served: Program, name: str) -> AsyncIterator[Api]:
    async with Api(base_url=f"{served.base}/api/v1", headers={"Remote-User": name, **OWN}, timeout=PATIENCE) as api:
        yield api


async def test_a_signal_reloads_and_unchanged_servers_keep_their_calls(tmp_path: Path) -> None:
    same, edited, gone = entry("asker", era="2025-11-25"), entry("asker", era="2025-11-25"), entry("asker")
    first = {"same": same, "rounds": entry("asker", era="2026-07-28"), "edited": edited, "gone": gone}
    async with program(tmp_path, servers=first) as served, served.client() as api:
        calls = {label: await api.call(label, "ask_form") for label in first}
        requests = {label: (await api.pending_requests(call))[0] for label, call in calls.items()}
        ids = {label: each["id"] for label, each in (await servers_of(api)).items()}
        after = {name: each for name, each in first.items() if name != "gone"}
        write(tmp_path, after | {"edited": edited | {"env": {"N": "2"}}, "new": entry("asker")})
        os.kill(served.pid, signal.SIGHUP)
        servers = await until(api, lambda found: "new" in found and found["new"]["state"] == "connected")
        assert servers.keys() == {"same", "rounds", "edited", "new"}
        assert {label: servers[label]["id"] for label in after} == {label: ids[label] for label in after}
        await until(api, lambda found: found["edited"]["state"] == "connected")
        for label, code in (("edited", "entry_changed"), ("gone", "entry_removed")):
            call = await api.in_state(calls[label], "interrupted")
            request = await api.json("GET", f"/requests/{requests[label]['id']}")
            assert (call["error"]["reason_code"], request["reason_code"]) == (code, code)
        for label in ("same", "rounds"):
            await api.answer(requests[label], action="accept", content={"name": "Ada"})
            done = await api.in_state(calls[label], "done")
            assert done["result"]["structuredContent"]["content"] == {"name": "Ada"}
        again = await api.call("edited", "ask_form")
        assert len(await api.pending_requests(again)) == 1


async def test_labels_switches_and_reloads_at_once_follow_the_file(tmp_path: Path) -> None:
    """A new label keeps the connection; of several reloads at once, one finds what has changed."""
    asker = entry("asker", era="2025-11-25")
    async with program(tmp_path, servers={"it": asker, "by hand": asker}) as served, served.client() as api:
        call = await api.call("it", "ask_form")
        [request] = await api.pending_requests(call)
        by_hand = await api.server("by hand")
        await api.json("POST", f"/servers/{by_hand}/disconnect")
        write(tmp_path, {"it": asker | {"label": "renamed"}, "by hand": asker | {"env": {"N": "2"}}})
        reloaded = await api.json("POST", "/reload")
        assert reloaded["servers"] == {"added": [], "changed": ["it", "by hand"], "removed": []}
        # A person who has disconnected a server finds it so.
        states = {label: each["state"] for label, each in (await servers_of(api)).items()}
        assert states == {"renamed": "connected", "by hand": "disconnected"}
        await api.answer(request, action="decline")
        await api.in_state(call, "done")

        write(tmp_path, {"it": asker | {"disabled": True}})
        await api.json("POST", "/reload")
        assert {label: each["state"] for label, each in (await servers_of(api)).items()} == {"it": "disconnected"}
        write(tmp_path, {"it": asker})
        assert (await api.json("POST", "/reload"))["servers"]["changed"] == ["it"]
        await api.server("it")

        write(tmp_path, {"two": asker})
        both = await asyncio.gather(*(api.json("POST", "/reload") for _ in range(4)))
        changes = [each["servers"] for each in both]
        nothing: Json = {"added": [], "changed": [], "removed": []}
        assert sorted(changes, key=str) == sorted(
            [{"added": ["two"], "changed": [], "removed": ["it"]}, *[nothing] * 3], key=str
        )
        await api.server("two")


def with_http(**keys: Any) -> Callable[[Path], object]:
    """Return what writes a file with an HTTP server that has these keys."""
    return lambda path: write(path.parent, {"new": {"url": "http://127.0.0.1:9/mcp", **keys}})


def into_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


WRONG: dict[str, tuple[Callable[[Path], object], str]] = {
    "not JSON": (lambda path: path.write_text('{"mcpServers": {\n  "it": }}', "utf-8"), "mcp.json:2:"),
    "a list": (lambda path: path.write_text("[]", "utf-8"), "mcp.json"),
    "gone": (lambda path: path.unlink(), "mcp.json"),
    "a folder": (into_folder, "mcp.json"),
    "no secret": (with_http(headers={"X": "${NO_SUCH}"}), "NO_SUCH"),
    "a wrong sign-in": (with_http(oauth={"scope": 1}), '"scope"'),
    "wrong embedders": (lambda path: embedders(path.parent, chat=chat(origins=["nonsense"])), "embedders.json"),
    "no key": (lambda path: embedders(path.parent, chat=chat(secret_env="NO_SUCH_KEY")), "NO_SUCH_KEY"),
}


async def test_a_wrong_file_changes_nothing_and_says_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CHAT", SECRET)
    options = ["--embedders", str(embedders(tmp_path, chat=chat()))]
    asker, broken = entry("asker", era="2025-11-25"), {"command": "x", "args": ["${NOT_SET_FROM_THE_START}"]}
    config = tmp_path / "mcp.json"
    async with (
        program(tmp_path, servers={"it": asker, "broken": broken}, options=options) as served,
        served.client() as api,
    ):
        call = await api.call("it", "ask_form")
        [request] = await api.pending_requests(call)
        good = config.read_text("utf-8")
        for spoil, where in WRONG.values():
            # What else the file says is right, and must not be in use either.
            write(tmp_path, {"broken": broken})
            spoil(config)
            problem = await api.json("POST", "/reload", 409)
            assert where in problem["detail"]
            page = await api.post(f"{served.base}/servers/reload", headers={"Accept": "text/html"})
            assert page.status_code == 409
            # The browser scrolls to it: the list of servers above it may be long.
            assert re.search('id="reload-error"[^>]* autofocus', page.text)
            assert (await servers_of(api)).keys() == {"it", "broken"}
            if config.is_dir():
                config.rmdir()
            embedders(tmp_path, chat=chat())
            config.write_text(good, "utf-8")
        # An entry that was wrong before does not stop the others.
        reloaded = await api.json("POST", "/reload")
        assert reloaded["servers"] == {"added": [], "changed": [], "removed": []}
        log = capfd.readouterr().err
        assert [where for _spoil, where in WRONG.values() if where not in log] == []
        await api.answer(request, action="accept", content={"name": "Ada"})
        await api.in_state(call, "done")


async def test_each_user_gets_their_own_part_of_the_new_file(tmp_path: Path) -> None:
    """The audit trail has who reloaded what."""
    asker = entry("asker", era="2025-11-25")
    first = {"all": asker, "ada's": asker | {"users": ["ada"]}}
    async with (
        program(tmp_path, servers=first, options=AS_PROXY) as served,
        as_user(served, "ada") as ada,
        as_user(served, "bob") as bob,
        as_user(served, "root") as root,
    ):
        calls = [await ada.call("ada's", "ask_form"), await bob.call("all", "ask_form")]
        [lost], [remaining] = [await each.pending_requests(call) for each, call in zip((ada, bob), calls, strict=True)]
        assert (await servers_of(bob)).keys() == {"all"}
        write(tmp_path, {"all": asker, "ada's": asker | {"users": ["bob"]}})
        await ada.json("POST", "/reload", 403)
        assert (await ada.post(f"{served.base}/servers/reload")).status_code == 403
        await root.json("POST", "/reload")
        await bob.server("ada's")
        assert [set(await servers_of(each)) for each in (ada, bob, root)] == [{"all"}, {"all", "ada's"}, {"all"}]
        assert (await ada.json("GET", f"/requests/{lost['id']}"))["reason_code"] == "entry_removed"
        await bob.answer(remaining, action="decline")
        (tmp_path / "mcp.json").write_text("{", "utf-8")
        await root.json("POST", "/reload", 409)
        # Who comes only now has the new file.
        write(tmp_path, {"newest": asker})
        os.kill(served.pid, signal.SIGHUP)
        await root.server("newest")
        async with as_user(served, "eve") as eve:
            await eve.server("newest")
            assert (await servers_of(eve)).keys() == {"newest"}
        await says_who_reloaded(root, served)


async def says_who_reloaded(root: Api, served: Program) -> None:
    """Wait until the audit trail has the three reloads."""
    async with asyncio.timeout(PATIENCE):
        while True:
            trail = (await root.get(f"{served.base}/admin/audit", headers={"Accept": "text/html"})).text
            if trail.count('data-action="config_reloaded"') == 3:
                break
            await asyncio.sleep(0.05)
    entries = [each.partition("</li>")[0] for each in trail.split('data-action="config_reloaded"')[1:4]]
    by_signal, refused, by_root = entries
    assert "root" not in by_signal
    assert "root" in refused
    assert "<code>ada" in by_root.replace('<bdi lang="">', "").replace("</bdi>", "")


async def exchanged(served: Program, status: int = 201, **claims: Any) -> dict[str, str]:
    async with httpx2.AsyncClient(base_url=served.base) as client:
        answer = await client.post("/api/v1/sessions", json={"token": minted(**claims)})
    assert answer.status_code == status, answer.text
    return {"Authorization": f"Bearer {answer.json().get('token')}"}


async def test_embedding_applications_follow_their_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = {"issuer": "desk", "origins": ["https://desk.example"], "secret_env": "DESK", "may": ["inbox"]}
    monkeypatch.setenv("CHAT", SECRET)
    monkeypatch.setenv("DESK", SECRET[::-1])
    options = ["--embedders", str(embedders(tmp_path, chat=chat(), desk=desk))]
    async with program(tmp_path, options=options) as served, served.client() as api:
        of_desk = await exchanged(served, key=SECRET[::-1], iss="desk", origin="https://desk.example")
        of_chat = await exchanged(served)
        of_other = await exchanged(served, origin=OTHER_ORIGIN)
        everyone = (of_desk, of_chat, of_other)

        async def statuses() -> list[int]:
            return [(await api.get("/me", headers=each)).status_code for each in everyone]

        async def preflight(origin: str) -> bool:
            asks = {"Origin": origin, "Access-Control-Request-Method": "GET"}
            return "Access-Control-Allow-Origin" in (await api.request("OPTIONS", "/me", headers=asks)).headers

        assert await statuses() == [200, 200, 200]
        async with api.stream("GET", "/events", headers=of_desk, timeout=None) as events:
            lines = events.aiter_lines()
            embedders(tmp_path, chat=chat(origins=[ORIGIN], may=["inbox", "ask"]))
            reloaded = await api.json("POST", "/reload")
            assert reloaded["applications"] == {"added": [], "changed": ["chat"], "removed": ["desk"]}
            async with asyncio.timeout(2):
                async for _line in lines:
                    pass
        assert await statuses() == [401, 200, 401]
        assert [await preflight(each) for each in (ORIGIN, OTHER_ORIGIN)] == [True, False]
        frames = [(await api.get(f"{served.base}/embed/{name}?host={ORIGIN}")) for name in ("chat", "desk")]
        assert [frame.status_code for frame in frames] == [200, 404]
        assert OTHER_ORIGIN not in frames[0].headers["Content-Security-Policy"]
        assert (await api.get("/me", headers=await exchanged(served, scope="ask"))).json()["scopes"] == ["ask"]
        await exchanged(served, 401, key=SECRET[::-1], iss="desk", origin="https://desk.example")
        # Another key: what the old one has vouched for is over.
        embedders(tmp_path, chat=chat(secret_env="DESK"))
        await api.json("POST", "/reload")
        assert await statuses() == [401, 401, 401]
        await exchanged(served, 401)
        await exchanged(served, key=SECRET[::-1])


async def test_a_program_without_files_has_nothing_to_reload(tmp_path: Path) -> None:
    line = [*PROGRAM, "serve", "--port", "0", "--data-dir", str(tmp_path)]
    process = await asyncio.create_subprocess_exec(*line, stdout=asyncio.subprocess.PIPE)
    assert process.stdout
    try:
        served = Program((await process.stdout.readline()).decode().removeprefix("Ready: ").strip(), process.pid)
        process.send_signal(signal.SIGHUP)
        async with served.client() as api:
            await api.json("POST", "/reload", 409)
            page = await api.get(f"{served.base}/servers", headers={"Accept": "text/html"})
            assert "/servers/reload" not in page.text
    finally:
        process.terminate()
        assert await process.wait() == 0


async def test_a_program_ends_with_its_terminal_but_not_by_a_signal(tmp_path: Path) -> None:
    """Its files have relative paths here, and are read again there."""
    write(tmp_path, {"one": entry("asker")})
    environ = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(tmp_path)
        options = ["--port", "0", "--data-dir", "data", "--config", "mcp.json"]
        os.execve(PROGRAM[0], [*PROGRAM, "serve", "--no-open", *options], environ)  # noqa: S606
    said = ""
    while "Ready: " not in said or not said.endswith("\n"):
        said += (await asyncio.to_thread(os.read, terminal, 4096)).decode()
    link = next(line for line in said.splitlines() if "Ready: " in line).partition("Ready: ")[2].strip()
    served = Program(link, pid)
    async with served.client() as api:
        await api.server("one")
        write(tmp_path, {"two": entry("asker")})
        os.kill(pid, signal.SIGHUP)
        await api.server("two")
    os.close(terminal)
    _pid, status = await asyncio.to_thread(os.waitpid, pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0
