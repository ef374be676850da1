"""`python -m webclient.demo.office`: the demo office on one port and Demo Drive on another, both on loopback.

It prints where the office is, and for each of its people an entry for an `mcp.json`.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from secrets import token_urlsafe

import uvicorn
from mcp.shared.auth import OAuthClientInformationFull
from pydantic import AnyUrl
from starlette.types import ASGIApp, Receive, Scope, Send

from webclient.demo.drive.app import create_drive
from webclient.demo.office.app import Office
from webclient.demo.office.oauth import Registration
from webclient.demo.office.people import PEOPLE
from webclient.demo.serving import HOST

TOKENS_VARIABLE = "MCP_DEMO_TOKENS"
"""The environment variable with the access token of each person, as a JSON object; without it, they are made up."""


def build(office_port: int, drive_port: int, tokens: Mapping[str, str]) -> ASGIApp:
    """Return both applications behind one door. The drive has another host name, so that it is another site."""
    origin, issuer = f"http://{HOST}:{office_port}", f"http://localhost:{drive_port}"
    client = OAuthClientInformationFull(
        client_id="demo-office",
        client_name="Demo office",
        client_secret=token_urlsafe(32),
        redirect_uris=[AnyUrl(f"{origin}/callback")],
        grant_types=["authorization_code"],
        token_endpoint_auth_method="client_secret_post",  # noqa: S106  a method, not a secret
    )
    registration = Registration(
        issuer=issuer,
        authorization_endpoint=f"{issuer}/authorize",
        token_endpoint=f"{issuer}/token",
        files_endpoint=f"{issuer}/files",
        client_id=str(client.client_id),
        client_secret=str(client.client_secret),
        redirect_uri=f"{origin}/callback",
    )
    return by_port(drive_port, create_drive(issuer, client), Office(origin, registration, tokens).app())


def by_port(port: int, there: ASGIApp, elsewhere: ASGIApp) -> ASGIApp:
    """Return an application that is `there` on `port` and `elsewhere` on every other."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        at_port = scope["type"] == "http" and scope["server"][1] == port
        await (there if at_port else elsewhere)(scope, receive, send)

    return app


def main() -> None:
    """Read the command line and serve."""
    parser = argparse.ArgumentParser(prog="python -m webclient.demo.office", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="the port of the office; 0 picks a free one")
    parser.add_argument("--sockets", help="listening sockets to take over, office,drive; ends when standard input does")
    options = parser.parse_args()
    if options.sockets:
        office, drive = (socket.socket(fileno=int(number)) for number in options.sockets.split(","))
        threading.Thread(target=_end_with_standard_input, daemon=True).start()
    else:
        office, drive = (socket.create_server((HOST, port)) for port in (options.port, 0))
    given = os.environ.pop(TOKENS_VARIABLE, None)
    tokens: dict[str, str] = json.loads(given) if given else {sub: token_urlsafe(32) for sub in PEOPLE}
    office_port, drive_port = (each.getsockname()[1] for each in (office, drive))
    if not options.sockets:
        _announce(f"http://{HOST}:{office_port}/mcp", tokens)
    config = uvicorn.Config(
        build(office_port, drive_port, tokens), log_level="warning", access_log=False, timeout_graceful_shutdown=1
    )
    with suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[office, drive])


def _announce(url: str, tokens: Mapping[str, str]) -> None:
    sys.stdout.write(f"Demo office: {url}\n")
    for sub, token in tokens.items():
        entry = {"url": url, "headers": {"Authorization": f"Bearer {token}"}}
        sys.stdout.write(f'"office as {sub}": {json.dumps(entry)}\n')
    sys.stdout.flush()


def _end_with_standard_input() -> None:
    # The parent process has the other end; when it ends for any reason, this process ends, too. It stores nothing.
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
