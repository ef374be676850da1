"""A server that no one gets into without a sign-in, and its authorization server, for pictures of the sign-in."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import anyio
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from webclient.domain.model import Json

LABEL = "Team wiki"


@asynccontextmanager
async def protected_wiki() -> AsyncIterator[str]:
    """Run both on a free port of this machine; yield the address of the MCP server."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        base = f"http://127.0.0.1:{listener.getsockname()[1]}"
        server = uvicorn.Server(uvicorn.Config(_app(base), log_config=None, lifespan="off"))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(partial(server.serve, sockets=[listener]))
            yield f"{base}/mcp"
            server.should_exit = True


def _app(base: str) -> Starlette:
    metadata = f"{base}/.well-known/oauth-protected-resource/mcp"
    challenge = f'Bearer resource_metadata="{metadata}", scope="pages:read pages:write"'

    def refuse(_request: Request) -> Response:
        return Response(status_code=401, headers={"WWW-Authenticate": challenge})

    def register(_request: Request) -> Response:
        return JSONResponse({"client_id": "mcp-webclient", "token_endpoint_auth_method": "none"}, status_code=201)

    resource: Json = {"resource": f"{base}/mcp", "authorization_servers": [base]}
    issuer: Json = {
        "issuer": base,
        "authorization_endpoint": f"{base}/authorize",
        "token_endpoint": f"{base}/token",
        "registration_endpoint": f"{base}/register",
        "response_types_supported": ["code"],
        "code_challenge_methods_supported": ["S256"],
    }
    return Starlette(
        routes=[
            Route("/mcp", refuse, methods=["GET", "POST", "DELETE"]),
            Route("/.well-known/oauth-protected-resource/mcp", lambda _request: JSONResponse(resource)),
            Route("/.well-known/oauth-authorization-server", lambda _request: JSONResponse(issuer)),
            Route("/register", register, methods=["POST"]),
        ]
    )
