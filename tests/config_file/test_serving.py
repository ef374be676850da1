"""The program with a config file as people have them: wrong entries, secrets in every place, servers switched off."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from tests.mcp_servers import ROOT, command
from tests.process import HANGS, Running, running

PROGRAM, *ARGUMENTS = command("asker")
SECRETS = [f"s3same{n}-a1B2c3D4" for n in range(1, 8)]
ENVIRON = {"URL_SECRET": SECRETS[0], "HEADER_SECRET": f"{SECRETS[1]}\n", "ARGUMENT_SECRET": SECRETS[2]}
LAST_WORDS = "import sys; sys.exit('no: ' + ' '.join(sys.argv))"
FILE = f"""// as VS Code has it
{{"mcpServers": {{
    "good": {{"command": "{PROGRAM}", "args": {json.dumps(ARGUMENTS)}, "cwd": "{ROOT}", "env": {{"N": 1}},}},
    "off": {{"command": "{PROGRAM}", "args": {json.dumps(ARGUMENTS)}, "cwd": "{ROOT}", "disabled": true}},
    "newline": {{"url": "http://127.0.0.1:9/mcp", "headers": {{"Authorization": "Bearer ${{HEADER_SECRET}}"}}}},
    "unset": {{"command": "x", "args": ["${{NOT_SET}}"], "env": {{"API_KEY": "{SECRETS[4]}"}}}},
    "input": {{"serverUrl": "http://127.0.0.1:9/mcp", "headers": {{"X": "${{input:api-key}}"}}}},
    "address": {{"url": "http://me:{SECRETS[5]}@127.0.0.1:9/${{URL_SECRET}}/mcp?api_key={SECRETS[6]}"}},
    "arguments": {{"command": "{sys.executable}",
                  "args": ["-c", "{LAST_WORDS}", "--token=${{ARGUMENT_SECRET}}", "--api-key", "{SECRETS[3]}"]}},
    "nothing": null,
}}}}
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("served")
    # The data folder existed before, and its files could be read by everybody.
    (folder / "data").mkdir(mode=0o755)
    (folder / "data/webclient.sqlite3").touch(mode=0o644)
    (folder / "data/webclient.lock").touch(mode=0o644)
    (folder / "mcp.json").write_text(FILE, "utf-8")
    with running(folder, "--config", str(folder / "mcp.json"), **ENVIRON) as program:
        yield program


@pytest.fixture
def client(served: Running) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=served.url, headers=served.bearer, timeout=HANGS) as client:
        yield client


def settled(client: httpx2.Client) -> dict[str, Any]:
    """Wait until no server is being connected, and return them by label."""
    with client.stream("GET", "/api/v1/events") as events:
        lines = events.iter_lines()
        while True:
            servers = client.get("/api/v1/servers").json()["servers"]
            if not any(server["state"] == "connecting" for server in servers):
                return {server["label"]: server for server in servers}
            next(lines)


@pytest.mark.slow
def test_a_wrong_entry_is_one_server_in_error(client: httpx2.Client) -> None:
    servers = settled(client)
    assert {label: server["state"] for label, server in servers.items()} == {
        "good": "connected",
        "off": "disconnected",
        "newline": "error",
        "unset": "error",
        "input": "error",
        "address": "error",
        "arguments": "error",
        "nothing": "error",
    }
    assert "Authorization" in servers["newline"]["error"]["message"]
    assert "NOT_SET" in servers["unset"]["error"]["message"]
    assert "WEBCLIENT_INPUT_API_KEY" in servers["input"]["error"]["message"]


def test_a_wrong_entry_cannot_be_connected_and_says_why_again(client: httpx2.Client) -> None:
    wrong = settled(client)["unset"]
    path = f"/api/v1/servers/{wrong['id']}"
    assert client.post(f"{path}/disconnect").json()["state"] == "disconnected"
    again = client.post(f"{path}/connect")
    assert (again.status_code, again.json()["state"], again.json()["error"]) == (202, "error", wrong["error"])


def test_a_disabled_server_can_be_connected_by_hand(client: httpx2.Client) -> None:
    path = f"/api/v1/servers/{settled(client)['off']['id']}"
    assert client.post(f"{path}/connect").status_code == 202
    assert settled(client)["off"]["state"] == "connected"
    client.post(f"{path}/disconnect")


def test_no_secret_is_on_pages_in_the_api_or_on_disk(client: httpx2.Client, served: Running) -> None:
    servers = settled(client)
    pages = ["/servers", "/", *(f"/servers/{server['id']}" for server in servers.values())]
    texts = {path: client.get(path, headers={"Accept": "text/html"}).text for path in pages}
    texts["api"] = client.get("/api/v1/servers").text
    texts["standard error"] = served.errors.read_text("utf-8")
    data = served.errors.parent / "data"
    texts |= {file.name: file.read_bytes().decode("latin-1") for file in data.iterdir()}
    assert [(where, secret) for where, text in texts.items() for secret in SECRETS if secret in text] == []
    assert "${URL_SECRET}" in texts["api"]
    assert "no: " in servers["arguments"]["error"]["message"]


def test_files_in_an_existing_folder_are_for_their_owner_only(client: httpx2.Client, served: Running) -> None:
    settled(client)
    modes = {file.name: oct(file.stat().st_mode & 0o777) for file in (served.errors.parent / "data").iterdir()}
    assert len(modes) >= 4
    assert set(modes.values()) == {"0o600"}


@pytest.mark.parametrize("headers", [{"A": "s3same\n"}, {"A b": "s3same"}, {"A": "s3samé"}])
def test_a_header_that_cannot_be_sent_gets_422_without_its_value(
    client: httpx2.Client, headers: dict[str, str]
) -> None:
    body = {"label": "new", "transport": {"type": "http", "url": "http://127.0.0.1:9/mcp", "headers": headers}}
    answer = client.post("/api/v1/servers", json=body)
    assert answer.status_code == 422
    assert "s3same" not in answer.text
    form = {"label": "new", "url": "http://127.0.0.1:9/mcp", "headers": "A: s3samé"}
    page = client.post("/servers", data=form, headers={"Accept": "text/html", "Sec-Fetch-Site": "same-origin"})
    assert page.status_code == 422
