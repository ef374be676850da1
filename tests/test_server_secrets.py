"""Secrets of a server added by a person: sealed on disk, shown nowhere, kept over a new key, missed without it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.forks import launched
from tests.loopback import tls
from tests.mcp_servers import running as running_server
from tests.process import HANGS, Running, environment, running
from tests.program import Api
from webclient.domain.model import Json
from webclient.runtime.exit_status import TEMPORARY

pytestmark = pytest.mark.anyio

BEARER, API_KEY, URL_KEY, CLIENT_SECRET = SECRETS = [f"s3same{n}-a1B2c3D4e5F6" for n in range(4)]
OAUTH = {"client_id": "our-client", "client_secret": CLIENT_SECRET}
PAGES = ("", "/tools", "/permissions", "/settings", "/log")


def client_of(program: Running) -> Api:
    return Api(base_url=f"{program.url}/api/v1", headers=program.bearer, timeout=HANGS, verify=tls())


def rotate_key(folder: Path, **env: str) -> subprocess.CompletedProcess[str]:
    command = [*launched("webclient"), "rotate-key", "--data-dir", str(folder / "data")]
    return subprocess.run(
        command, capture_output=True, encoding="utf-8", timeout=HANGS, check=False, env=environment(**env)
    )


async def everything(program: Running, api: Api, servers: list[Json]) -> dict[str, str]:
    """Return every text that shows a server, and what the program has logged."""
    paths = ["/servers", "/", "/calls", "/history", *(f"/servers/{it['id']}{page}" for it in servers for page in PAGES)]
    data = ["/servers", "/history", "/history.jsonl", *(f"/servers/{it['id']}/log.jsonl" for it in servers)]
    texts = {path: (await api.get(f"{program.url}{path}", headers={"Accept": "text/html"})).text for path in paths}
    texts |= {f"api {path}": (await api.get(path)).text for path in data}
    return texts | {"standard error": program.errors.read_text("utf-8")}


def shown_in(texts: dict[str, str]) -> list[tuple[str, str]]:
    return [(where, secret) for where, text in texts.items() for secret in SECRETS if secret in text]


def on_disk(folder: Path) -> dict[str, str]:
    return {path.name: path.read_bytes().decode("latin-1") for path in (folder / "data").iterdir()}


async def test_headers_of_a_server_are_sealed_shown_nowhere_and_used(tmp_path: Path) -> None:
    async with running_server() as server:
        headers = {"Authorization": f"Bearer {BEARER}", "X-Api-Key": API_KEY}
        added = {
            "it": {"type": "http", "url": server.address, "headers": headers},
            "broken": {"type": "http", "url": f"http://127.0.0.1:9/mcp?api_key={URL_KEY}", "headers": headers},
        }
        with running(tmp_path) as program:
            async with client_of(program) as api:
                servers = [
                    await api.json(
                        "POST", "/servers", 201, json={"label": label, "transport": transport, "oauth": OAUTH}
                    )
                    for label, transport in added.items()
                ]
                [it, _broken] = servers
                for each in servers:
                    await api.json("POST", f"/servers/{each['id']}/connect", 202)
                call = await api.call("it", "ask_form")
                await api.answer((await api.pending_requests(call))[0], action="accept", content={"name": "Ada"})
                await api.in_state(call, "done")
                texts = await everything(program, api, servers)
                assert shown_in(texts) == []
                assert it["oauth"] == {"client_id": "our-client"}
                assert "ask_form" in texts[f"api /servers/{it['id']}/log.jsonl"]
                assert shown_in(on_disk(tmp_path)) == []
            refused = rotate_key(tmp_path)
            assert (refused.returncode, "in use" in refused.stderr) == (TEMPORARY, True), refused.stderr
            program.end()
        before = on_disk(tmp_path)
        assert shown_in(before) == []
        rotated = rotate_key(tmp_path)
        assert (rotated.returncode, rotated.stdout) == (0, ""), rotated.stderr
        assert on_disk(tmp_path)["secrets.key"] != before["secrets.key"]
        with running(tmp_path) as program:
            async with client_of(program) as api:
                await api.json("POST", f"/servers/{it['id']}/connect", 202)
                assert await api.server("it") == it["id"]
            program.end()
        (tmp_path / "data/secrets.key").unlink()
        with running(tmp_path) as program:
            async with client_of(program) as api:
                missing = {
                    each["label"]: await api.json("POST", f"/servers/{each['id']}/connect", 202) for each in servers
                }
                assert {each["error"]["reason_code"] for each in missing.values()} == {"secrets_lost"}
                assert "Authorization, X-Api-Key, oauth.client_secret, url" in missing["broken"]["error"]["message"]
                assert shown_in(await everything(program, api, servers)) == []
                again = await api.json("PATCH", f"/servers/{it['id']}", json={"headers": headers, "oauth": OAUTH})
                assert again["state"] != "error"
                await api.json("POST", f"/servers/{it['id']}/connect", 202)
                assert await api.server("it") == it["id"]
            program.end()
        assert shown_in(on_disk(tmp_path)) == []


def test_keys_that_others_can_read_are_refused_at_the_start(tmp_path: Path) -> None:
    with running(tmp_path) as program:
        program.end()
    (tmp_path / "data/secrets.key").chmod(0o644)
    refused = rotate_key(tmp_path)
    assert (refused.returncode, "chmod 600" in refused.stderr) == (2, True), refused.stderr
    command = [*launched("webclient"), "serve", "--port", "0", "--data-dir", str(tmp_path / "data")]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=HANGS, check=False, env=environment())
    assert (done.returncode, done.stdout) == (2, "")
    assert "chmod 600" in done.stderr


def test_a_wrong_key_in_the_environment_is_refused_unquoted(tmp_path: Path) -> None:
    refused = rotate_key(tmp_path, WEBCLIENT_SECRET_KEYS="k1:s3same")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "WEBCLIENT_SECRET_KEYS" in refused.stderr
    assert "s3same" not in refused.stderr
