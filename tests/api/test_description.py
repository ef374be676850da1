"""The API's description is true: schemathesis attacks the running program with what it allows, and more."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.house import settings
from tests.mcp_servers import entry
from tests.program import program
from webclient.runtime.app import create_app

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"


@pytest.mark.anyio
async def test_schemathesis_finds_no_500_and_no_undescribed_answer(tmp_path: Path) -> None:
    servers = {"it": entry("asker")}
    async with program(tmp_path, servers=servers) as served:
        command = [sys.executable, "-m", "schemathesis.cli", "run", f"{served.base}/api/v1/openapi.json"]
        options = ["--header", f"Authorization: Bearer {served.token}", "--checks", CHECKS]
        # Neither ends by itself: a long poll of the audit trail waits for minutes, and has tests of its own.
        endless = ["--exclude-path", "/api/v1/events", "--exclude-path", "/api/v1/audit"]
        bounds = ["--max-examples", "10", "--generation-deterministic", *endless]
        found = await anyio.run_process(
            [*command, *options, *bounds, "--no-color"], cwd=tmp_path, check=False, stderr=subprocess.STDOUT
        )
    output = found.stdout.decode()
    assert found.returncode == 0, output
    assert "Unresolvable references" not in output


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return create_app(settings(tmp_path_factory.mktemp("described"))).openapi()


AUTHORIZER = ("/authorize/{server}", "/authorize/{server}/{rest}")


def test_the_description_of_the_authorizer_has_its_denials(described: dict[str, Any]) -> None:
    for path in AUTHORIZER:
        asks = described["paths"][f"/api/v1{path}"]["post"]
        assert [each["name"] for each in asks["parameters"] if each["in"] == "path"] == re.findall(r"\{(\w+)\}", path)
        assert asks["requestBody"]["content"].keys() == {"application/json"}
        denied = asks["responses"]["403"]["content"]
        assert denied["application/json"]["schema"] == {"$ref": "#/components/schemas/DenialShape"}
        assert denied["application/problem+json"]
        assert asks["responses"]["200"].get("content", {}) == {}


def test_the_description_names_every_route_of_the_contract(described: dict[str, Any]) -> None:
    routes = {
        (method.upper(), path.removeprefix("/api/v1"))
        for path, methods in described["paths"].items()
        for method in methods
    }
    assert routes == {
        ("GET", "/me"),
        ("GET", "/rules"),
        ("GET", "/rules/insights"),
        ("PUT", "/rules"),
        ("POST", "/sessions"),
        ("DELETE", "/embed/sessions"),
        ("GET", "/servers"),
        ("POST", "/servers"),
        ("GET", "/servers/{server_id}"),
        ("PATCH", "/servers/{server_id}"),
        ("DELETE", "/servers/{server_id}"),
        ("POST", "/servers/{server_id}/decline-all"),
        ("POST", "/servers/{server_id}/connect"),
        ("POST", "/servers/{server_id}/disconnect"),
        ("POST", "/servers/{server_id}/sign-in"),
        ("DELETE", "/servers/{server_id}/sign-in"),
        ("POST", "/servers/{server_id}/sign-in/register"),
        ("POST", "/servers/{server_id}/sign-out"),
        ("GET", "/servers/{server_id}/messages"),
        ("GET", "/servers/{server_id}/tools"),
        ("GET", "/servers/{server_id}/prompts"),
        ("GET", "/servers/{server_id}/resources"),
        ("GET", "/servers/{server_id}/resource-templates"),
        ("GET", "/servers/{server_id}/log.jsonl"),
        ("GET", "/servers/{server_id}/sampling"),
        ("GET", "/models"),
        ("PATCH", "/requests/{request_id}/sampling"),
        ("POST", "/requests/{request_id}/generate"),
        ("POST", "/requests/{request_id}/stop"),
        ("GET", "/servers/{server_id}/followed"),
        ("GET", "/servers/{server_id}/tasks"),
        ("POST", "/servers/{server_id}/tasks"),
        ("GET", "/servers/{server_id}/skills"),
        ("GET", "/servers/{server_id}/skills/entry"),
        ("GET", "/servers/{server_id}/skills/file"),
        ("POST", "/calls"),
        ("GET", "/calls"),
        ("GET", "/calls/{call_id}"),
        ("POST", "/calls/{call_id}/cancel"),
        ("POST", "/calls/{call_id}/retry"),
        ("GET", "/calls/{call_id}/log"),
        ("GET", "/calls/{call_id}/log.jsonl"),
        ("GET", "/requests"),
        ("GET", "/requests/{request_id}"),
        ("POST", "/requests/{request_id}/answer"),
        ("POST", "/requests/{request_id}/more-time"),
        ("POST", "/requests/{request_id}/reopen"),
        ("POST", "/requests/{request_id}/finished"),
        ("POST", "/requests/{request_id}/give-up"),
        ("GET", "/history"),
        ("GET", "/history.jsonl"),
        ("GET", "/events"),
        ("POST", "/requests"),
        ("POST", "/requests/{request_id}/withdraw"),
        ("GET", "/users"),
        ("POST", "/users"),
        ("GET", "/users/{user_id}"),
        ("DELETE", "/users/{user_id}"),
        ("POST", "/users/{user_id}/disable"),
        ("POST", "/users/{user_id}/enable"),
        ("GET", "/users/{user_id}/sign-ins"),
        ("DELETE", "/users/{user_id}/sign-ins"),
        ("DELETE", "/users/{user_id}/sign-ins/{session_id}"),
        ("GET", "/users/{user_id}/tokens"),
        ("DELETE", "/users/{user_id}/tokens/{token_id}"),
        ("GET", "/users/{user_id}/servers"),
        ("DELETE", "/users/{user_id}/servers/{server_id}"),
        ("GET", "/audit"),
        ("GET", "/audit.jsonl"),
        ("GET", "/tokens"),
        ("POST", "/tokens"),
        ("DELETE", "/tokens/{token_id}"),
        ("POST", "/reload"),
        *((method, path) for method in ("GET", "POST", "DELETE") for path in AUTHORIZER),
    }


CONTRACT = {
    "ServerShape": "id label transport era state protocol_version server_info capabilities error auth auth_error "
    "signed_in oauth",
    "AuthShape": "id authorization_url issuer scopes new_scopes expires_at",
    "AuthErrorShape": "code message",
    "SignedInShape": "issuer scopes expires_at",
    "CallShape": "id server_id kind name arguments state progress result error created_at updated_at",
    "RequestShape": "id kind state reason reason_code server_id call_id round params findings expires_at created_at "
    "settled_at",
    "ErrorShape": "code message data reason_code",
    "FindingShape": "code severity message",
    "CallBody": "server_id kind name uri arguments",
    "AnswerBody": "action content",
    "ServerBody": "label transport era oauth",
    "ProblemShape": "type title status detail errors request",
}
"""The keys that other programs rely on: more may come, none may go."""


@pytest.mark.parametrize("shape", CONTRACT)
def test_no_key_of_the_contract_goes(described: dict[str, Any], shape: str) -> None:
    keys = described["components"]["schemas"][shape]["properties"]
    assert set(CONTRACT[shape].split()) - set(keys) == set()
