"""The person of a scenario: connects our running program to its server, signs in, runs its tools, and answers.

The suite runs it with the address of the server as the last argument; the program's API is in `CONFORMANCE_API` and
`CONFORMANCE_TOKEN`, the protocol version in `CONFORMANCE_VERSION` if the suite names none.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from typing import Any

import httpx2

SECONDS = 20.0
"""Seconds for everything; the suite ends a scenario after thirty."""

ENDED = ("done", "failed", "interrupted", "cancelled")
SETTINGS = ("client_id", "client_secret", "issuer")
"""Settings of the sign-in that a scenario's context may have."""

DOCUMENT = "https://conformance-test.local/client-metadata.json"
"""The document of a client that the suite knows (its scenario `auth/basic-cimd`)."""

SAMPLES: dict[str, Any] = {"string": "text", "integer": 7, "number": 1.5, "boolean": True, "array": [], "object": {}}


class Person:
    """A user of the program's API; `context` has the scenario's settings besides its address."""

    def __init__(self, api: httpx2.Client, context: dict[str, Any]) -> None:
        self._api = api
        self._context = context
        self._opened: set[str] = set()
        self._until = time.monotonic() + SECONDS

    def run(self, address: str) -> None:
        """Connect, run all tools as the scenario wants, and leave."""
        version = os.environ.get("MCP_CONFORMANCE_PROTOCOL_VERSION") or os.environ["CONFORMANCE_VERSION"]
        era = version if version in ("2025-11-25", "2026-07-28") else "auto"
        body = {"label": "conformance", "transport": {"type": "http", "url": address}, "era": era}
        server = self._json("POST", "/servers", json=body | {"oauth": self._oauth})
        try:
            self._connected(server["id"])
            for name, arguments in self._calls(server["id"]):
                self._call(server["id"], name, arguments)
        finally:
            self._api.delete(f"/servers/{server['id']}")

    def _connected(self, server_id: str) -> None:
        self._json("POST", f"/servers/{server_id}/connect")
        for _pause in self._pauses():
            if self._signed_in(server_id)["state"] == "connected":
                return

    @property
    def _oauth(self) -> dict[str, Any]:
        """The settings of the sign-in: what the scenario gives, and a document of the client that it knows."""
        oauth = {name: value for name, value in self._context.items() if name in SETTINGS or name.startswith("idp_")}
        if key := self._context.get("private_key_pem"):
            oauth["private_key"] = key
        if assertion := self._context.get("valid_jwt"):
            oauth |= {"grant": "jwt_bearer", "assertion": assertion}
        if os.environ.get("MCP_CONFORMANCE_SCENARIO", "").startswith("auth/client-credentials"):
            oauth["grant"] = "client_credentials"
        return oauth | {"client_metadata_url": DOCUMENT}

    def _signed_in(self, server_id: str) -> dict[str, Any]:
        """Return the server; open the sign-in that it wants, once. Raises RuntimeError if there will be none."""
        server: dict[str, Any] = self._json("GET", f"/servers/{server_id}")
        if (auth := server.get("auth")) and auth["id"] not in self._opened:
            self._opened.add(auth["id"])
            page = httpx2.get(auth["authorization_url"], follow_redirects=True, timeout=SECONDS)
            print("signed in at", auth["issuer"], page.status_code)  # noqa: T201
        if server["state"] == "error" or (server.get("auth_error") and not auth):
            raise RuntimeError(f"not connected: {server}")
        return server

    def _calls(self, server_id: str) -> Iterator[tuple[str, dict[str, Any]]]:
        tools = self._tools(server_id)
        if wanted := self._context.get("toolCalls"):
            yield from ((each["name"], each.get("arguments") or {}) for each in wanted)
            return
        schemas = {tool["name"]: tool.get("inputSchema") or {} for tool in tools}
        for name, schema in schemas.items():
            # The scenario compares the schema of its other tool, as a client passes it on, with the original.
            echoed = {"schema": schemas.get("json_schema_2020_12_tool")} if name == "json_schema_echo" else None
            yield name, echoed or _sample(schema)

    def _tools(self, server_id: str) -> list[dict[str, Any]]:
        """Return the tools; some servers want a sign-in only now."""
        for _pause in self._pauses():
            response = self._api.get(f"/servers/{server_id}/tools")
            if response.is_success:
                tools: list[dict[str, Any]] = response.json()["tools"]
                return tools
            if response.json().get("reason_code") != "sign_in_required":
                break
            self._signed_in(server_id)
        raise RuntimeError(f"no tools: {response.status_code} {response.text}")

    def _call(self, server_id: str, name: str, arguments: dict[str, Any]) -> None:
        body = {"server_id": server_id, "kind": "tool", "name": name, "arguments": arguments}
        call = self._json("POST", "/calls", json=body)
        for _pause in self._pauses():
            if call["state"] in ENDED:
                print(name, call["state"], call.get("result") or call.get("error"))  # noqa: T201
                return
            for request in self._json("GET", "/requests", params={"call_id": call["id"], "state": "pending"})[
                "requests"
            ]:
                self._json("POST", f"/requests/{request['id']}/answer", json={"action": "accept"})
            if call["state"] == "input_required":
                self._signed_in(server_id)
            call = self._json("GET", f"/calls/{call['id']}", params={"wait": 1})

    def _pauses(self) -> Iterator[None]:
        while time.monotonic() < self._until:
            yield
            time.sleep(0.02)
        raise TimeoutError("the scenario took too long")

    def _json(self, method: str, path: str, **options: Any) -> Any:
        response = self._api.request(method, path, **options)
        if response.is_error:
            raise RuntimeError(f"{method} {path}: {response.status_code} {response.text}")
        return response.json()


def _sample(schema: dict[str, Any]) -> dict[str, Any]:
    """Return arguments that the schema of a scenario's tool accepts."""
    properties, required = schema.get("properties") or {}, schema.get("required") or []
    return {name: SAMPLES.get(_type(properties.get(name)), "text") for name in required}


def _type(schema: Any) -> str:
    found = schema.get("type") if isinstance(schema, dict) else None
    return found if isinstance(found, str) else "string"


def main() -> None:
    """Play the scenario whose server has the address in the last argument."""
    headers = {"Authorization": f"Bearer {os.environ['CONFORMANCE_TOKEN']}"}
    context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
    with httpx2.Client(base_url=os.environ["CONFORMANCE_API"], headers=headers, timeout=SECONDS) as api:
        Person(api, context).run(sys.argv[-1])


if __name__ == "__main__":
    main()
