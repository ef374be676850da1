"""`mcp-webclient users` and `audit`: commands beside a running program, on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest
from anyio import run_process
from typer.testing import CliRunner

from tests.forks import launched
from tests.loopback import tls
from tests.postgresql import PostgreSQL
from tests.program import PATIENCE, Program, program
from webclient.domain.model import LOCAL_USER, Person, Role
from webclient.runtime.cli import app
from webclient.servers import accounts
from webclient.store import Store

pytestmark = pytest.mark.anyio

PROXY = ["--identity", "proxy", "--auth-header", "Remote-User", "--trusted-proxy", "127.0.0.1", "--admin", "root"]


@dataclass(frozen=True, slots=True)
class Place:
    """A database: the options that name it to the program and to commands."""

    folder: Path
    url: str | None = None

    @property
    def options(self) -> list[str]:
        """The options."""
        return ["--data-dir", str(self.folder / "data"), *(["--database-url", self.url] if self.url else [])]

    async def run(self, *arguments: str, status: int = 0) -> str:
        """Run a command, which must end with this status; return what it writes."""
        line = launched("webclient", *arguments, *self.options)
        ended = await run_process(line, check=False)
        assert ended.returncode == status, ended.stderr.decode()
        return ended.stdout.decode()

    async def trail(self, count: int, *options: str) -> list[dict[str, object]]:
        """Wait until `audit export` writes so many entries, and return them.

        In a database of earlier tests, the numbers of entries begin with a gap, after which new ones wait for a while.
        """
        async with asyncio.timeout(PATIENCE):
            while True:
                lines = (await self.run("audit", "export", *options)).splitlines()
                if len(lines) >= count:
                    return [json.loads(line) for line in lines]


@pytest.fixture(params=["SQLite", "PostgreSQL"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    if request.param == "SQLite":
        yield Place(tmp_path)
        return
    server: PostgreSQL = request.getfixturevalue("postgresql")
    with server.database() as name:
        yield Place(tmp_path, server.url(name))


@asynccontextmanager
async def running(place: Place) -> AsyncIterator[Program]:
    """Run the program for users behind a proxy, which is on this machine."""
    database = ["--database-url", place.url] if place.url else []
    async with program(place.folder, options=[*PROXY, *database]) as served:
        yield served


def client(served: Program, user: str | None = None, **headers: str) -> httpx2.AsyncClient:
    """Return a client as whom the proxy names the user."""
    named = {"Remote-User": user} if user else {}
    sent = {"Sec-Fetch-Site": "same-origin", **named, **headers}
    return httpx2.AsyncClient(base_url=f"{served.base}/api/v1", headers=sent, timeout=PATIENCE, verify=tls())


async def until_status(client: httpx2.AsyncClient, path: str, status: int) -> None:
    """Wait until a path is answered with this status."""
    async with asyncio.timeout(PATIENCE):
        while True:
            if (await client.get(path)).status_code == status:
                return
            await asyncio.sleep(0.1)


def test_changes_by_commands_are_looked_for_each_second() -> None:
    """A disabled user is out within two."""
    assert accounts.LOOK <= 1


async def test_a_user_disabled_by_a_command_is_out_of_the_program(place: Place) -> None:
    async with running(place) as served, client(served, "ada") as ada, client(served, "root") as root:
        me = (await ada.get("/me")).json()
        assert (await root.get("/me")).json()["role"] == "admin"
        made = await ada.post("/tokens", json={"label": "Agent", "scopes": ["read"]})
        program_of_ada = {"Authorization": f"Bearer {made.json()['secret']}"}
        async with (
            asyncio.timeout(PATIENCE),
            ada.stream("GET", "/events", timeout=None) as page,
            client(served, **program_of_ada) as agent,
            agent.stream("GET", "/events", timeout=None) as stream,
        ):
            assert (page.status_code, stream.status_code) == (200, 200)
            await place.run("users", "disable", "ada")
            for each in (page, stream):
                async for _line in each.aiter_lines():
                    pass
            # Another look, for ended sign-ins, may have ended the streams before the one for disabled users.
            for who in (ada, agent):
                await until_status(who, "/me", 401)
        assert "disabled" in await place.run("users", "list", "--search", "ada")
        here = (await root.get(f"/users/{me['user_id']}")).json()
        assert (here["state"], here["here"]) == ("disabled", False)
        await place.run("users", "enable", me["user_id"])
        await until_status(ada, "/me", 200)
        await place.run("users", "delete", "ada", "--yes")
        assert (await root.get(f"/users/{me['user_id']}")).status_code == 404
        actions = ["user_disabled", "user_enabled", "user_disabled", "user_deleted"]
        wanted = [f"--action={action}" for action in actions]
        acts = await place.trail(4, "--user", me["user_id"], *wanted)
        assert [each["action"] for each in acts] == actions
        assert {each["way"] for each in acts} == {"command line"}
        assert str(acts[0]["credential"]).startswith("account:")
        assert not [each for each in acts if "user_id" in each]
        # The same person comes as a new user.
        assert (await ada.get("/me")).json()["user_id"] != me["user_id"]


async def test_a_user_whom_a_command_adds_is_asked_at_once(place: Place) -> None:
    async with running(place) as served, client(served, "root") as root:
        zoe = (await place.run("users", "add", "--subject", "zoe", "--issuer", "proxy")).strip()
        wanted = {"label": "Chat", "scopes": ["ask"], "may_ask": "everyone"}
        secret = (await root.post("/tokens", json=wanted)).json()["secret"]
        form = {"kind": "form", "message": "?", "requestedSchema": {"type": "object", "properties": {}}}
        async with client(served, Authorization=f"Bearer {secret}") as agent:
            answer = await agent.post("/requests", json={**form, "user_id": zoe})
        async with client(served, "zoe") as person:
            waiting = (await person.get("/requests")).json()["requests"]
            assert (await person.get("/me")).json()["user_id"] == zoe
        assert [each["id"] for each in waiting] == [answer.json()["id"]]


async def test_a_sign_out_ends_browsers_and_leaves_tokens(place: Place) -> None:
    store = Store(place.folder / "data", url=place.url)
    await store.open()
    ada = await store.users.recognise(Person(issuer="proxy", subject="ada", email="ada@corp.example"))
    session = await store.browser_sessions.create(ada.id, "oidc")
    await store.close()
    await place.run("users", "sign-out", "ADA@corp.example")
    await store_again(place, session)
    [entry] = await place.trail(1, "--action", "sign_ins_ended")
    assert (entry["object"], entry["outcome"], "user_id" in entry) == (ada.id, "1", False)


async def store_again(place: Place, session: str) -> None:
    """Look that a session opens nothing any more."""
    store = Store(place.folder / "data", url=place.url)
    await store.open()
    assert await store.browser_sessions.find(session) is None
    await store.close()


async def test_the_export_follows_what_the_program_does(place: Place) -> None:
    async with running(place) as served, client(served, "ada") as ada:
        await ada.get("/me")
        line = launched("webclient", "audit", "export", "--follow", *place.options)
        export = await asyncio.create_subprocess_exec(*line, stdout=asyncio.subprocess.PIPE)
        assert export.stdout is not None
        seen: list[str] = []
        try:
            async with asyncio.timeout(PATIENCE):
                while "audit_exported" not in seen:
                    seen.append(json.loads(await export.stdout.readline())["action"])
                assert "first_seen" in seen
                await ada.get("/history.jsonl")
                while "history_exported" not in seen:
                    seen.append(json.loads(await export.stdout.readline())["action"])
        finally:
            export.terminate()
            await export.wait()


@pytest.fixture
def alone(tmp_path: Path) -> list[str]:
    """The options of a database with Ada, Bob and Root, without a running program."""

    async def fill() -> None:
        store = Store(tmp_path)
        await store.open()
        for subject, role in (("ada", Role.USER), ("bob", Role.USER), ("root", Role.ADMIN)):
            email = f"{subject}@corp.example" if subject == "ada" else "team@corp.example"
            await store.users.recognise(Person(issuer="proxy", subject=subject, role=role, email=email))
        await store.close()

    asyncio.run(fill())
    return ["--data-dir", str(tmp_path)]


@pytest.mark.parametrize(
    "arguments",
    [
        ["disable", "nobody"],
        ["disable", "root"],
        ["delete", "root", "--yes"],
        ["disable", LOCAL_USER],
        ["delete", LOCAL_USER, "--yes"],
        ["sign-out", "team@corp.example"],
        ["add"],
        ["add", "--subject", "zoe"],
        ["add", "--subject", "zoe", "--email", "zoe@corp.example", "--issuer", "proxy"],
        ["add", "--email", "zoe", "--issuer", "proxy"],
        ["add", "--email", "zoe@corp.example", "--issuer", "host:chat"],
        ["add", "--subject", "\x1fzoe", "--issuer", "proxy"],
        ["add", "--subject", "zoe", "--issuer", "local"],
    ],
)
def test_an_impossible_command_says_why_and_changes_nothing(alone: list[str], arguments: list[str]) -> None:
    before = CliRunner().invoke(app, ["users", "list", *alone]).stdout
    result = CliRunner().invoke(app, ["users", *arguments, *alone])
    assert result.exit_code == 2, result.output
    assert result.stderr
    assert CliRunner().invoke(app, ["users", "list", *alone]).stdout == before


@pytest.mark.smoke
def test_the_last_administrator_is_disabled_only_on_demand(alone: list[str]) -> None:
    assert CliRunner().invoke(app, ["users", "disable", "root", "--even-last", *alone]).exit_code == 0
    listed = CliRunner().invoke(app, ["users", "list", "--disabled", *alone]).stdout
    assert [line.split()[1:3] for line in listed.splitlines()] == [["disabled", "admin"]]


def test_deleting_asks_first(alone: list[str]) -> None:
    assert CliRunner().invoke(app, ["users", "delete", "ada", *alone], input="n\n").exit_code == 1
    assert "ada" in CliRunner().invoke(app, ["users", "list", "--enabled", *alone]).stdout


async def test_without_a_running_program_the_next_one_deletes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webclient.runtime.users_command.PATIENCE", 0.0)
    place = Place(tmp_path)
    store = Store(tmp_path / "data")
    await store.open()
    ada = await store.users.recognise(Person(issuer="proxy", subject="ada"))
    await store.close()
    command = ["users", "delete", "ada", "--yes", *place.options]
    result = await asyncio.to_thread(CliRunner().invoke, app, command)
    assert result.exit_code == 0
    # The first line says that it waits, the second how that ended.
    assert [line.split(":")[0] for line in result.stderr.splitlines()] == ["Disabled", "Not deleted yet"]
    async with running(place) as served, client(served, "root") as root:
        await until_status(root, f"/users/{ada.id}", 404)


@pytest.mark.skipif(os.name != "posix", reason="needs a pipe that its reader closes")
async def test_a_reader_that_has_enough_ends_the_export_quietly(place: Place) -> None:
    store = Store(place.folder / "data", url=place.url)
    await store.open()
    await store.close()
    line = f"{shlex.join(launched('webclient', 'audit', 'export', *place.options))} | true"
    ended = await run_process(["bash", "-o", "pipefail", "-c", line], check=False)
    assert b"Traceback" not in ended.stderr
