"""The API's description is true: schemathesis attacks the running program with what it allows, and more."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from tests.program import program
from tests.servers import stdio

pytestmark = pytest.mark.anyio

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"


async def test_schemathesis_finds_no_500_and_no_answer_that_is_not_described(tmp_path: Path) -> None:
    servers = {"it": {key: value for key, value in stdio("asker").items() if key != "type" and value}}
    async with program(tmp_path, servers=servers) as served:
        command = [sys.executable, "-m", "schemathesis.cli", "run", f"{served.base}/api/v1/openapi.json"]
        options = ["--header", f"Authorization: Bearer {served.token}", "--checks", CHECKS]
        bounds = ["--max-examples", "10", "--generation-deterministic", "--exclude-path", "/api/v1/events"]
        found = await anyio.run_process(
            [*command, *options, *bounds, "--no-color"], cwd=tmp_path, check=False, stderr=subprocess.STDOUT
        )
    told = found.stdout.decode()
    assert found.returncode == 0, told
    assert "Unresolvable references" not in told


async def test_the_description_names_every_route_of_the_contract(tmp_path: Path) -> None:
    async with program(tmp_path) as served, served.client() as api:
        described = await api.json("GET", "/openapi.json")
    routes = {
        (method.upper(), path.removeprefix("/api/v1"))
        for path, methods in described["paths"].items()
        for method in methods
    }
    assert routes == {
        ("GET", "/servers"),
        ("POST", "/servers"),
        ("GET", "/servers/{server_id}"),
        ("PATCH", "/servers/{server_id}"),
        ("DELETE", "/servers/{server_id}"),
        ("POST", "/servers/{server_id}/decline-all"),
        ("POST", "/servers/{server_id}/connect"),
        ("POST", "/servers/{server_id}/disconnect"),
        ("GET", "/servers/{server_id}/tools"),
        ("GET", "/servers/{server_id}/prompts"),
        ("GET", "/servers/{server_id}/resources"),
        ("GET", "/servers/{server_id}/resource-templates"),
        ("POST", "/calls"),
        ("GET", "/calls"),
        ("GET", "/calls/{call_id}"),
        ("POST", "/calls/{call_id}/cancel"),
        ("POST", "/calls/{call_id}/retry"),
        ("GET", "/requests"),
        ("GET", "/requests/{request_id}"),
        ("POST", "/requests/{request_id}/answer"),
        ("POST", "/requests/{request_id}/more-time"),
        ("POST", "/requests/{request_id}/finished"),
        ("POST", "/requests/{request_id}/give-up"),
        ("GET", "/history"),
        ("GET", "/history.jsonl"),
        ("GET", "/events"),
    }
